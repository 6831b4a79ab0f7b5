#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests riffle-cli control over jobs that riffle-cli record runs.

Usage: record_control_check.py RIFFLE_CLI LIBRARY [--torch] [TEST...]

With --torch real training loops run under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import record_case  # It adds the folder of the following modules to the path.
import control_client
import read_log

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
        try:
            self.out, self.err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.kill(int(self.pid), signal.SIGKILL)
            raise
        return self.process.returncode


class WithoutPyTorch(record_case.LogCase):
    def test_control_of_what_runs(self):
        self.environment["RIFFLE_SOCKETS"] = os.path.join(self.folder.name, "sockets")
        nobody = self.control("flush")
        self.assertEqual((nobody.returncode, nobody.stderr), (1, "riffle-cli: There is no process with a collector that you can control.\n"))
        job = self.script(record_case.MARKING + "\nprint(os.getpid(), flush=True)\ninput()")
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
        job = self.script(record_case.MARKING)
        for ranks, rank in (("0,2-3", "1"), ("1,9-99999", "5")):
            # With a launcher between us and the process, the rank is known only in the process.
            for launcher in ((), ("env", "RANK=" + rank)):
                done = self.record("--ranks", ranks, "--", *launcher, sys.executable, job, **({} if launcher else {"RANK": rank}))
                self.assertEqual((done.returncode, os.listdir(self.output)), (0, []), done.stderr)
        self.record("--ranks", "1,9-99999", "--", "env", "RANK=5000", sys.executable, job)
        self.assertEqual(len(self.rows()[1]), 1)
        waiting = self.script(record_case.MARKING + "\nprint(os.getpid(), flush=True)\ninput()\nlibrary.riffle_mark(b'later')", "waiting.py")
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

    def test_the_ninth_viewer_is_told_why(self):
        self.environment["RIFFLE_SOCKETS"] = os.path.join(self.folder.name, "sockets")
        job = self.script(record_case.MARKING + "\nprint(os.getpid(), flush=True)\ninput()")
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


class WithPyTorch(record_case.LogCase):
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

    def calls_of(self, log, name):
        """How often functions with that name were called in each step, without the first and the last one."""
        rows = [row for kind, row in read_log.read(log) if kind == "Ranges"]
        steps = [(row["Start"], row["Start"] + row["Duration"]) for row in rows if row["Category"] == "step"]
        calls = [row["Start"] for row in rows if row["Category"] == "python_function" and re.search(name, row["Name"])]
        return [sum(start <= call < end for call in calls) for start, end in steps[1:-1]]

    def test_every_call_is_recorded_on_request(self):
        job = Job(self, "--stacks=calls", script=LASTING + "train()")
        job.wait_for_steps()
        self.assertEqual(job.control("set", "stacks=0"), "")
        job.wait_for_steps()
        self.assertEqual(job.control("stop"), "")
        self.assertEqual(job.control("start", "stacks=calls"), "")
        job.wait_for_steps(8)
        self.assertEqual(job.end(), 0)
        first, second = self.rows()[1]
        self.assertEqual(set(self.calls_of(first, r"^torch/nn/modules/linear\.py\(\d+\): forward$")), {0, 2})
        self.assertEqual(set(self.calls_of(second, r"^torch/nn/modules/linear\.py\(\d+\): forward$")[3:]), {2})
        self.assertEqual(set(self.calls_of(second, "^<built-in function linear>$")[3:]), {2})
        self.assertFalse(self.calls_of(first, "riffle_profiler") == [] or any(self.calls_of(first, "riffle_profiler")))
        self.assertNotRegex(job.err, f"{record_case.WARNING}|ASSERT|no longer")

    def test_calls_are_switched_again_and_again(self):
        """With CPython 3.11 the program hung in one of four turns, because the library called while its last call was handled."""
        job = Job(self, "--stacks=calls", script=LASTING + "train()")
        for _ in range(20):
            job.wait_for_steps(2)
            self.assertEqual(job.control("set", "stacks=0"), "")
            self.assertEqual(job.control("stop"), "")
            self.assertEqual(job.control("start", "stacks=calls"), "")
        self.assertEqual(job.end(), 0)

    def test_every_call_of_the_steps_of_a_schedule(self):
        done = self.record("--stacks=calls", "--steps", "2:4", "--", self.TORCH, self.script(record_case.TRAINING), "6")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row for kind, row in read_log.read(self.rows()[1][0]) if kind == "Ranges"]
        loops = [row for row in rows if row["Category"] == "python_function" and row["Name"].endswith(": <module>")]
        steps = [row for row in rows if row["Category"] == "step"]
        self.assertEqual((len(loops), len(steps)), (1, 2))
        (loop,) = loops
        self.assertLessEqual(loop["Start"] + loop["Duration"], steps[1]["Start"] + steps[1]["Duration"] + 10**6)
        self.assertGreaterEqual(loop["Start"], steps[0]["Start"] - 10**6)

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


if __name__ == "__main__":
    sys.exit(record_case.main(WithoutPyTorch, WithPyTorch))
