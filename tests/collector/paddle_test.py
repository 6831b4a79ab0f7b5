#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests how the library sees Paddle's events, with stand-ins for Paddle's libraries.

Usage: paddle_test.py LIBRARY FOLDER_OF_STUBS [unittest arguments]"""

import collector_case

LOAD = """
phi = ctypes.CDLL({0!r} + "/libphi_core.so"); paddle = ctypes.CDLL({0!r} + "/libpaddle.so")
for name in ("begin", "begin_string", "end", "delete"):
    function = getattr(paddle, "stub_paddle_" + name)
    function.restype = ctypes.c_void_p if name.startswith("begin") else None
    function.argtypes = [ctypes.c_char_p, ctypes.c_int] if name.startswith("begin") else [ctypes.c_void_p]
    globals()[name] = function
def follow(): return lib.riffle_paddle_events(b"0=cpu_op\\n9=Forward\\n99=never\\nnonsense\\n14=user_annotation")
"""


class PaddleTest(collector_case.Case):
    def run_paddle(self, code, **options):
        return self.run_code(LOAD.format(self.folder_of_stubs) + collector_case.textwrap.dedent(code), **options)

    def ranges(self):
        return [(row["Name"], row["Category"]) for row in self.rows("Ranges")]

    def test_events_of_the_chosen_types(self):
        self.run_paddle("""
            start(); ok(follow())
            layer = begin(b"Linear", 9)
            operator = begin_string(b"matmul dygraph", 0); detail = begin(b"matmul infer_meta", 8)
            for event in (detail, operator, layer): delete(event)
            phi.stub_phi_event(b"inside libphi", 0)
            for kind in (-1, 63, 64, 1 << 30): delete(begin(b"unknown", kind))
            ok(lib.riffle_stop())""")
        self.assertEqual(self.ranges(), [("matmul dygraph", "cpu_op"), ("Linear", "Forward"), ("inside libphi", "cpu_op")])
        self.assertEqual({row["Domain"] for row in self.rows("Ranges")}, {"Paddle"})

    def test_the_end_leaves_nothing_and_it_may_start_again(self):
        out, _ = self.run_paddle("""
            start()
            def event(name): delete(begin(name, 0))
            def table(): return open("/proc/self/maps").read().count("libpaddle.so")
            before = table()
            event(b"before"); ok(follow()); ok(follow()); event(b"first")
            open_event = begin(b"open at the end", 0)
            ok(lib.riffle_paddle_events(None)); ok(lib.riffle_paddle_events(None))
            delete(open_event); event(b"between"); ok(follow()); event(b"second"); ok(lib.riffle_paddle_events(None))
            print(phi.stub_phi_calls(), table() - before); ok(lib.riffle_stop())""")
        self.assertEqual([name for name, _ in self.ranges()], ["first", "open at the end", "second"])
        self.assertEqual(out.split(), ["10", "0"])  # the start and the end of five events

    def test_ends_out_of_order_and_twice(self):
        self.run_paddle("""
            start(); ok(follow())
            outer = begin(b"outer", 0); inner = begin(b"inner", 0)
            end(outer); delete(outer); delete(begin(b"leaf", 0)); end(inner); delete(inner)
            ok(lib.riffle_stop())""")
        found = {row["Name"]: row for row in self.rows("Ranges")}
        self.assertEqual(set(found), {"outer", "inner", "leaf"})
        ends = {name: row["Start"] + row["Duration"] for name, row in found.items()}
        self.assertLess(ends["leaf"], ends["inner"])
        self.assertLessEqual(ends["inner"], ends["outer"])  # ranges of a thread nest

    def test_an_event_that_ends_on_another_thread(self):
        self.run_paddle("""
            start(); ok(follow())
            event = begin(b"moved", 0); thread = threading.Thread(target=delete, args=(event,)); thread.start(); thread.join()
            delete(begin(b"next", 0)); ok(lib.riffle_paddle_events(None)); ok(lib.riffle_stop())""")
        self.assertEqual([name for name, _ in self.ranges()], ["next", "moved"])

    def test_more_open_events_than_are_followed(self):
        self.run_paddle("""
            start(); ok(follow())
            events = [begin(b"%d" % number, 0) for number in range(300)]
            for event in reversed(events): delete(event)
            ok(lib.riffle_stop())""")
        self.assertEqual({name for name, _ in self.ranges()}, {str(number) for number in range(128)})
        self.assertEqual(sum(row["Count"] for row in self.rows("Loss")), 300 - 128)

    def test_threads_while_it_is_switched(self):
        out, _ = self.run_paddle("""
            start(); rounds = works = 0
            def work():  # until it has been switched meanwhile
                global works
                while works < 3 or rounds < 2: paddle.stub_paddle_work(3, 20000); works += 1
            worker = threading.Thread(target=work); worker.start()
            while worker.is_alive(): ok(follow()); ok(lib.riffle_paddle_events(None)); rounds += 1
            ok(follow()); paddle.stub_paddle_work(2, 100); ok(lib.riffle_paddle_events(None))
            ok(lib.riffle_stop()); print(works, phi.stub_phi_calls())""")
        works, calls = map(int, out.split())
        self.assertEqual(calls, 4 * (works * 3 * 20000 + 2 * 100))  # the program's own calls are all made
        self.assertGreaterEqual(len(self.ranges()), 400)

    def test_a_pause_and_no_recording(self):
        self.run_paddle("""
            ok(follow()); delete(begin(b"no recording", 0)); start(); delete(begin(b"recorded", 0))
            ok(lib.riffle_pause()); delete(begin(b"paused", 0)); ok(lib.riffle_resume()); ok(lib.riffle_stop())
            delete(begin(b"after", 0))""")
        self.assertEqual([name for name, _ in self.ranges()], ["recorded"])

    def test_a_forked_child(self):
        self.run_paddle("""
            start(); ok(follow()); event = begin(b"around", 0)
            if os.fork() == 0:
                delete(begin(b"child", 0)); delete(event); ok(lib.riffle_paddle_events(None)); os._exit(0)
            assert os.wait()[1] == 0; delete(event); ok(lib.riffle_stop())""")
        self.assertEqual([name for name, _ in self.ranges()], ["around"])

    def test_without_paddle(self):
        self.run_code("""
            start(); assert lib.riffle_paddle_events(b"0=cpu_op") == 4  # RIFFLE_EOPTION
            assert b"Paddle" in lib.riffle_last_error(); ok(lib.riffle_paddle_events(None)); ok(lib.riffle_stop())""")


if __name__ == "__main__":
    collector_case.main(with_stubs=True)
