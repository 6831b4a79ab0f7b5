#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A closed log of rank 3 with one step of 50 µs: work of 3,020 ns on one device and of 1,000 ns on another; 42 events were lost."""
import pathlib
import shutil
import sys

shutil.copyfile(pathlib.Path(__file__).resolve().parents[2] / "log/slices/log.part", sys.argv[1])
