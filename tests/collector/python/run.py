#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the Python package.

Usage: run.py STUB_LIBRARY [--torch] [--itt] [TEST...]

With --torch they run under $RIFFLE_TORCH_PYTHON, an interpreter that has PyTorch; status 77 (skipped) if that is not set.
With --itt, PyTorch's ITT observer is tried instead of that for NVTX.
"""

import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main():
    arguments = sys.argv[1:]
    if "--torch" in arguments:
        arguments.remove("--torch")
        python = os.environ.get("RIFFLE_TORCH_PYTHON")
        if not python:
            print("SKIPPED: RIFFLE_TORCH_PYTHON does not name an interpreter that has PyTorch. Nothing was tested.")
            return 77
        os.execv(python, [python, __file__, *arguments])
    if "--itt" in arguments:
        arguments.remove("--itt")
        os.environ["RIFFLE_TORCH_OBSERVER"] = "itt"
    os.environ["RIFFLE_COLLECTOR"] = os.path.abspath(arguments[0])
    for name in ("RIFFLE_OPTIONS", "NVTX_INJECTION64_PATH", "INTEL_LIBITTNOTIFY64", "RANK"):
        os.environ.pop(name, None)
    sys.path[:0] = [str(HERE), str(HERE.parents[2] / "collector" / "python")]
    names = arguments[1:]
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE), "*_test.py")
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
