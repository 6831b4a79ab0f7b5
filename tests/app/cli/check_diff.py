#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of `riffle-cli diff`: runs of several ranks, what it refuses and why, and that shown rows sum to the total.

    check_diff.py --cli build/release/bin/riffle-cli
"""
import json
import pathlib
import subprocess
import sys
import unittest

import cli_case

CLI = ""


def slice_of(category, name, pid, tid, start, duration, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": args}


def trace(rank, kernel, steps=(100, 100, 100)):
    """A trace of one rank, whose steps have these lengths and one kernel each, of `kernel` µs, as text."""
    events, at = [], 1000
    for number, length in enumerate(steps):
        events.append(slice_of("user_annotation", "ProfilerStep#%d" % number, 100, 100, at, length))
        events.append(slice_of("cuda_runtime", "cudaLaunchKernel", 100, 100, at + 1, 2, correlation=number + 1))
        events.append(slice_of("kernel", "ampere_sgemm", 0, 7, at + 10, kernel, device=0, stream=7, correlation=number + 1))
        at += length
    info = {} if rank is None else {"distributedInfo": {"rank": rank, "world_size": 4}}
    return json.dumps({"schemaVersion": 1, **info, "traceEvents": events})


class Diff(cli_case.FolderCase):
    def write(self, name, text):
        path = pathlib.Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run_diff(self, *words, code=0):
        done = subprocess.run([CLI, "diff", "--no-store", *words], capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout.decode(), done.stderr.decode()

    def diff(self, *words, code=0):
        return json.loads(self.run_diff(*words, "--format", "json", code=code)[0])

    def runs(self):
        """Two runs with ranks 0 to 2 and 1 to 3; rank 2 is the slowest of those that the second one shares."""
        for rank, length in ((0, 90), (1, 100), (2, 110)):
            self.write("前/rank%d.json" % rank, trace(rank, 20, (length,) * 3))
        for rank, length in ((1, 120), (2, 150), (3, 400)):
            self.write("後/rank%d.json" % rank, trace(rank, 30, (length,) * 3))
        return self.path("前"), self.path("後")

    def test_runs_are_compared_by_the_slowest_rank_of_both(self):
        a, b = self.runs()
        found = self.diff(a, b)
        self.assertEqual((found["a"]["rank"], found["b"]["rank"]), (2, 2))
        self.assertEqual(found["step"][0]["delta_ns"], 40_000)
        # The median step is that of the slowest rank of each side.
        self.assertEqual((found["a"]["median_step_ns"], found["b"]["median_step_ns"]), (110_000, 400_000))
        rows = self.diff(a, b, "--view", "ranks")["ranks"]
        self.assertEqual([(row["rank"], row["median_a_ns"], row["median_b_ns"], row["median_delta_ns"], row["state"]) for row in rows],
                         [("2", 110_000, 150_000, 40_000, "changed"), ("1", 100_000, 120_000, 20_000, "changed"),
                          ("0", 90_000, None, None, "gone"), ("3", None, 400_000, None, "new")])
        text, _ = self.run_diff(a, b)
        self.assertIn("Rank 2 is compared", text)
        self.assertIn("A: 前, rank 2, step 0, the middle of 3 by length", text)

    def test_ranks_are_chosen(self):
        a, b = self.runs()
        found = self.diff(a, b, "--rank", "1")
        self.assertEqual((found["a"]["rank"], found["b"]["rank"], found["b"]["median_step_ns"]), (1, 1, 120_000))
        found = self.diff(a, a, "--rank-a", "0", "--rank-b", "2")
        self.assertEqual(found["step"][0]["delta_ns"], 20_000)
        row, = self.diff(a, a, "--rank-a", "0", "--rank-b", "2", "--view", "ranks")["ranks"]
        self.assertEqual((row["rank"], row["median_delta_ns"]), ("0 → 2", 20_000))
        found = self.diff(a, self.path("後/rank1.json")) # the same rank of the run
        self.assertEqual((found["a"]["rank"], found["step"][0]["delta_ns"]), (1, 20_000))
        self.assertEqual((found["a"]["median_step_ns"], found["b"]["median_step_ns"]), (100_000, 120_000))
        self.assertIn("A has no rank 3. Its ranks are 0, 1, 2.", self.run_diff(a, b, "--rank", "3", code=2)[1])
        self.assertIn("A has no rank 3 to compare with B", self.run_diff(a, self.path("後/rank3.json"), code=2)[1])

    def test_what_cannot_be_told_apart_is_said(self):
        a, b = self.runs()
        self.write("前/stray.json", trace(None, 20))
        self.assertIn("Left out: it recorded no rank", self.run_diff(a, b)[1])
        self.write("前/again/rank2.json", trace(2, 20))
        self.assertIn("A has 2 traces of rank 2", self.run_diff(a, b, code=2)[1])
        # Every rank of two runs is used, for the choice or for the median.
        self.write("twice/rank1.json", trace(1, 20))
        self.write("twice/rank2.json", trace(2, 20, (400,) * 3))
        for name in ("rank0.json", "stray/rank0.json"):
            self.write("twice/" + name, trace(0, 20))
        for sides in ((self.path("twice"), b), (b, self.path("twice"))):
            self.assertIn("has 2 traces of rank 0", self.run_diff(*sides, code=2)[1])
        self.assertEqual(self.diff(self.path("twice"), b, "--rank", "1")["a"]["rank"], 1)
        self.write("x/rank8.json", trace(8, 20))
        self.write("x/rank9.json", trace(9, 20))
        self.assertIn("no rank in common", self.run_diff(b, self.path("x"), code=2)[1])

    def test_the_same_part_is_said_only_of_the_same_part(self):
        a, _ = self.runs()
        one = self.path("前/rank1.json")
        same = "A and B are the same part of the same trace."
        self.assertIn(same, self.run_diff(one, one)[0])
        self.assertIn(same, self.run_diff(one, one, "--steps", "0")[0])
        self.assertNotIn(same, self.run_diff(one, one, "--steps-a", "0")[0])
        self.assertNotIn("all that was recorded", self.run_diff(one, one, "--steps-a", "0", "--view", "findings")[0])

    def test_ranks_without_the_chosen_steps_are_left_out(self):
        a, b = self.runs()
        self.write("後/rank2.json", trace(2, 30, (150, 150)))
        text, _ = self.run_diff(a, b, "--steps", "2")
        self.assertIn("B: 後, rank 1, step 2", text)
        self.assertIn("Rank 2 was left out: B (rank 2) has none of these steps.", text)
        self.write("前/rank1.json", trace(1, 30, (150, 150)))
        _, message = self.run_diff(a, b, "--steps", "2", code=2)
        self.assertIn("A (rank 1) has none of these steps.", message)
        self.assertIn("rank 2", self.run_diff(a, b, "--rank-b", "2", "--steps", "2", code=2)[1])

    def test_a_choice_is_only_called_what_it_is(self):
        a, b = self.runs()
        for rank in (1, 2):
            for side in "xy":
                self.write("%s/rank%d.json" % (side, rank), trace(rank, 20).replace("ProfilerStep", "work"))
        text, _ = self.run_diff(self.path("x"), self.path("y"))
        self.assertIn("Rank 1 is compared, the first of the ranks that both have", text)
        self.assertNotIn("slowest", text)
        # A trace that recorded no rank is not simply rank 0.
        alone = self.write("alone.json", trace(None, 20))
        text, _ = self.run_diff(a, alone)
        self.assertIn("B recorded no rank; it is compared with rank 0 of A.", text)
        self.assertNotIn("recorded no rank", self.run_diff(a, alone, "--rank-a", "1")[0])
        for name in "pq":
            self.write("places/%s.json" % name, trace(None, 20))
        self.assertIn("B recorded no ranks", self.run_diff(a, self.path("places"))[0])

    def test_a_view_that_is_named_twice_comes_once(self):
        a = self.write("a.json", trace(0, 20))
        text, _ = self.run_diff(a, a, "--view", "step,findings,step", "--format", "json")
        pairs = json.loads(text, object_pairs_hook=lambda pairs: [key for key, _ in pairs])
        self.assertEqual(pairs, ["a", "b", "regressed", "step", "findings"])

    def test_comments_show_what_changed(self):
        def with_kernels(times):
            events = json.loads(trace(0, 1, (10_000,)))["traceEvents"][:1]
            for at, (name, time) in enumerate(times):
                start = 1_100 + 100 * at
                events.append(slice_of("cpu_op", "op " + name, 100, 100, start, 90))
                events.append(slice_of("cuda_runtime", "cudaLaunchKernel", 100, 100, start + 1, 2, correlation=at + 1))
                events.append(slice_of("kernel", name, 0, 7, start + 10, time, device=0, stream=7, correlation=at + 1))
            return json.dumps({"schemaVersion": 1, "traceEvents": events})

        same = [("same%d" % at, 10) for at in range(3)]
        a = self.write("a.json", with_kernels(same + [("up", 10), ("down", 20), ("twice", 8)]))
        b = self.write("b.json", with_kernels(same + [("up", 20), ("down", 10), ("twice", 4), ("twice", 4)]))
        text, _ = self.run_diff(a, b, "--view", "kernels", "--format", "md")
        for name in ("up", "down", "twice"): # the total is the same
            self.assertIn("| \u00a0%s | " % name, text.replace(" \u2003", " \u00a0"))
        self.assertIn("(3 more rows)", text)
        # A table without sums has a limit, too.
        for rank in range(14):
            self.write("m/rank%02d.json" % rank, trace(rank, 20))
            self.write("n/rank%02d.json" % rank, trace(rank, 20, (101 + rank,) * 3))
        text, _ = self.run_diff(self.path("m"), self.path("n"), "--view", "ranks", "--format", "md")
        self.assertEqual(sum(line.startswith("| ") for line in text.splitlines()), 2 + 10)
        self.assertIn("\n| 13 |", text)
        self.assertNotIn("\n| 3 |", text)

    def test_rows_have_the_names_of_both_sides(self):
        def module(name, start, duration, inner=""):
            return slice_of("python_function", "nn.Module: " + name, 100, 100, start, duration, **{"Python id": start, "Python module id": 0})

        def launch(start, correlation, time=10):
            return [slice_of("cuda_runtime", "cudaLaunchKernel", 100, 100, start, 2, correlation=correlation),
                    slice_of("kernel", "k%d" % correlation, 0, 7, start + 5, time, device=0, stream=7, correlation=correlation)]

        def text_of(events):
            step = json.loads(trace(0, 1, (10_000,)))["traceEvents"][:1]
            return json.dumps({"schemaVersion": 1, "traceEvents": step + events})

        operator = slice_of("cpu_op", "aten::mm", 100, 100, 1_100, 50)
        a = self.write("a.json", text_of([operator] + launch(1_110, 1)))
        b = self.write("b.json", text_of(launch(1_110, 1)))
        row = self.diff(a, b, "--view", "operators")["operators"][1]
        self.assertEqual((row["name"], row["state"]), ("aten::mm \u2192 (no operator)", "changed"))
        row = self.diff(b, a, "--view", "operators")["operators"][1]
        self.assertEqual((row["name"], row["state"]), ("(no operator) \u2192 aten::mm", "changed"))
        # A module that is elsewhere, and modules of one name.
        inner = lambda at: [module("Linear_0", at, 60), slice_of("cpu_op", "aten::mm", 100, 100, at + 5, 50)]
        a = self.write("a.json", text_of([module("Net_0", 1_100, 200)] + inner(1_110) + launch(1_120, 1) + [module("Net_1", 1_400, 200)] + inner(1_410) + launch(1_420, 2)))
        b = self.write("b.json", text_of([module("Net_0", 1_100, 200)] + inner(1_110) + launch(1_120, 1) + [module("Other_1", 1_400, 200)] + inner(1_410) + launch(1_420, 2)))
        rows = self.diff(a, b, "--view", "modules")["modules"][1:]
        self.assertEqual(sorted((row["name"], row["state"]) for row in rows),
                         [("Net_0/Linear_0", "same"), ("Net_1/Linear_0 \u2192 Other_1/Linear_0", "changed")])

    def test_files_without_ranks_count_by_their_place(self):
        for side, length in (("a", 100), ("b", 130)):
            for name in "xy":
                self.write(side + "/" + name + ".json", trace(None, 20, (length + (name == "y"),) * 3))
        found = self.diff(self.path("a"), self.path("b"))
        self.assertEqual((found["a"]["rank"], found["b"]["rank"], found["step"][0]["delta_ns"]), (1, 1, 30_000))
        self.assertIsNone(self.diff(self.path("a/x.json"), self.path("a/y.json"))["a"]["rank"])

    def test_regressions_end_with_5(self):
        a, b = self.write("a.json", trace(0, 20)), self.write("b.json", trace(0, 20, (106, 106, 106)))
        self.run_diff(a, b, "--max-regression", "6%")
        _, message = self.run_diff(a, b, "--max-regression", "5.9%", code=5)
        self.assertIn("(+6.000\u00a0µs, +6.00\u00a0%), beyond --max-regression 5.9%.", message)
        self.assertIn("within --max-regression 0%", self.run_diff(b, a, "--max-regression", "0%")[0])
        self.assertIs(self.diff(b, a, "--max-regression", "0%")["regressed"], False)
        self.assertIs(self.diff(a, b, "--max-regression", "0%", code=5)["regressed"], True)
        text, _ = self.run_diff(a, b, "--max-regression", "1%", "--format", "md", code=5)
        self.assertTrue(text.startswith("**Median step: 100.0\u00a0µs → 106.0\u00a0µs (+6.000\u00a0µs, +6.00\u00a0%), beyond --max-regression 1%**"), text)

    def test_only_traces_are_compared(self):
        a = self.write("a.json", trace(0, 20))
        snapshot = self.snapshot("memory_at/peak")
        _, message = self.run_diff(a, snapshot, code=2)
        self.assertIn("is a memory snapshot, and diff compares traces. Compare two snapshots with memory diff.", message)
        self.run_diff(a, self.path("nothing"), code=1)
        self.run_diff(self.path("nothing"), snapshot, code=1)
        self.run_diff(a, self.write("notes.txt", "This is no trace."), code=1)

    def test_a_lossy_trace_ends_with_3(self):
        a, b = self.write("a.json", trace(0, 20)), self.write("b.json", trace(0, 20)[:-30])
        self.diff(a, b, code=3)

    def test_shown_rows_sum_to_the_total(self):
        a, b = self.write("a.json", trace(0, 20)), self.write("b.json", trace(0, 30, (140, 150, 160)))
        for limit in range(4):
            rows = self.diff(a, b, "--limit", str(limit))["step"]
            for key in ("a_ns", "b_ns", "delta_ns"):
                self.assertEqual(sum(row[key] for row in rows[1:]), rows[0][key])
        self.assertEqual(rows[0]["b_ns"], 150_000)
        self.assertEqual(self.diff(a, b, "--steps", "all")["step"][0]["b_ns"], 450_000)
        self.assertEqual(self.diff(a, b, "--steps-b", "2")["step"][0]["b_ns"], 160_000)
        self.assertEqual(self.diff(a, b, "--range-a", "0:50us")["step"][0]["a_ns"], 50_000)


if __name__ == "__main__":
    CLI, words = cli_case.arguments()
    unittest.main(argv=words)
