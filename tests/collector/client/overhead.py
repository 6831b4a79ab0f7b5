#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Prints what recording costs a training loop, beside torch.profiler with the same settings. One process for each way of
recording repeats the same steps; the processes take turns, so that all see the same machine.

Usage: overhead.py RIFFLE_CLI [--turns 30] [--tokens 32] [--ways REGEX]

More tokens in a batch make the same number of longer operators. --ways leaves out what does not match, but for the undisturbed loop.

The table's columns: the median time of a step; the median of its ratio to the undisturbed loop within the same turn; the time
that the job waits from the end of the last step of a turn until its events are in a file; the memory that the process holds
beyond the undisturbed one; and bytes on disk for each step. It runs under $RIFFLE_TORCH_PYTHON. The compiled observer must be in
the cache already: record a program with it once before.
"""

import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

STEPS = 50  # per turn

# Two transformer layers, small enough that the operators' own cost shows as it does where a GPU does the work.
JOB = f"""
import glob, json, os, sys, time, torch
torch.set_num_threads(1)
torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
model = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
optimizer = torch.optim.AdamW(model.parameters())
tokens = torch.randn(4, int(sys.argv[3]), 128)
def train():
    loss = model(tokens).square().mean()
    loss.backward(); optimizer.step(); optimizer.zero_grad()
for _ in range(20): train()
options, path = json.loads(sys.argv[1]), sys.argv[2]
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE")
time.sleep(0.5)
print("ready", flush=True)
for line in sys.stdin:
    profiler = None
    if options is not None:
        profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], **options)
        profiler.start(); train()
    start = time.perf_counter()
    for _ in range({STEPS}): train()
    end = time.perf_counter()
    held, size = resident(), 0
    if profiler is not None:
        profiler.stop(); held = max(held, resident()); profiler.export_chrome_trace(path)
        held, size = max(held, resident()), os.path.getsize(path)
        del profiler
    print((end - start) / {STEPS} * 1e6, (time.perf_counter() - end) * 1e3, held, size, flush=True)
"""

# name, options of riffle record or None, options of torch.profiler or None
WAYS = [
    ("no recording", None, None),
    ("no recording, again", None, None),
    ("Riffle: operators", [], None),
    ("Riffle, compiled observer: operators", ["--compiled-observer"], None),
    ("torch.profiler: operators", None, {}),
    ("Riffle: shapes", ["--shapes"], None),
    ("Riffle, compiled observer: shapes", ["--compiled-observer", "--shapes"], None),
    ("torch.profiler: shapes", None, {"record_shapes": True}),
    ("Riffle: stacks", ["--stacks"], None),
    ("Riffle: sampled stacks", ["--stacks=sampled"], None),
    ("Riffle: every call", ["--stacks=calls"], None),
    ("torch.profiler: stacks", None, {"with_stack": True}),
    ("Riffle: shapes, stacks, modules", ["--shapes", "--stacks", "--modules"], None),
    ("torch.profiler: shapes, stacks, modules", None, {"record_shapes": True, "with_stack": True, "with_modules": True}),
]


def start(cli, folder, number, way, tokens):
    _, record, torch_options = way
    place = os.path.join(folder, str(number))
    os.mkdir(place)
    command = [cli, "record", "-q", "-o", place, *record, "--"] if record is not None else []
    command += [os.environ["RIFFLE_TORCH_PYTHON"], "-W", "ignore", "-c", JOB, json.dumps(torch_options), os.path.join(place, "trace.json"),
                str(tokens)]
    job = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert job.stdout.readline() == "ready\n"
    return job


def log_size(folder, number):
    return sum(os.path.getsize(path) for path in glob.glob(os.path.join(folder, str(number), "**"), recursive=True) if os.path.isfile(path))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--ways", default="")
    options = parser.parse_args()
    turns = options.turns
    ways = [way for way in WAYS if way is WAYS[0] or re.search(options.ways, way[0])]
    with tempfile.TemporaryDirectory() as folder:
        jobs = [start(options.cli, folder, number, way, options.tokens) for number, way in enumerate(ways)]
        found = [[] for _ in ways]
        for _ in range(turns):
            for number, job in enumerate(jobs):
                job.stdin.write("\n"), job.stdin.flush()
                found[number].append([float(text) for text in job.stdout.readline().split()])
        for number, job in enumerate(jobs):
            job.communicate()
            if ways[number][1] is not None:
                size = log_size(folder, number) / turns
                for turn in found[number]:
                    turn[3] = size
        print(f"{'':40} {'step':>9} {'ratio':>7} {'wait':>9} {'memory':>9} {'bytes':>9}")
        for (name, *_), mine in zip(ways, found):
            ratio = statistics.median(turn[0] / base[0] for turn, base in zip(mine, found[0]))
            step, wait = (statistics.median(turn[column] for turn in mine) for column in (0, 1))
            memory = (max(turn[2] for turn in mine) - max(turn[2] for turn in found[0])) / 2**20
            print(f"{name:40} {step:6.0f} us {ratio:7.3f} {wait:6.1f} ms {memory:6.0f} MB {mine[0][3] / STEPS:9.0f}")


if __name__ == "__main__":
    main()
