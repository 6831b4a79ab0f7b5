# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares a Kineto trace and a collector log of two runs of the same loop: how often each operator and kernel occurs, and
their median durations. The status is 1 if the counts differ.

Usage: compare.py TRACE.json LOG"""

import collections
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "collector"))
import read_log  # noqa: E402


def of_trace(path, category):
    found = collections.defaultdict(list)
    for event in json.loads(Path(path).read_text())["traceEvents"]:
        if event.get("ph") == "X" and event.get("cat") == category:
            found[event["name"]].append(round(event["dur"] * 1000))
    return found


def of_log(rows, chunk, category=None):
    found = collections.defaultdict(list)
    for name, row in rows:
        if name == chunk and category in (None, row.get("Category")):
            found[row["Name"]].append(row["Duration"])
    return found


def compare(what, trace, log):
    differ = [name for name in set(trace) | set(log) if len(trace.get(name, ())) != len(log.get(name, ()))]
    both = [name for name in trace if len(trace[name]) == len(log.get(name, ()))]
    close = [name for name in both
             if abs(statistics.median(trace[name]) - statistics.median(log[name])) <= 0.05 * statistics.median(trace[name]) + 1000]
    print(f"{what}: {sum(map(len, trace.values()))} in the trace, {sum(map(len, log.values()))} in the log; "
          f"{len(both)} names have equal counts, {len(close)} of them also medians within 5 % + 1 µs")
    for name in sorted(differ)[:20]:
        print(f"  {name}: {len(trace.get(name, ()))} in the trace, {len(log.get(name, ()))} in the log")
    return not differ


def main():
    rows = read_log.read(sys.argv[2])
    # PyTorch's own ranges around the optimizer are annotations in Kineto; PyTorch's observer does not mark them.
    operators = {name: times for name, times in of_log(rows, "Ranges", "cpu_op").items() if not name.startswith("Optimizer.")}
    good = compare("operators", of_trace(sys.argv[1], "cpu_op"), operators)
    good &= compare("kernels", of_trace(sys.argv[1], "kernel"), of_log(rows, "Kernels"))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
