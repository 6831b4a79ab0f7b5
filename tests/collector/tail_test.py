#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests riffle-cli tail on recordings that go on: each figure of each line against the rows of the log.

Usage: tail_test.py LIBRARY FOLDER_OF_STUBS RIFFLE_CLI [unittest arguments]"""

import json
import os
import subprocess
import sys

import collector_case
import cuda_case

CLI = ""
JOB = """
start("preset=memory", "rank=3")
ok(lib.riffle_flush())  # from now on, CUPTI is recorded
for step in range(8):
    lib.riffle_step(step)
    for work in range(20 * (step % 3 + 1)):
        cupti.stub_launch(7)
    lib.riffle_step(-1)
    cupti.stub_memory(0, 0x1000 + step, 1 << (20 + step), 3)
    ok(lib.riffle_flush())
    time.sleep(0.4)
lib.riffle_step(99)
ok(lib.riffle_flush())
time.sleep(0.5)
"""


def length(spans):
    """The length of the union of spans."""
    total, reached = 0, 0
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return total


class TailTest(cuda_case.CudaCase):
    def follow(self, end, status):
        """Records a job that ends as `end` says; returns the lines of the command, its messages and its exit code."""
        with subprocess.Popen([CLI, "tail", "--interval", "0.1", "--format", "json", str(self.folder)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as command:
            self.launches(JOB + end, status=status)
            out, err = command.communicate(timeout=60)
        return [json.loads(line) for line in out.splitlines()], err, command.returncode

    def check_figures(self, lines):
        steps = {int(row["Name"].split("#")[1]): row for row in self.rows("Ranges") if row["Category"] == "step"}
        work = self.rows("Kernels") + self.rows("Copies")
        devices = sorted({row["Device"] for row in work})
        levels = [row["Allocated"] for row in self.rows("Allocations")]
        seen = set()
        for line in lines:
            self.assertIn(line["allocated_bytes"], [None, *levels])
            if line["step"] is None:
                continue
            seen.add(line["step"])
            step = steps[line["step"]]
            begin, end = step["Start"], step["Start"] + step["Duration"]
            busy = sum(length([(max(begin, row["Start"]), min(end, row["Start"] + row["Duration"])) for row in work
                               if row["Device"] == device and row["Start"] < end and row["Start"] + row["Duration"] > begin])
                       for device in devices)
            self.assertEqual(line["duration_ns"], step["Duration"])
            self.assertAlmostEqual(line["busy_share"], busy / step["Duration"] / len(devices), delta=1e-6)
            self.assertGreater(line["busy_share"], 0)
            self.assertEqual(line["exposed_communication_share"], 0)
        self.assertGreater(len(seen), 1)
        self.assertEqual(lines[-1]["allocated_bytes"], levels[-1])
        self.assertEqual({line["rank"] for line in lines}, {3})
        self.assertEqual({line["dropped"] for line in lines}, {0})
        numbers = [line["step"] for line in lines if line["step"] is not None]
        self.assertEqual(numbers, sorted(numbers))

    def test_a_recording_is_followed_until_it_is_closed(self):
        lines, _, code = self.follow("ok(lib.riffle_stop())", 0)
        self.check_figures(lines)
        self.assertEqual((lines[-1]["state"], code), ("ended", 0))
        self.assertTrue(all(line["lag_ns"] is None or line["lag_ns"] > 0 for line in lines))
        self.assertIn("recording", {line["state"] for line in lines})

    def test_a_killed_recording_ends_with_a_guess(self):
        lines, messages, code = self.follow("os.kill(os.getpid(), 9)", -9)
        self.check_figures(lines)
        self.assertEqual((lines[-1]["state"], lines[-1]["step"], code), ("killed", 7, 0))
        self.assertIn("it was probably killed", messages)


if __name__ == "__main__":
    CLI = os.path.abspath(sys.argv.pop(3))
    collector_case.main(with_stubs=True)
