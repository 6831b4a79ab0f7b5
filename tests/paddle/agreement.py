#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A real run of Paddle, summed up by its own profiler and by `riffle-cli summary --like paddle` from the trace that it wrote:
every row of every table must be the same, to the last digit, and stand at the same place.

    agreement.py --cli build/release/bin/riffle-cli

Runs under $RIFFLE_PADDLE_PYTHON, an interpreter that has PaddlePaddle (the CPU's is enough); status 77 (skipped) where that is
not set. Not compared: FLOPs, which the trace does not hold, and Paddle's notes below its tables. Of events of memory the trace
has whole microseconds only: where an operator begins or ends in that microsecond, its name may be another one.
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
    """Rows by title of table: the cells of each line, in order."""
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
    """Events of memory in whose microsecond something begins or ends on their thread."""
    with open(path, encoding="utf-8") as file:
        events = [event for event in json.load(file)["traceEvents"] if "ph" in event]
    slices = [(event["tid"].split("(")[0], event["ts"] * 1000, *(round(float(event["args"][key].split()[0]) * 1000) for key in ("start_time", "end_time")))
              for event in events if event["ph"] == "X"]
    origin = max(ts - start for _, ts, start, _ in slices)
    edges = {(thread, (origin + edge) // 1000) for thread, _, *both in slices for edge in both}
    return sum((event["tid"].split("(")[0], event["ts"]) in edges for event in events if event["name"] == "[memory]")


def memory_differs(title, rows, found, ambiguous):
    """Peaks are the same; the counts of a name differ by no more than such events explain, each of which counts for two names."""
    theirs, ours = ({row[0]: row for row in table} for table in (rows, found))
    moved = 0
    for name in {*theirs, *ours}:
        counts = [[int(cell) for cell in table.get(name, ["", "", 0, 0])[2:4]] if name != "Name" else [0, 0] for table in (theirs, ours)]
        moved += sum(abs(one - other) for one, other in zip(*counts))
    peaks = [name for name in {*theirs, *ours} if name.startswith("Peak") and (name in theirs) != (name in ours)]
    print("%-40s %3d rows, %d events elsewhere, %d ambiguous" % (title, len(rows), moved, ambiguous), *peaks)
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
        print("not the same")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
