#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks riffle-cli record --compiled-observer: what it records equals torch.profiler's trace of the same steps, it replaces
PyTorch's own observer between two steps without a loss, and where it cannot be had, a sentence says why and the job goes on.

Usage: compiled_observer_check.py RIFFLE_CLI LIBRARY --torch [TEST...]

It runs under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import record_case  # noqa: E402

BUILD = str(HERE.parents[2] / "collector" / "python" / "riffle_profiler" / "_observer_build.py")

# Steps of a model with operators that have lists, numbers, complex numbers and other types as inputs. The first argument is the
# number of steps; with a second one, torch.profiler writes its trace of the last step there.
JOB = """
import glob, os, sys, threading, time, torch
torch.manual_seed(0)
torch.set_num_threads(1)
layer = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
conv = torch.nn.Conv2d(3, 4, 3)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.01, momentum=0.9, foreach=True)  # not Adam: its numbers change in each step
x = torch.randn(2, 8, 32)
def train():
    y = torch.cat([x, x.transpose(1, 2).reshape(2, 8, 32)]).to(torch.bfloat16)[:, None, 1:3].clamp(min=-0.5)
    z = torch.view_as_complex(torch.randn(4, 2)) * (1 + 2j) + 1e-7
    torch.empty((3, 4), dtype=torch.long).fill_(7); torch.index_select(x, 1, torch.tensor([0, 1])); x[torch.tensor([0]), :]
    torch.stack([torch.zeros(1)] * 40).sum().item()
    try: x @ torch.ones(3, 3)
    except RuntimeError: pass
    with torch.profiler.record_function("mine"): (layer(x).square().mean() + conv(torch.randn(1, 3, 8, 8)).sum() * 0.3).backward()
    optimizer.step(); optimizer.zero_grad()
"""
STEPS = JOB + """
for step in range(int(sys.argv[1])):
    if len(sys.argv) > 2: time.sleep(float(sys.argv[2]))
    train()
"""
UNTIL_COMPILED = JOB + """
left = 200
while left > 0:
    time.sleep(0.5)
    train()
    left = min(left - 1, 6) if glob.glob(sys.argv[1] + "/**/*.so", recursive=True) else left - 1
"""
WITH_THEIRS = JOB + """
for _ in range(3): train()
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as theirs: train()
theirs.export_chrome_trace(sys.argv[1])
train()
"""
# What the profiler and the recorder say about an operator.
KEYS = ("Input Dims", "Input type", "Input Strides", "Concrete Inputs", "Fwd thread id")


class CompiledObserver(record_case.RecordCase):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = self.cache = os.path.join(self.folder.name, "cache")
        self.environment.pop("CXX", None)

    def build(self, **environment):
        subprocess.run([self.TORCH, BUILD], check=True, env={**self.environment, **environment}, timeout=300)
        return [path for path in Path(self.cache).rglob("*") if path.is_file() and path.suffix in (".so", ".failed")]

    def steps(self, log):
        """The rows of the operators and annotations of each step, with their arguments."""
        rows = json.loads(self.cli("slices", "--json", "--args", "--no-store", str(log)).stdout)
        starts = sorted(row["start_ns"] for row in rows if row["category"] == "step") + [1 << 62]
        steps = [[] for _ in starts[1:]]
        for row in sorted(rows, key=lambda row: (row["start_ns"], -row["duration_ns"])):
            if row["category"] in ("cpu_op", "user_annotation"):
                row["args"] = json.loads(row["args"] or "{}")
                for number, (begin, end) in enumerate(zip(starts, starts[1:])):
                    if begin <= row["start_ns"] < end:
                        steps[number].append(row)
        return steps

    def only_log(self):
        log, = Path(self.output).glob("*.rifflelog")
        return log

    def test_equals_torch_profiler(self):
        self.assertEqual([path.suffix for path in self.build()], [".so"])
        trace = os.path.join(self.folder.name, "theirs.json")
        done = self.record("--shapes", "--compiled-observer", "--", self.TORCH, self.script(WITH_THEIRS), trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        converted = os.path.join(self.folder.name, "ours.json")
        self.assertEqual(self.cli("convert", str(self.only_log()), "-o", converted).returncode, 0)
        steps = self.steps(self.only_log())
        # torch.profiler runs in the fourth step, and the recorder says so; the steps around it are the same.
        ours, theirs = steps[2], [event for event in json.loads(Path(trace).read_text())["traceEvents"]
                                  if event.get("cat") in ("cpu_op", "user_annotation")]
        theirs = [event for event in theirs if not event["name"].startswith("ProfilerStep")]

        def facts(name, category, args, first):
            sequence = args.get("Sequence number")
            return name, category, *(json.dumps(args.get(key)) for key in KEYS), sequence if sequence is None else sequence - first

        def counted(rows):
            first = min(args["Sequence number"] for _, _, args in rows if "Sequence number" in args)
            return Counter(facts(*row, first) for row in rows)

        wanted = counted([(event["name"], event["cat"], event["args"]) for event in theirs])
        found = counted([(row["name"], row["category"], row["args"]) for row in ours])
        self.assertGreater(sum(wanted.values()), 800)
        self.assertEqual((sorted(map(str, (wanted - found).elements())), sorted(map(str, (found - wanted).elements()))), ([], []))
        # The converted JSON has the same as text.
        events = [event for event in json.loads(Path(converted).read_text())["traceEvents"] if event.get("cat") == "cpu_op"]
        texts = Counter((event["name"], *(json.dumps(event["args"].get(key)) for key in KEYS[:4])) for event in theirs
                        if event["cat"] == "cpu_op")
        self.assertLessEqual(set(texts), {(event["name"], *(json.dumps(event.get("args", {}).get(key)) for key in KEYS[:4]))
                                          for event in events})

    def test_replaces_the_other_observer_between_two_steps(self):
        """The job starts to compile; all steps have the same operators, whichever observer records them."""
        launched = ["sh", "-c", 'exec "$0" "$@"']  # a launcher, so that record does not know the interpreter
        done = self.record("--shapes", "--compiled-observer", "--", *launched, self.TORCH, self.script(UNTIL_COMPILED), self.cache)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is being compiled", done.stderr)
        steps = self.steps(self.only_log())[1:-1]
        names = [Counter(row["name"] for row in step) for step in steps]
        compiled = [any("Input type" in row["args"] for row in step) for step in steps]
        self.assertEqual(names[1:], [names[0]] * (len(names) - 1))
        self.assertEqual((compiled[0], compiled[-1]), (False, True))
        self.assertEqual(compiled, sorted(compiled))

    def test_ready_from_the_start(self):
        self.build()
        done = self.record("--compiled-observer", "--", self.TORCH, self.script(STEPS), "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("is being compiled", done.stderr)
        self.assertNotRegex(done.stderr, record_case.WARNING)
        rows = [row for step in self.steps(self.only_log()) for row in step]
        self.assertTrue(all("Fwd thread id" in row["args"] for row in rows if "Sequence number" in row["args"]))
        self.assertFalse(any("Input Dims" in row["args"] for row in rows))

    def test_several_processes_compile_once(self):
        made = [subprocess.Popen([self.TORCH, BUILD], env=self.environment) for _ in range(3)]
        self.assertEqual([one.wait(300) for one in made], [0, 0, 0])
        self.assertEqual([path.suffix for path in self.build()], [".so"])
        self.assertEqual(list(Path(self.cache).rglob("*.tmp")), [])

    def check_refused(self, why, *options, **environment):
        done = self.record(*options, "--compiled-observer", "--", self.TORCH, self.script(STEPS), "20", "0.1", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "PyTorch's own observer records the operators, not the compiled one: " + why)
        steps = self.steps(self.only_log())
        self.assertGreater(min(map(len, steps[:-1])), 100)

    def test_no_compiler(self):
        self.check_refused("The compiler /nonexistent/c.. could not be started", CXX="/nonexistent/c++")

    def test_a_compiler_that_fails(self):
        self.check_refused("The compiler false failed", CXX="false")

    def test_a_file_that_others_can_write(self):
        path, = self.build()
        os.chmod(path, 0o666)
        self.check_refused("Others can write to ")

    def test_a_file_that_cannot_be_loaded(self):
        path, = self.build()
        path.write_text("no library")
        self.check_refused(".*(invalid ELF|too short)")

    def test_nothing_is_left_after_the_end(self):
        self.build()
        script = JOB + """
sys.path.insert(0, os.environ["PACKAGE"])
import riffle_profiler as riffle
from riffle_profiler import _compiled
with riffle.profile(dir=sys.argv[1], compiled_observer=True, record_shapes=True) as prof:
    with torch.profiler.record_function("around"):
        with riffle.profile(dir=sys.argv[1], compiled_observer=True): train()
        assert _compiled._users
        threading.Thread(target=train).start()
        if not os.fork():
            assert not _compiled._users
            os._exit(0)
        assert os.wait()[1] == 0
        time.sleep(1)
    range = torch.profiler.record_function("left"); range.__enter__()
assert not _compiled._users
range.__exit__(None, None, None)
events = prof.stats.events
train()
names = [event.name for event in prof.events()]
assert names.count("mine") == 2, names.count("mine")  # also that of the other thread
assert all(event.concrete_inputs for event in prof.events() if event.name == "aten::item")
print("done")
"""
        done = subprocess.run([self.TORCH, "-W", "error", self.script(script), self.output], capture_output=True, text=True, timeout=120,
                              env={**self.environment, "PACKAGE": str(HERE.parents[2] / "collector" / "python"), "RIFFLE_CLI": self.CLI})
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assertNotRegex(done.stderr, record_case.WARNING)

    def test_collectives_end_on_other_threads(self):
        self.build()
        script = """
import os, sys, torch, torch.distributed as dist
if sys.argv[1:]:
    os.environ.update(RANK=sys.argv[1], WORLD_SIZE="2", MASTER_ADDR="localhost", MASTER_PORT=sys.argv[2])
    dist.init_process_group("gloo")
    model = torch.nn.Linear(8, 8); optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        model(torch.ones(2, 8)).sum().backward()
        for p in model.parameters(): dist.all_reduce(p.grad)
        optimizer.step()
    dist.destroy_process_group()
else:
    import socket, subprocess
    with socket.socket() as free: free.bind(("localhost", 0)); port = str(free.getsockname()[1])
    ranks = [subprocess.Popen([sys.executable, __file__, str(rank), port]) for rank in range(2)]
    sys.exit(max(rank.wait() for rank in ranks))
"""
        done = self.record("--compiled-observer", "--shapes", "--", self.TORCH, self.script(script))
        self.assertEqual(done.returncode, 0, done.stderr)
        logs = list(Path(self.output).glob("*_rank*.rifflelog"))
        self.assertEqual(len(logs), 2)
        for log in logs:
            rows = [row for step in self.steps(log) for row in step]
            self.assertEqual(sum(row["name"] == "gloo:all_reduce" for row in rows), 8)
            self.assertEqual([row for row in rows if "unfinished" in row["flags"]], [])


if __name__ == "__main__":
    sys.exit(record_case.main(None, CompiledObserver))
