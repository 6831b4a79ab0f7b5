#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The snapshot of memory_info_snapshot."""
import pathlib
import runpy

runpy.run_path(str(pathlib.Path(__file__).resolve().parent.parent / "memory_info_snapshot/make.py"), run_name="__main__")
