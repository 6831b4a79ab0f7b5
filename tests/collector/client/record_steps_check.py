#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests what riffle-cli record counts as a step, and its schedules and ends.

Usage: record_steps_check.py RIFFLE_CLI LIBRARY [--torch] [TEST...]

With --torch real training loops run under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import record_case

# A program that takes over the recording.
PROFILED = """
import os, sys, torch
sys.path.insert(0, os.environ["PACKAGE"])
import riffle_profiler as riffle
model = torch.nn.Linear(8, 8); optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
with riffle.profile(schedule=riffle.schedule(wait=1, warmup=1, active=3, repeat=1)) as prof:
    for step in range(8):
        model(torch.ones(2, 8)).sum().backward(); optimizer.step(); optimizer.zero_grad(); prof.step()
"""

ITERATIONS = """
import torch
model = torch.nn.Linear(8, 8); optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    with torch.profiler.record_function("iteration"):
        model(torch.ones(2, 8)).sum().backward(); optimizer.step(); optimizer.zero_grad()
print("trained")
"""

# Programs with four steps each, as their loops count them.
STEPS = {
    "two batches a step, and a scaler that leaves the optimizer out in one of them": """
import torch
model = torch.nn.Linear(4, 4); optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for batch in range(8):
    scaler.scale(model(torch.full((2, 4), 1.0 if batch != 5 else float("inf"))).sum()).backward()
    if batch % 2: scaler.step(optimizer); scaler.update(); optimizer.zero_grad()
""",
    "an optimizer that calls the step of its base class, which another one uses, too": """
import torch
class Own(torch.optim.SGD):
    def step(self, closure=None): return super().step(closure)
model = torch.nn.Linear(4, 4); other = torch.optim.SGD(model.parameters(), lr=0.01); optimizer = Own(model.parameters(), lr=0.01)
for step in range(4): model(torch.ones(2, 4)).sum().backward(); optimizer.step(); optimizer.zero_grad()
""",
    "an optimizer that calls the model several times": """
import torch
model = torch.nn.Linear(4, 4); optimizer = torch.optim.LBFGS(model.parameters(), lr=0.01, max_iter=3)
def closure():
    optimizer.zero_grad(); loss = model(torch.ones(2, 4)).square().sum(); loss.backward(); return loss
for step in range(4): optimizer.step(closure)
""",
}


class WithoutPyTorch(record_case.LogCase):
    def test_a_schedule_of_steps_that_the_program_marks(self):
        done = self.record("--steps", "1:2", "--", sys.executable, self.script(record_case.MARKING))
        self.assertEqual(self.steps(), ["ProfilerStep#1"])
        self.assertEqual([line for line in done.stderr.splitlines() if "at step" in line],
                         ["riffle: Warm-up starts at step 0.", "riffle: Recording starts at step 1."])
        self.assertIn("riffle: Cycle 1 was written: ", done.stderr)
        self.assertNotIn("No steps were seen", done.stderr)
        done = self.record("--steps", "1:2", "--step-mark", "other", "--", sys.executable, self.script(record_case.MARKING))
        self.assertIn("No steps were seen", done.stderr)

    def test_ranges_that_mark_steps(self):
        self.record("--steps", "1:2", "--step-mark", "work", "--", sys.executable, self.script(record_case.MARKING))
        self.assertEqual([(row["Name"], row["Category"]) for row in self.ranges()], [("work", "user_annotation"), ("ProfilerStep#1", "step")])

    def test_the_end_of_the_job_after_a_time(self):
        begun = time.monotonic()
        done = self.record("--time-limit", "1", "--exit-after", "--", sys.executable, self.script(record_case.MARKING + "\ntime.sleep(100)"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(time.monotonic() - begun, 60)
        self.assertIn("The recording was written: ", done.stderr)

    def test_the_end_of_the_job_when_the_log_is_full(self):
        file = Path(self.folder.name, "pid")
        job = self.script(record_case.MARKING + f"open({str(file)!r}, 'w').write(str(os.getpid()))\n"
                          "for number in range(10 ** 6): library.riffle_mark(b'%d' % number); time.sleep(0.001)")
        done = self.record("--time-limit", "1000", "--max-size", "20K", "--exit-after", "--", "sh", "-c",
                           f"'{sys.executable}' '{job}'; true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("has reached max_bytes", done.stderr)
        self.assertFalse(os.path.exists("/proc/" + file.read_text()))  # the shell's child has ended with it


class WithPyTorch(record_case.LogCase):
    def test_what_counts_as_a_step(self):
        for what, script in STEPS.items():
            with self.subTest(what), tempfile.TemporaryDirectory() as self.output:
                done = self.record("--preset", "light", "--", self.TORCH, self.script(script))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in range(4)])

    def test_light_has_steps_and_no_operators(self):
        self.train("--preset", "light")
        self.assertEqual({row["Category"] for row in self.ranges()}, {"step"})

    def test_modules_of_chosen_steps(self):
        self.train("--modules", "--steps", "2:4")
        self.assertEqual(Counter(row["Name"] for row in self.ranges())["nn.Module: Sequential_0"], 2)

    def test_a_schedule(self):
        done = self.train("--schedule", "wait=1,warmup=1,active=2,repeat=2", steps=12)
        self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in (2, 3, 6, 7)])
        self.assertEqual(done.stderr.count("was written"), 2)
        self.assertNotRegex(done.stderr, record_case.WARNING)

    def test_a_schedule_whose_cycle_ends_within_a_range(self):
        done = self.record("--steps", "2:4", "--", self.TORCH, self.script(ITERATIONS))
        self.assertNotIn("ASSERT", done.stderr)
        self.assertEqual((done.stdout, self.steps()), ("trained\n", ["ProfilerStep#2", "ProfilerStep#3"]))

    def test_a_program_with_a_schedule_of_its_own_marks_its_steps(self):
        done = self.record("--", self.TORCH, self.script(PROFILED), PACKAGE=str(record_case.HERE.parents[2] / "collector" / "python"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in (2, 3, 4)])
        self.assertEqual(len([row for row in self.ranges() if row["Name"] == "aten::addmm"]), 3)

    def test_a_profile_of_the_program_in_a_left_out_rank(self):
        script = PROFILED.replace("schedule=riffle.schedule(wait=1, warmup=1, active=3, repeat=1)", "dir=sys.argv[1]")
        done = self.record("--ranks", "0", "--", self.TORCH, self.script(script), self.output, RANK="1",
                           PACKAGE=str(record_case.HERE.parents[2] / "collector" / "python"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in range(9)])
        self.assertNotRegex(done.stderr, record_case.WARNING)

    def test_modules_of_a_program_with_a_schedule_of_its_own(self):
        job = PROFILED + "print(torch.nn.Module.__call__.__code__.co_filename.count('riffle_profiler'))\n"
        done = self.record("--modules", "--", self.TORCH, self.script(job), PACKAGE=str(record_case.HERE.parents[2] / "collector" / "python"))
        self.assertEqual(done.stdout, "0\n", done.stderr)
        self.assertEqual(Counter(row["Name"] for row in self.ranges())["nn.Module: Linear_0"], 3)

    def test_exit_after(self):
        begun = time.monotonic()
        done = self.train("--steps", "2:4", "--exit-after", steps=1_000_000)
        self.assertLess(time.monotonic() - begun, 60)
        self.assertNotIn("trained", done.stdout)
        self.assertEqual(self.steps(), ["ProfilerStep#2", "ProfilerStep#3"])


if __name__ == "__main__":
    sys.exit(record_case.main(WithoutPyTorch, WithPyTorch))
