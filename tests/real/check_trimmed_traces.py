#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Trims every Kineto file in a folder of real traces with riffle-cli and checks the results.

    check_trimmed_traces.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Each file is trimmed to a step in the middle, if steps are
marked, and to the third sixth of its time. The result must be valid JSON for Python's parser, every event must conform to the trace event
format, and the text of each event that was valid in the original must be unchanged. riffle-cli must read from the result what it reads
from that part of the original (slices with all columns and arguments, counts, times), and must summarize both equally in every view. Exit
code 77 if the folder does not exist.
"""
import functools
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import real_files

TIMEOUT_SECONDS = 300
READ_ALIKE = ("format slices slices_by_category lanes steps instants counter_samples memory_events flow_points begin_ns end_ns "
              "base_time_ns rank world_size part_ns part_steps").split()
TIMED = set("XBEbneistfCRPON")


def call(cli, *words):
    done = subprocess.run(cli + list(words), capture_output=True, timeout=TIMEOUT_SECONDS)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace").strip()


def no_constant(word):
    raise ValueError("%s is not valid JSON" % word)


def is_time(value):
    if isinstance(value, str): # some writers write times as strings
        value = float(value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def event_problem(event):
    """A violation of the trace event format, as text, or None."""
    if not isinstance(event, dict) or not isinstance(event.get("ph"), str):
        return "not an event"
    phase = event["ph"]
    if phase in TIMED and not is_time(event.get("ts")):
        return "no valid time"
    if phase == "X" and "dur" in event and not is_time(event["dur"]):
        return "no valid duration"
    if phase in "stf" and "id" not in event:
        return "a flow event without an id"
    if "args" in event and not isinstance(event["args"], dict):
        return "args is not an object"
    return None


def checked_events(path):
    """Checks all events of a trimmed file and yields the problems as lines of text."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_constant=no_constant)
    events = document["traceEvents"]
    for event in events:
        problem = event_problem(event)
        if problem:
            yield "%s: %s" % (problem, json.dumps(event)[:200])
            return
    depth = {}
    for event in sorted((e for e in events if e["ph"] in "BE"), key=lambda e: float(e["ts"])):
        lane = (event.get("pid"), event.get("tid"))
        depth[lane] = depth.get(lane, 0) + (1 if event["ph"] == "B" else -1)
        if depth[lane] < 0:
            yield "an end event without a begin event: %s" % event
            return
    trimmed = document["riffleTrimmed"]
    if not trimmed["range_ns"][0] <= trimmed["range_ns"][1]:
        yield "invalid range: %s" % trimmed


def original_text(path):
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def compare_texts(cli, path, words, small):
    """Checks that the trimmed file contains the original text of every event that is valid JSON, in the same order."""
    code, out, message = call(cli, "slices", "--json", "--no-store", *[word.replace("--range", "--load-range") for word in words], str(path))
    source, written = original_text(path), small.read_bytes()
    last = -1
    for row in sorted(json.loads(out), key=lambda row: row["offset"])[::7]: # every seventh is enough
        text = source[row["offset"]:row["offset"] + row["length"]]
        try:
            json.loads(text, parse_constant=no_constant)
        except ValueError:
            continue
        at = written.find(text, last + 1)
        if at < 0:
            yield "differs from the original, or is not in its order: %r" % text[:200]
            return
        last = at


def check_part(cli, path, words, small):
    code, out, message = call(cli, "trim", str(path), *words, "-o", str(small))
    if code not in (0, 3):
        yield "exit code %d: %s" % (code, message)
        return
    yield from checked_events(small)
    load = [word.replace("--range", "--load-range") for word in words]
    listed = [call(cli, "slices", "--csv", "--args", "--no-store", *more)[1] for more in ([*load, str(path)], [str(small)])]
    if listed[0] != listed[1]:
        yield "the slices differ"
    info = [json.loads(call(cli, "info", "--json", "--no-store", *more)[1]) for more in ([*words, str(path)], [str(small)])]
    for key in READ_ALIKE:
        if info[0][key] != info[1][key]:
            yield "%s: %s, trimmed %s" % (key, info[0][key], info[1][key])
    tables = [call(cli, "summary", "--view", views(tuple(cli)), "--format", "csv", "--all-columns", "--no-store", *more)[:2]
              for more in ([*words, str(path)], [str(small)])]
    if tables[0] != tables[1] or not tables[0][1]:
        differing = [pair for pair in zip(*(table[1].splitlines() for table in tables)) if pair[0] != pair[1]]
        yield "summaries differ: exit codes %d and %d, %s" % (tables[0][0], tables[1][0], differing[:1])
    if any(entry["severity"] in ("lost", "repaired") for entry in info[1]["import"]):
        yield "not intact: %s" % info[1]["import"]
    yield from compare_texts(cli, path, words, small)


@functools.cache
def views(cli):
    """The view words that the help of summary --view lists, separated by commas."""
    listed = re.search(r"--view .*?: (.*)", call(list(cli), "summary", "--help")[1]).group(1)
    return re.sub(r" \(by [^)]*\)", "", listed).replace(", ", ",")


def parts_of(cli, path):
    info = json.loads(call(cli, "info", "--json", "--no-store", str(path))[1])
    length = info["end_ns"] - info["begin_ns"]
    parts = [["--range", "%dns:%dns" % (length // 3, length // 2 + 1)]]
    marks = call(cli, "slices", "--csv", "--no-store", "--name", "^Profile(r)?Step#", str(path))[1]
    steps = sorted({int(number) for number in re.findall(r"Step#(\d+),", marks)})
    if steps:
        parts.append(["--steps", str(steps[len(steps) // 2])])
    return parts


def main():
    real = real_files.RealFiles("Check the results of trimming real traces with riffle-cli.", ["kineto", "legacy", "multirank_*"])
    bad = parts = steps = 0
    with tempfile.TemporaryDirectory(prefix="trim-") as temporary:
        small = pathlib.Path(temporary) / "small.json"
        for path in real.paths:
            begin = time.monotonic()
            for words in parts_of(real.cli, path):
                try:
                    lines = list(check_part(real.cli, path, words, small))
                except (ValueError, KeyError, OSError, subprocess.SubprocessError) as error:
                    lines = ["%s: %s" % (type(error).__name__, str(error)[:300])]
                parts += 1
                steps += words[0] == "--steps"
                bad += bool(lines)
                real_files.report(real.name(path) + " " + " ".join(words), lines, "%5.1f s  " % (time.monotonic() - begin))
    print("%d files, %d parts of which %d by steps, %d bad" % (len(real.paths), parts, steps, bad))
    return 1 if bad or not parts else 0


if __name__ == "__main__":
    sys.exit(main())
