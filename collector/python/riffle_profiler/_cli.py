# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs riffle-cli, which reads logs."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import _library
from ._library import LibraryError, RiffleError


def find():
    """The path of riffle-cli: $RIFFLE_CLI, beside the collector's library, in ../bin relative to it, or in PATH. Raises
    LibraryError if it is not found."""
    asked = os.environ.get("RIFFLE_CLI")
    if asked:
        if os.path.isfile(asked):
            return os.path.abspath(asked)
        raise LibraryError(f"RIFFLE_CLI names {asked}, which is not a file.")
    try:
        folder = Path(_library.find()).parent  # without loading it: a process that only reads has no use for it
        beside = [folder / "riffle-cli", folder.parent / "bin" / "riffle-cli"]
    except LibraryError:
        beside = []
    for found in (*beside, shutil.which("riffle-cli")):
        if found and os.path.isfile(found):
            return str(found)
    raise LibraryError("riffle-cli, which reads logs, was not found. Set RIFFLE_CLI to its path, or add its folder to PATH.")


def lines(*arguments):
    """Yields the output of riffle-cli line by line. Raises RiffleError at the end if the command failed."""
    with subprocess.Popen([find(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        yield from process.stdout
        said = process.stderr.read().strip()
    if process.returncode == 3:  # the log has gaps: the rest was read, and the user is told
        print(f"riffle: {said or 'A part of the log is missing.'}", file=sys.stderr)
    elif process.returncode:
        raise RiffleError(f"riffle-cli {arguments[0]}: {said or f'The command failed with status {process.returncode}.'}")


def run(*arguments):
    for _ in lines(*arguments):
        pass


def range_of(log, between):
    """The span between two times in ns as riffle-cli's option --range takes it: after the first event of the log."""
    first = json.loads("".join(lines("info", "--json", "--no-store", log)))["begin_ns"]
    return ":".join(f"{max(0, time - first)}ns" for time in between)
