#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares `riffle-cli memory` with a simple reader in Python, for every memory timeline in a folder of real files.

    check_memory_timelines.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Computed here are the counts, the bytes of each category
after every time, the peak, the sums by action and category, and for a page the bytes of its picture. Exit code 77 if the folder does not
exist.
"""
import base64
import collections
import gzip
import json
import pathlib
import re
import subprocess
import tempfile

import real_files

TIMEOUT_SECONDS = 120
CATEGORIES = ["parameter", "optimizer_state", "input", "temporary", "activation", "gradient", "autograd_detail", "unknown"]
ACTIONS = {1: "preexisting", 2: "create", 3: "increment_version", 4: "destroy"}


def ask(cli, *words):
    done = subprocess.run(cli + ["memory", *words, "--format", "json"], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode:
        raise RuntimeError("exit %d: %s" % (done.returncode, done.stderr.strip()))
    return json.loads(done.stdout)


def points_of(document):
    """(form, [(time in ns, bytes by category)])."""
    if len(document) == 2 and isinstance(document[1][0], list):
        return "levels", [(time * 1000, sizes[1:]) for time, sizes in zip(*document)]
    earliest = min(time for time, *_ in document if time >= 0)
    points, level, before = [], [0] * 8, None
    for time, _, change, category in document:
        level[category] += change
        if time != before:
            points.append(None)
        points[-1] = (earliest if time < 0 else time, list(level))
        before = time
    return "events", points


def check(cli, path):
    lines = []

    def same(what, found, wanted):
        if found != wanted:
            lines.append("%s: %.300r, not %.300r" % (what, found, wanted))

    data = path.read_bytes()
    if data[:1] == b"<":
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder, "picture.png")
            answer = ask(cli, "info", str(path), "--picture", str(picture))
            same("form", answer["form"], "picture")
            same("picture", picture.read_bytes(), base64.b64decode(re.search(rb"base64,([^']+)'", data).group(1)))
        return lines
    document = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    form, points = points_of(document)
    answer = ask(cli, "info", str(path))
    totals = [sum(sizes) for _, sizes in points]
    peak = totals.index(max(totals))
    same("form", answer["form"], form)
    same("points", answer["points"], len(points))
    same("events", answer["events"], len(document) if form == "events" else 0)
    same("peak", (answer["peak_point"], answer["peak_bytes"], answer["peak_unix_ns"]), (peak, totals[peak], points[peak][0]))
    same("span", (answer["begin_unix_ns"], answer["end_unix_ns"]), (points[0][0], points[-1][0]))
    same("at the peak", {row["category"]: row["bytes"] for row in answer["categories"]}, dict(zip(CATEGORIES, points[peak][1])))
    same("own peaks", {row["category"]: row["peak_bytes"] for row in answer["categories"]},
         {name: max(sizes[at] for _, sizes in points) for at, name in enumerate(CATEGORIES)})
    below = sum(min(sizes) < 0 for _, sizes in points) if form == "levels" else None
    if below is not None:
        same("points below zero", sum(one["count"] for one in answer["troubles"]), below)
    found = ask(cli, str(path), "--by", "time")
    same("points over time", [(row["time_unix_ns"], [row[name] for name in CATEGORIES], row["total"]) for row in found],
         [(time, sizes, sum(sizes)) for time, sizes in points])
    middle = points[len(points) // 2][0]
    last = max(at for at, (time, _) in enumerate(points) if time <= middle)
    same("in the middle", {row["category"]: row["bytes"] for row in ask(cli, str(path), "--at", str(middle))}, dict(zip(CATEGORIES, points[last][1])))
    if form == "events":
        sums = collections.defaultdict(lambda: [0, 0])
        for _, action, change, category in document:
            sums[ACTIONS[action], CATEGORIES[category]][0] += 1
            sums[ACTIONS[action], CATEGORIES[category]][1] += change
        same("actions", {(row["action"], row["category"]): [row["events"], row["bytes"]] for row in answer["actions"]}, dict(sums))
    return lines


def main():
    files = real_files.RealFiles(__doc__, ("memtimeline",))
    failed = 0
    for path in files.paths:
        try:
            lines = check(files.cli, path)
        except RuntimeError as error:
            lines = [str(error)]
        real_files.report(files.name(path), lines)
        failed += bool(lines)
    print("%d timelines, %d differ" % (len(files.paths), failed))
    files.finish(failed, "timelines")


if __name__ == "__main__":
    main()
