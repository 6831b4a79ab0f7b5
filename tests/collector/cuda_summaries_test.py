#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests up to where a log with CUDA is settled, and the summaries of its steps.

Usage: cuda_summaries_test.py LIBRARY FOLDER_OF_STUBS [unittest arguments]"""

import collector_case
import cuda_case
import read_log


class CudaSummariesTest(cuda_case.CudaCase):
    def settled(self, source):
        return [row["Time"] for row in self.rows("Settled") if row["Category"] == source]

    def test_the_log_is_settled_up_to_the_oldest_launch_without_a_kernel(self):
        out, _ = self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            before = time.monotonic_ns()
            ok(lib.riffle_flush())
            correlation = cupti.stub_lone_launch()
            cupti.stub_launch(8)
            after = time.monotonic_ns()
            for _ in range(3):
                ok(lib.riffle_flush())
            late = time.monotonic_ns()
            cupti.stub_lone_kernel(9, correlation)
            ok(lib.riffle_flush())
            print(before, after, late, correlation, flush=True)
            os.kill(os.getpid(), 9)
        """, status=-9)
        before, after, late, correlation = map(int, out.split())
        launch, = [row for row in self.rows("Calls") if row["Correlation"] == correlation]
        self.assertTrue(before <= launch["Start"] <= after)
        cuda, threads = self.settled("cuda"), self.settled("threads")
        self.assertEqual(cuda, sorted(cuda))
        self.assertGreaterEqual(cuda.count(launch["Start"]), 3)  # until its kernel was reported
        self.assertGreaterEqual(cuda[-1], late)
        self.assertGreaterEqual(threads[-1], late)
        self.assertEqual(self.rows("Loss"), [])
        # Against the log's own rows: each mark is before every launch whose kernel is not in an earlier row.
        seen = set()
        calls = {row["Correlation"]: row["Start"] for row in self.rows("Calls")}
        for name, row in read_log.read(self.logs()[0]):
            if name == "Kernels":
                seen.add(row["Correlation"])
            if name == "Settled" and row["Category"] == "cuda":
                missing = [start for number, start in calls.items() if number not in seen]
                self.assertTrue(all(row["Time"] <= start for start in missing), (row, missing))

    def test_a_kernel_that_never_comes_is_lost_after_some_seconds(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_lone_launch()
            time.sleep(11)
            ok(lib.riffle_flush())
            ok(lib.riffle_stop())
        """)
        call, = self.rows("Calls")
        loss, = self.rows("Loss")
        self.assertEqual((loss["Category"], loss["Count"], loss["Start"]),
                         ("cupti: launched kernels without a record", 1, call["Start"]))
        self.assertIn(call["Start"], self.settled("cuda"))
        self.assertGreater(self.settled("cuda")[-1], call["Start"] + 10_000_000_000)

    def summaries(self):
        return [row for _, row in read_log.read_part(self.logs()[0] / "000000.part")]

    def check_summaries(self, names):
        """Computes the figures of each step from the log's own rows."""
        steps = {row["Start"]: row for row in self.rows("Ranges") if row["Category"] == "step"}
        self.assertEqual([row["Name"] for _, row in sorted(steps.items())], names)
        works = [(row, "kernel") for row in self.rows("Kernels")] + [(row, "copy") for row in self.rows("Copies")]
        devices = sorted({row["Device"] for row, _ in works})
        summaries = self.summaries()
        self.assertEqual(sorted((row["Start"], row["Device"]) for row in summaries),
                         sorted((start, device) for start in steps for device in devices))
        gaps = [(row["Start"], row["Start"] + row["Duration"]) for row in self.rows("Gaps") if row["Category"] in ("recording", "cuda")]
        for row in summaries:
            step = steps[row["Start"]]
            begin, end = step["Start"], step["Start"] + step["Duration"]
            self.assertEqual((row["Duration"], "ProfilerStep#%d" % row["Id"]), (step["Duration"], step["Name"]))

            def covered(spans):
                total, last = 0, begin
                for first, behind in sorted(spans):
                    first, behind = max(first, last), min(behind, end)
                    total += max(0, behind - first)
                    last = max(last, behind)
                return total

            def spans(rows):
                return [(one["Start"], one["Start"] + one["Duration"]) for one in rows]

            here = [(one, kind) for one, kind in works if one["Device"] == row["Device"]]
            kernels = spans(one for one, kind in here if kind == "kernel")
            busy = spans(one for one, kind in here)
            waits = spans(one for one in self.rows("Calls") if "Synchronize" in one["Name"] and one["Thread"] == step["Thread"])
            operators = spans(one for one in self.rows("Ranges") if one["Category"] == "cpu_op" and one["Thread"] == step["Thread"])
            self.assertEqual(row["KernelTime"], covered(kernels))
            self.assertEqual(row["BusyTime"], covered(busy))
            self.assertEqual(row["MissingTime"], covered(gaps))
            self.assertEqual(row["IdleTime"], end - begin - covered(busy + gaps))
            nccl = spans(one for one, kind in here if kind == "kernel" and "nccl" in one["Name"])
            others = spans(one for one, kind in here if kind == "kernel" and "nccl" not in one["Name"])
            self.assertEqual(row["CommunicationTime"], covered(nccl))
            self.assertEqual(row["ExposedTime"], covered(nccl + others) - covered(others))
            self.assertEqual(row["WaitTime"], covered(waits))
            self.assertEqual(row["OperatorTime"], covered(operators) if operators else -1 << 63)
            used = [one["Allocated"] for one in self.rows("Allocations") if one["Device"] == row["Device"] and begin <= one["Time"] < end]
            if used:
                self.assertGreaterEqual(row["MemoryPeak"], max(used))
        return summaries

    def test_summaries_of_steps_agree_with_the_rows(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            for number in range(6):
                lib.riffle_step(number)
                lib.riffle_range_push_category(b"aten::mm", b"cpu_op")
                lib.riffle_range_push_category(b"aten::inner", b"cpu_op")
                for _ in range(20):
                    cupti.stub_launch(7)
                cupti.stub_launch(20)
                lib.riffle_range_pop(); lib.riffle_range_pop()
                lib.riffle_range_push_category(b"aten::add", b"cpu_op"); lib.riffle_range_pop()
                time.sleep(0.01)
                if number == 3:
                    ok(lib.riffle_yield_cuda())
                    time.sleep(0.02)
                    ok(lib.riffle_resume_cuda())
            lib.riffle_step(-1)
            ok(lib.riffle_stop())
        """)
        summaries = self.check_summaries(["ProfilerStep#%d" % number for number in range(6)])
        self.assertTrue(all((row["MissingTime"] > 0) == (row["Id"] == 3) for row in summaries))
        self.assertTrue(any(row["KernelTime"] > 0 for row in summaries))
        self.assertTrue(any(0 < row["CommunicationTime"] < row["KernelTime"] for row in summaries))
        self.assertTrue(all(row["OperatorTime"] > 0 for row in summaries))
        self.assertLess((self.logs()[0] / "000000.part").stat().st_size, 6 * 1024)

    def test_summaries_outlive_their_files(self):
        self.launches("""
            start("keep_seconds=1", "quiet=1")
            ok(lib.riffle_flush())
            for number in range(40):
                lib.riffle_step(number)
                cupti.stub_launch(7)
                time.sleep(0.1)
            lib.riffle_step(-1)
            ok(lib.riffle_flush())
            os.kill(os.getpid(), 9)
        """, status=-9)
        details = {row["Name"] for row in self.rows("Ranges") if row["Category"] == "step"}
        self.assertNotIn("ProfilerStep#0", details)
        numbers = [row["Id"] for row in self.summaries()]
        self.assertEqual(sorted(set(numbers)), list(range(40)))


if __name__ == "__main__":
    collector_case.main(with_stubs=True)
