#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A collector's log of a forward pass with Python stacks and of its backward pass on a thread without Python: log.part."""
import pathlib
import shutil
import sys

shutil.copyfile(pathlib.Path(__file__).resolve().parent / "log.part", sys.argv[1])
