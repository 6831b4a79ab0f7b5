#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A file of a collector's log with a bit of everything (everythingLog() of tests/support/log_writer.h)."""
import pathlib
import shutil
import sys

shutil.copyfile(pathlib.Path(__file__).resolve().parent.parent / "slices/log.part", sys.argv[1])
