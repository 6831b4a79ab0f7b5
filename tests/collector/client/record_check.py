#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests riffle-cli record from the outside.

Usage: record_check.py RIFFLE_CLI LIBRARY [--torch] [TEST...]

With --torch real training loops run under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import control_client  # noqa: E402
import read_log  # noqa: E402
import record_case  # noqa: E402

MARKING = """
import ctypes, os, time
library = ctypes.CDLL(os.environ["RIFFLE_COLLECTOR"])
for step in range(3):
    library.riffle_step(ctypes.c_int64(step))
    library.riffle_range_push(b"work"); library.riffle_range_pop()
library.riffle_step(ctypes.c_int64(-1))
"""

TRAINING = """
import sys, torch
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
other = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(int(sys.argv[1])):
    loss = model(torch.randn(2, 8)).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step(); other.step()
print("trained")
"""

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

# A different thread than the training thread imports PyTorch.
IMPORTED = """
import threading
thread = threading.Thread(target=__import__, args=("torch",)); thread.start(); thread.join()
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

# Six steps whose lengths depend on the rank; the fourth of rank 1 is the longest.
STEPPING = """
import ctypes, os, time
library = ctypes.CDLL(os.environ["RIFFLE_COLLECTOR"])
rank = int(os.environ["RANK"])
for step in range(6):
    library.riffle_step(ctypes.c_int64(step))
    time.sleep(0.3 if (rank, step) == (1, 3) else 0.02 * (rank + 1))
library.riffle_step(ctypes.c_int64(-1))
"""

OUT_OF_MEMORY = TRAINING + """
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


# Trains, or only computes, until a file appears; prints its process id first and the result last.
LASTING = """
import os, sys, time, torch
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
print(os.getpid(), flush=True)
def train():
    while not os.path.exists(sys.argv[1]):
        model(torch.randn(2, 8)).square().mean().backward(); optimizer.step(); optimizer.zero_grad()
        time.sleep(0.005)
def compute():
    with torch.no_grad():
        while not os.path.exists(sys.argv[1]):
            model(torch.ones(2, 8)); time.sleep(0.005)
"""


class LogCase(record_case.RecordCase):
    def rows(self):
        """All rows of the logs, and the paths of the logs."""
        logs = sorted(Path(self.output).glob("*.rifflelog"))
        return [row for log in logs for row in read_log.read(log)], logs

    def ranges(self):
        return [row for kind, row in self.rows()[0] if kind == "Ranges"]

    def control(self, *arguments):
        return self.cli("control", *arguments)

    def steps(self):
        return [row["Name"] for row in self.ranges() if row["Category"] == "step"]


class Job:
    """A job under riffle-cli record that runs until it is told to end."""

    def __init__(self, case, *arguments, script, **environment):
        case.environment.setdefault("RIFFLE_SOCKETS", os.path.join(case.folder.name, "sockets"))
        self.case, self.stop = case, os.path.join(case.folder.name, "stop")
        self.process = subprocess.Popen([case.CLI, "record", "-o", case.output, *arguments, "--", case.TORCH, case.script(script), self.stop],
                                        text=True, env={**case.environment, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        case.addCleanup(self.end)
        self.pid = self.process.stdout.readline().strip()
        case.assertTrue(self.pid, "the job did not start")

    def control(self, action, *arguments, fails=False):
        done = self.case.control(action, self.pid, *arguments)
        self.case.assertEqual(done.returncode, 1 if fails else 0, done.stderr)
        return done.stderr

    def listed(self):
        found = [one for one in json.loads(self.case.control("list", "--json").stdout) if str(one["pid"]) == self.pid]
        return found[0] if found else {"state": "none", "steps": 0, "events": 0}

    def wait(self, what):
        deadline = time.monotonic() + 60
        while not what(self.listed()):
            self.case.assertLess(time.monotonic(), deadline, self.listed())
            time.sleep(0.02)

    def wait_for_steps(self, count=5):
        first = self.listed()["steps"]
        self.wait(lambda now: now["steps"] >= first + count)

    def end(self):
        if self.process.stdout.closed:
            return None
        open(self.stop, "w", encoding="utf-8").close()
        self.out, self.err = self.process.communicate(timeout=60)
        return self.process.returncode


class WithoutPyTorch(LogCase):
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
        done = self.record("--", sys.executable, self.script(MARKING), RANK="4")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows, logs = self.rows()
        self.assertEqual(len(logs), 1)
        samples = sum(kind == "Counters" for kind, _ in rows)
        self.assertIn("_rank4_", logs[0].name)
        self.assertEqual(Counter(row["Name"] for row in self.ranges())["work"], 3)
        line = [line for line in done.stderr.splitlines() if line.endswith(".rifflelog")][0].split()
        self.assertEqual(line[-3:], [str(6 + samples), "0", str(logs[0])])

    def test_a_schedule_of_steps_that_the_program_marks(self):
        done = self.record("--steps", "1:2", "--", sys.executable, self.script(MARKING))
        self.assertEqual(self.steps(), ["ProfilerStep#1"])
        self.assertEqual([line for line in done.stderr.splitlines() if "at step" in line],
                         ["riffle: Warm-up starts at step 0.", "riffle: Recording starts at step 1."])
        self.assertIn("riffle: Cycle 1 was written: ", done.stderr)
        self.assertNotIn("No steps were seen", done.stderr)
        done = self.record("--steps", "1:2", "--step-mark", "other", "--", sys.executable, self.script(MARKING))
        self.assertIn("No steps were seen", done.stderr)

    def test_ranges_that_mark_steps(self):
        self.record("--steps", "1:2", "--step-mark", "work", "--", sys.executable, self.script(MARKING))
        self.assertEqual([(row["Name"], row["Category"]) for row in self.ranges()], [("work", "user_annotation"), ("ProfilerStep#1", "step")])

    def test_the_end_of_the_job_after_a_time(self):
        begun = time.monotonic()
        done = self.record("--time-limit", "1", "--exit-after", "--", sys.executable, self.script(MARKING + "\ntime.sleep(100)"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(time.monotonic() - begun, 60)
        self.assertIn("The recording was written: ", done.stderr)

    def test_the_end_of_the_job_when_the_log_is_full(self):
        file = Path(self.folder.name, "pid")
        job = self.script(MARKING + f"open({str(file)!r}, 'w').write(str(os.getpid()))\n"
                          "for number in range(10 ** 6): library.riffle_mark(b'%d' % number); time.sleep(0.001)")
        done = self.record("--time-limit", "1000", "--max-size", "20K", "--exit-after", "--", "sh", "-c",
                           f"'{sys.executable}' '{job}'; true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("has reached max_bytes", done.stderr)
        self.assertFalse(os.path.exists("/proc/" + file.read_text()))  # the shell's child has ended with it

    def test_a_dump_signal_where_nothing_is_recorded(self):
        job = self.script("import os, signal; os.kill(os.getpid(), signal.SIGUSR1); print('lives')")
        for rank in "01":  # in rank 0 the library is not loaded yet, in rank 1 it never is
            done = self.record("--dump-signal", "USR1", "--ranks", "0", "--", sys.executable, job, RANK=rank)
            self.assertEqual((done.stdout, done.returncode), ("lives\n", 0))

    def test_control_of_what_runs(self):
        self.environment["RIFFLE_SOCKETS"] = os.path.join(self.folder.name, "sockets")
        nobody = self.control("flush")
        self.assertEqual((nobody.returncode, nobody.stderr), (1, "riffle-cli: There is no process with a collector that you can control.\n"))
        job = self.script(MARKING + "\nprint(os.getpid(), flush=True)\ninput()")
        processes = [subprocess.Popen([self.CLI, "record", "-o", self.output, "--dump-signal", "USR2", "--", sys.executable, job], text=True,
                                      env={**self.environment, "RANK": str(rank)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE) for rank in (0, 1)]
        pids = [process.stdout.readline().strip() for process in processes]
        listed = {str(one["pid"]): one for one in json.loads(self.control("list", "--json").stdout)}
        self.assertEqual([(listed[pid]["rank"], listed[pid]["state"]) for pid in pids], [(0, "recording"), (1, "recording")])
        self.assertIn("Give their ids", self.control("pause").stderr)
        self.assertEqual(self.control("pause", pids[1]).returncode, 0)
        row = [line.split() for line in self.control("list").stdout.splitlines()[1:] if line.split()[0] == pids[1]][0]
        self.assertEqual((row[1], row[2], row[3], row[4], row[-1]), ("1", "paused", "normal", "3", listed[pids[1]]["path"]))
        dump = os.path.join(self.folder.name, "dump")
        self.assertEqual(self.control("dump", "--all", dump).stderr, "")
        self.assertEqual(sorted(os.listdir(dump)), [os.path.basename(listed[pid]["path"]) for pid in pids])
        self.assertEqual(self.control("stop", *pids).returncode, 0)
        again = self.control("stop", *pids)
        self.assertEqual((again.returncode, again.stderr.count("Nothing is being recorded")), (1, 2))
        self.assertEqual(self.control("start", pids[0], "preset=light", "max_seconds=60").returncode, 0)
        self.assertIn("Unknown option 'x'", self.control("start", pids[1], "x=1").stderr)
        processes[0].send_signal(signal.SIGUSR2)  # the recorder passes it on
        deadline = time.monotonic() + 30
        while not list(Path(self.output).glob("*_2_dump1.rifflelog")) and time.monotonic() < deadline:
            time.sleep(0.02)
        for process in processes:
            _, err = process.communicate("\n", timeout=60)
            self.assertEqual(process.returncode, 0, err)
        self.assertEqual(len(list(Path(self.output).glob("*_2_dump1.rifflelog"))), 1)
        for arguments in (["fly"], ["dump"], ["pause", "x"], []):
            self.assertEqual(self.control(*arguments).returncode, 2, arguments)

    def test_ranks_that_are_left_out_write_nothing_until_they_are_started(self):
        self.environment["RIFFLE_SOCKETS"] = os.path.join(self.folder.name, "sockets")
        job = self.script(MARKING)
        for ranks, rank in (("0,2-3", "1"), ("1,9-99999", "5")):
            # With a launcher between us and the process, the rank is known only in the process.
            for launcher in ((), ("env", "RANK=" + rank)):
                done = self.record("--ranks", ranks, "--", *launcher, sys.executable, job, **({} if launcher else {"RANK": rank}))
                self.assertEqual((done.returncode, os.listdir(self.output)), (0, []), done.stderr)
        self.record("--ranks", "1,9-99999", "--", "env", "RANK=5000", sys.executable, job)
        self.assertEqual(len(self.rows()[1]), 1)
        waiting = self.script(MARKING + "\nprint(os.getpid(), flush=True)\ninput()\nlibrary.riffle_mark(b'later')", "waiting.py")
        process = subprocess.Popen([self.CLI, "record", "-o", self.output, "--ranks", "0", "--", sys.executable, waiting], text=True,
                                   env={**self.environment, "RANK": "1"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        pid = process.stdout.readline().strip()
        listed = json.loads(self.control("list", "--json").stdout)[0]
        self.assertEqual((listed["state"], listed["path"], listed["rank"]), ("left out", "", 1))
        self.assertRegex(self.control("list").stdout.splitlines()[1], f"^ *{pid} +1 left out ")
        self.assertEqual(self.control("set", pid, "ranks=1").stderr, "")
        _, err = process.communicate("\n", timeout=60)
        self.assertIn("riffle: This rank is left out; riffle-cli control start can start it.", err)
        self.assertIn("later", [row["Name"] for kind, row in self.rows()[0] if kind == "Marks"])
        self.assertIn("_rank1_", self.rows()[1][0].name)
        self.assertIn(str(self.rows()[1][0]), err)

    def test_a_log_that_is_deleted_is_not_called_nothing(self):
        job = self.script(MARKING + "\nimport shutil\nshutil.rmtree(os.environ['OUTPUT'])\ntime.sleep(1)")
        done = self.record("--", sys.executable, job, OUTPUT=self.output)
        self.assertRegex(done.stderr, "riffle: Process [0-9]+: The log .*rifflelog was deleted while it was being written.")
        self.assertNotIn("Nothing was recorded", done.stderr)
        self.assertNotIn("was written: ", done.stderr)

    def test_the_ninth_viewer_is_told_why(self):
        self.environment["RIFFLE_SOCKETS"] = os.path.join(self.folder.name, "sockets")
        job = self.script(MARKING + "\nprint(os.getpid(), flush=True)\ninput()")
        process = subprocess.Popen([self.CLI, "record", "-q", "-o", self.output, "--", sys.executable, job], text=True,
                                   env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        pid = process.stdout.readline().strip()
        viewers = [control_client.Client(os.path.join(self.environment["RIFFLE_SOCKETS"], pid + ".sock")) for _ in range(8)]
        for viewer in viewers:
            viewer.hello()
        for action in (("list",), ("flush", pid)):
            for _ in range(20):
                done = self.control(*action)
                self.assertEqual((done.returncode, done.stderr),
                                 (1, f"riffle-cli: Process {pid}: Too many viewers are connected to this process: 8 is the limit.\n"))
        for viewer in viewers:
            viewer.socket.close()
        process.communicate("\n", timeout=60)

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
        job = self.script(MARKING + "\nprint('marked', flush=True)\ntime.sleep(1)\nos.kill(os.getpid(), 9)")
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


    def verdict_of(self, done):
        """The lines below the table of logs."""
        return done.stderr.split("LOG\n")[1].split("\n\n")[1].splitlines()

    def test_the_verdict_on_two_ranks(self):
        job = self.script(STEPPING)
        done = self.record("--", "sh", "-c", f"RANK=0 '{sys.executable}' '{job}' & RANK=1 '{sys.executable}' '{job}'; code=$?; wait; exit $code")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.verdict_of(done)
        self.assertLessEqual(len(lines), 10)
        self.assertRegex(lines[0], r"^6 steps in each of 2 traces: the median is [2-9]\d\.\d+\xa0ms, and the slowest is step 3 of Rank 1 with 3\d\d\.\d\xa0ms\.$")
        self.assertRegex(lines[1], r"^The median step takes from 2\d\.\d+\xa0ms \(Rank 0\) to 4\d\.\d+\xa0ms \(Rank 1\), ")
        self.assertIn("No device work was recorded. No operators were recorded, either.", lines[2])
        self.assertRegex(lines[-1], rf"^To open it: riffle( summary)? .*_rank0_.* .*_rank1_.*\.rifflelog$")
        again = self.cli("verdict", "--no-store", *map(str, self.rows()[1]))
        self.assertEqual((again.stdout.splitlines(), again.returncode), (lines[:-1], 0))

    def test_the_verdict_leaves_the_exit_code_alone(self):
        job = self.script(STEPPING + "os._exit(7)")
        self.assertEqual(self.record("--", sys.executable, job, RANK="0").returncode, 7)
        quiet = self.record("-q", "--", sys.executable, job, RANK="0")
        self.assertEqual((quiet.returncode, quiet.stderr), (7, ""))
        # Nobody reads stderr when the job has ended.
        process = subprocess.Popen([self.CLI, "record", "-o", self.output, "--", sys.executable, job], env={**self.environment, "RANK": "0"},
                                   stderr=subprocess.PIPE, text=True)
        self.assertIn("Recording everything", process.stderr.readline())
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 7)

    def test_a_large_recording_gets_a_command_instead_of_a_verdict(self):
        marks = MARKING + "for number in range(300_000): library.riffle_mark(b'x')\n"
        copies = f"for i in $(seq 100); do cp -r '{self.output}'/*_rank0_*.rifflelog '{self.output}'/copy$i.rifflelog; done; rm -r '{self.output}'/*_rank0_*"
        done = self.record("--", "sh", "-c", f"'{sys.executable}' '{self.script(marks)}'; {copies}", RANK="0")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.verdict_of(done)
        self.assertEqual(len(lines), 2, lines)
        self.assertIn(f"so its verdict was not made here. To get it: riffle verdict {self.output}/*.rifflelog", lines[0])

    def opened(self, window, **environment):
        """What record --open says about opening, and what the window got; its program is installed as `window`."""
        program = os.path.join(self.folder.name, "bin")
        os.makedirs(program, exist_ok=True)
        shutil.copy(self.CLI, program)
        if window:
            Path(program, "riffle-window").write_text(window)
            os.chmod(os.path.join(program, "riffle-window"), 0o755)
        done = subprocess.run([os.path.join(program, "riffle-cli"), "record", "-o", self.output, "--open", "--", sys.executable,
                               self.script(MARKING)], capture_output=True, text=True, timeout=60,
                              env={**self.environment, "DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": "", "RIFFLE_WINDOW": "", **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_open(self):
        self.assertIn("Riffle's window is not installed, so", self.opened(""))
        got = os.path.join(self.folder.name, "got")
        window = f"#!/bin/sh\necho \"$@\" > '{got}.part'; mv '{got}.part' '{got}'; exec sleep 60\n"
        self.assertIn("There is no display here", self.opened(window))
        shutil.rmtree(self.output)
        begun = time.monotonic()
        self.assertIn("To open it: riffle ", self.opened(window, DISPLAY=":77"))
        self.assertLess(time.monotonic() - begun, 40)  # the window outlives record
        while not os.path.exists(got) and time.monotonic() < begun + 60:
            time.sleep(0.02)
        self.assertEqual(Path(got).read_text().split(), [str(log) for log in self.rows()[1]])


class WithPyTorch(LogCase):
    def train(self, *arguments, steps=6, launcher=(), **environment):
        done = self.record(*arguments, "--", self.TORCH, *launcher, self.script(TRAINING), str(steps), **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_operators_and_steps_of_an_unmodified_script(self):
        done = self.train()
        self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in range(6)])
        operators = Counter(row["Name"] for row in self.ranges() if row["Category"] == "cpu_op")
        self.assertEqual(operators["aten::addmm"], 12)
        self.assertEqual(operators["AddmmBackward0"], 12)
        self.assertNotRegex(done.stderr, record_case.WARNING)

    def test_what_counts_as_a_step(self):
        for what, script in STEPS.items():
            with self.subTest(what), tempfile.TemporaryDirectory() as self.output:
                done = self.record("--preset", "light", "--", self.TORCH, self.script(script))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in range(4)])

    def test_shapes(self):
        self.train("--shapes")
        shapes = {row["Shapes"] for row in self.ranges() if row["Name"] == "aten::addmm"}
        self.assertIn("[[16], [2, 8], [8, 16], [], []]", shapes)

    def test_modules(self):
        self.train("--modules", steps=3)
        calls = Counter(row["Name"] for row in self.ranges() if row["Category"] == "python_function")
        self.assertEqual(calls, {"nn.Module: Sequential_0": 3, "nn.Module: Linear_0": 3, "nn.Module: ReLU_0": 3, "nn.Module: Linear_1": 3})

    def test_modules_of_chosen_steps(self):
        self.train("--modules", "--steps", "2:4")
        self.assertEqual(Counter(row["Name"] for row in self.ranges())["nn.Module: Sequential_0"], 2)

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

    def test_the_verdict(self):
        done = self.train()
        self.assertRegex(done.stderr, r"\n6 steps: the median is .*, and the slowest is step \d with ")
        self.assertRegex(done.stderr, r"\nNo device work was recorded\. Operators and Python took \d+(\.\d+)?\xa0% of the time\.")
        self.assertRegex(done.stderr, r"\nTo open it: riffle")

    def test_light_has_steps_and_no_operators(self):
        self.train("--preset", "light")
        self.assertEqual({row["Category"] for row in self.ranges()}, {"step"})

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
        done = self.record("--", self.TORCH, self.script(PROFILED), PACKAGE=str(HERE.parents[2] / "collector" / "python"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in (2, 3, 4)])
        self.assertEqual(len([row for row in self.ranges() if row["Name"] == "aten::addmm"]), 3)

    def test_a_profile_of_the_program_in_a_left_out_rank(self):
        script = PROFILED.replace("schedule=riffle.schedule(wait=1, warmup=1, active=3, repeat=1)", "dir=sys.argv[1]")
        done = self.record("--ranks", "0", "--", self.TORCH, self.script(script), self.output, RANK="1",
                           PACKAGE=str(HERE.parents[2] / "collector" / "python"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in range(9)])
        self.assertNotRegex(done.stderr, record_case.WARNING)

    def test_modules_of_a_program_with_a_schedule_of_its_own(self):
        job = PROFILED + "print(torch.nn.Module.__call__.__code__.co_filename.count('riffle'))\n"
        done = self.record("--modules", "--", self.TORCH, self.script(job), PACKAGE=str(HERE.parents[2] / "collector" / "python"))
        self.assertEqual(done.stdout, "0\n", done.stderr)
        self.assertEqual(Counter(row["Name"] for row in self.ranges())["nn.Module: Linear_0"], 3)

    def test_pytorch_imported_by_another_thread(self):
        done = self.record("--", self.TORCH, self.script(IMPORTED + TRAINING + "print(torch.autograd.profiler._prepare_profiler.__module__)"), "3")
        self.assertEqual(done.stdout, "trained\n_riffle_agent._operators\n", done.stderr)
        self.assertEqual(self.steps(), [f"ProfilerStep#{step}" for step in range(3)])
        self.assertEqual(len([row for row in self.ranges() if row["Name"] == "aten::addmm"]), 6)
        self.assertNotRegex(done.stderr, record_case.WARNING)

    def test_another_thread_that_imports_pytorch_and_trains(self):
        training = "".join("    " + line + "\n" for line in TRAINING.splitlines())
        done = self.record("--", self.TORCH, self.script(f"import threading\ndef train():\n{training}"
                                                    "thread = threading.Thread(target=train); thread.start(); thread.join()"), "3")
        self.assertEqual(done.stdout, "trained\n", done.stderr)
        self.assertEqual(self.steps()[:3], [f"ProfilerStep#{step}" for step in range(3)])
        self.assertNotRegex(done.stderr, record_case.WARNING)

    def test_exit_after(self):
        begun = time.monotonic()
        done = self.train("--steps", "2:4", "--exit-after", steps=1_000_000)
        self.assertLess(time.monotonic() - begun, 60)
        self.assertNotIn("trained", done.stdout)
        self.assertEqual(self.steps(), ["ProfilerStep#2", "ProfilerStep#3"])

    def operators(self, log):
        return Counter(row["Name"] for kind, row in read_log.read(log) if kind == "Ranges" and row["Category"] == "cpu_op")

    def test_operators_of_a_recording_that_is_started_from_outside(self):
        job = Job(self, "--steps", "1:3", script=LASTING + "train()")
        job.wait(lambda now: now["state"] == "ended")
        self.assertEqual(job.control("start"), "")
        job.wait_for_steps()
        self.assertTrue(job.listed()["python_part"] and job.listed()["operators"])
        job.control("stop")
        self.assertFalse(job.listed()["operators"])
        self.assertEqual(job.control("start", "shapes=1", "schedule=wait=1,warmup=1,active=2,repeat=1"), "")
        job.wait(lambda now: now["state"] == "ended")
        self.assertEqual(job.end(), 0)
        first, second, third = (self.operators(log) for log in self.rows()[1])
        self.assertEqual((first["aten::addmm"], third["aten::addmm"]), (4, 4))
        self.assertGreaterEqual(second["aten::addmm"], 8)
        self.assertGreaterEqual(second["AddmmBackward0"], 8)
        shapes = {row["Shapes"] for kind, row in read_log.read(self.rows()[1][2]) if kind == "Ranges" and row["Name"] == "aten::addmm"}
        self.assertEqual(shapes, {"[[16], [2, 8], [8, 16], [], []]", "[[4], [2, 16], [16, 4], [], []]"})
        self.assertEqual(len([row for kind, row in read_log.read(self.rows()[1][2]) if kind == "Ranges" and row["Category"] == "step"]), 2)
        self.assertNotRegex(job.err, f"{record_case.WARNING}|ASSERT|no longer")

    def test_a_running_recording_is_changed(self):
        job = Job(self, "--preset", "light", script=LASTING + "train()")
        job.wait_for_steps()
        self.assertFalse(job.listed()["operators"])
        for number in range(10):
            self.assertEqual(job.control("set", f"operators={(number + 1) % 2}", f"shapes={number % 3 % 2}"), "")
            job.wait_for_steps(2)
        self.assertEqual(job.control("set", "preset=normal", "operators=1"), "")
        job.wait_for_steps()
        self.assertEqual(job.control("set", "stacks=1", "modules=1"), "")
        job.wait_for_steps()
        self.assertEqual(job.control("set", "memory_history=1000", fails=True),
                         f"riffle-cli: Process {job.pid}: memory_history: PyTorch has no CUDA device here.\n")
        self.assertFalse(job.listed()["memory_history"])
        self.assertIn("memory_history: ", job.control("start", "memory_history=1000") if job.control("stop") == "" else "")
        self.assertEqual(job.end(), 0)
        light, normal, _ = (self.operators(log) for log in self.rows()[1])
        self.assertGreaterEqual(light["aten::addmm"], 4)
        self.assertGreaterEqual(normal["aten::addmm"], 8)
        kinds = Counter(kind for kind, row in read_log.read(self.rows()[1][1]))
        self.assertGreater(min(kinds["PythonFrames"], sum("nn.Module: Linear" in row["Name"] for kind, row in
                                                          read_log.read(self.rows()[1][1]) if kind == "Ranges")), 0, kinds)
        self.assertNotRegex(job.err, f"{record_case.WARNING}|ASSERT|no longer")

    def test_a_job_without_steps_follows_as_well(self):
        job = Job(self, script=LASTING + "compute()")
        job.wait(lambda now: now["events"] > 50)
        self.assertEqual(job.control("stop"), "")
        self.assertEqual(job.control("start", "preset=light"), "")
        self.assertEqual(job.control("set", "operators=1"), "")
        job.wait(lambda now: now["events"] > 200)
        self.assertEqual(job.control("set", "operators=0"), "")
        self.assertEqual(job.end(), 0)
        self.assertGreater(self.operators(self.rows()[1][1])["aten::addmm"], 2)
        self.assertNotIn("ASSERT", job.err)

    def test_a_change_within_a_function_of_the_program(self):
        """The end of its range does not show, so the observer stays on."""
        job = Job(self, script=LASTING + """
class Slow(torch.autograd.Function):
    @staticmethod
    def forward(context, value):
        while not os.path.exists(sys.argv[1]): time.sleep(0.005)
        return value * 2
Slow.apply(torch.ones(2))
""")
        job.wait(lambda now: now["operators"])
        job.control("set", "operators=0")
        self.assertEqual(job.end(), 0)
        self.assertNotRegex(job.err, f"{record_case.WARNING}|ASSERT|no longer")

    def test_a_range_around_the_work_of_a_job_without_steps(self):
        job = Job(self, script=LASTING.replace("model(torch.ones(2, 8)); time", "\n            with torch.profiler.record_function('request'): model(torch.ones(2, 8)); time") + "compute()")
        job.wait(lambda now: now["events"] > 50)
        for shapes in 1, 0, 1:
            job.control("set", f"shapes={shapes}")
            job.wait(lambda now, before=job.listed()["events"]: now["events"] > before + 50)
        self.assertEqual(job.end(), 0)
        shapes = [row["Shapes"] for row in self.ranges() if row["Name"] == "aten::addmm"]
        self.assertTrue(shapes[0] != shapes[-1] and shapes[-1], shapes[::len(shapes) - 1])
        self.assertNotRegex(job.err, f"{record_case.WARNING}|ASSERT|no longer")

    def test_a_thread_that_trains_follows_at_its_next_step(self):
        job = Job(self, "--steps", "1:3", script=LASTING + "import threading\nthread = threading.Thread(target=train); thread.start(); thread.join()")
        job.wait(lambda now: now["state"] == "ended")
        for _ in range(3):
            job.control("start")  # the main thread waits, so the answer may come after the second that it is given
            job.wait_for_steps()
            job.control("stop")
        self.assertEqual(job.end(), 0)
        first, *others = [self.operators(log)["aten::addmm"] for log in self.rows()[1]]
        self.assertEqual((first, len(others)), (4, 3))
        self.assertGreater(min(others), 2, others)
        self.assertNotRegex(job.err, f"{record_case.WARNING}|ASSERT|no longer")

    def test_a_left_out_rank_is_started(self):
        job = Job(self, "--ranks", "1", script=LASTING + "train()", RANK="0")
        job.wait(lambda now: now["state"] == "left out")
        time.sleep(0.3)
        self.assertEqual((os.listdir(self.output), job.listed()["operators"]), ([], False))
        self.assertEqual(job.control("start"), "")
        job.wait_for_steps()
        self.assertEqual(job.control("set", "ranks=1"), "")
        self.assertEqual(job.listed()["state"], "left out")
        self.assertEqual(job.end(), 0)
        self.assertEqual(len(self.rows()[1]), 1)
        self.assertGreaterEqual(self.operators(self.rows()[1][0])["aten::addmm"], 6)
        self.assertNotIn("ASSERT", job.err)

    def test_torch_compile_sees_nothing_of_the_channel(self):
        script = LASTING.replace("import os, sys", "import os, sys, warnings\nwarnings.simplefilter('error')\nimport os, sys")
        script = script.replace("optimizer = ", "model = torch.compile(model, backend='eager'); optimizer = ")
        job = Job(self, "--preset", "light", script=script + "train()\nprint(torch._dynamo.utils.counters['stats'].get('unique_graphs'))")
        job.wait_for_steps()
        for number in range(20):
            job.control("set", f"operators={number % 2}")
        self.assertEqual(job.end(), 0, job.err)
        self.assertEqual(job.out, "1\n")

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
