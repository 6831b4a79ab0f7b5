#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that torch.compile does not notice a recording: a job that compiles prints the same with and without it, although it
turns warnings into errors and reports its graphs, its graph breaks and everything that was compiled again.

Usage: compile_check.py RIFFLE_CLI LIBRARY --torch [TEST...]

It runs under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import record_case  # noqa: E402
import read_log  # noqa: E402

PACKAGE = str(HERE.parents[2] / "collector" / "python")

# Compiles a model and the optimizer's step in the way that the first argument names; without a backend that needs a compiler,
# unless the second argument names one.
COMPILED = """
import sys, torch, torch._dynamo as dynamo
way, backend = sys.argv[1], (sys.argv[2:] or ["eager"])[0]
compiled = lambda function, **settings: torch.compile(function, backend=backend, **settings)
class Own(torch.optim.Optimizer):
    def __init__(self, params): super().__init__(params, {})
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]: p.sub_(p.grad, alpha=0.01)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
optimizer = Own(model.parameters()) if "own" in way else torch.optim.Adam(model.parameters())
forward, step = compiled(model), optimizer.step
if "step" in way: step = compiled(optimizer.step, fullgraph="own" in way)
if "region" in way: step = compiled(lambda: optimizer.step(), fullgraph="own" in way)
for _ in range(4):
    loss = forward(torch.ones(2, 8)).square().mean()
    loss.backward(); step(); optimizer.zero_grad(set_to_none=False)
print(loss.item().hex(), *(dict(dynamo.utils.counters[name]) for name in ("stats", "graph_break", "frames")))
"""

# Records the modules of compiled and other models, with cycles that start after they have been compiled.
MODULES = """
import os, sys, torch, torch._dynamo as dynamo
sys.path.insert(0, os.environ["PACKAGE"])
import riffle_profiler as riffle
model = torch.compile(torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()), backend="eager", fullgraph=True)
head = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
inner = torch.compile(lambda x: head(x) + 1, backend="eager")
def train(prof=None):
    for _ in range(4):
        (model(torch.ones(2, 8)).mean() + inner(torch.ones(2, 4)).mean() + head(torch.ones(1, 4)).sum()).backward()
        if prof: prof.step()
train()
if len(sys.argv) > 1:
    with riffle.profile(dir="recorded", with_modules=True, schedule=riffle.schedule(wait=1, warmup=0, active=1, repeat=2)) as prof:
        train(prof)
train()
print(*(dict(dynamo.utils.counters[name]) for name in ("stats", "graph_break", "frames")), torch.nn.Module.__call__.__name__)
"""


class Compiled(record_case.RecordCase):
    def run_job(self, script, *arguments, recorded=()):
        """What a job prints, without the times and process ids of PyTorch's log."""
        launcher = [self.CLI, "record", "-q", "-o", self.output, *recorded, "--"] if recorded is not None else []
        done = subprocess.run([*launcher, self.TORCH, "-W", "error", self.script(script), *arguments], capture_output=True, text=True,
                              cwd=self.folder.name, timeout=300,
                              env={**self.environment, "TORCH_LOGS": "recompiles", "PACKAGE": PACKAGE})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Recompiling", done.stderr)
        return done.stdout, re.sub(r"^([A-Z]\d+) [\d:.]+ \d+", r"\1", done.stderr, flags=re.M)

    def steps(self):
        logs = Path(self.output).glob("*.rifflelog")
        return sum(kind == "Ranges" and row["Category"] == "step" for log in logs for kind, row in read_log.read(log))

    def check(self, *arguments, steps, recordings=((),)):
        undisturbed = self.run_job(COMPILED, *arguments, recorded=None)
        for options in recordings:
            with self.subTest(options=options):
                self.output = os.path.join(self.folder.name, "_".join((*arguments, *options, "recorded")))
                self.assertEqual(self.run_job(COMPILED, *arguments, recorded=options), undisturbed)
                self.assertEqual(self.steps(), steps)

    def test_a_model_under_every_preset(self):
        self.check("model", steps=4, recordings=(("--preset", "light"), ("--preset", "normal"), ("--preset", "memory"),
                                                 ("--shapes",), ("--stacks",), ("--stacks=sampled",),
                                                 ("--stacks=calls",)))
        self.check("model", steps=2, recordings=(("--steps", "1:3"),))

    def test_the_step_of_an_optimizer(self):
        self.check("step", steps=4)
        self.check("own step", steps=4)

    def test_a_region_that_calls_the_step(self):
        self.check("region", steps=4, recordings=(("--preset", "light"), ()))
        self.check("region", steps=2, recordings=(("--steps", "1:3"),))
        self.check("own region", steps=0)  # the step is in the middle of the compiled code, where nobody calls us

    def test_a_compiled_observer(self):
        self.environment["XDG_CACHE_HOME"] = os.path.join(self.folder.name, "cache")
        builder = os.path.join(PACKAGE, "riffle_profiler", "_observer_build.py")
        subprocess.run([self.TORCH, builder], check=True, env=self.environment, timeout=300)
        self.check("model", steps=4, recordings=(("--compiled-observer",), ("--compiled-observer", "--shapes")))
        self.check("step", steps=4, recordings=(("--compiled-observer",),))

    def test_a_backend_with_a_compiler(self):
        try:
            self.run_job(COMPILED, "step", "inductor", recorded=None)
        except AssertionError as error:
            self.skipTest(f"inductor does not work here: {error}")
        self.check("step", "inductor", steps=4)

    def test_modules(self):
        undisturbed = self.run_job(MODULES, recorded=None)
        self.assertEqual(self.run_job(MODULES, "recorded", recorded=None), undisturbed)
        logs = list(Path(self.output).glob("*.rifflelog"))
        names = [row["Name"].split()[-1] for kind, row in read_log.read(logs[0]) if kind == "Ranges" and row["Category"] == "python_function"]
        self.assertEqual(sorted(names), sorted(2 * ["OptimizedModule_0", "Sequential_0", "Linear_0", "ReLU_0"]))


if __name__ == "__main__":
    sys.exit(record_case.main(Compiled, Compiled))
