#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Follows a job that riffle-cli record records, and kills it: what was followed must be what the log says at once.

Usage: followed_check.py RIFFLE_CLI LIBRARY FOLLOW_LOG [--torch] [TEST...]

RIFFLE_FOLLOW_SECONDS sets for how long the job runs; some minutes are tried by hand."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import record_case
import read_log

FOLLOW_LOG = os.path.abspath(sys.argv.pop(3))

MARKING = """
import ctypes, os, threading, time
library = ctypes.CDLL(os.environ["RIFFLE_COLLECTOR"])
def load():
    while True:
        library.riffle_range_push(b"load"); time.sleep(0.002); library.riffle_range_pop()
threading.Thread(target=load, daemon=True).start()
library.riffle_range_push(b"training")  # stays open
step = 0
while True:
    library.riffle_step(ctypes.c_int64(step))
    for layer in range(50):
        library.riffle_range_push(b"layer %d" % layer); library.riffle_range_push(b"work")
        library.riffle_range_pop(); library.riffle_range_pop()
    time.sleep(0.005)
    step += 1
"""

TRAINING = """
import torch
torch.set_num_threads(1)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Embedding(1000, 64), torch.nn.LSTM(64, 64, batch_first=True))
head = torch.nn.Linear(64, 1000)
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()], lr=0.001)
data = torch.utils.data.TensorDataset(torch.randint(0, 1000, (512, 32)))
while True:
    for tokens, in torch.utils.data.DataLoader(data, batch_size=16, shuffle=True):
        with torch.profiler.record_function("forward"):
            hidden, _ = model(tokens)
            loss = torch.nn.functional.cross_entropy(head(hidden).flatten(0, 1), tokens.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


class FollowedCase(record_case.LogCase):
    def follow_and_kill(self, words, seconds):
        """Returns what the follower and riffle-cli tail say of a job that is killed after some seconds."""
        os.mkdir(self.output)
        seconds = float(os.environ.get("RIFFLE_FOLLOW_SECONDS", seconds))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen([FOLLOW_LOG, self.output], **pipes) as follower, \
                subprocess.Popen([self.CLI, "tail", "--format", "json", self.output], **pipes) as tail, \
                subprocess.Popen([self.CLI, "record", *self.OPTIONS, "-o", self.output, "--", *words], cwd=self.folder.name,
                                 env={**self.environment, "RANK": "0"}, **pipes) as record:
            patience = time.monotonic() + self.PATIENCE
            while not (logs := list(Path(self.output).glob("*.rifflelog"))):
                self.assertLess(time.monotonic(), patience, "no log has appeared")
                time.sleep(0.05)
            time.sleep(seconds)
            os.kill(int(logs[0].stem.rsplit("_", 1)[1]), signal.SIGKILL)
            record.communicate(timeout=self.PATIENCE)
            self.assertEqual(record.returncode, 128 + signal.SIGKILL)
            out, problem = follower.communicate(timeout=self.PATIENCE + 10 * seconds)
            self.assertEqual((problem, follower.returncode), ("", 0))
            lines, messages = tail.communicate(timeout=self.PATIENCE)
            self.assertEqual(tail.returncode, 0, messages)
            self.assertIn("it was probably killed", messages)
        print(out, end="", file=sys.stderr)
        return [json.loads(line) for line in lines.splitlines()]

    def check_lines(self, lines):
        """Each step that a line names must have ended as the line says."""
        rows = [row for kind, row in read_log.read(next(Path(self.output).glob("*.rifflelog"))) if kind == "Ranges"]
        steps = {int(row["Name"].split("#")[1]): row["Duration"] for row in rows if row["Category"] == "step"}
        named = [(line["step"], line["duration_ns"]) for line in lines if line["step"] is not None]
        self.assertTrue(named)
        self.assertEqual([(step, steps[step]) for step, _ in named], named)
        self.assertEqual(lines[-1]["state"], "killed")
        self.assertEqual(lines[-1]["step"], max(steps))


class FollowedTest(FollowedCase):
    def test_a_killed_job_is_the_same_as_its_log(self):
        lines = self.follow_and_kill([sys.executable, self.script(MARKING)], 3)
        self.check_lines(lines)


class FollowedTorchTest(FollowedCase):
    def test_a_killed_training_is_the_same_as_its_log(self):
        lines = self.follow_and_kill([self.TORCH, self.script(TRAINING)], 20)
        self.check_lines(lines)

    def test_a_killed_training_with_stacks_and_modules_is_the_same_as_its_log(self):
        self.OPTIONS = ("--stacks", "--modules", "--shapes")
        lines = self.follow_and_kill([self.TORCH, self.script(TRAINING)], 10)
        self.check_lines(lines)


if __name__ == "__main__":
    sys.exit(record_case.main(FollowedTest, FollowedTorchTest))
