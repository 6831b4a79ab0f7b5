#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the answers of riffle-cli sql with what the reference reader finds in real traces.

    check_queries.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Compared for each Kineto file of less than LIMIT bytes
are the slices and their time by category, the calls and time by name, the slices that start in a range, the arguments by key, and the
slices at both ends of every flow arrow. Exit code 77 if the folder does not exist.
"""
import collections
import csv
import io
import json
import subprocess
import sys

import real_files  # sets the path for the next import
import reference
import reference_flows

LIMIT = 3_000_000
TIMEOUT_SECONDS = 120

csv.field_size_limit(1 << 30)


def ask(cli, path, sql):
    done = subprocess.run(cli + ["sql", "--format", "csv", "--no-store", str(path), sql], capture_output=True, timeout=TIMEOUT_SECONDS)
    if done.returncode not in (0, 3):
        raise ValueError("%s: exit code %d: %s" % (sql, done.returncode, done.stderr.decode("utf-8", "replace")))
    return list(csv.reader(io.StringIO(done.stdout.decode("utf-8", "replace"), newline="")))[1:]


def sums(slices, key):
    counts = collections.defaultdict(lambda: [0, 0])
    for s in slices:
        counts[key(s)][0] += 1
        counts[key(s)][1] += s.duration
    return sorted([str(name), str(count), str(total)] for name, (count, total) in counts.items())


def keys_of(trace):
    counts = collections.Counter()
    for s in trace.slices:
        text = trace.args_text(s.order)
        for key in json.loads(text, object_pairs_hook=lambda pairs: [k for k, _ in pairs]) if text else ():
            counts[key] += 1
    return counts


def arrows_of(trace):
    def texts(point):
        bound = point.slice
        return [str(point.time)] + (["", "", ""] if bound is None else [bound.name, str(bound.start), str(bound.duration)])
    return sorted([source.category, *texts(source), *texts(target)] for source, target in reference_flows.arrows(trace))


def check(path, cli):
    trace = reference.read(path)
    questions = [("select category, count(*), sum(dur) from slices group by category", sums(trace.slices, lambda s: s.category)),
                 ("select name, count(*), sum(dur) from slices group by name", sums(trace.slices, lambda s: s.name))]
    questions.append(("select f.category, f.from_ts, a.name, a.ts, a.dur, f.to_ts, b.name, b.ts, b.dur from flows f"
                      " left join slices a on a.id = f.from_id left join slices b on b.id = f.to_id", arrows_of(trace)))
    starts = sorted(s.start for s in trace.slices)
    if starts:
        low, high = starts[len(starts) // 3], starts[len(starts) * 2 // 3]
        inside = [s for s in trace.slices if low <= s.start < high]
        questions.append(("select lane_id is not null, count(*), sum(dur) from slices where ts >= %d and ts < %d group by 1" % (low, high),
                          sums(inside, lambda s: 1)))
    try:
        keys = keys_of(trace)
    except ValueError:  # some arguments can be read only by a tolerant reader
        keys = None
    if keys is not None:
        questions.append(("select key, count(*), 0 from args group by key", sorted([key, str(count), "0"] for key, count in keys.items())))
    for sql, expected in questions:
        found = sorted(ask(cli, path, sql))
        if found != expected:
            differing = [row for row in found if row not in expected][:2], [row for row in expected if row not in found][:2]
            yield "%s\n      found %s\n      expected %s" % (sql, *(repr(rows)[:300] for rows in differing))


def main():
    real = real_files.RealFiles("Compare queries with the reference reader on real traces.", ["kineto"])
    files = [path for path in real.paths if path.stat().st_size < LIMIT]
    bad = 0
    for path in files:
        try:
            lines = list(check(path, real.cli))
        except (ValueError, OSError, subprocess.SubprocessError, reference.NotATrace) as error:
            lines = ["%s: %s" % (type(error).__name__, error)]
        bad += bool(lines)
        real_files.report(path.name, lines)
    print("%d files, %d differ" % (len(files), bad))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
