#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests riffle-cli record from the outside.

Usage: record_check.py RIFFLE_CLI LIBRARY [--torch] [TEST...]

With --torch real training loops run under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import record_case  # It adds the folder of the following modules to the path.
import read_log

# A different thread than the training thread imports PyTorch.
IMPORTED = """
import threading
thread = threading.Thread(target=__import__, args=("torch",)); thread.start(); thread.join()
"""

OUT_OF_MEMORY = record_case.TRAINING + """
def grow():
    return torch.empty(1 << 55)
grow()
"""

# A signal that cannot be caught kills each process two seconds after its tenth step.
KILLED = """
import os, time, torch
model = torch.nn.Linear(8, 8); optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(10):
    model(torch.ones(2, 8)).sum().backward(); optimizer.step(); optimizer.zero_grad()
open(os.environ["RANK"], "w").close()
while not all(os.path.exists(rank) for rank in "01"): time.sleep(0.05)  # the launcher ends the other one
time.sleep(2)
os.kill(os.getpid(), 9)
"""


class WithoutPyTorch(record_case.LogCase):
    def test_the_commands_output_and_exit_code_are_its_own(self):
        done = self.record("--", "sh", "-c", 'echo "$@"; exit 3', "x", "a", "--", "--b")
        self.assertEqual((done.stdout, done.returncode), ("a -- --b\n", 3))
        self.assertIn("Nothing was recorded", done.stderr)
        self.assertEqual(self.record("--", "sh", "-c", "kill -15 $$").returncode, 143)
        self.assertEqual(self.record("--", "no-such-program").returncode, 127)
        self.assertEqual(self.record("-q", "--", "true").stderr, "")

    def test_wrong_usage(self):
        for arguments, words in ((["--"], "command to run is missing"), ([], "command to run is missing"), (["--foo", "--", "true"], "--foo"),
                                 (["--steps", "5:3", "--", "true"], "--steps: "), (["--ranks", "x", "--", "true"], "--ranks: "),
                                 (["--schedule", "active=0", "--", "true"], "--schedule: "),
                                 (["--exit-after", "--", "true"], "must have an end"), (["--max-size", "x", "--", "true"], "--max-size"),
                                 (["--memory-history=0", "--", "true"], "--memory-history: "), (["--memory-history=x", "--", "true"], "--memory-history: "),
                                 (["--stacks=all", "--", "true"], "--stacks: Give operators, sampled or calls."),
                                 (["--preset", "all", "--", "true"], "--preset"), (["--dump-slow-step", "2y", "--", "true"], "--dump-slow-step"),
                                 (["--dump-signal", "KILL", "--", "true"], "--dump-signal"), (["--step-mark", "a;b", "--", "true"], "--step-mark"),
                                 *((["--" + name, "", "--", "true"], "--" + name)
                                   for name in ("schedule", "steps", "max-size", "step-mark", "ranks", "dump-slow-step", "output"))):
            done = self.record(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)

    def test_a_missing_collector_is_said(self):
        done = self.record("--", "true", RIFFLE_COLLECTOR="/nowhere.so")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere.so", done.stderr)

    def test_a_log_and_its_line_in_the_table(self):
        done = self.record("--", sys.executable, self.script(record_case.MARKING), RANK="4")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, logs = self.rows()
        self.assertEqual(len(logs), 1)
        samples = sum(kind == "Counters" for kind, _ in rows)
        self.assertIn("_rank4_", logs[0].name)
        self.assertEqual(Counter(row["Name"] for row in self.ranges())["work"], 3)
        line = [line for line in done.stderr.splitlines() if line.endswith(".rifflelog")][0].split()
        self.assertEqual(line[-3:], [str(6 + samples), "0", str(logs[0])])

    def test_a_dump_signal_where_nothing_is_recorded(self):
        job = self.script("import os, signal; os.kill(os.getpid(), signal.SIGUSR1); print('lives')")
        for rank in "01":  # in rank 0 the library is not loaded yet, in rank 1 it never is
            done = self.record("--dump-signal", "USR1", "--ranks", "0", "--", sys.executable, job, RANK=rank)
            self.assertEqual((done.stdout, done.returncode), ("lives\n", 0))

    def test_a_log_that_is_deleted_is_not_called_nothing(self):
        job = self.script(record_case.MARKING + "\nimport shutil\nshutil.rmtree(os.environ['OUTPUT'])\ntime.sleep(1)")
        done = self.record("--", sys.executable, job, OUTPUT=self.output)
        self.assertRegex(done.stderr, "riffle: Process [0-9]+: The log .*rifflelog was deleted while it was being written.")
        self.assertNotIn("Nothing was recorded", done.stderr)
        self.assertNotIn("was written: ", done.stderr)

    def test_a_container_that_has_nothing_of_it(self):
        gone = ["RIFFLE_COLLECTOR=/gone/lib.so", "NVTX_INJECTION64_PATH=/gone/lib.so", "CUDA_INJECTION64_PATH=/gone/lib.so"]
        for python in ([], ["PYTHONPATH=/gone/startup"]):
            done = self.record("--", "env", *gone, *python, sys.executable, "-c", "print('ran')")
            self.assertEqual((done.returncode, done.stdout), (0, "ran\n"), done.stderr)
            self.assertIn("riffle: Nothing was recorded: ", done.stderr)

    def test_the_programs_own_sitecustomize_runs(self):
        Path(self.folder.name, "sitecustomize.py").write_text("import builtins; builtins.theirs = 'ran'")
        job = self.script("import sys; print(theirs, 'riffle_profiler' in sys.modules, 'ctypes' in sys.modules)")
        done = self.record("--", sys.executable, job, PYTHONPATH=self.folder.name)
        self.assertEqual((done.stdout, done.returncode), ("ran False False\n", 0), done.stderr)

    def test_a_killed_job_leaves_its_log(self):
        job = self.script(record_case.MARKING + "\nprint('marked', flush=True)\ntime.sleep(1)\nos.kill(os.getpid(), 9)")
        done = self.record("--", sys.executable, job)
        self.assertEqual(done.returncode, 137)
        self.assertIn("was killed", done.stderr)
        self.assertEqual(len(self.ranges()), 6)

    def test_signals_reach_the_job(self):
        job = self.script("import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\n"
                          "print('ready', flush=True)\nwhile True: time.sleep(0.1)")
        process = subprocess.Popen([self.CLI, "record", "-q", "-o", self.output, "--", sys.executable, job], env=self.environment,
                                   stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 9)
        process.stdout.close()


class WithPyTorch(record_case.LogCase):
    def test_operators_and_steps_of_an_unmodified_script(self):
        done = self.train()
        self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in range(6)])
        operators = Counter(row["Name"] for row in self.ranges() if row["Category"] == "cpu_op")
        self.assertEqual(operators["aten::addmm"], 12)
        self.assertEqual(operators["AddmmBackward0"], 12)
        self.assertNotRegex(done.stderr, record_case.WARNING)

    def test_shapes(self):
        self.train("--shapes")
        shapes = {row["Shapes"] for row in self.ranges() if row["Name"] == "aten::addmm"}
        self.assertIn("[[16], [2, 8], [8, 16], [], []]", shapes)

    def test_modules(self):
        self.train("--modules", steps=3)
        calls = Counter(row["Name"] for row in self.ranges() if row["Category"] == "python_function")
        self.assertEqual(calls, {"nn.Module: Sequential_0": 3, "nn.Module: Linear_0": 3, "nn.Module: ReLU_0": 3, "nn.Module: Linear_1": 3})

    def test_without_cuda_one_line_says_that_memory_is_not_recorded(self):
        done = self.train("--memory-history=10", "--on-oom")
        self.assertEqual(done.stderr.count("memory is not recorded: PyTorch has no CUDA device here"), 1, done.stderr)
        self.assertEqual({path.suffix for path in Path(self.output).iterdir()}, {".rifflelog"})

    def test_out_of_the_hosts_memory(self):
        done = self.record("--on-oom", "--", self.TORCH, self.script(OUT_OF_MEMORY), "3", RANK="2")
        self.assertEqual(done.returncode, 1)
        folder, = Path(self.output).glob("*_rank2_*_oom")
        self.assertIn(f"What is known about it is in {folder}.", done.stderr)
        text = (folder / "out_of_memory.txt").read_text()
        self.assertRegex(text, r"(?s)^Out of memory: .*can't allocate memory.*\nRank 2, process .*in grow\n    return torch\.empty\(1 << 55\)")
        log, = folder.glob("*.rifflelog")
        rows = read_log.read(log)
        self.assertEqual(len([row for kind, row in rows if kind == "Ranges" and row["Category"] == "step"]), 3)

    def test_pytorch_imported_by_another_thread(self):
        done = self.record("--", self.TORCH, self.script(IMPORTED + record_case.TRAINING + "print(torch.autograd.profiler._prepare_profiler.__module__)"), "3")
        self.assertEqual(done.stdout, "trained\n_riffle_agent._operators\n", done.stderr)
        self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in range(3)])
        self.assertEqual(len([row for row in self.ranges() if row["Name"] == "aten::addmm"]), 6)
        self.assertNotRegex(done.stderr, record_case.WARNING)

    def test_another_thread_that_imports_pytorch_and_trains(self):
        training = "".join("    " + line + "\n" for line in record_case.TRAINING.splitlines())
        done = self.record("--", self.TORCH, self.script(f"import threading\ndef train():\n{training}"
                                                    "thread = threading.Thread(target=train); thread.start(); thread.join()"), "3")
        self.assertEqual(done.stdout, "trained\n", done.stderr)
        self.assertEqual(self.steps()[:3], [f"ProfilerStep#{step}" for step in range(3)])
        self.assertNotRegex(done.stderr, record_case.WARNING)

    def test_torchrun(self):
        self.train(launcher=("-m", "torch.distributed.run", "--nproc-per-node", "2"))
        names = [log.name.split("_")[-2] for log in self.rows()[1]]
        self.assertEqual(names, ["rank0", "rank1"])

    def test_torchrun_of_processes_that_are_killed(self):
        done = self.record("--", self.TORCH, "-m", "torch.distributed.run", "--nproc-per-node", "2", self.script(KILLED))
        self.assertNotEqual(done.returncode, 0)
        logs = sorted(Path(self.output).glob("*.rifflelog"))
        self.assertEqual(len(logs), 2, done.stderr)
        for log in logs:
            opened = self.cli("slices", "--json", "--no-store", str(log))
            rows = json.loads(opened.stdout)
            ended = [row for row in rows if "unfinished" not in row["flags"]]
            self.assertEqual(len([row for row in ended if row["category"] == "step"]), 10)
            self.assertEqual(len([row for row in ended if row["name"] == "aten::addmm"]), 10)

    def test_one_rank_of_torchrun(self):
        self.train("--ranks", "1", launcher=("-m", "torch.distributed.run", "--nproc-per-node", "2"))
        self.assertEqual([log.name.split("_")[-2] for log in self.rows()[1]], ["rank1"])

    def test_a_script_that_uses_torch_profiler(self):
        job = self.script("import torch\nfrom torch.profiler import profile, ProfilerActivity\n"
                          "with profile(activities=[ProfilerActivity.CPU]) as p: torch.ones(2) + 1\n"
                          "print('aten::add' in [event.key for event in p.key_averages()])\ntorch.ones(2) * 3")
        done = self.record("--", self.TORCH, job)
        self.assertEqual((done.stdout, done.returncode), ("True\n", 0), done.stderr)
        names = {row["Name"] for row in self.ranges()}
        self.assertIn("aten::mul", names)
        self.assertNotIn("aten::add", names)


if __name__ == "__main__":
    sys.exit(record_case.main(WithoutPyTorch, WithPyTorch))
