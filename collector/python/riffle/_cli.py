# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""riffle-cli, which reads logs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import _library
from ._library import LibraryError, RiffleError


def find():
    """Its path: $RIFFLE_CLI, beside the collector's library or in ../bin, or in PATH; else LibraryError."""
    asked = os.environ.get("RIFFLE_CLI")
    if asked:
        if os.path.isfile(asked):
            return os.path.abspath(asked)
        raise LibraryError(f"RIFFLE_CLI names {asked}, which is not a file")
    folder = Path(_library.library().path).parent
    for found in (folder / "riffle-cli", folder.parent / "bin" / "riffle-cli", shutil.which("riffle-cli")):
        if found and os.path.isfile(found):
            return str(found)
    raise LibraryError("riffle-cli, which reads logs, was not found: set RIFFLE_CLI to its path, or put it into PATH")


def lines(*arguments):
    """What it prints, line by line. Raises at the end when it could not do what it was asked for."""
    with subprocess.Popen([find(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        yield from process.stdout
        said = process.stderr.read().strip()
    if process.returncode == 3:  # the log has gaps: what there is was read, and that is said
        print(f"riffle: {said or 'a part of the log is missing'}", file=sys.stderr)
    elif process.returncode:
        raise RiffleError(f"riffle-cli {arguments[0]}: {said or f'status {process.returncode}'}")


def run(*arguments):
    for _ in lines(*arguments):
        pass
