#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that the collector's schedule does the same as the Python package's schedule or torch.profiler.schedule.

Usage: schedule_check.py SCHEDULE_PRINT [--torch]

With --torch it is compared with torch.profiler.schedule, under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
Without --torch it is compared with the schedule of the Python package."""

import os
import random
import subprocess
import sys
import warnings
from pathlib import Path

STEPS = 61
LETTERS = {"NONE": ".", "WARMUP": "w", "RECORD": "r", "RECORD_AND_SAVE": "S"}


def settings():
    chosen = random.Random(7)
    return [dict(wait=chosen.randrange(6), warmup=chosen.randrange(4), active=chosen.randrange(1, 6),
                 repeat=chosen.randrange(4), skip_first=chosen.randrange(8), skip_first_wait=chosen.randrange(2))
            for _ in range(200)]


def main():
    program = sys.argv[1]
    if "--torch" in sys.argv:
        python = os.environ.get("RIFFLE_TORCH_PYTHON")
        if not python:
            print("SKIPPED: RIFFLE_TORCH_PYTHON does not name an interpreter that has PyTorch. Nothing was tested.")
            return 77
        return subprocess.run([python, __file__, program, "--within-torch"]).returncode
    if "--within-torch" in sys.argv:
        from torch.profiler import schedule
    else:
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "collector" / "python"))
        from riffle_profiler._schedule import schedule
    warnings.simplefilter("ignore")
    lines = [",".join(f"{name}={value}" for name, value in one.items()) for one in settings()]
    printed = subprocess.run([program, str(STEPS)], input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True, check=True)
    answers = printed.stdout.splitlines()
    wrong = 0
    for one, line, answer in zip(settings(), lines, answers, strict=True):
        theirs = schedule(**one)
        expected = "".join(LETTERS[theirs(step).name] for step in range(STEPS))
        ours, end = answer.split()
        if ours != expected:
            wrong += 1
            print(f"{line}\n  expected {expected}\n  found    {ours}")
        last = expected.rfind("S") + 1
        if one["repeat"] and last < STEPS - 16 and int(end) != last:  # only if the schedule ends inside the printed steps
            wrong += 1
            print(f"{line}\n  recording ends before step {last}, not {end}")
    print(f"{len(answers)} schedules of {STEPS} steps, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
