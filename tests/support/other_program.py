# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The start of every comparison with another program's own code: the options, and the interpreter that has this program."""
import argparse
import os
import pathlib
import sys

SKIPPED = 77
TRACES = pathlib.Path(os.environ.get("RIFFLE_TRACES") or pathlib.Path(__file__).resolve().parents[3] / "shared" / "traces")


def begin(description, variable, program):
    """Returns the options and the interpreter that `variable` names. Without one, the test skips itself and says so."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--cli", required=True)
    parser.add_argument("--filter", default="", help="only files whose name contains this")
    options = parser.parse_args()
    python = os.environ.get(variable)
    if not python:
        print("SKIPPED: %s does not name an interpreter that has %s. Nothing was compared." % (variable, program), file=sys.stderr)
        sys.exit(SKIPPED)
    return options, python
