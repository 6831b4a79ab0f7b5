# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The base of the collector's tests: Python processes that load the library, and their logs."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import read_log

library = ""  # path of libriffle_collector.so
PRELUDE = """
import ctypes, os, sys, threading, time
lib = ctypes.CDLL({library!r})
lib.riffle_last_error.restype = ctypes.c_char_p
lib.riffle_counter.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_double]
lib.riffle_step.argtypes = [ctypes.c_int64]
class Stats(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("state", ctypes.c_int32)] + [
        (name, ctypes.c_uint64) for name in
        ("events", "dropped", "bytes_written", "bytes_kept", "buffer_bytes", "threads")] + [("path", ctypes.c_char * 1024)]
def stats():
    now = Stats(size=ctypes.sizeof(Stats))
    assert lib.riffle_get_stats(ctypes.byref(now)) == 0
    return now
def ok(code):
    assert code == 0, lib.riffle_last_error()
def start(*options):  # without samples of the process, unless a test requests them
    ok(lib.riffle_start("\\n".join(("dir=" + sys.argv[1], "sample_ms=0") + options).encode()))
"""


class Case(unittest.TestCase):
    folder_of_stubs = ""  # where the stand-ins for other libraries are

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def process(self, code, **options):
        text = PRELUDE.format(library=library) + textwrap.dedent(code)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("RIFFLE_")}
        environment.update(options.pop("environment", {}))
        return subprocess.Popen([*options.pop("prefix", ()), sys.executable, "-c", text, str(self.folder)], env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def run_code(self, code, status=0, **options):
        process = self.process(code, **options)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, err)
        return out, err

    def logs(self):
        return sorted(self.folder.glob("*.rifflelog"))

    def rows(self, kind=None):
        self.assertEqual(len(self.logs()), 1, self.logs())
        return [row for name, row in read_log.read(self.logs()[0]) if kind in (None, name)]

    def names(self, kind="Ranges"):
        return [row["Name"] for row in self.rows(kind)]

    def info(self):
        return {row["Key"]: row["Value"] for row in self.rows("Process")}


def main(with_stubs=False):
    """Runs the tests of a file. Its first argument is the library; if it uses stubs, its second one is their folder."""
    global library
    library = os.path.abspath(sys.argv.pop(1))
    if with_stubs:
        Case.folder_of_stubs = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
