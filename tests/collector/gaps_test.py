#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that what is not recorded is a gap of the log: pauses, and what a source leaves out of a thread.

Usage: gaps_test.py LIBRARY [unittest arguments]"""

import collector_case
import read_log


class GapsTest(collector_case.Case):
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


if __name__ == "__main__":
    collector_case.main()
