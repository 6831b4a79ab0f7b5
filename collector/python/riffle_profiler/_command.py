# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The commands riffle and riffle-cli of an installed wheel: they become the program in the package."""

import os
import signal
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "riffle-cli")


def main():
    name = os.path.basename(sys.argv[0])
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python; the program and its jobs would inherit that
        signal.signal(ignored, signal.SIG_DFL)
    try:
        os.execv(PROGRAM, [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: {PROGRAM} cannot be run: {error.strerror}. Install the wheel of riffle-profiler again.")
