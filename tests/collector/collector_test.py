#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests libriffle_collector.so through its C interface, one process per case, read back with read_log.py.

Usage: collector_test.py LIBRARY [unittest arguments]"""

import signal
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


class CollectorTest(collector_case.Case):
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

    def test_codes_say_what_kind_of_error_it_is(self):
        out, _ = self.run_code("""
            print(lib.riffle_start(b"colour=blue"), lib.riffle_start(b"graphs=half"), lib.riffle_start(b"dir=/nowhere"),
                  lib.riffle_flush(), lib.riffle_stop())
            start()
            print(lib.riffle_start(b"dir=."), lib.riffle_dump(b"/nowhere/at/all"), lib.riffle_stop(), lib.riffle_stop())
        """)
        self.assertEqual(out, "1 1 3 2 2\n2 3 0 2\n")

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

    def test_pause_keeps_pairs(self):
        self.run_code("""
            start()
            lib.riffle_range_push(b"before")
            ok(lib.riffle_pause())
            lib.riffle_range_push(b"paused")
            ok(lib.riffle_resume())
            lib.riffle_range_push(b"inside")
            lib.riffle_range_pop()
            lib.riffle_range_pop()
            lib.riffle_range_pop()
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """)
        self.assertEqual(self.names(), ["inside", "before"])

    def test_a_pause_is_a_gap(self):
        out, _ = self.run_code("""
            start("paused=1")
            times = [time.monotonic_ns()]
            ok(lib.riffle_resume())
            times.append(time.monotonic_ns())
            ok(lib.riffle_pause())
            ok(lib.riffle_flush())
            ok(lib.riffle_pause())
            times.append(time.monotonic_ns())
            ok(lib.riffle_resume())
            ok(lib.riffle_pause())
            ok(lib.riffle_stop())
            print(*times)
        """)
        times = [int(time) for time in out.split()]
        gaps = self.rows("Gaps")
        self.assertEqual([(gap["Category"], gap["Name"]) for gap in gaps], [("recording", "paused")] * 3)
        spans = [(gap["Start"], gap["Start"] + gap["Duration"]) for gap in gaps]
        self.assertLessEqual(times[0], spans[0][1])
        self.assertLessEqual(spans[0][1], times[1])
        self.assertLessEqual(times[1], spans[1][0])
        self.assertLessEqual(spans[1][0], times[2])
        self.assertLessEqual(times[2], spans[1][1])
        self.assertLessEqual(spans[1][1], spans[2][0])
        self.assertIn(spans[1][0], [row["Start"] for row in self.rows("OpenGaps")])  # it was open at the flush

    def test_gaps_of_threads(self):
        self.run_code("""
            start()
            def other():
                lib.riffle_gap_begin(b"operators", b"the thread ends in it")
                lib.riffle_mark(b"there")
            thread = threading.Thread(target=other); thread.start(); thread.join()
            lib.riffle_gap_begin(b"operators", b"torch.profiler runs")
            lib.riffle_gap_begin(b"operators", b"a second one changes nothing")
            lib.riffle_gap_begin(b"stacks", b"another source")
            lib.riffle_mark(b"inside")
            lib.riffle_gap_end(b"operators")
            lib.riffle_gap_end(b"operators")
            lib.riffle_mark(b"after")
            ok(lib.riffle_stop())
        """)
        marks = {row["Name"]: row for row in self.rows("Marks")}
        gaps = {row["Name"]: row for row in self.rows("Gaps")}
        self.assertEqual(sorted(gaps), ["another source", "the thread ends in it", "torch.profiler runs"])
        def end(name): return gaps[name]["Start"] + gaps[name]["Duration"]
        for name, mark in (("torch.profiler runs", "inside"), ("another source", "after"), ("the thread ends in it", "there")):
            self.assertEqual(gaps[name]["Thread"], marks[mark]["Thread"])
            self.assertTrue(gaps[name]["Start"] <= marks[mark]["Time"] <= end(name))
        self.assertLessEqual(end("torch.profiler runs"), marks["after"]["Time"])

    def test_a_gap_is_listed_in_every_file(self):
        self.run_code("""
            start("keep_seconds=1")
            lib.riffle_gap_begin(b"operators", b"torch.profiler runs")
            for _ in range(30):
                lib.riffle_mark(b"mark")
                time.sleep(0.1)
            ok(lib.riffle_flush())
            os.kill(os.getpid(), 9)
        """, status=-9)
        parts = sorted(self.logs()[0].glob("*.part"))
        self.assertNotEqual(parts[0].name, "000001.part")
        starts = set()
        for part in parts:
            rows = [row for kind, row in read_log.read_part(part) if kind == "OpenGaps"]
            self.assertTrue(rows, part)
            starts |= {(row["Start"], row["Name"]) for row in rows}
        self.assertEqual(len(starts), 1)
        self.assertEqual(self.rows("Gaps"), [])

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

    def test_drops_are_counted_and_pairs_hold(self):
        self.run_code("""
            start("ring_bytes=65536")
            lib.riffle_range_push(b"outer")
            for _ in range(200000):
                lib.riffle_range_push(b"x" * 500)
                lib.riffle_range_push(b"y" * 500)
                lib.riffle_range_pop()
                lib.riffle_range_pop()
            lib.riffle_range_pop()
            ok(lib.riffle_flush())
            ok(lib.riffle_stop())
            s = stats()
            print(s.events, s.dropped)
        """)
        rows = self.rows("Ranges")
        lost = self.rows("Loss")
        self.assertEqual(len(rows) + sum(row["Count"] for row in lost), 400001)
        self.assertTrue(all(row["Category"] == "ring" and row["Duration"] >= 0 for row in lost))
        outer = [row for row in rows if row["Name"] == "outer"]
        self.assertEqual(len(outer), 1)
        for row in rows:
            self.assertIn(row["Name"][0], "xyo")
            self.assertGreaterEqual(row["Duration"], 0)
            self.assertLessEqual(row["Start"] + row["Duration"], outer[0]["Start"] + outer[0]["Duration"])

    def test_a_thread_without_memory_is_counted_and_gets_some_later(self):
        self.run_code("""
            def record(*events):
                for name in events:
                    lib.riffle_range_push(name)
                    lib.riffle_range_pop()
            start("ring_bytes=524288", "memory_limit=1048576")
            ends = threading.Event()
            held = threading.Barrier(3)
            def hold():
                record(b"held")
                held.wait()
                ends.wait()
            holders = [threading.Thread(target=hold) for _ in range(2)]
            for thread in holders: thread.start()
            held.wait()
            record(*[b"refused"] * 100)
            lib.riffle_mark(b"refused")
            ok(lib.riffle_flush())
            assert stats().dropped == 101, stats().dropped
            ends.set()
            for thread in holders: thread.join()
            while stats().buffer_bytes: time.sleep(0.001)
            record(b"later")
            ok(lib.riffle_stop())
            start("rank=1")
            assert stats().dropped == 0
            ok(lib.riffle_stop())
        """)
        rows = [row for log in self.logs() for row in read_log.read(log)]
        self.assertEqual([row["Name"] for name, row in rows if name == "Ranges"], ["held", "held", "later"])
        lost = [row for name, row in rows if name == "Loss"]
        self.assertEqual({row["Category"] for row in lost}, {"memory_limit"})
        self.assertEqual(sum(row["Count"] for row in lost), 101)

    def test_a_dump_that_fails_leaves_nothing(self):
        self.run_code("""
            start()
            part = stats().path.decode() + "/000001.part"
            os.rename(part, part + "_")
            dump = sys.argv[1] + "/dump.rifflelog"
            assert lib.riffle_dump(dump.encode()) == 3 and not os.path.exists(dump)
            os.rename(part + "_", part)
            ok(lib.riffle_dump(dump.encode()))
            ok(lib.riffle_stop())
        """)

    def test_killed_it_loses_only_the_last_moment(self):
        process = self.process("""
            start()
            for number in range(10 ** 9):
                lib.riffle_range_push(b"n%d" % number)
                lib.riffle_range_pop()
                if number % 500 == 0:
                    time.sleep(0.002)
                if number == 1000:
                    lib.riffle_range_push(b"open")
                    ok(lib.riffle_flush())
                    print("flushed", flush=True)
        """)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.assertEqual(process.stdout.readline(), "flushed\n")
        time.sleep(0.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        names = self.names()
        self.assertEqual(names, ["n%d" % number for number in range(len(names))])
        self.assertGreater(len(names), 1001)
        self.assertIn("open", self.names("OpenRanges"))

    def test_flight_recorder_keeps_the_last_seconds_and_dumps(self):
        self.run_code("""
            start("keep_seconds=1")
            for number in range(250):
                lib.riffle_range_push(b"n%d" % number)
                time.sleep(0.01)
                lib.riffle_range_pop()
            ok(lib.riffle_dump((sys.argv[1] + "/dump.rifflelog").encode()))
            ok(lib.riffle_stop())
        """)
        dumped = [row for name, row in read_log.read(self.folder / "dump.rifflelog") if name == "Ranges"]
        names = [row["Name"] for row in dumped]
        self.assertEqual(names, ["n%d" % number for number in range(250 - len(names), 250)])
        self.assertLess(len(names), 250)
        self.assertGreater(dumped[-1]["Start"] - dumped[0]["Start"], 850_000_000)

    def test_limits_end_the_recording(self):
        out, _ = self.run_code("""
            start("max_bytes=100000")
            for number in range(200000):
                lib.riffle_range_push(os.urandom(16).hex().encode())
                lib.riffle_range_pop()
                if number % 1000 == 0: time.sleep(0.005)
            print(stats().state)
            lib.riffle_stop()
        """)
        self.assertEqual(out, "3\n")
        self.assertEqual([name for name, _ in read_log.read(self.logs()[0])][-1], "End")

    def test_a_forked_child_records_nothing(self):
        self.run_code("""
            start()
            lib.riffle_range_push(b"parent")
            child = os.fork()
            if child == 0:
                lib.riffle_range_push(b"child")
                lib.riffle_range_pop()
                assert stats().state == 0
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """)
        self.assertEqual(self.names(), ["parent"])

    def test_the_end_of_the_process_closes_the_log(self):
        self.run_code("""
            start()
            lib.riffle_range_push(b"a")
            lib.riffle_range_pop()
        """)
        self.assertEqual(self.names(), ["a"])
        self.assertEqual([name for name, _ in read_log.read(self.logs()[0])][-1], "End")

    def test_options_in_the_environment_start_it(self):
        self.run_code("""
            lib.riffle_mark(b"m")
        """, environment={"RIFFLE_OPTIONS": "dir=%s;rank=1" % self.folder})
        self.assertEqual(self.names("Marks"), ["m"])

    def test_wrong_options_are_said(self):
        out, err = self.run_code("""
            for options in (b"colour=blue", b"rank=-1", b"ring_bytes=100000", b"preset=", b"dir=/nowhere/at/all"):
                assert lib.riffle_start(options) != 0
                print(lib.riffle_last_error().decode())
            lib.riffle_mark(b"nothing")
            assert lib.riffle_stop() != 0
        """, environment={"RIFFLE_OPTIONS": "bad=1"})
        self.assertEqual(out.splitlines()[:4], ["Unknown option 'colour'.", "Option rank cannot be '-1'.",
                                                "Option ring_bytes cannot be '100000'.", "Option preset cannot be ''."])
        self.assertIn("Cannot create the folder /nowhere/at/all/", out)
        self.assertEqual(err, "riffle: Recording did not start: Unknown option 'bad'.\n")
        self.assertEqual(self.logs(), [])

    def test_the_log_after_one_that_could_not_be_written_has_nothing_of_it(self):
        self.run_code("""
            import resource
            limit = resource.getrlimit(resource.RLIMIT_FSIZE)  # Python ignores SIGXFSZ
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, limit[1]))
            start()
            while stats().state == 1:
                for _ in range(1000):
                    lib.riffle_range_push(os.urandom(16).hex().encode())
                    lib.riffle_range_pop()
                time.sleep(0.01)
            assert lib.riffle_stop() == 3
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
            start("rank=1")
            lib.riffle_range_push(b"fresh")
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """)
        rows = [row for name, row in read_log.read(next(self.folder.glob("*_rank1_*"))) if name == "Ranges"]
        self.assertEqual([row["Name"] for row in rows], ["fresh"])

    def test_what_is_open_at_a_stop_begins_with_the_next_log(self):
        out, _ = self.run_code("""
            start()
            lib.riffle_range_push(b"stays open")
            lib.riffle_range_push(b"ends")
            ok(lib.riffle_stop())
            print(time.monotonic_ns())
            start("rank=1")
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """)
        rows = read_log.read(next(self.folder.glob("*_rank1_*")))
        ended = [row for name, row in rows if name == "Ranges"]
        still_open = [row for name, row in rows if name == "OpenRanges"]
        self.assertEqual([row["Name"] for row in ended], ["ends"])
        self.assertEqual(still_open[-1]["Name"], "stays open")
        for row in ended + still_open:
            self.assertGreaterEqual(row["Start"], int(out))

    def test_start_and_stop_many_times(self):
        self.run_code("""
            for number in range(20):
                start()
                lib.riffle_range_push(b"n%d" % number)
                lib.riffle_range_pop()
                ok(lib.riffle_stop())
                assert lib.riffle_stop() != 0
        """)
        names = [row["Name"] for log in sorted(self.logs(), key=lambda log: log.stat().st_mtime_ns)
                 for name, row in read_log.read(log) if name == "Ranges"]
        self.assertEqual(sorted(names), sorted("n%d" % number for number in range(20)))
        self.assertEqual(len(self.logs()), 20)


if __name__ == "__main__":
    collector_case.main()
