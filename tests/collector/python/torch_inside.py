# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Starts a script again in an interpreter that has PyTorch."""

import os
import sys


def run_inside(file, **variables):
    """Runs the script again in $RIFFLE_TORCH_PYTHON, with --inside as its last argument; returns 77 (skipped) if that is not set."""
    python = os.environ.get("RIFFLE_TORCH_PYTHON")
    if not python:
        print("SKIPPED: RIFFLE_TORCH_PYTHON does not name an interpreter that has PyTorch. Nothing was tested.")
        return 77
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("RANK", "NVTX_INJECTION64_PATH", "RIFFLE_OPTIONS")}
    environment.update(variables)
    os.execve(python, [python, file, *sys.argv[1:], "--inside"], environment)
