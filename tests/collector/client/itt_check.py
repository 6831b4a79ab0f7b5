#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests the operators of a PyTorch without CUDA, which come through its ITT observer. A PyTorch with CUDA has that observer,
too: $RIFFLE_TORCH_OBSERVER asks for it.

Usage: itt_check.py RIFFLE_CLI LIBRARY --torch [TEST...]

It needs $RIFFLE_TORCH_PYTHON, an interpreter that has PyTorch; status 77 (skipped) if that is not set."""

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import record_case

HERE = Path(__file__).resolve().parent

# Everything after the import of PyTorch is recorded, by torch.profiler if the script has an argument.
JOB = """
import sys, torch
if sys.argv[1:]:
    theirs = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]); theirs.start()
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(context, x): return x * 2
    @staticmethod
    def backward(context, gradient): return gradient * 2
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 36, 4)).bfloat16()
optimizer = torch.optim.AdamW(model.parameters())
data = torch.utils.data.DataLoader(torch.randn(12, 3, 8, 8).bfloat16(), batch_size=4)
for batch in data:
    with torch.profiler.record_function("forward pass"):
        loss = Twice.apply(model(batch)).square().mean()
    loss.backward()
    optimizer.step(); optimizer.zero_grad()
if sys.argv[1:]: theirs.stop(); theirs.export_chrome_trace(sys.argv[1])
"""

# Prints the kind of the observer before, in and after a profile of torch.profiler.
INSIDE = """
import torch
def kind(): return str(torch._C._autograd._profiler_type()).rsplit(".", 1)[-1]
kinds = [kind()]
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=1)
for step in range(3):
    optimizer.param_groups[0]["params"][0].sum().backward(); optimizer.step()
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as theirs:
    kinds.append(kind()); torch.ones(2) + 1
print(*kinds, kind(), "aten::add" in [event.key for event in theirs.key_averages()])
"""

# The profile of PyTorch's that becomes ours.
THEIRS = """
import torch
with torch.profiler.profile() as theirs: torch.ones(2) + torch.ones(2)
print(*[f"{event.key}:{event.count}" for event in theirs.key_averages()])
"""

# The program's own profile, after oneDNN has run.
OWN = """
import os, sys, torch
work = lambda: torch.nn.Linear(64, 64).bfloat16()(torch.ones(4, 64).bfloat16())
work()
sys.path.insert(0, os.environ["PACKAGE"]); import riffle_profiler as riffle
with riffle.profile(dir=sys.argv[1]): work()
"""

# A child that only imports PyTorch, and one that does nothing.
PARENT = """
import subprocess, sys, torch
torch.ones(2) + 1
for code in ("import torch", "pass"):
    code += "; import os; print(os.environ.get('INTEL_LIBITTNOTIFY64'))"
    print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip())
"""


class Itt(record_case.RecordCase):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.environment.update(RIFFLE_TORCH_OBSERVER="itt", PACKAGE=str(HERE.parents[2] / "collector" / "python"))

    def run_job(self, *command):
        return subprocess.run(command, capture_output=True, text=True, cwd=self.folder.name, env=self.environment,
                              timeout=self.PATIENCE)

    def recorded(self, text, *options, **environment):
        done = self.record("-q", *options, "--", self.TORCH, self.script(text), **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def logs(self):
        return [str(path) for path in Path(self.output).glob("*.rifflelog")]

    def counts(self, path, category):
        rows = self.cli("slices", "--category", category, "--csv", "--no-store", path).stdout.splitlines()
        return Counter(row["name"] for row in csv.DictReader(rows))

    def test_names_and_counts_are_those_of_torch_profiler(self):
        trace = os.path.join(self.folder.name, "theirs.json")
        done = self.run_job(self.TORCH, self.script(JOB), trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = self.recorded(JOB).stderr
        self.assertNotRegex(said, record_case.WARNING)
        theirs, ours = ({category: self.counts(path, category) for category in ("cpu_op", "user_annotation")}
                        for path in (trace, *self.logs()))
        # The name of a function of the program's own does not say that it is an operator. Its backward node does.
        self.assertEqual(theirs["cpu_op"].pop("Twice"), 3)
        self.assertEqual(ours["user_annotation"].pop("Twice"), 3)
        self.assertEqual(ours, theirs)
        self.assertEqual([ours["cpu_op"][name] for name in ("TwiceBackward", "AddmmBackward0", "aten::addmm")], [3, 3, 3])
        process = json.loads(self.cli("info", "--json", *self.logs()).stdout)
        self.assertIn("PyTorch's ITT observer, names only", json.dumps(process))

    def test_shapes_are_said_to_be_missing(self):
        said = self.recorded(JOB, "--shapes").stderr
        self.assertEqual(said.count("Shapes are not recorded: "), 1, said)

    def test_torch_profiler_inside(self):
        self.assertEqual(self.recorded(INSIDE).stdout.split(), ["ITT", "KINETO", "ITT", "True"])

    def test_instead_of_torch_profiler(self):
        out = self.recorded(THEIRS, "--instead-of-torch-profiler").stdout.split()
        self.assertEqual(sorted(out), ["aten::add:1", "aten::empty:2", "aten::fill_:2", "aten::ones:2"])

    def test_another_collector_is_left_alone(self):
        said = self.recorded(JOB, INTEL_LIBITTNOTIFY64="/opt/vtune/collector.so").stderr
        self.assertEqual(said.count("another collector receives its ITT ranges: INTEL_LIBITTNOTIFY64=/opt/vtune/"), 1, said)
        self.assertEqual(self.counts(*self.logs(), "cpu_op"), {})
        self.assertEqual(len(self.counts(*self.logs(), "step")), 4)

    def test_a_child_has_the_variable_only_with_pytorch(self):
        child, other = self.recorded(PARENT).stdout.split()
        self.assertEqual((child, other), (self.LIBRARY, "None"))
        self.assertEqual(len(self.logs()), 1)

    def test_a_program_that_records_itself(self):
        for variable, found in ((self.LIBRARY, 1), (None, 0)):
            if variable:
                self.environment["INTEL_LIBITTNOTIFY64"] = variable
            else:
                del self.environment["INTEL_LIBITTNOTIFY64"]
            folder = os.path.join(self.folder.name, str(found))
            done = self.run_job(self.TORCH, self.script(OWN), folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            log, = map(str, Path(folder).glob("*.rifflelog"))
            self.assertEqual(self.counts(log, "cpu_op")["aten::linear"], found)
            self.assertEqual(done.stderr.count("its ITT has started without Riffle"), 1 - found, done.stderr)


if __name__ == "__main__":
    sys.exit(record_case.main(Itt, Itt))
