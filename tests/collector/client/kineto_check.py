#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests riffle-cli record --kineto from the outside.

Usage: kineto_check.py RIFFLE_CLI LIBRARY [--torch] [TEST...]

Without --torch the jobs are stand-ins that use Kineto's protocol. With it they are training loops of a real PyTorch under
$RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import json
import os
import re
import sys
from pathlib import Path

import record_case

# A stand-in that does what the daemon sees of a process with Kineto: it polls ten times per second, writes a temporary file
# beside the requested path and renames it. `step()` does what Riffle's Python part does at the end of the first step.
STAND_IN = """
import os, socket, struct, subprocess, sys, time
folder = os.environ["KINETO_IPC_SOCKET_DIR"]
own = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
own.bind(f"{folder}/client{os.getpid()}")
own.settimeout(5)

def poll(wanted=2):
    body = struct.pack("<iiqii", wanted, 2, 0, os.getpid(), os.getppid())
    own.sendto(struct.pack("<Q32s", len(body), b"req") + body, folder + "/dynolog")
    data, sender = own.recvfrom(4096)
    assert sender == folder + "/dynolog" and len(data) == 40 + struct.unpack("<Q", data[:8])[0], (sender, data)
    return data[40:].decode()

def step():
    with open(os.path.join(os.environ["RIFFLE_RECORDER"], str(os.getpid())), "w") as file:
        file.write("state=recording\\nsteps=1\\n")

def request(seconds=20):
    for _ in range(int(seconds * 10)):
        text = poll()
        if text:
            return dict(line.split("=") for line in text.splitlines())
        time.sleep(0.1)

def write(asked, text='{"traceEvents": []}'):
    path = asked["ACTIVITIES_LOG_FILE"].replace(".json", f"_{os.getpid()}.json")
    with open(path + ".tmp", "w") as file:
        file.write(text)
    poll(0)
    os.rename(path + ".tmp", path)
"""

TRAINING = """
import os, sys, time, torch
if "RANK" in os.environ:
    torch.distributed.init_process_group("gloo")
    torch.distributed.barrier()
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(int(sys.argv[1])):
    with torch.autograd.profiler.record_function(f"step {step}"):
        loss = model(torch.randn(2, 8)).square().mean()
        optimizer.zero_grad(); loss.backward(); optimizer.step()
    time.sleep(0.05)
print("trained")
"""


class KinetoCase(record_case.RecordCase):
    OPTIONS = ("--kineto",)
    PATIENCE = 200

    def written(self):
        return sorted(Path(self.output).glob("*.json"))

    def info(self, path):
        done = self.cli("info", str(path))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class WithStandIns(KinetoCase):
    def job(self, text, *arguments, record=(), **environment):
        return self.record(*record, "--", sys.executable, self.script(STAND_IN + text), *arguments, **environment)

    def test_a_trace_is_asked_for_and_told(self):
        done = self.job("step(); write(request()); print(poll(), end='')", RANK="3")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        path, = self.written()
        self.assertRegex(path.name, r"_rank3_\d+\.json$")
        self.assertRegex(done.stderr, f"rank 3: Kineto's trace is {path} \\(19\\sB\\)\\.\n")

    def test_what_is_asked_for(self):
        show = "step(); asked = request(); print({key: value for key, value in asked.items() if 'ITER' in key or 'SHAPES' in key})"
        done = self.job(show, record=("--steps", "5:7", "--shapes"))
        self.assertEqual(done.stdout, "{'PROFILE_REPORT_INPUT_SHAPES': 'true', 'PROFILE_START_ITERATION': '4', "
                                      "'ACTIVITIES_WARMUP_ITERATIONS': '1', 'ACTIVITIES_ITERATIONS': '2'}\n", done.stderr)
        done = self.job("step(); print(request()['ACTIVITIES_DURATION_MSECS'])", record=("--kineto-seconds", "7"))
        self.assertEqual(done.stdout, "7000\n")

    def test_cupti_is_left_to_kineto(self):
        show = "import os; print([name for name in ('CUDA_INJECTION64_PATH', 'KINETO_USE_DAEMON') if name in os.environ], " \
               "'cupti=0' in os.environ['RIFFLE_OPTIONS'], 'preset=light' in os.environ['RIFFLE_OPTIONS'])"
        self.assertEqual(self.record("--", sys.executable, "-c", show).stdout, "['KINETO_USE_DAEMON'] True True\n")
        without = self.cli("record", "-o", self.output, "--", sys.executable, "-c", show)
        self.assertEqual(without.stdout, "['CUDA_INJECTION64_PATH'] False False\n")

    def test_a_configuration_of_the_users_own_stays(self):
        show = "import os; print(os.environ['KINETO_CONFIG'])"
        self.assertEqual(self.record("--", sys.executable, "-c", show, KINETO_CONFIG="/mine").stdout, "/mine\n")
        if not os.path.exists("/etc/libkineto.conf"):
            read = "import os; print(open(os.environ['KINETO_CONFIG']).read())"
            self.assertIn("ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1", self.record("--", sys.executable, "-c", read).stdout)
        done = self.record("--", sys.executable, "-c", "import os; print(os.environ['KINETO_IPC_SOCKET_DIR'])",
                           KINETO_IPC_SOCKET_DIR="/dyno")
        self.assertNotEqual(done.stdout, "/dyno\n")
        self.assertIn("/dyno", done.stderr)

    def test_the_folder_of_the_sockets_is_ours_alone(self):
        done = self.job("import stat; print(oct(stat.S_IMODE(os.stat(folder).st_mode)), folder)")
        mode, folder = done.stdout.split()
        self.assertEqual(mode, "0o700")
        self.assertFalse(os.path.exists(folder))

    def test_ranks_of_a_launcher(self):
        launcher = self.script(STAND_IN + """
poll()
children = [subprocess.Popen([sys.executable, sys.argv[1]], env={**os.environ, "RANK": str(rank)}) for rank in range(3)]
asked = request(3)
sys.exit(sum(child.wait() for child in children) or (4 if asked else 0))
""", "launcher.py")
        rank = self.script(STAND_IN + "step(); asked = request(3)\nif asked: write(asked)")
        done = self.record("--ranks", "0,2", "--", sys.executable, launcher, rank)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.name.split("_")[-2] for path in self.written()], ["rank0", "rank2"])
        self.assertNotIn("did not", done.stderr)

    def test_a_late_process_is_answered_too(self):
        late = self.script(STAND_IN + "step(); write(request())", "late.py")
        done = self.job("import time; time.sleep(1)\nsys.exit(subprocess.run([sys.executable, sys.argv[1]]).returncode)", late)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.written()), 1)

    def test_exit_after(self):
        done = self.job("step(); write(request())\nwhile True: poll(); time.sleep(0.1)", record=("--exit-after",))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.written()), 1)

    def test_a_killed_job(self):
        done = self.job("step(); request(); poll(0); os.kill(os.getpid(), 9)", RANK="1")
        self.assertEqual(done.returncode, 137)
        self.assertIn("Kineto has left no trace of rank 1", done.stderr)
        done = self.job("""
step(); asked = request()
open(asked["ACTIVITIES_LOG_FILE"].replace(".json", f"_{os.getpid()}.json.tmp"), "w").write("{")
os.kill(os.getpid(), 9)""", RANK="1")
        self.assertIn("Kineto's trace of rank 1 is incomplete", done.stderr)
        self.assertEqual(self.written(), [])

    def test_a_job_that_ends_before_the_answer(self):
        done = self.job("step(); poll()", RANK="1")
        self.assertIn("Kineto recorded nothing of rank 1", done.stderr)
        done = self.record("--", "true")
        self.assertIn("no process of the job loaded a PyTorch", done.stderr)

    def test_a_trace_that_is_cut(self):
        done = self.job("step(); write(request(), '{\"traceEvents\": [')", record=("--quiet",))
        self.assertIn("Its end is missing", done.stderr)

    def test_wrong_usage(self):
        for arguments, words in ((["--preset", "memory"], "CUPTI"), (["--kineto-seconds", "0"], "--kineto-seconds"), (["--kineto-seconds", "3", "--steps", "1:2"], "--steps")):
            done = self.record(*arguments, "--", "true")
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
        self.output += "#1"
        self.assertIn("'#'", self.record("--", "true").stderr)


class WithPyTorch(KinetoCase):
    def train(self, *arguments, launcher=()):
        """Records a training job that ends when its traces have been written."""
        done = self.record(*arguments, "--exit-after", "--", self.TORCH, *launcher, self.script(TRAINING), "100000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("trained", done.stdout)

    def steps(self, path):
        return sorted(set(re.findall(r'"(step \d+)"', path.read_text())))

    def test_chosen_steps(self):
        self.train("--steps", "80:83", "--shapes")
        path, = self.written()
        self.assertIn("Kineto JSON", self.info(path))
        self.assertEqual(self.steps(path), ["step 80", "step 81", "step 82"])
        events = json.loads(path.read_text())["traceEvents"]
        self.assertEqual(sum(event["name"] == "aten::addmm" for event in events), 6)
        self.assertIn([[16], [2, 8], [8, 16], [], []], [event.get("args", {}).get("Input Dims") for event in events])

    def test_by_time_beside_our_own_operators(self):
        self.train("--kineto-seconds", "1", "--preset", "normal")
        path, = self.written()
        self.assertIn("aten::addmm", path.read_text())
        log, = Path(self.output).glob("*.rifflelog")
        self.info(log)

    def test_both_ranks_of_torchrun(self):
        self.train("--steps", "80:82", launcher=("-m", "torch.distributed.run", "--nproc-per-node", "2"))
        paths = self.written()
        self.assertEqual([path.name.split("_")[-2] for path in paths], ["rank0", "rank1"])
        for path in paths:
            self.info(path)
            self.assertEqual(self.steps(path), ["step 80", "step 81"])

    def test_a_full_disk_harms_only_the_trace(self):
        job = self.script("import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n" + TRAINING +
                          "import glob\nwhile not glob.glob(sys.argv[2] + '/*.json*'): time.sleep(0.1)\ntime.sleep(2)")
        done = self.record("--steps", "40:45", "--", self.TORCH, job, "110", self.output)
        self.assertEqual((done.returncode, done.stdout), (0, "trained\n"), done.stderr)
        self.assertRegex(done.stderr, "Its end is missing|has left no trace|is incomplete")

    def test_killed_while_it_records(self):
        job = self.script(TRAINING.replace("    time.sleep", "    if step == 52: os.kill(os.getpid(), 9)\n    time.sleep"))
        done = self.record("--steps", "50:1000", "--", self.TORCH, job, "1000")
        self.assertEqual(done.returncode, 137, done.stderr)
        self.assertRegex(done.stderr, "is incomplete|has left no trace|Kineto recorded nothing")
        self.assertEqual(self.written(), [])


if __name__ == "__main__":
    sys.exit(record_case.main(WithStandIns, WithPyTorch))
