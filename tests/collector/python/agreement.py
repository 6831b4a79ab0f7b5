#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that a collector log and a Kineto trace of the same training loop on the CPU agree. They are recorded in turn, in
one process, and riffle-cli opens both. Compared are how often each operator occurs, and the medians of its duration. The
status is 1 if counts differ; with --medians also if a median differs by more than 5 % + 1 µs.

Usage: agreement.py RIFFLE_CLI LIBRARY [--medians] [--rounds N] [--width N]

It runs under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import argparse
import csv
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
STEPS = 5  # per round


def durations(cli, path):
    """Maps each operator to its durations in ns."""
    done = subprocess.run([cli, "slices", "--category", "cpu_op", "--csv", "--no-store", path], check=True,
                          stdout=subprocess.PIPE, text=True)
    found = defaultdict(list)
    for row in csv.DictReader(done.stdout.splitlines()):
        found[row["name"]].append(int(row["duration_ns"]))
    return found


def recorded(rounds, width, folder):
    """Records the loop and returns the paths of the traces and of the logs."""
    import riffle_profiler as riffle
    import torch

    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(width, 2 * width), torch.nn.GELU(), torch.nn.LayerNorm(2 * width),
                                torch.nn.Linear(2 * width, width))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    batch = torch.randn(width, width)

    def train():
        for _ in range(STEPS):
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            optimizer.step()

    def with_kineto(number):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
            train()
        traces.append(os.path.join(folder, f"{number}.json"))
        profiler.export_chrome_trace(traces[-1])

    def with_riffle(_):
        with riffle.profile(dir=folder) as profiler:
            train()
        logs.append(profiler.path)

    train()
    traces, logs = [], []
    for number in range(rounds):
        for record in (with_kineto, with_riffle) if number % 2 == 0 else (with_riffle, with_kineto):
            record(number)
    return traces, logs


def report(theirs, ours):
    """Prints a table. Returns whether all counts are equal, and whether all medians are close. The medians are compared per
    round, and the median of these differences counts, so that a machine that slows down changes little."""
    equal = close = True
    print(f"{'operator':<58} {'Kineto':>8} {'Riffle':>8} {'median µs':>10} {'diff. µs':>10}")
    for name in sorted({name for found in theirs + ours for name in found}, key=lambda name: -sum(theirs[0].get(name, ()))):
        counts = [sum(len(found.get(name, ())) for found in rounds) for rounds in (theirs, ours)]
        medians = [[statistics.median(found.get(name) or [0]) for found in rounds] for rounds in (theirs, ours)]
        median, differ = statistics.median(medians[0]), statistics.median(our - their for their, our in zip(*medians))
        apart = abs(differ) > 0.05 * median + 1000
        equal &= counts[0] == counts[1]
        close &= not apart
        print(f"{name[:58]:<58} {counts[0]:>8} {counts[1]:>8} {median / 1e3:>10.2f} {differ / 1e3:>10.2f}"
              f"{' *' * apart}{' counts differ' * (counts[0] != counts[1])}")
    print(f"counts {'equal' if equal else 'DIFFER'}; medians {'all within' if close else 'NOT all within'} 5 % + 1 µs")
    return equal, close


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cli")
    parser.add_argument("library")
    parser.add_argument("--medians", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    python = os.environ.get("RIFFLE_TORCH_PYTHON")
    if not python:
        print("SKIPPED: RIFFLE_TORCH_PYTHON does not name an interpreter that has PyTorch. Nothing was tested.")
        return 77
    if not arguments.inside:
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("RANK", "NVTX_INJECTION64_PATH", "RIFFLE_OPTIONS")}
        environment["RIFFLE_COLLECTOR"] = os.path.abspath(arguments.library)
        os.execve(python, [python, __file__, *sys.argv[1:], "--inside"], environment)
    sys.path.insert(0, str(HERE.parents[2] / "collector" / "python"))
    with tempfile.TemporaryDirectory() as folder:
        traces, logs = recorded(arguments.rounds, arguments.width, folder)
        equal, close = report(*([durations(arguments.cli, path) for path in paths] for paths in (traces, logs)))
    return 0 if equal and (close or not arguments.medians) else 1


if __name__ == "__main__":
    sys.exit(main())
