#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests limits, failures and kills: what the library loses, and that it says so.

Usage: losses_test.py LIBRARY [unittest arguments]"""

import signal
import time

import collector_case
import read_log


class LossesTest(collector_case.Case):
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


if __name__ == "__main__":
    collector_case.main()
