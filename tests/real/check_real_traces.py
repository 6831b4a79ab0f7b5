#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares riffle-cli with the reference reader for every Chrome-JSON file in a folder of real traces.

    check_real_traces.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. For each file the events, the events by phase, the
slices, the slices by category and the time span must be equal; the start, duration, self time, parent, correlation and External id of
the slices (of all if there are fewer than 30,000, otherwise of 5,000 chosen with a fixed seed); the arguments of 50 of them, byte for
byte; and the exit code. A file alone in a zip archive is read like any other. Exit code 77 if the folder does not exist.
"""
import collections
import csv
import io
import json
import multiprocessing
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import zipfile

import real_files  # sets the path for the next import
import reference

ALL_BELOW, SAMPLE, ARGS_SAMPLE = 30_000, 5_000, 50
TIMEOUT_SECONDS = 120
SHOWN = 4
FIELDS = "phase category name start_ns duration_ns self_ns parent correlation external_id".split()

csv.field_size_limit(1 << 30)


def call(cli, *words):
    done = subprocess.run(cli + list(words), capture_output=True, timeout=TIMEOUT_SECONDS)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace").strip()


def brief(value):
    shown = str(value)
    return shown if len(shown) < 300 else shown[:297] + "..."


def expected_key(s):
    parent = (s.parent.name, s.parent.start, s.parent.duration) if s.parent else None
    return (s.phase, s.category, s.name, s.start, s.duration, s.self_ns, parent, s.correlation, s.external_id)


def actual_keys(text):
    rows = csv.reader(io.StringIO(text, newline=""))
    header = next(rows)
    if header != reference.CSV_COLUMNS:
        raise ValueError("the header of the CSV is %s" % header)
    rows = list(rows)
    by_id = {row[0]: (row[5], int(row[6]), int(row[7])) for row in rows}
    if len(by_id) != len(rows):
        raise ValueError("ids are not unique")
    return collections.Counter((row[3], row[4], row[5], int(row[6]), int(row[7]), int(row[8]),
                                by_id[row[9]] if row[9] else None, row[10], row[11]) for row in rows)


def nearest(key, actual):
    """Describes the closest slice that was found for `key` by the fields that differ."""
    same = [other for other in actual if other[:4] == key[:4]]
    if not same:
        return "no such slice: %s" % brief(key)
    closest = min(same, key=lambda other: sum(a != b for a, b in zip(key, other)))
    differing = ["%s %s, found %s" % (name, brief(want), brief(got)) for name, want, got in zip(FIELDS, key, closest) if want != got]
    return "%s %r at %d: %s" % (key[0], brief(key[2]), key[3], "; ".join(differing) or "wrong number of equal slices")


def compare_slices(trace, sample, text):
    actual = actual_keys(text)
    wanted = collections.Counter(expected_key(s) for s in trace.slices)
    bad = [key for key in {expected_key(s): None for s in sample} if actual[key] != wanted[key]]
    if bad:
        yield "%d of %d compared slices differ" % (len(bad), len(sample))
        for key in bad[:SHOWN]:
            yield "  " + nearest(key, actual)


def compare_args(trace, sample, text):
    try:
        rows = json.loads(text)
    except ValueError:
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(rows, dict):
        rows = rows["slices"]
    keys = {(s.phase, s.name, s.start, s.duration) for s in sample}
    found = collections.defaultdict(list)
    for row in rows:
        key = (row["phase"], row["name"], int(row["start_ns"]), int(row["duration_ns"]))
        if key in keys:
            found[key].append(row.get("args"))
    for s in sample:
        want = trace.args_text(s.order)
        got = found[s.phase, s.name, s.start, s.duration]
        if want is None:
            if not any(args in (None, "") for args in got):
                yield "args of %r at %d: none expected, found %s" % (s.name, s.start, brief(got))
        elif want not in got:
            yield "args of %r at %d: %s\n      found %s" % (brief(s.name), s.start, brief(want), brief(got))


def unpacked(path, folder):
    """The only file of a zip archive, unpacked into a folder; other paths are returned unchanged."""
    if not zipfile.is_zipfile(path):
        return path
    with zipfile.ZipFile(path) as archive:
        (name,) = archive.namelist()
        return pathlib.Path(archive.extract(name, folder))


def check(path, cli):
    """The differences on one file, as lines of text."""
    with tempfile.TemporaryDirectory() as folder:
        yield from check_against(path, unpacked(path, folder), cli)


def check_against(path, plain, cli):
    """The differences on one file, for which the reference reads `plain`."""
    try:
        trace = reference.read(plain)
    except reference.NotATrace as error:
        code, _, message = call(cli, "info", "--json", "--no-store", str(path))
        if code != 1:
            yield "exit code %d instead of 1 (%s)" % (code, error)
        if not message or len(message.splitlines()) > 3:
            yield "there is no clear error message: %r" % message
        return
    code, out, message = call(cli, "info", "--json", "--no-store", str(path))
    if code != trace.exit_code():
        yield "exit code %d instead of %d; reference found %s; %s" % (code, trace.exit_code(), dict(trace.trouble), brief(message))
    if code not in (0, 3):
        return
    info = json.loads(out)
    if isinstance(info, list):
        info = info[0]
    for key, want in reference.info(trace).items():
        if key in ("events", "events_by_phase", "slices", "slices_by_category", "begin_ns", "end_ns", "base_time_ns", "bytes"):
            if info.get(key) != want:
                yield "%s: %s\n      found %s" % (key, brief(want), brief(info.get(key)))
    code, out, message = call(cli, "slices", "--csv", "--no-store", str(path))
    if code != trace.exit_code():
        yield "slices: exit code %d; %s" % (code, brief(message))
    chance = random.Random(20_240_501)
    sample = trace.slices if len(trace.slices) < ALL_BELOW else chance.sample(trace.slices, SAMPLE)
    yield from compare_slices(trace, sample, out)
    del out
    few = chance.sample(sample, min(ARGS_SAMPLE, len(sample)))
    if few:
        code, out, message = call(cli, "slices", "--json", "--args", "--no-store", str(path))
        if code not in (0, 3):
            yield "slices --json --args: exit code %d; %s" % (code, brief(message))
        else:
            yield from list(compare_args(trace, few, out))[:SHOWN]


def check_safely(job):
    path, cli = job
    begin = time.monotonic()
    lines = []
    try:
        lines.extend(check(path, cli))
    except (ValueError, KeyError, IndexError, TypeError, OSError, subprocess.SubprocessError) as error:
        lines.append("%s: %s" % (type(error).__name__, brief(error)))
    return path, lines, time.monotonic() - begin


def main():
    real = real_files.RealFiles("Compare riffle-cli with the reference reader on real traces.",
                                ["chrome_edge", "chrome_other", "kineto", "legacy", "multirank_*"])
    # The largest files come first, so that no process is left with a large one at the end.
    jobs = sorted(((path, real.cli) for path in real.paths), key=lambda job: -job[0].stat().st_size)
    begin, results = time.monotonic(), {}
    with multiprocessing.Pool(2, maxtasksperchild=8) as pool:
        for path, lines, seconds in pool.imap_unordered(check_safely, jobs):
            results[path] = lines
            real_files.report(real.name(path), lines, "%5.1f s  " % seconds)
    bad = sum(1 for lines in results.values() if lines)
    print("%d files ran, %d skipped, %d ok, %d differ, %.0f s" % (len(results), len(real.paths) - len(results), len(results) - bad, bad,
                                                                time.monotonic() - begin))
    return 1 if bad or not results else 0


if __name__ == "__main__":
    sys.exit(main())
