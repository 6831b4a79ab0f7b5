#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Prints how long steps take after a recording has ended, compared with steps of a process that was never recorded. The
processes take turns, so that both see the same machine.

Usage: after_stop_cost.py RIFFLE_CLI [TURNS]

It runs under $RIFFLE_TORCH_PYTHON.
"""

import os
import statistics
import subprocess
import sys
import tempfile

STEPS = 200  # per turn

JOB = f"""
import sys, time, torch
torch.set_num_threads(1)
model = torch.nn.Sequential(*[torch.nn.Linear(32, 32) for _ in range(8)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def train():
    model(torch.ones(8, 32)).sum().backward(); optimizer.step(); optimizer.zero_grad()
for _ in range(20): train()
time.sleep(0.5)
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    for _ in range({STEPS}): train()
    print((time.perf_counter() - start) / {STEPS} * 1e6, flush=True)
"""


def main():
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    python = os.environ["RIFFLE_TORCH_PYTHON"]
    with tempfile.TemporaryDirectory() as folder:
        record = [sys.argv[1], "record", "-q", "-o", folder]
        ways = {"never recorded": [], "never recorded, again": [], "after --steps 1:5": [*record, "--steps", "1:5", "--"],
                "after --steps 1:5 --shapes": [*record, "--steps", "1:5", "--shapes", "--"], "while recording": [*record, "--"]}
        jobs = {way: subprocess.Popen([*command, python, "-c", JOB], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                for way, command in ways.items()}
        for job in jobs.values():
            job.stdout.readline()
        times = {way: [] for way in jobs}
        for _ in range(turns):
            for way, job in jobs.items():
                job.stdin.write("\n"), job.stdin.flush()
                times[way].append(float(job.stdout.readline()))
        for job in jobs.values():
            job.communicate()
    for way, found in times.items():
        ratio = statistics.median(a / b for a, b in zip(found, times["never recorded"]))
        print(f"{way:28} {statistics.median(found):8.1f} us per step, {ratio:.3f} x")


if __name__ == "__main__":
    main()
