#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks for every Kineto file with [memory] events the stacks that `summary --view memory-events --group-by stack` reports.

    check_memory_stacks.py --cli build/release/bin/riffle-cli [--filter REGEX]

The stack of an allocation is computed here by intervals alone: all slices of its thread that contain its time, the shortest first.
Compared are allocations and bytes by stack and device; slices of equal length may be in either order. Exit code 77 if the folder does
not exist.
"""
import collections
import decimal
import gzip
import json
import subprocess
import sys

import real_files

TIMEOUT_SECONDS = 120
SHOWN = 4


def nanoseconds(value):
    return int((decimal.Decimal(value) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def read(path):
    data = path.read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    document = json.loads(text, parse_float=decimal.Decimal, strict=False)
    return document["traceEvents"] if isinstance(document, dict) else document


def device(args):
    kind, number = args.get("Device Type"), args.get("Device Id")
    return "CPU" if kind == 0 else "GPU%d" % number


def wanted(events):
    """A map from (names of the stack, device) to [allocations, bytes], the number of events, and the largest depth."""
    threads, memory = collections.defaultdict(list), []
    for event in events:
        if event.get("name") == "[memory]" and event["args"].get("Bytes", 0) > 0:
            memory.append(event)
        elif event.get("ph") == "X" and "dur" in event and event.get("cat") not in ("Trace", "kernel", "gpu_memcpy", "gpu_memset", "overhead"):
            begin = nanoseconds(event["ts"])
            threads[str(event["pid"]), str(event["tid"])].append((begin, begin + nanoseconds(event["dur"]), event["name"]))
    sums = collections.defaultdict(lambda: [0, 0])
    for slices in threads.values():
        slices.sort()
    deep = 0
    for event in memory:
        time = nanoseconds(event["ts"])
        around = sorted(((end - begin, name) for begin, end, name in threads[str(event["pid"]), str(event["tid"])] if begin <= time < end))
        deep = max(deep, len(around))
        cell = sums[tuple(around_names(around)), device(event["args"])]
        cell[0] += 1
        cell[1] += event["args"]["Bytes"]
    return sums, len(memory), deep


def around_names(around):
    return [name for _, name in around]


def check(path, cli):
    events = read(path)
    if not any(event.get("name") == "[memory]" for event in events if isinstance(event, dict)):
        return None, 0, 0
    expected, count, deep = wanted([event for event in events if isinstance(event, dict)])
    answer = json.loads(subprocess.run([*cli, "summary", str(path), "--view", "memory-events", "--group-by", "stack", "--limit", "1000000", "--format", "json"],
                                       check=True, capture_output=True, text=True, timeout=TIMEOUT_SECONDS).stdout)
    rows = answer["memory-events"] if isinstance(answer, dict) else answer
    said = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        # A name may contain the separator itself, so the whole text is compared.
        key = (row["stack"] or "", row["device"])
        said[key][0] += row["allocations"]
        said[key][1] += row["bytes"]
    texts = {("; ".join(names), place): cell for (names, place), cell in expected.items()}
    left = {key: cell for key, cell in said.items() if texts.get(key) != cell}
    lacking = {key: cell for key, cell in texts.items() if said.get(key) != cell}
    # Compare the rest regardless of order, because slices of equal length may be in any order.
    def loose(cells):
        sums = collections.defaultdict(lambda: [0, 0])
        for (text, place), cell in cells.items():
            key = (tuple(sorted(text.split("; "))), place)
            sums[key][0] += cell[0]
            sums[key][1] += cell[1]
        return sums
    left, lacking = loose(left), loose(lacking)
    lines = ["found:  %s %s" % (key, cell) for key, cell in left.items() if lacking.get(key) != cell]
    lines += ["wanted: %s %s" % (key, cell) for key, cell in lacking.items() if left.get(key) != cell]
    return lines, count, deep


def main():
    files = real_files.RealFiles(__doc__)
    bad = compared = 0
    for path in files.paths:
        try:
            lines, count, deep = check(path, files.cli)
        except (UnicodeDecodeError, json.JSONDecodeError, KeyError) as problem:
            print("      skipped, %s: %s" % (files.name(path), problem))
            continue
        if lines is None:
            continue
        compared += count
        bad += bool(lines)
        real_files.report(files.name(path), lines[:SHOWN], "%d allocations, up to %d deep: " % (count, deep))
    print("%d allocations compared, %d files differ" % (compared, bad))
    sys.exit(1 if bad or (compared == 0 and not files.options.filter) else 0)


if __name__ == "__main__":
    main()
