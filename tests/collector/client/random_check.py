#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Starts, stops, changes and dumps the recording of two ranks under torchrun at random, and compares each loss with that of
an undisturbed run, bit for bit.

Usage: random_check.py RIFFLE_CLI LIBRARY --torch, with PyTorch in $RIFFLE_TORCH_PYTHON

$RIFFLE_MINUTES is the duration of the disturbed run (default 0.3), $RIFFLE_SEED the seed of the commands (default: the time).
"""

import collections
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import record_case  # noqa: E402
from control_client import eventually  # noqa: E402

TRAINING = """
import os, sys, time, torch
import torch.distributed as dist
folder, most, pace = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(7)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
parallel = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.AdamW(parallel.parameters(), lr=1e-3)
torch.manual_seed(100 + rank)
step, more = 0, torch.ones(1)
with open(os.path.join(folder, f"losses{rank}"), "w") as losses:
    while True:
        more[0] = step < most and not os.path.exists(os.path.join(folder, "end"))
        dist.broadcast(more, 0)
        if not more.item():
            break
        data = torch.randn(8, 16)
        loss = (parallel(data) - data.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.write(loss.item().hex() + "\\n")
        step += 1
        time.sleep(pace)
dist.destroy_process_group()
"""

# The commands and how often each is chosen.
CHANGES = ["operators=0", "operators=1", "shapes=0", "shapes=1", "modules=0", "modules=1", "preset=light", "preset=normal",
           "preset=memory", "schedule=wait=3,warmup=2,active=4,repeat=2", "schedule=none", "ranks=0", "ranks=1", "ranks=0,1",
           "memory_history=100"]
COMMANDS = {"start": 6, "stop": 4, "pause": 2, "resume": 4, "flush": 2, "dump": 2, "set": 12}

# What a command may answer when it is refused.
REFUSALS = ("Nothing is being recorded", "has not been started", "already", "PyTorch has no CUDA device here", "is left out",
            "is not recorded", "has ended")


class Random(record_case.RecordCase):
    def job(self, folder, *recorder, steps=10**9, pace=0.0, **settings):
        os.makedirs(folder)
        command = [*recorder, self.TORCH, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", "0",
                   "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0", self.script(TRAINING), folder, str(steps), str(pace)]
        return subprocess.Popen(command, env=self.environment, text=True, **settings)

    def processes(self):
        listed = self.cli("control", "list", "--json")
        return [one for one in json.loads(listed.stdout or "[]") if one["rank"] in (0, 1)]

    def command(self, number):
        kind = self.random.choices(list(COMMANDS), list(COMMANDS.values()))[0]
        whom = ["--all"] if self.random.random() < 0.5 else [str(self.random.choice(self.pids))]
        words = {"start": self.random.sample(CHANGES[:10], self.random.randint(0, 2)),
                 "set": self.random.sample(CHANGES, self.random.randint(1, 2)),
                 "dump": [os.path.join(self.folder.name, "dumps", f"{number}" + (".rifflelog" if whom[0] != "--all" else ""))]}.get(kind, [])
        if kind == "start" or kind == "set":  # an option at most once
            words = list({word.split("=")[0]: word for word in words}.values())
        answer = self.cli("control", kind, *whom, *words)
        self.counts[kind, answer.returncode] += 1
        self.assertIn(answer.returncode, (0, 1), answer)
        for line in answer.stderr.splitlines() if answer.returncode else []:
            self.assertTrue(any(known in line for known in REFUSALS), (kind, whom, words, answer.stderr))

    def check_logs(self, folder):
        """Reads the logs that are closed, and removes them."""
        for log in sorted(Path(folder).rglob("*.rifflelog")) if os.path.isdir(folder) else []:
            info = self.cli("info", "--json", str(log))
            self.assertIn(info.returncode, (0, 3), (str(log), info.stderr))
            self.counts["log that was not closed" if info.returncode else "log", 0] += 1
            self.assertNotRegex(info.stdout + info.stderr, "damaged|broken", str(log))
            shutil.rmtree(log)

    def test_losses_are_those_of_an_undisturbed_run(self):
        seed = int(os.environ.get("RIFFLE_SEED", time.time()))
        self.random, self.counts = random.Random(seed), collections.Counter()
        self.environment["RIFFLE_SOCKETS"] = os.path.join(self.folder.name, "sockets")
        os.mkdir(os.path.join(self.folder.name, "dumps"))
        disturbed, alone = (os.path.join(self.folder.name, name) for name in ("disturbed", "alone"))
        job = self.job(disturbed, self.CLI, "record", "-o", self.output, "--", pace=0.01, stdout=subprocess.DEVNULL,
                       stderr=open(os.path.join(self.folder.name, "said"), "w"))
        self.addCleanup(job.kill)
        eventually(lambda: len(self.processes()) == 2, 300)
        self.pids = [one["pid"] for one in self.processes()]
        until, number = time.monotonic() + 60 * float(os.environ.get("RIFFLE_MINUTES", 0.3)), 0
        while time.monotonic() < until:
            self.assertIsNone(job.poll(), "the job has ended")
            self.command(number)
            number += 1
            if number % 50 == 0:
                self.check_logs(os.path.join(self.folder.name, "dumps"))
            time.sleep(self.random.choice((0, 0, 0.02, 0.2)))
        Path(disturbed, "end").touch()
        self.assertEqual(job.wait(120), 0)
        said = Path(self.folder.name, "said").read_text(errors="replace")
        self.assertNotRegex(said, f"{record_case.WARNING}|Traceback|ASSERT|no longer|Segmentation")
        self.check_logs(self.output)
        self.check_logs(os.path.join(self.folder.name, "dumps"))
        steps = len(Path(disturbed, "losses0").read_text().splitlines())
        self.assertEqual(self.job(alone, steps=steps).wait(60 + steps), 0)
        for rank in range(2):
            self.assertEqual(*(Path(folder, f"losses{rank}").read_text() for folder in (disturbed, alone)))
        print(f"seed {seed}: {number} commands, {steps} steps; " +
              ", ".join(f"{kind}{' refused' if code else ''}: {count}" for (kind, code), count in sorted(self.counts.items())))


if __name__ == "__main__":
    sys.exit(record_case.main(Random, Random))
