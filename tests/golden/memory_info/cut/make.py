#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The snapshot of memory_info/snapshot, cut behind the word "segments": the history is whole, the final state is missing."""
import pathlib
import runpy
import sys

runpy.run_path(str(pathlib.Path(__file__).resolve().parent.parent / "snapshot/make.py"), run_name="__main__")
written = pathlib.Path(sys.argv[1])
whole = written.read_bytes()
written.write_bytes(whole[: whole.index(b"segments") + 8])
