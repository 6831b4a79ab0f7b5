#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the recording of every Python call, in each interpreter that this machine has and whose stacks are read.

Usage: calls_check.py LIBRARY [unittest arguments]      in all interpreters
       PYTHON calls_check.py --one LIBRARY [arguments]  in this one
"""

import cProfile
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

HERE = os.path.abspath(__file__)
ONE = sys.argv[1] == "--one"
LIBRARY = os.path.abspath(sys.argv[1 + ONE])

os.environ.pop("RIFFLE_OPTIONS", None)
os.environ["RIFFLE_COLLECTOR"] = LIBRARY
sys.path[:0] = [str(Path(HERE).parents[3] / "collector" / "python"), str(Path(HERE).parents[1])]
import read_log  # noqa: E402
import riffle_profiler as riffle  # noqa: E402
from riffle_profiler import _calls, _library, _say  # noqa: E402
from run import KNOWN, interpreters  # noqa: E402

# Its lines have known numbers.
PROGRAM = """\
def leaf(): return 1
def raises(): raise ValueError("x")
def through(): return raises()
def catches():
    try: through()
    except ValueError: return len("ab")
def fails_in_c():
    try: int("x")
    except ValueError: pass
def numbers():
    for number in range(3):
        leaf()
        yield number
def uses():
    return [leaf() for _ in numbers()]
def closes():
    generator = numbers()
    next(generator)
    generator.close()
def throws():
    generator = numbers()
    next(generator)
    try: generator.throw(KeyError)
    except KeyError: pass
async def deep(): leaf()
async def shallow(): await deep()
def runs_coroutine():
    try: shallow().send(None)
    except StopIteration: pass
def recurse(n): return recurse(n - 1) if n else leaf()
def by_c(): return sorted([3, 1, 2], key=lambda value: value)
def all_of_it():
    catches(); fails_in_c(); uses(); closes(); throws(); runs_coroutine(); recurse(5); by_c()
"""


def program():
    space = {}
    exec(compile(PROGRAM, "program.py", "exec"), space)
    return space


class Calls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(sys.setprofile, None)

    def recorded(self, **options):
        return riffle.profile(dir=self.folder, activities=["CPU"], with_stack="calls", **options)

    def rows(self, log, kind="Ranges"):
        """The calls as (name, thread, start, end) in the order of their starts; pairs nest in each thread."""
        found = []
        for one, row in read_log.read(Path(log)):
            if one == kind and row["Category"] == "python_function":
                found.append((row["Name"], row["Thread"], row["Start"], row["Start"] + row.get("Duration", 0)))
        found.sort(key=lambda row: (row[2], -row[3]))
        open_calls = {}
        for name, thread, start, end in found:
            stack = open_calls.setdefault(thread, [])
            while stack and stack[-1] <= start:
                stack.pop()
            self.assertTrue(not stack or end <= stack[-1], f"{name} does not nest")
            stack.append(end)
        return found

    def named(self, log):
        return Counter(re.sub(r"^.*program\.py\(\d+\): ", "", row[0]) for row in self.rows(log))

    def gaps(self, log):
        return [(row["Name"], row["Duration"]) for kind, row in read_log.read(Path(log)) if kind == "Gaps" and row["Category"] == "Python calls"]

    def test_names_counts_and_pairs(self):
        run = program()["all_of_it"]
        with self.recorded() as prof:
            run()
        rows = self.rows(prof.path)
        names = Counter(row[0] for row in rows)
        self.assertEqual(names["program.py(1): leaf"], 3 + 3 + 1 + 1 + 1 + 1)  # in numbers() and uses(), closes(), throws(), deep(), recurse()
        self.assertEqual(names["program.py(30): recurse"], 6)
        self.assertEqual(names["program.py(10): numbers"], 4 + 2 + (1 if sys.version_info >= (3, 13) else 2))  # until it yields or ends
        self.assertEqual((names["program.py(25): deep"], names["program.py(26): shallow"], names["program.py(31): <lambda>"]), (1, 1, 3))
        for name in ("raises", "through", "catches", "fails_in_c", "uses", "closes", "throws", "runs_coroutine", "by_c", "all_of_it"):
            self.assertEqual(self.named(prof.path)[name], 1, name)
        self.assertEqual((names["<built-in function len>"], names["<built-in function sorted>"]), (1, 1))
        self.assertEqual(names["<built-in method send of coroutine object>"], 1)
        self.assertFalse([name for name in names if "riffle_profiler" in name or " at 0x" in name])
        (whole,), (sort,) = ([row for row in rows if row[0].endswith(end)] for end in (": all_of_it", ": by_c"))
        (leaf, *_), last = ([row for row in rows if row[0].endswith(end)] for end in (": leaf", ": <lambda>"))
        self.assertTrue(whole[2] <= leaf[2] and leaf[3] <= whole[3] and sort[2] <= last[0][2] and last[-1][3] <= sort[3])

    def test_open_calls_begin_and_end_with_the_recording(self):
        def outer():
            with self.recorded() as prof:
                program()["leaf"]()
            return prof.path
        rows = self.rows(outer())
        (own,) = [row for row in rows if row[0].endswith(": outer")]
        (leaf,) = [row for row in rows if row[0].endswith(": leaf")]
        self.assertTrue(own[2] <= leaf[2] and leaf[3] <= own[3])
        self.assertEqual(own[2:], [row[2:] for row in rows if row[0].endswith(": test_open_calls_begin_and_end_with_the_recording")][0])

    def test_cycles_of_a_schedule(self):
        run = program()
        paths = []
        with self.recorded(schedule=riffle.schedule(wait=1, warmup=1, active=2, repeat=2)) as prof:
            for step in range(10):
                run["recurse"](step)
                paths.append(sys.getprofile() is not None)
                prof.step()
        self.assertEqual(paths, [False, True, True, True] * 2 + [False] * 2)
        self.assertEqual(self.named(prof.path)["recurse"], 3 + 4 + 7 + 8)
        tests = [row for row in self.rows(prof.path) if row[0].endswith(": test_cycles_of_a_schedule")]
        self.assertEqual(len(tests), 2)
        self.assertLess(tests[0][3], tests[1][2])

    def test_nothing_is_left(self):
        ready, go, done, seen = threading.Event(), threading.Event(), threading.Event(), []
        def work():
            ready.set(), go.wait()
            len("a")
            seen.append(sys.getprofile())
            done.wait()
            seen.append(sys.getprofile())
        thread = threading.Thread(target=work)
        thread.start()
        ready.wait()
        with self.recorded() as prof:
            self.assertTrue(callable(sys.getprofile()) and threading.getprofile())
            go.set()
            while not seen:
                threading.Event().wait(0.01)
        self.assertEqual((sys.getprofile(), threading.getprofile()), (None, None))
        done.set()
        thread.join()
        self.assertIsNotNone(seen[0])
        self.assertIsNone(seen[1])
        before = prof.stats.events
        program()["all_of_it"]()
        self.assertEqual(_library.library().stats().events, before)

    def test_threads_before_and_in_the_recording(self):
        run, stop = program(), threading.Event()
        def early():
            while not stop.wait(0.001):
                run["recurse"](0)
        before = threading.Thread(target=early)
        before.start()
        with self.recorded() as prof:
            late = [threading.Thread(target=run["all_of_it"]) for _ in range(3)]
            for thread in late:
                thread.start()
            for thread in late:
                thread.join()
            threading.Event().wait(0.05)
        stop.set()
        before.join()
        rows = self.rows(prof.path)
        self.assertEqual(self.named(prof.path)["all_of_it"], 3)
        self.assertEqual(len({row[1] for row in rows if row[0].endswith(": all_of_it")}), 3)
        self.assertGreater(sum(row[0].endswith(": recurse") for row in rows), 3 * 6)
        self.assertEqual(sum(row[0].endswith(": early") for row in rows), 1)

    def test_a_generator_that_another_thread_resumes(self):
        run = program()
        generator = run["numbers"]()
        with self.recorded() as prof:
            next(generator)
            for _ in range(3):
                thread = threading.Thread(target=lambda: next(generator, None))
                thread.start()
                thread.join()
            run["leaf"]()
        self.assertEqual((self.named(prof.path)["numbers"], self.named(prof.path)["leaf"]), (4, 4))
        main = [row[1] for row in self.rows(prof.path) if row[0].endswith(": test_a_generator_that_another_thread_resumes")]
        self.assertEqual(len(main), 1)
        self.assertEqual(len({row[1] for row in self.rows(prof.path) if row[0].endswith(": numbers")}), 4)

    def test_the_programs_own_function_stays(self):
        def own(*unused):
            pass
        sys.setprofile(own)
        with contextlib.redirect_stderr(io.StringIO()) as said, mock.patch.object(_say, "_said", set()):
            for _ in range(2):
                with self.recorded():
                    self.assertIs(sys.getprofile(), own)
        self.assertIs(sys.getprofile(), own)
        self.assertEqual(said.getvalue().count("The program has a profile function of its own in 1 thread"), 1)

    def test_the_program_takes_the_place_and_gives_it_back(self):
        run, seen = program(), []
        with self.recorded() as prof:
            run["recurse"](1)
            ours = sys.getprofile()
            sys.setprofile(lambda frame, event, argument: seen.append(event))
            run["recurse"](100)
            sys.setprofile(ours)
            run["recurse"](2)
        self.assertIn("call", seen)
        self.assertEqual(self.named(prof.path)["recurse"], 2 + 3)
        ((reason, duration),) = self.gaps(prof.path)
        self.assertEqual(reason, "the program's own profile function")
        self.assertGreater(duration, 0)

    def test_a_profiler_that_leaves_nothing(self):
        """From 3.12 on cProfile does not use the profile function, and both record."""
        run, profiler = program(), cProfile.Profile()
        with self.recorded() as prof:
            run["recurse"](1)
            profiler.enable()
            run["recurse"](3)
            profiler.disable()
            run["recurse"](5)
            prof.step()
            run["recurse"](7)
        both = sys.version_info >= (3, 12)
        self.assertEqual(self.named(prof.path)["recurse"], 2 + 8 + (4 + 6 if both else 0))
        self.assertEqual(len(self.gaps(prof.path)), 0 if both else 1)

    def test_after_a_loss_pairs_are_complete(self):
        run = program()
        library = _library.library()
        library.check(library.start(f"dir={self.folder}\ncupti=0\nsample_ms=0\nstacks=calls\nring_bytes=65536".encode()))
        _calls.start(library)
        def work():  # in a thread of its own, which has a ring of that size
            for _ in range(60):
                run["recurse"](80)
            library.check(library.flush())
            run["by_c"]()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        path, dropped = library.stats().path, library.stats().dropped
        _calls.stop()
        library.check(library.stop())
        self.assertGreater(dropped, 0)
        self.assertEqual(self.named(path)["by_c"], 1)

    def test_many_calls_deep(self):
        run, limit = program(), sys.getrecursionlimit()
        sys.setrecursionlimit(9000)
        try:
            with self.recorded() as prof:
                run["recurse"](5000)
                run["by_c"]()
        finally:
            sys.setrecursionlimit(limit)
        named = self.named(prof.path)
        self.assertTrue(4000 < named["recurse"] <= 4096 and named["by_c"] == 1, named)

    def test_code_that_comes_and_goes(self):
        with self.recorded() as prof:
            for number in range(500):
                exec(compile(f"def f{number % 50}(): pass\nf{number % 50}()", f"<code {number % 7}>", "exec"), {})
        names = Counter(row[0] for row in self.rows(prof.path))
        self.assertEqual({names[f"<code {number % 7}>(1): f{number % 50}"] for number in range(350)}, {1, 2})

    def test_a_forked_child_and_the_exit(self):
        script = textwrap.dedent(f"""
            import os, sys, threading, time
            sys.path.insert(0, {sys.path[0]!r})
            import riffle_profiler as riffle
            riffle.profile(dir=sys.argv[1], activities=["CPU"], with_stack="calls").start()
            running = [True]
            def work():
                while running:
                    len(str(1))
            threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
            for thread in threads:
                thread.start()
            time.sleep(0.05)
            assert sys.getprofile() and threading.getprofile()
            child = os.fork()
            if child == 0:
                len("a")
                assert not sys.getprofile() and not threading.getprofile()
                thread = threading.Thread(target=len, args=("a",))
                thread.start()
                thread.join()
                with riffle.profile(dir=sys.argv[1], activities=["CPU"], with_stack="calls") as prof:
                    len("abc")
                assert prof.stats.events > 2
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            if sys.version_info < (3, 11):  # which may itself crash if daemon threads run while it ends
                running.clear()
                for thread in threads:
                    thread.join()
            """)
        for _ in range(5):
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", script, self.folder], capture_output=True, text=True, timeout=60)
            said = [line for line in done.stderr.splitlines() if "Operators are not recorded" not in line]
            self.assertEqual((done.returncode, said), (0, []))
        for log in os.listdir(self.folder):
            self.rows(os.path.join(self.folder, log))


def in_all():
    failed = []
    for version, path in sorted(interpreters().items()):
        if version[:2] in KNOWN:
            print(".".join(map(str, version)), path, flush=True)
            if subprocess.run([path, HERE, "--one", LIBRARY, *sys.argv[2:]]).returncode:
                failed.append(version)
    sys.exit(f"Failed: {failed}" if failed else 0)


if __name__ == "__main__":
    unittest.main(argv=[HERE, *sys.argv[3:]]) if ONE else in_all()
