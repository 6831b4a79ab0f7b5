#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the Python stacks in a log: this interpreter records operators with the library, and read_log.py reads them.

Usage: [PYTHON] log_check.py LIBRARY [unittest arguments]

Operators are ranges of the category cpu_op and NVTX ranges with the text of PyTorch's observer, pushed through a stand-in for NVTX.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from pathlib import Path

LIBRARY = os.path.abspath(sys.argv[1])
HERE = os.path.abspath(__file__)
READABLE = (3, 10) <= sys.version_info[:2] <= (3, 13) and sys.implementation.name == "cpython"

os.environ.pop("RIFFLE_OPTIONS", None)
os.environ.pop("NVTX_INJECTION64_PATH", None)
os.environ["RIFFLE_COLLECTOR"] = LIBRARY
sys.path[:0] = [str(Path(HERE).parents[3] / "collector" / "python"), str(Path(HERE).parents[1])]
import read_log  # noqa: E402
import riffle_profiler as riffle  # noqa: E402
from riffle_profiler import _library, _stacks  # noqa: E402


def library():
    return _library.library()


class Nvtx:
    """Calls the functions that the library hands to NVTX, as a module of NVTX does."""

    def __init__(self):
        function = ctypes.CFUNCTYPE(ctypes.c_int)
        self._slots = [function() for _ in range(16)]
        pointers = (ctypes.c_void_p * 16)(*(ctypes.addressof(slot) for slot in self._slots))
        self._table = ctypes.cast(pointers, ctypes.c_void_p)
        self._pointers = pointers

        class Callbacks(ctypes.Structure):
            _fields_ = [("size", ctypes.c_size_t), ("functions", ctypes.c_void_p)]

        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint))
        def functions(module, table, count):
            if module != 1:
                return 0
            table[0], count[0] = self._table.value, 16
            return 1

        @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)
        def export_table(number):
            return ctypes.addressof(self._callbacks) if number == 1 else None

        self._callbacks = Callbacks(ctypes.sizeof(Callbacks), ctypes.cast(functions, ctypes.c_void_p).value)
        self._kept = functions, export_table
        assert ctypes.CDLL(LIBRARY).InitializeInjectionNvtx2(export_table) == 1

        def at(number, *arguments):
            address = ctypes.cast(self._slots[number], ctypes.c_void_p).value
            return ctypes.CFUNCTYPE(ctypes.c_int, *arguments)(address)

        self.push, self.pop = at(9, ctypes.c_char_p), at(11)


def operator(name, inside=None):
    library().range_push_category(name.encode(), b"cpu_op")
    if inside:
        inside()
    library().range_pop()


def line_of(mark):
    """The number of the line with this mark as a comment."""
    with open(HERE, encoding="utf-8") as text:
        return next(number for number, line in enumerate(text, 1) if line.rstrip().endswith("# " + mark))


@unittest.skipUnless(READABLE, "this interpreter's frames are not read")
class Stacks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        _stacks.allow(library())

    def start(self, *options):
        library().check(library().start("\n".join((f"dir={self.folder}", "cupti=0", "sample_ms=0", "stacks=1", *options)).encode()))

    def stop(self):
        path = library().stats().path
        library().check(library().stop())
        return path

    def stacks(self, log):
        """The frames of each operator as (file, line, function), the innermost first; an empty list without a stack."""
        frames, found = {}, {}
        for kind, row in read_log.read(Path(log)):
            if kind == "PythonFrames":
                self.assertIn(row["Parent"], {0, *frames})
                frames[row["Id"]] = row
            elif kind == "Ranges":
                stack, at = [], row["Stack"]
                while at:
                    stack.append((frames[at]["File"], frames[at]["Line"], frames[at]["Name"]))
                    at = frames[at]["Parent"]
                found[row["Name"]] = stack
        return found

    def test_an_outermost_operator_has_the_line_that_called_it(self):
        self.start()

        def forward():
            operator("first", lambda: operator("inside"))  # first
            operator("second")  # second
        forward()
        stacks = self.stacks(self.stop())
        for name in ("first", "second"):
            frames = [frame for frame in stacks[name] if frame[2].split(".")[-1] != "operator"]
            self.assertEqual(frames[0][:2], (HERE, line_of(name)))
            self.assertRegex(frames[0][2], r"(^|\.)forward$")
            self.assertRegex(frames[1][2], r"test_an_outermost_operator_has_the_line_that_called_it$")
        self.assertEqual(stacks["inside"], [])

    def test_operators_of_pytorchs_observer(self):
        self.start()
        nvtx = Nvtx()

        def pushed(*texts):
            for text in texts:
                nvtx.push(text.encode())
            for _ in texts:
                nvtx.pop()
        pushed("aten::linear, seq = 3, op_id = 1", "aten::addmm, seq = 3, op_id = 2")
        pushed("my step, op_id = 3", "aten::relu, op_id = 4")
        pushed("autograd::engine::evaluate_function: AddmmBackward0, op_id = 5", "AddmmBackward0, seq = 3, op_id = 6")
        stacks = self.stacks(self.stop())
        self.assertEqual({name for name, frames in stacks.items() if frames}, {"aten::linear", "aten::relu"})
        self.assertRegex(stacks["aten::relu"][0][2], "pushed$")

    def test_other_threads_and_pauses(self):
        self.start()
        library().pause()
        operator("paused")
        library().resume()
        thread = threading.Thread(target=lambda: operator("other"))
        thread.start()
        thread.join()
        operator("main")
        stacks = self.stacks(self.stop())
        self.assertNotIn("paused", stacks)
        self.assertIn("Thread.run", [frame[2] for frame in stacks["other"]] if sys.version_info >= (3, 11) else ["Thread.run"])
        self.assertNotIn("Thread.run", [frame[2] for frame in stacks["main"]])

    def test_after_a_loss_stacks_are_whole_again(self):
        self.start("ring_bytes=65536")

        def deeper(count, name):
            return deeper(count - 1, name) if count else operator(name)
        for number in range(3000):  # more than the ring takes in one round of the thread that empties it
            deeper(number % 90, "filler")
        library().flush()
        deeper(20, "after")
        stacks = self.stacks(self.stop())
        self.assertEqual(sum(frame[2].endswith("deeper") for frame in stacks["after"]), 21)
        self.assertTrue(stacks["after"][-1][2].endswith("<module>"))

    def test_without_the_option_nothing_is_taken(self):
        self.start("stacks=0")
        operator("plain")
        log = self.stop()
        self.assertEqual(self.stacks(log)["plain"], [])

    def test_code_that_comes_and_goes(self):
        self.start()
        space = {"operator": operator}
        for number in range(300):
            exec(compile("\n" * (number % 5) + f"operator('op{number}')", f"<code {number % 7}>", "exec"), space)
        stacks = self.stacks(self.stop())
        for number in range(300):
            self.assertEqual(stacks[f"op{number}"][1][:2], (f"<code {number % 7}>", number % 5 + 1))

    def test_a_flight_recorder_keeps_whole_stacks(self):
        self.start("keep_seconds=1")
        for _ in range(8):
            operator("again")
            library().flush()
            threading.Event().wait(0.2)
        log = self.stop()
        self.assertNotIn("000001.part", os.listdir(log))
        self.assertIn("test_a_flight_recorder_keeps_whole_stacks", str(self.stacks(log)["again"]))

    def test_a_forked_child_and_the_exit(self):
        """Threads that still record while the interpreter ends do no harm."""
        script = textwrap.dedent(f"""
            import os, sys, threading, time
            sys.path.insert(0, {sys.path[0]!r})
            import riffle_profiler
            from riffle_profiler import _library, _stacks
            library = _library.library()
            _stacks.allow(library)
            library.check(library.start(b"dir=" + os.fsencode(sys.argv[1]) + b"\\ncupti=0\\nsample_ms=0\\nstacks=1"))
            def work():
                while True:
                    library.range_push_category(b"operator", b"cpu_op")
                    library.range_pop()
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.05)
            child = os.fork()
            if child == 0:
                library.range_push_category(b"operator", b"cpu_op")
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            """)
        for _ in range(5):
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", script, self.folder], capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class OtherInterpreters(unittest.TestCase):
    @unittest.skipIf(READABLE, "this interpreter's frames are read")
    def test_the_recording_goes_on_and_says_why_there_are_no_stacks(self):
        with self.assertRaisesRegex(riffle.OptionError, "Python stacks are not recorded: "):
            _stacks.allow(library())

    def test_a_log_without_the_python_part_says_so(self):
        script = ("import ctypes, sys\n"
                  f"library = ctypes.CDLL({LIBRARY!r})\n"
                  "assert library.riffle_start(b'dir=' + sys.argv[1].encode() + b'\\ncupti=0\\nstacks=1') == 0\n"
                  "library.riffle_range_push_category(b'operator', b'cpu_op')\n"
                  "library.riffle_range_pop()\n"
                  "assert library.riffle_stop() == 0\n")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-c", script, folder], check=True, timeout=60)
            (log,) = os.listdir(folder)
            said = [row["Value"] for kind, row in read_log.read(Path(folder, log)) if kind == "Process" and row["Key"] == "stacks"]
            self.assertIn("Python stacks are not recorded: Riffle's Python part has not asked for them", said[-1])


if __name__ == "__main__":
    unittest.main(argv=[__file__, *sys.argv[2:]], verbosity=2)
