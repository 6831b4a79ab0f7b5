# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Stacks that the collector reads from memory are those that Python itself shows. Runs in any interpreter:
PYTHON stacks_test.py PROBE.so"""

import contextlib
import ctypes
import functools
import gc
import sys
import threading
import traceback
import unittest

PROBE = sys.argv.pop(1) if len(sys.argv) > 1 else "./probe.so"
WITH_GIL = ctypes.PyDLL(PROBE)  # keeps the GIL during a call
WITHOUT_GIL = ctypes.CDLL(PROBE)  # gives it up
for library in (WITH_GIL, WITHOUT_GIL):
    library.probe_attach.restype = library.probe_stack.restype = library.probe_tree.restype = ctypes.c_char_p
    library.probe_unchanged.restype = library.probe_spent.restype = ctypes.c_double
SAME, CHANGED, NONE, LOST = range(4)


def frames(text):
    """The rows (file, line, name, qualified name, first line) and the number of omitted frames."""
    lines = text.decode().split("\n")[:-1]
    rows = [line.split("\t") for line in lines[1:]]
    return [(file, int(line), name, qualified, int(first)) for file, line, name, qualified, first in rows], int(lines[0])


def expected(frame):
    """The same from Python's own frames."""
    rows = []
    while frame:
        code = frame.f_code
        qualified = getattr(code, "co_qualname", code.co_name)
        rows.append((code.co_filename, frame.f_lineno or 0, code.co_name, qualified, code.co_firstlineno))
        frame = frame.f_back
    return rows[::-1]


def clean(rows):
    return [tuple(v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for v in row) for row in rows]


def check(library=WITHOUT_GIL):
    """Compares the stack of the caller; both walks are on one line, so that even the lines are equal."""
    ours, tree, truth, short = library.probe_stack(), library.probe_tree(), expected(sys._getframe()), traceback.extract_stack()
    rows, omitted = frames(ours)
    truth = clean(truth)
    assert [(f.filename, f.name) for f in short] == [(r[0], r[2]) for r in truth] or any("\ud800" in f.filename + f.name for f in short)
    assert omitted == max(0, len(truth) - 256), (omitted, len(truth))
    for got, want in zip(rows, truth[omitted:]):
        assert got == want, f"{got} != {want}"
    nodes = [tuple(line.split("\t")) for line in tree.decode().split("\n")[:-1]]
    left_out = [("", str(omitted), "", "0")] if omitted else []
    assert nodes == left_out + [(r[0], str(r[1]), r[3], str(r[4])) for r in rows], (nodes, rows)
    assert len(rows) == len(truth) - omitted, (len(rows), len(truth), omitted)


def both():
    check(WITH_GIL)
    check(WITHOUT_GIL)


class Stacks(unittest.TestCase):
    def test_nested_functions_and_closures(self):
        def outer():
            def inner():
                both()
                (lambda: both())()
            inner()
        outer()
        both()

    def test_several_lines_of_one_function(self):
        both()
        for _ in range(3):
            both()
            if (
                both()
                is None
            ):
                both()
        with contextlib.suppress(ValueError):
            both()
            raise ValueError
        try:
            raise KeyError
        except KeyError:
            both()
        finally:
            both()

    def test_generators_and_coroutines(self):
        def numbers():
            for number in range(3):
                both()
                yield number
        def delegating():
            yield from numbers()
        for _ in delegating():
            both()
        [both() for _ in numbers()]
        list(map(lambda _: both(), numbers()))

        async def deep():
            both()
        async def shallow():
            await deep()
            both()
        with contextlib.suppress(StopIteration):
            shallow().send(None)

    def test_a_generator_resumed_at_another_depth(self):
        def walks():
            while True:
                both()
                yield
        generator = walks()
        def deeper(n):
            next(generator)
            if n:
                deeper(n - 1)
        deeper(5)
        next(generator)

    def test_callbacks_from_c(self):
        sorted([3, 1, 2], key=lambda value: both() or value)
        functools.reduce(lambda a, b: both(), [1, 2, 3])
        both_as_c = ctypes.CFUNCTYPE(None)(both)
        both_as_c()
        ctypes.PYFUNCTYPE(None)(both)()
        class Called:
            def __init__(self):
                both()
            def __call__(self):
                both()
            def __del__(self):
                both()
            def __getattr__(self, name):
                both()
                return 1
            @property
            def value(self):
                both()
            def __iter__(self):
                both()
                return iter([])
            def __enter__(self):
                both()
            def __exit__(self, *unused):
                both()
        for _ in range(20):  # often enough for the interpreter to specialise
            called = Called()
            called()
            called.anything
            called.value
            list(called)
            with called:
                pass
            del called

    def test_finalizers_while_a_frame_ends(self):
        class Ends:
            def __del__(self):
                both()
        def function():
            local = Ends()
            other = [local, Ends()]
            return len(other)
        def generator():
            local = Ends()
            yield local
        for _ in range(20):
            function()
            list(generator())
            next(generator())
        cycle = Ends()
        cycle.itself = cycle
        del cycle
        gc.collect()

    def test_recursion(self):
        def recurse(n):
            if n % 50 == 0 or n < 3:
                both()
            if n:
                recurse(n - 1)
            if n % 50 == 7:
                both()
        recurse(100)
        recurse(400)
        recurse(30)
        recurse(253)

    def test_recursion_beyond_the_limit(self):
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(5000)
        try:
            def recurse(n):
                both_now = n % 499 == 0
                if both_now:
                    check()
                if n:
                    recurse(n - 1)
                if both_now:
                    check()
            recurse(3000)
        finally:
            sys.setrecursionlimit(limit)

    def test_code_without_a_file(self):
        space = {"both": both}
        exec("both()\n\n\nboth()", space)
        exec(compile("def f():\n  both()\nf()", "<made up>", "exec"), space)
        eval("both()", space)
        eval(compile("\n\n\n[both() for _ in range(2)]", "no file", "exec"), space)

    def test_other_characters(self):
        space = {"both": both}
        for name in ("é", "żółć", "数据", "𝔸𝔹"):
            exec(compile(f"def {name}():\n  both()\n{name}()", f"<{name}é数𝔸>", "exec"), space)
        surrogate = compile("check()", "a\ud800b", "exec")
        rows = []
        exec(surrogate, {"check": lambda: rows.append(WITHOUT_GIL.probe_stack())})
        self.assertIn(b"a?b\t", rows[0])

    def test_long_lines_and_long_functions(self):
        body = "".join(f"  x{i} = {i}\n" for i in range(3000))
        space = {"both": both}
        exec(compile("def f():\n  both()\n" + body + "  both()\n\n" + "\n" * 5000 + "  both()\nf()", "<long>", "exec"), space)
        exec(compile("def f():\n" + body + "  (both(),\n   both(),\n\n both())\nf()", "<long>", "exec"), space)

    def test_code_objects_that_are_freed(self):
        """Their memory is used again by other code with the same names or the same sizes."""
        space = {"both": both}
        for i in range(2000):
            exec(compile("\n" * (i % 7) + "both()", f"<gen-{i % 13:04}>", "exec"), space)
            exec(compile("def f():\n" + "\n" * (i % 5) + "  both()\nf()", "<same>", "exec"), space)
            exec(compile(f"def f{i % 3}():\n" + "  1\n" * (i % 3) + f"  both()\nf{i % 3}()", "/some/where.py", "exec"), space)
        self.assertGreater(WITHOUT_GIL.probe_codes(), 100)

    def test_replaced_code(self):
        def function():
            both()
        code = function.__code__
        for i in range(200):
            function.__code__ = code.replace(co_name=f"name{i % 10}", co_firstlineno=i + 1, co_filename=f"/file{i % 7}.py")
            function()

    def test_threads(self):
        failures = []
        def work():
            try:
                for _ in range(200):
                    both()
                    sorted([2, 1], key=lambda v: both() or v)
            except BaseException as error:  # noqa: B902
                failures.append(error)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_only_changes_are_written(self):
        library = WITHOUT_GIL
        walk = library.probe_walk
        results = [walk() for _ in range(3)]
        self.assertEqual(results[1:], [SAME, SAME])
        walk()
        self.assertEqual(walk(), CHANGED)  # another line

    def test_full(self):
        """After stacks that did not fit, the next one is whole."""
        WITHOUT_GIL.probe_full(1)
        self.assertEqual(WITHOUT_GIL.probe_walk(), LOST)
        (lambda: self.assertEqual(WITHOUT_GIL.probe_walk(), LOST))()
        WITHOUT_GIL.probe_full(0)
        both()

    def test_the_next_file_has_its_own_nodes(self):
        both()
        WITHOUT_GIL.probe_next_file()
        (lambda: both())()

    def test_all_code_is_written_again(self):
        both()
        count = WITHOUT_GIL.probe_codes()
        WITHOUT_GIL.probe_forget_codes()
        (lambda: both())()
        self.assertGreater(WITHOUT_GIL.probe_codes(), count)

    def test_forbidden(self):
        WITHOUT_GIL.probe_allow(0)
        self.assertEqual(WITHOUT_GIL.probe_walk(), NONE)
        WITHOUT_GIL.probe_allow(1)
        both()

    def test_traced_and_profiled(self):
        sys.setprofile(lambda *unused: None)
        try:
            both()
        finally:
            sys.setprofile(None)
        sys.settrace(lambda *unused: None)
        try:
            (lambda: both())()
        finally:
            sys.settrace(None)


if __name__ == "__main__":
    why = WITH_GIL.probe_attach().decode()
    if why:
        sys.exit(why)
    unittest.main()
