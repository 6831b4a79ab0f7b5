#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that a recorded job gets back what the recorder has changed in it, and keeps its log however it ends.

Usage: harmless_check.py RIFFLE_CLI LIBRARY --torch [--itt] [TEST...]

With --itt, PyTorch's ITT observer is tried instead of that for NVTX.
It runs under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import read_log  # noqa: E402
import record_case  # noqa: E402

# left() returns everything of the recorder that still does something in this process; train() makes a step.
LEFT = """
import glob, os, pathlib, time, torch
def switches():
    found = {}
    for path in glob.glob("/proc/self/task/*/status"):
        text = pathlib.Path(path).read_text()
        name, thread = text.split()[1], path.split("/")[4]
        if int(thread) != os.getpid(): found[name + " " + thread] = text.split("voluntary_ctxt_switches:")[1].split()[0]
    return found
def left():
    time.sleep(0.3)
    begin = time.monotonic(); before = switches(); time.sleep(1); after = switches(); waited = int(time.monotonic() - begin)
    ours = [str(what) for what in (torch.optim.Optimizer.profile_hook_step, torch.optim.SGD.step, torch.amp.GradScaler.step,
            torch.nn.Module.__call__)
            if "riffle_profiler" in what.__code__.co_filename]
    # The control thread looks once per second whether the program has closed its descriptors.
    awake = [name for name in after if "riffle" in name and int(after[name]) - int(before[name]) > (1 + waited) * ("control" in name)]
    observer = [kind for kind in [str(torch._C._autograd._profiler_type()).rsplit(".", 1)[-1]] if kind != "NONE"]
    hooks = ["hook"] if torch.nn.modules.module._has_any_global_hook() else []
    return ours + awake + observer + hooks
model = torch.nn.Linear(8, 8); optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def train():
    model(torch.ones(2, 8)).sum().backward(); optimizer.step(); optimizer.zero_grad()
"""

# Ends in the way that the first argument names, in the middle of its fifth step; with a second argument the program itself records
# into that folder.
ENDING = """
import os, signal, sys, time, torch
sys.path.insert(0, os.environ["PACKAGE"])
import riffle_profiler as riffle
model = torch.nn.Linear(8, 8); optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def end(how):
    if how == "Ctrl-C": os.kill(os.getpid(), signal.SIGINT); time.sleep(1)
    if how == "SIGTERM": signal.signal(signal.SIGTERM, lambda *_: sys.exit(3)); os.kill(os.getpid(), signal.SIGTERM); time.sleep(1)
    if how == "_exit": os._exit(4)
    if how == "forked _exit":
        if os.fork() == 0: os._exit(5)
        assert os.waitstatus_to_exitcode(os.wait()[1]) == 5
        os._exit(4)
    if how == "exception": 1 / 0
def train(prof=None):
    for step in range(5):
        with riffle.annotate(f"whole {step}"):
            with torch.profiler.record_function(f"part {step}"): model(torch.ones(2, 8)).sum().backward()
            if step == 4: end(sys.argv[1])
            optimizer.step(); optimizer.zero_grad()
        if prof: prof.step()
if len(sys.argv) > 2:
    with riffle.profile(dir=sys.argv[2]) as prof: train(prof)
else:
    train()
"""
ENDINGS = {"Ctrl-C": 130, "SIGTERM": 3, "_exit": 4, "forked _exit": 4, "exception": 1}


class Harmless(record_case.RecordCase):
    def run_job(self, script, *options):
        done = self.record(*options, "--", self.TORCH, "-W", "error", self.script(LEFT + script))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(done.stderr, record_case.WARNING)
        return done.stdout

    def steps(self):
        return [row["Name"] for log in Path(self.output).glob("*.rifflelog") for kind, row in read_log.read(log)
                if kind == "Ranges" and row["Category"] == "step"]

    def test_nothing_is_left_after_a_schedule(self):
        for options in (("--steps", "1:3"), ("--steps", "1:3", "--shapes"), ("--steps", "1:3", "--preset", "light")):
            with self.subTest(options):
                self.assertEqual(self.run_job("for step in range(5): train()\nprint(left())", *options), "[]\n")

    def test_nothing_is_left_after_a_schedule_that_ends_inside_a_range(self):
        job = ("for step in range(5):\n"
               "    with torch.profiler.record_function('iteration'):\n"
               "        with torch.profiler.record_function('step'): train()\n"
               "print(left())")
        self.assertEqual(self.run_job(job, "--steps", "1:3"), "[]\n")

    def test_a_cycle_that_ends_inside_a_backward_pass(self):
        job = ("weight = model.weight\n"
               "weight.register_post_accumulate_grad_hook(lambda _: optimizer.step())\n"
               "for step in range(5): model(torch.ones(2, 8)).sum().backward()\n"
               "print(*left())")
        self.assertIn(self.OBSERVER, self.run_job(job, "--steps", "1:3"))  # PyTorch would warn if the observer left

    def test_nothing_is_left_after_a_profile_that_stops_inside_a_range(self):
        self.environment["PACKAGE"] = str(HERE.parents[2] / "collector" / "python")
        job = ("import sys; sys.path.insert(0, os.environ['PACKAGE']); import riffle_profiler as riffle\n"
               "for kind in torch.profiler.record_function, riffle.annotate:\n"
               "    prof = riffle.profile(dir='recorded', with_modules=True)\n"
               "    with kind('iteration'):\n"
               "        prof.start(); train()\n"
               "        with kind('step'): prof.stop()\n"
               "        train()\n"
               "    print(left())")
        done = subprocess.run([self.TORCH, "-W", "error", self.script(LEFT + job)], capture_output=True, text=True, cwd=self.folder.name,
                              env=self.environment, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("[]\n[]\n", ""))

    def test_the_recorder_sees_what_is_left(self):
        """The test of the tests: while the recording runs, everything of this is there."""
        found = self.run_job("for step in range(5): train()\nprint(left())")
        for part in ("profile_hook_step", "SGD.step", "GradScaler.step", self.OBSERVER, "riffle "):
            self.assertIn(part, found)

    def test_nothing_is_left_after_a_stop_from_outside(self):
        job = self.script(LEFT + "for step in range(3): train()\nprint('running', flush=True)\ninput()\n"
                          "with torch.profiler.record_function('iteration'): train()\nprint(left()[3:], flush=True)\n"
                          "input()\nfor step in range(3): train()\nprint(left(), flush=True)")
        self.environment["RIFFLE_SOCKETS"] = os.path.join(self.folder.name, "sockets")
        process = subprocess.Popen([self.CLI, "record", "-o", self.output, "--", self.TORCH, "-W", "error", job], text=True,
                                   env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), "running\n")
        pid = str(json.loads(self.cli("control", "list", "--json").stdout)[0]["pid"])
        self.assertEqual(self.cli("control", "stop", pid).returncode, 0)
        process.stdin.write("\n"), process.stdin.flush()
        # The functions that replace those of optimizers wait for a start from outside; there is no observer and nothing wakes up.
        self.assertEqual(process.stdout.readline(), "[]\n")
        self.assertEqual(self.cli("control", "start", pid).returncode, 0)
        out, err = process.communicate("\n", timeout=60)
        self.assertIn(self.OBSERVER, out)
        self.assertEqual(process.returncode, 0, err)
        self.assertNotRegex(err, record_case.WARNING)

    def names(self, category):
        """The names of the ranges in the log that have an end."""
        logs = list(Path(self.output).glob("*.rifflelog"))
        self.assertEqual(len(logs), 1)
        rows = json.loads(self.cli("slices", "--json", "--no-store", "--category", category, str(logs[0])).stdout)
        return {row["name"] for row in rows if "unfinished" not in row["flags"]}

    def test_the_last_range_is_in_the_log_however_the_job_ends(self):
        self.environment["PACKAGE"] = str(HERE.parents[2] / "collector" / "python")
        job = self.script(ENDING)
        for how, code in ENDINGS.items():
            for by in "recorder", "program":
                with self.subTest(how, by=by):
                    self.output = os.path.join(self.folder.name, f"{how} {by}")
                    command = [self.TORCH, job, how]
                    command = [self.CLI, "record", "-q", "-o", self.output, "--", *command] if by == "recorder" else [*command, self.output]
                    done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder.name, env=self.environment, timeout=60)
                    self.assertIn(done.returncode, (code, -signal.SIGINT if code == 130 else code), done.stderr)
                    wholes = range(4 if "_exit" in how else 5)  # os._exit() does not leave the `with` statement
                    self.assertLessEqual({f"part {step}" for step in range(5)} | {f"whole {step}" for step in wholes},
                                         self.names("user_annotation"))
                    self.assertLessEqual({f"ProfilerStep#{step}" for step in range(4)}, self.names("step"))


if __name__ == "__main__":
    sys.exit(record_case.main(Harmless, Harmless))
