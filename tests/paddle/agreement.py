#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the summary of a real run of Paddle by its own profiler with that of `riffle-cli summary --like paddle` for the trace
that the run wrote: every row of every table must be the same, to the last digit, and in the same place.

    agreement.py --cli build/release/bin/riffle-cli

It runs under $RIFFLE_PADDLE_PYTHON, an interpreter that has PaddlePaddle (a CPU build is enough); status 77 (skipped) if that is
not set. Not compared are FLOPs, which the trace does not contain, and Paddle's notes below its tables. The times of memory events
are whole microseconds in the trace: if an operator starts or ends in that microsecond, the event may count for another name.
"""
import glob
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import other_program


def tables(text):
    """The rows by the title of their table: the cells of each line, in order."""
    found, title = {}, None
    for line in text.splitlines():
        head = re.fullmatch(r"-+([A-Z][\w ]+ Summary[^-]*(?:- Place\(.*\))?)-+", line.strip())
        if head:
            title = head.group(1).strip()
            found[title] = []
        elif line.startswith("Note:"):
            title = None
        elif title and line.strip() and not line.startswith(("Time unit", "---")):
            cells = re.split(r"  +", line.strip())
            found[title].append([line[:len(line) - len(line.lstrip())] + cells[0], *cells[1:]])
    return {title: rows for title, rows in found.items() if rows}


def without_flops(rows):
    return [row[:4] for row in rows]


def ambiguous_events(path):
    """The number of memory events in whose microsecond a slice starts or ends on their thread."""
    with open(path, encoding="utf-8") as file:
        events = [event for event in json.load(file)["traceEvents"] if "ph" in event]
    slices = [(event["tid"].split("(")[0], event["ts"] * 1000, *(round(float(event["args"][key].split()[0]) * 1000) for key in ("start_time", "end_time")))
              for event in events if event["ph"] == "X"]
    origin = max(ts - start for _, ts, start, _ in slices)
    edges = {(thread, (origin + edge) // 1000) for thread, _, *both in slices for edge in both}
    return sum((event["tid"].split("(")[0], event["ts"]) in edges for event in events if event["name"] == "[memory]")


def memory_differs(title, rows, found, ambiguous):
    """The number of problems in a memory table. Peaks must be the same. The counts of a name may differ only as far as the ambiguous
    events explain, each of which affects two names."""
    theirs, ours = ({row[0]: row for row in table} for table in (rows, found))
    moved = 0
    for name in {*theirs, *ours}:
        counts = [[int(cell) for cell in table.get(name, ["", "", 0, 0])[2:4]] if name != "Name" else [0, 0] for table in (theirs, ours)]
        moved += sum(abs(one - other) for one, other in zip(*counts))
    peaks = [name for name in {*theirs, *ours} if name.startswith("Peak") and (name in theirs) != (name in ours)]
    print("%-40s %3d rows, %d events at other names, %d ambiguous" % (title, len(rows), moved, ambiguous), *peaks)
    return len(peaks) + (moved > 4 * ambiguous)


def main():
    options, python = other_program.begin(__doc__, "RIFFLE_PADDLE_PYTHON", "PaddlePaddle")
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([python, str(HERE / "training_run.py"), folder], capture_output=True, text=True, timeout=600)
        if run.returncode:
            print(run.stderr)
            return 1
        trace, = glob.glob(folder + "/*.paddle_trace.json")
        ambiguous = ambiguous_events(trace)
        ours = subprocess.run([options.cli, "summary", trace, "--like", "paddle", "--detailed", "--unit", "us", "--limit", "1000", "--no-store"],
                              capture_output=True, text=True, check=True).stdout
    theirs, ours = tables(run.stdout), tables(ours)
    wrong = 0
    for title, rows in theirs.items():
        found = ours.get(title, [])
        if title == "Operator Summary":
            rows = without_flops(rows)
        if title.startswith("Memory Summary"):
            wrong += memory_differs(title, rows, found, ambiguous)
            continue
        different = [(one, other) for one, other in zip(rows, found) if one != other] + [(row, None) for row in rows[len(found):]] + \
                    [(None, row) for row in found[len(rows):]]
        print("%-40s %3d rows, %d differ" % (title, len(rows), len(different)))
        for one, other in different[:10]:
            print("  Paddle", one, "\n  Riffle", other)
        wrong += len(different)
    if not theirs or wrong:
        print("The tables differ.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
