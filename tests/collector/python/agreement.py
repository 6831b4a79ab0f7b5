#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that a collector log and a Kineto trace of the same training loop on the CPU agree. They are recorded in turn, in
one process, and riffle-cli opens both. Compared are how often each operator occurs, the shapes of its inputs, its autograd
sequence numbers, and the medians of its duration. The status is 1 if anything but a median differs; with --medians also if a
median differs by more than 5 % + 1 µs.

Usage: agreement.py RIFFLE_CLI LIBRARY [--medians] [--rounds N] [--width N]

It runs under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from torch_inside import run_inside

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


def flat(shapes):
    """The shapes with those of a list of tensors one by one, as PyTorch's observer writes them; its profiler nests them."""
    return [inner for shape in shapes for inner in (shape if shape and isinstance(shape[0], list) else [shape])]


def details(cli, path):
    """Counts the operators with their shapes, and with their sequence numbers, which count from the first one here."""
    done = subprocess.run([cli, "slices", "--category", "cpu_op", "--json", "--args", "--no-store", path], check=True,
                          stdout=subprocess.PIPE, text=True)
    rows = [(row["name"], json.loads(row["args"] or "{}")) for row in json.loads(done.stdout)]
    first = min(args["Sequence number"] for _, args in rows if "Sequence number" in args)
    return {"shapes": Counter((name, str(flat(args.get("Input Dims", [])))) for name, args in rows),
            "sequence numbers": Counter((name, args["Sequence number"] - first) for name, args in rows
                                        if "Sequence number" in args)}


def agree(their, our):
    """Prints where the details differ. Returns whether they are equal."""
    for what in their:
        print(f"{what}: {'equal' if their[what] == our[what] else 'DIFFER'}, {sum(their[what].values())}")
        for key in sorted(set(their[what]) | set(our[what])):
            if their[what][key] != our[what][key]:
                print(f"    {key}: Kineto {their[what][key]}, Riffle {our[what][key]}")
    return their == our


def recorded(rounds, width, folder):
    """Records the loop and returns the paths of the traces and of the logs; the last of each have shapes."""
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
            model(torch.cat([batch[:8], batch[8:]])).square().mean().backward()
            optimizer.step()

    def with_kineto(number, **options):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], **options) as profiler:
            train()
        traces.append(os.path.join(folder, f"{number}.json"))
        profiler.export_chrome_trace(traces[-1])

    def with_riffle(_, **options):
        with riffle.profile(dir=folder, **options) as profiler:
            train()
        logs.append(profiler.path)

    train()
    traces, logs = [], []
    for number in range(rounds):
        for record in (with_kineto, with_riffle) if number % 2 == 0 else (with_riffle, with_kineto):
            record(number)
    with_kineto(rounds, record_shapes=True)
    with_riffle(rounds, record_shapes=True)
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
    if not arguments.inside:
        return run_inside(__file__, RIFFLE_COLLECTOR=os.path.abspath(arguments.library))
    sys.path.insert(0, str(HERE.parents[2] / "collector" / "python"))
    with tempfile.TemporaryDirectory() as folder:
        traces, logs = recorded(arguments.rounds, arguments.width, folder)
        equal, close = report(*([durations(arguments.cli, path) for path in paths[:-1]] for paths in (traces, logs)))
        same = agree(*(details(arguments.cli, paths[-1]) for paths in (traces, logs)))
    return 0 if equal and same and (close or not arguments.medians) else 1


if __name__ == "__main__":
    sys.exit(main())
