#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests how the library records ranges, marks, counters and the texts of PyTorch's ranges, with one process per case.

Usage: ranges_test.py LIBRARY [unittest arguments]"""

import shutil
import textwrap
import time

import collector_case
import read_log

# NVTX as a program contains it: a table of function pointers that an injected library sets.
NVTX = """
places = (ctypes.c_void_p * 16)()
table = (ctypes.c_void_p * 16)(*(ctypes.addressof(places) + 8 * number for number in range(16)))
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint))
def functions(module, to, count):
    to[0], count[0] = ctypes.addressof(table), len(table)
    return int(module == 1)
class Callbacks(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("functions", ctypes.c_void_p)]
callbacks = Callbacks(ctypes.sizeof(Callbacks), ctypes.cast(functions, ctypes.c_void_p))
get_table = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(lambda table: ctypes.addressof(callbacks))
assert lib.InitializeInjectionNvtx2(get_table) == 1
range_start = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_char_p)(places[5])
range_end = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(places[7])
"""


class RangesTest(collector_case.Case):
    def test_ranges_marks_counters_and_steps(self):
        self.run_code("""
            start("rank=3", "world_size=8")
            for step in range(3):
                lib.riffle_step(step)
                lib.riffle_range_push("前向 forward".encode())
                lib.riffle_range_push_category(b"inner", b"mine")
                time.sleep(0.002)
                lib.riffle_range_pop()
                lib.riffle_mark(b"here")
                lib.riffle_range_pop()
                lib.riffle_counter(b"memory", b"allocated", 2.5 * step)
            lib.riffle_step(-1)
            lib.riffle_process_info(b"torch", b"2.15")
            ok(lib.riffle_stop())
        """)
        self.assertIn("_rank3_", self.logs()[0].name)
        self.assertEqual(self.names(), ["inner", "前向 forward", "ProfilerStep#0", "inner", "前向 forward", "ProfilerStep#1",
                                        "inner", "前向 forward", "ProfilerStep#2"])
        ranges = self.rows("Ranges")
        inner, outer, step = ranges[:3]
        self.assertEqual((inner["Category"], outer["Category"], step["Category"]), ("mine", "user_annotation", "step"))
        self.assertGreaterEqual(inner["Duration"], 2_000_000)
        self.assertLessEqual(step["Start"], outer["Start"])
        self.assertLessEqual(outer["Start"], inner["Start"])
        self.assertLessEqual(inner["Start"] + inner["Duration"], outer["Start"] + outer["Duration"])
        self.assertEqual(self.names("Marks"), ["here"] * 3)
        self.assertEqual([row["Number"] for row in self.rows("Counters")], [0.0, 2.5, 5.0])
        info = {row["Key"]: row["Value"] for row in self.rows("Process")}
        self.assertEqual((info["rank"], info["world_size"], info["torch"]), ("3", "8", "2.15"))
        clock = self.rows("Clocks")[0]
        self.assertAlmostEqual(clock["Realtime"] / 1e9, time.time(), delta=60)
        self.assertEqual([name for name, _ in read_log.read(self.logs()[0])][-1], "End")

    def test_texts_of_pytorch_are_taken_apart(self):
        self.run_code("""
            start()
            for text in ("aten::addmm, seq = 12, op_id = 345, sizes = [[10], [2, 3]], input_op_ids = [(0,1)]",
                         "AddmmBackward0, seq = 12, op_id = 7", "aten::t, op_id = 8", "my label, op_id = 9",
                         "detach, op_id = 10", "a, b = 3", "fwd, sizes = foo", "fwd, sizes = foo, op_id = 11"):
                lib.riffle_range_push_category(text.encode(), b"nvtx")
                lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """)
        absent = -(1 << 63)
        rows = [tuple(row[key] for key in ("Name", "Category", "Sequence", "OperatorId", "Shapes")) for row in self.rows("Ranges")]
        self.assertEqual(rows, [("aten::addmm", "cpu_op", 12, 345, "[[10], [2, 3]]"), ("AddmmBackward0", "cpu_op", 12, 7, ""),
                                ("aten::t", "cpu_op", absent, 8, ""), ("my label", "user_annotation", absent, 9, ""),
                                ("detach", "cpu_op", absent, 10, ""),
                                ("a, b = 3", "nvtx", absent, absent, ""), ("fwd, sizes = foo", "nvtx", absent, absent, ""),
                                ("fwd, sizes = foo", "user_annotation", absent, 11, "")])

    def test_the_log_says_whether_it_has_shapes_and_modules(self):
        for text, category, key in (("aten::mm, op_id = 3, sizes = [[2, 3], [3, 2]]", "nvtx", "shapes"),
                                    ("nn.Module: Linear_0", "python_function", "modules")):
            self.run_code(f"""
                start()
                lib.riffle_range_push_category({text!r}.encode(), {category!r}.encode())
                lib.riffle_range_pop()
                ok(lib.riffle_stop())
            """)
            said = {name: self.info()[name] for name in ("shapes", "modules")}
            self.assertEqual(said, {"shapes": "not recorded", "modules": "not recorded"} | {key: "recorded"})
            shutil.rmtree(self.logs()[0])

    def test_a_backward_node_has_the_sequence_number_of_its_function(self):
        self.run_code("""
            start()
            node = "autograd::engine::evaluate_function: "
            for outer, inner in (("MmBackward0", "MmBackward0, seq = 5, op_id = 2"), ("TBackward0", "aten::t, seq = 6, op_id = 4"),
                                 ("AccumulateGrad", "AccumulateGrad, op_id = 6")):
                lib.riffle_range_push_category((node + outer + ", op_id = 1").encode(), b"nvtx")
                lib.riffle_range_push_category(inner.encode(), b"nvtx")
                lib.riffle_range_push_category(b"aten::mm, seq = 9, op_id = 7", b"nvtx")
                lib.riffle_range_pop()
                lib.riffle_range_pop()
                lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """)
        absent = -(1 << 63)
        nodes = [row["Sequence"] for row in self.rows("Ranges") if row["Name"].startswith("autograd::engine")]
        self.assertEqual(nodes, [5, absent, absent])

    def test_open_ranges_are_counted_while_nothing_is_recorded(self):
        out, _ = self.run_code("""
            start()
            lib.riffle_range_push(b"a")
            ok(lib.riffle_stop())
            lib.riffle_range_push(b"b")
            start()
            print(lib.riffle_range_depth())
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
            lib.riffle_range_pop()
            start()
            print(lib.riffle_range_depth())
        """)
        self.assertEqual(out.split(), ["2", "0"])

    def test_they_are_while_the_operator_is_open(self):
        self.run_code("""
            start()
            lib.riffle_range_push_category(b"iteration, op_id = 124", b"nvtx")
            ok(lib.riffle_stop())
        """)
        self.assertEqual([(row["Name"], row["Category"]) for row in self.rows("OpenRanges")], [("iteration", "user_annotation")])

    def test_threads_have_their_own_stacks(self):
        self.run_code("""
            start()
            def work(name):
                for _ in range(1000):
                    lib.riffle_range_push(name)
                    lib.riffle_range_pop()
            threads = [threading.Thread(target=work, args=(b"t%d" % n,)) for n in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            assert stats().dropped == 0
            ok(lib.riffle_stop())
        """)
        rows = self.rows("Ranges")
        self.assertEqual(len(rows), 4000)
        for thread in {row["Thread"] for row in rows}:
            self.assertEqual(len({row["Name"] for row in rows if row["Thread"] == thread}), 1)

    def test_ranges_across_threads_end_in_pauses_and_between_logs(self):
        out, _ = self.run_code(NVTX + textwrap.dedent("""
            start("ring_bytes=65536")  # small, so that all these threads get a ring
            plain, paused, stopped, over = (range_start(name) for name in (b"plain", b"paused", b"stopped", b"over"))
            range_end(plain)
            for _ in range(200):
                ids = [range_start(b"other") for _ in range(5)]
                other = threading.Thread(target=lambda: [range_end(number) for number in ids])
                other.start()
                other.join()
            ok(lib.riffle_pause())
            range_end(paused)
            unrecorded = range_start(b"unrecorded")
            ok(lib.riffle_resume())
            range_end(unrecorded)
            ok(lib.riffle_flush())
            print(stats().events)
            ok(lib.riffle_stop())
            range_end(stopped)
            start("rank=1")
            range_end(over)
            ok(lib.riffle_stop())
        """))
        self.assertEqual(out, "1002\n")
        second = next(self.folder.glob("*_rank1_*"))
        first = next(log for log in self.logs() if log != second)
        first, second = read_log.read(first), read_log.read(second)
        self.assertEqual(sorted(row["Name"] for name, row in first if name == "Ranges"), ["other"] * 1000 + ["paused", "plain"])
        self.assertEqual([row["Name"] for name, row in second if name == "Ranges"], ["over"])
        self.assertEqual([row["Name"] for name, row in second if name == "OpenRanges"], [])

    def test_too_many_open_ranges_are_counted(self):
        self.run_code(NVTX + textwrap.dedent("""
            start("ring_bytes=67108864")
            for _ in range((1 << 16) + 10): range_start(b"x")
            ok(lib.riffle_stop())
            assert stats().dropped == 10
        """))
        self.assertEqual(sum(row["Count"] for row in self.rows("Loss") if row["Category"] == "open ranges"), 10)


if __name__ == "__main__":
    collector_case.main()
