#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares `riffle-cli diff` with the events of real traces.

    check_diff.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Of each Kineto file with steps, the difference to itself
must be 0 in every view. The step must be as long as its mark in the file, and its idle parts as long as the time in which the file has no
kernel, copy or memset on the device. For each pair of files that follow one another, each part must be that of the file alone, and the
changes of the rows must sum to that of the total, which is the same for kernels, operators and modules. Exit code 77 if the folder does not exist.
"""
import decimal
import gzip
import json
import multiprocessing
import re
import subprocess
import sys

import real_files

TIMEOUT_SECONDS = 300
DEVICE_VIEWS = ("kernels", "operators", "modules")
VIEWS = ("step", "overview", *DEVICE_VIEWS, "copies", "communication", "memory", "ranks", "findings")
SUMS = {"step": ("a_ns", "b_ns", "delta_ns"), "copies": ("total_a_ns", "total_b_ns", "total_delta_ns"),
        **{view: ("time_a_ns", "time_b_ns", "time_delta_ns") for view in DEVICE_VIEWS + ("communication",)}}
WORK = {"kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset", "mtia_ccp_events"}
STEP = re.compile(r"ProfilerStep#(\d+)$")


def diff(cli, first, second):
    done = subprocess.run(cli + ["diff", "--no-store", first, second, "--view", ",".join(VIEWS), "--format", "json"], capture_output=True,
                          timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError("exit code %d: %s" % (done.returncode, done.stderr.decode("utf-8", "replace")[-300:]))
    return json.loads(done.stdout)


def nanoseconds(value):
    return int(decimal.Decimal(value) * 1000)


def events_of(path):
    """The events of a file; nothing if Python cannot read it."""
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    try:
        document = json.loads(data.decode("utf-8", "replace"), parse_float=decimal.Decimal, strict=False)
    except ValueError:
        return None
    events = document["traceEvents"] if isinstance(document, dict) else document
    return [event for event in events if isinstance(event, dict) and event.get("ph") == "X" and event.get("dur") is not None]


def covered(spans, begin, end):
    """The length of the union of spans inside [begin, end)."""
    total, at = 0, begin
    for start, stop in sorted(spans):
        start, stop = max(start, at), min(stop, end)
        if stop > start:
            total, at = total + stop - start, stop
    return total


def checked_by_file(path, found):
    """Compares the step of a file with its events."""
    events = events_of(path)
    number = re.match(r"step (\d+)", found["a"]["part"])
    if events is None or not number:
        return []
    marks = [event for event in events if event.get("cat") in ("user_annotation", "cpu_op", "Operator") and
             (match := STEP.match(event.get("name", ""))) and match[1] == number[1]]
    if len(marks) != 1:
        return []
    begin = nanoseconds(marks[0]["ts"])
    end = begin + nanoseconds(marks[0]["dur"])
    lines = []
    work = {}
    for event in events:
        if str(event.get("cat", "")).lower() in WORK:
            device = "GPU%s" % event.get("args", {}).get("device", event["pid"])
            work.setdefault(device, []).append((nanoseconds(event["ts"]), nanoseconds(event["ts"]) + nanoseconds(event["dur"])))
    for window in (row for row in found["step"] if row["depth"] == 0):
        if window["a_ns"] != end - begin:
            lines.append("the step takes %d ns, its mark %d" % (window["a_ns"], end - begin))
        if not window["device"]:
            continue
        idle = sum(row["a_ns"] for row in found["step"] if row["device"] == window["device"] and row["key"].startswith("idle_"))
        expected = end - begin - covered(work.get(window["device"], []), begin, end)
        if idle != expected:
            lines.append("%s is idle for %d ns, the file says %d" % (window["device"], idle, expected))
    return lines


def blocks_of(rows):
    """The rows of each total, with the total first."""
    blocks = []
    for row in rows:
        if row.get("depth", 0) == 0:
            blocks.append([])
        blocks[-1].append(row)
    return blocks


def sums_of(found):
    lines = []
    for view, keys in SUMS.items():
        for block in blocks_of(found[view]):
            for key in keys:
                if sum(row[key] or 0 for row in block[1:]) != (block[0][key] or 0):
                    lines.append("%s: the rows do not sum to %s of the total" % (view, key))
    totals = {tuple(found[view][0][key] for key in SUMS[view]) for view in DEVICE_VIEWS if found[view]}
    if len(totals) > 1:
        lines.append("kernels, operators and modules have different totals: %s" % totals)
    for view in DEVICE_VIEWS:
        for row in found[view]:
            if row["state"] == "renamed" and (not row["name_a"] or not row["name_b"] or row["name_a"] == row["name_b"]):
                lines.append("%s: a row has no other name: %s" % (view, json.dumps(row)[:200]))
    return lines


def itself(task):
    cli, path = task
    try:
        found = diff(cli, str(path), str(path))
    except (RuntimeError, ValueError, subprocess.SubprocessError) as error:
        return path, [str(error)], None
    lines = sums_of(found)
    for view in VIEWS:
        for row in found[view]:
            if row["state"] != "same" or any(row[key] for key in row if "delta" in key and key not in ("of_delta", "delta") and row[key]):
                lines.append("%s: a row differs from itself: %s" % (view, json.dumps(row)[:200]))
    return path, lines + checked_by_file(path, found), {row["key"] + (row["device"] or ""): row["a_ns"] for row in found["step"]}


def pair(task):
    cli, first, second, before, after = task
    try:
        found = diff(cli, str(first), str(second))
    except (RuntimeError, ValueError, subprocess.SubprocessError) as error:
        return second, [str(error)]
    lines = sums_of(found)
    for side, alone in (("a_ns", before), ("b_ns", after)):
        have = sorted(row[side] for row in found["step"] if row[side])
        if have != sorted(value for value in alone.values() if value):
            lines.append("%s: the parts are not those of the trace alone" % side)
    return second, lines


def main():
    files = real_files.RealFiles(__doc__.split("\n", 1)[0])
    failed = 0
    with multiprocessing.Pool() as pool:
        known = []
        for path, lines, parts in pool.imap(itself, [(files.cli, path) for path in files.paths]):
            real_files.report(files.name(path), lines, "itself    ")
            failed += bool(lines)
            known.append((path, parts))
        pairs = [(files.cli, first, second, before, after) for (first, before), (second, after) in zip(known, known[1:])
                 if before is not None and after is not None]
        for path, lines in pool.imap(pair, pairs):
            real_files.report(files.name(path), lines, "with last ")
            failed += bool(lines)
    files.finish(failed, "Kineto traces")


if __name__ == "__main__":
    main()
