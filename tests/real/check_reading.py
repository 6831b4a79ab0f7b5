#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs every reading command of riffle-cli over every real file: each must end with an answer or with a clear error.

    check_reading.py --cli build/asan/bin/riffle-cli [--filter REGEX]

Sanitizer runs use it in place of the comparisons with independent readers, which prove numbers and not memory safety, and which
the release run makes. A sanitizer's report ends a command with another exit code than these.
"""
import json
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile
import time

import real_files

TIMEOUT_SECONDS = 600
ANSWERED = (0, 3) # an answer; an answer, although the file could not be read without losses
REFUSED = (1,)    # the file cannot be read
FAILED_BOUND = (5,)
VIEWS = ("overview steps operators kernels modules memcpy collectives findings critical-path model distribution device event-types "
         "operator-tree user-defined memory memory-peak memory-events").split()
DIFF_VIEWS = "step overview copies communication memory ranks findings".split()
GROUPINGS = [("operators", "name,stack"), ("operators", "module"), ("kernels", "properties"), ("modules", "stack,operators"),
             ("critical-path", "segments"), ("user-defined", "memory"), ("memory-events", "stack")]
QUERIES = ["select name, count(*), sum(dur) from slices group by name order by 3 desc limit 20",
           "select k.name, l.name from device_work k left join slices l on l.id = k.launch limit 200",
           "select count(*), sum(length(args)) from (select args from slices limit 2000)"]

MEMORY_QUERIES = ["select place, caller, category, stream, pool, sum(size) from allocations group by place, category order by 6 desc limit 20",
                  "select e.*, a.* from events e left join allocations a on a.id = e.allocation_id limit 200",
                  "select s.stack_id, group_concat(function), max(runtime) from stacks s group by s.stack_id limit 200",
                  "select s.*, b.* from segments s left join blocks b on b.segment_id = s.id limit 200"]


def trace_commands(path, folder):
    part = str(folder / "part.json")
    yield ANSWERED, ["slices", "--json", "--args", "--no-store", path]
    yield ANSWERED, ["summary", "--no-store", "--all-columns", "--format", "json", "--view", ",".join(VIEWS), path]
    for view, grouping in GROUPINGS:
        yield ANSWERED, ["summary", "--no-store", "--view", view, "--group-by", grouping, path]
    for peer in ("torch", "paddle", "tensorboard"):
        yield ANSWERED, ["summary", "--no-store", "--like", peer, path]
    for query in QUERIES:
        yield ANSWERED + (2,), ["sql", "--no-store", path, query]
    yield ANSWERED, ["diff", "--no-store", "--all-columns", "--view", ",".join(DIFF_VIEWS), path, path]
    yield ANSWERED, ["report", "--no-store", path, "-o", str(folder / "report.html")]
    yield ANSWERED + FAILED_BOUND, ["check", "--no-store", path, "--max", "steps.mean<=1s"]
    # The first millisecond of some files is empty.
    yield ANSWERED + REFUSED, ["summary", "--no-store", "--range", "0:1ms", "--view", "overview,kernels,operators", path]
    yield ANSWERED + REFUSED, ["trim", path, "--range", "0:1ms", "-o", part]
    if pathlib.Path(part).exists():
        yield ANSWERED, ["slices", "--csv", "--no-store", part]


def memory_commands(path, _folder):
    for words in (["--at", "peak", "--by", "stack"], ["--at", "end", "--by", "category"], ["--at", "begin", "--by", "size"]):
        yield ANSWERED + (2,), ["memory", path, "--format", "json"] + words
    yield ANSWERED + (1, 2), ["memory", "state", path]
    yield ANSWERED + (1, 2), ["memory", "oom", path]
    yield ANSWERED + (1, 2), ["memory", "diff", path, path]
    yield ANSWERED + FAILED_BOUND + (1,), ["check", "--no-store", path, "--max", "memory.peak<=1GiB", "--max", "memory.unknown<=1%", "--max", "memory.free<=1GiB"]
    for query in MEMORY_QUERIES:
        yield ANSWERED + (1,), ["sql", "--no-store", path, query]


def run(cli, words):
    done = subprocess.run(cli + words, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def problems(path, cli):
    with tempfile.TemporaryDirectory(prefix="reading-") as name:
        folder = pathlib.Path(name)
        memory = path.parent.name in ("memsnap", "memtimeline")
        first = ["memory", "info", str(path), "--format", "json"] if memory else ["info", "--json", "--no-store", str(path)]
        code, out, message = run(cli, first)
        if code in REFUSED and message.strip():
            return
        if code not in ANSWERED:
            yield "%s: exit code %d: %s" % (first[0], code, message[-3000:])
            return
        json.loads(out)
        for expected, words in (memory_commands if memory else trace_commands)(str(path), folder):
            code, out, message = run(cli, words)
            if code not in expected or "Sanitizer" in message or "runtime error" in message:
                yield "%s: exit code %d: %s" % (" ".join(words[:4]), code, message[-3000:])
            elif code in (1, 2) and not message.strip():
                yield "%s: failed without a message" % " ".join(words)


def check(job):
    path, cli = job
    start = time.monotonic()
    try:
        lines = list(problems(path, cli))
    except (ValueError, OSError, subprocess.SubprocessError) as error:
        lines = ["%s: %s" % (type(error).__name__, error)]
    return path, lines, time.monotonic() - start


def main():
    real = real_files.RealFiles("Run every reading command of riffle-cli over every real file.",
                                ["chrome_edge", "chrome_other", "kineto", "legacy", "multirank_*", "memsnap", "memtimeline"])
    # The largest files come first, so that no process is left with a large one at the end.
    jobs = sorted(((path, real.cli) for path in real.paths), key=lambda job: -job[0].stat().st_size)
    bad = 0
    with multiprocessing.Pool(2) as pool:
        for path, lines, seconds in pool.imap_unordered(check, jobs):
            bad += bool(lines)
            real_files.report(real.name(path), lines, "%5.1f s  " % seconds)
    print("%d files ran, %d with problems" % (len(jobs), bad))
    return 1 if bad or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
