#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the steps of `riffle-cli stragglers` with a computation from the text of real sets of ranks.

    check_stragglers.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Steps, exposure and the way back through the calls are
computed here from the events, as docs/stragglers.md defines them; which calls match is asked of `riffle-cli comm`, whose matches
check_matches.py checks. Exit code 77 if there is no such folder.
"""
import bisect
import collections
import json
import subprocess
import sys

import real_files

TIMEOUT_SECONDS = 300
UNCERTAINTY = 2  # µs: the times are whole microseconds


class Rank:
    def __init__(self, path):
        document = json.loads(path.read_text("utf-8", "replace"), strict=False)
        self.rank = document["distributedInfo"]["rank"]
        events = [event for event in document["traceEvents"] if event.get("ph") == "X"]
        launches = {event["args"]["correlation"]: event["ts"] for event in events
                    if event.get("cat") == "cuda_runtime" and "correlation" in event.get("args", {})}
        marks = sorted((event["ts"], event["ts"] + event["dur"], int(event["name"].split("#")[1])) for event in events
                       if event["name"].startswith("ProfilerStep#") and event["cat"] == "user_annotation")
        work = [event for event in events if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
        self.calls = sorted((event["ts"], event["ts"] + event["dur"]) for event in work
                            if event["cat"] == "kernel" and event["name"].startswith("nccl"))
        compute = merged((event["ts"], event["ts"] + event["dur"]) for event in work
                         if event["cat"] == "kernel" and not event["name"].startswith("nccl"))
        self.blocking = sorted((end, at) for at, (start, end) in enumerate(self.calls)
                               if covered(compute, start, end) < end - start)
        self.steps = {}
        before = None
        for begin, end, number in marks:
            own = [event for event in work if begin <= launches.get(event["args"].get("correlation"), event["ts"]) < end]
            if not own:
                continue
            first = min(event["ts"] for event in own) if before is None else before
            before = max(first, max(event["ts"] + event["dur"] for event in own))
            self.steps[number] = (first, before)


def merged(spans):
    out = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def covered(spans, begin, end):
    return sum(max(0, min(end, last) - max(begin, first)) for first, last in spans[max(0, bisect.bisect(spans, [begin]) - 1):]
               if first < end)


def way_back(ranks, matches, slowest, begin, end):
    """(own per rank, transfer, within, unmatched) of one step; `matches` is by (rank, index of the call)."""
    own, transfer, within, unmatched = collections.Counter(), 0, 0, 0
    limits, rank, moment, most = {slowest: begin}, slowest, end, None
    length = lambda call: ranks[call[0]].calls[call[1]][1] - ranks[call[0]].calls[call[1]][0]
    while True:
        limit = limits[rank]
        before = [(stop, at) for stop, at in ranks[rank].blocking if stop <= moment and (most is None or (stop, at) < most)]
        if not before or before[-1][0] <= limit:
            own[rank] += max(0, moment - limit)
            return own, transfer, within, unmatched
        stop, at = before[-1]
        own[rank] += moment - stop
        here = stop - max(ranks[rank].calls[at][0], limit)
        members = matches.get((rank, at))
        last = (rank, at)
        if members is None:
            unmatched += here
        else:
            last = min(sorted(members), key=length)
            transfer += min(here, length(last))
            if length((rank, at)) - length(last) <= UNCERTAINTY:
                within += max(0, here - length(last))
                last = (rank, at)
            elif here <= length(last):
                return own, transfer, within, unmatched
        if last[0] not in limits:
            shared = [(abs(ranks[slowest].calls[mine][1] - begin), ranks[slowest].calls[mine][1], ranks[slowest].calls[mine][1] - other)
                      for _, mine in ranks[slowest].blocking
                      for other in [next((ranks[r].calls[a][1] for r, a in matches.get((slowest, mine), []) if r == last[0]), None)]
                      if other is not None]
            limits[last[0]] = begin - min(shared)[2] if shared else None
        rank, moment = last[0], ranks[last[0]].calls[last[1]][0]
        most = (ranks[rank].calls[last[1]][1], last[1])
        if moment <= limits[rank]:
            return own, transfer, within, unmatched


def asked(cli, command, views, paths):
    done = subprocess.run([*cli, command, "--no-store", "--view", views, "--format", "json", *map(str, paths)],
                          capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True)
    return json.loads(done.stdout)


def compare(paths, cli):
    ranks = {rank.rank: rank for rank in map(Rank, paths)}
    members, counts = collections.defaultdict(list), collections.Counter()
    for row in asked(cli, "comm", "calls", paths)["calls"]:
        at = counts[row["rank"]]
        counts[row["rank"]] += 1
        if row["match"] is not None and row["confidence"] != "ambiguous":
            members[row["match"]].append((row["rank"], at))
    matches = {call: calls for calls in members.values() for call in calls}
    tables = asked(cli, "stragglers", "steps,parts", paths)
    expected, total = [], collections.Counter()
    for number in sorted(set().union(*(rank.steps for rank in ranks.values()))):
        having = sorted(rank for rank in ranks if number in ranks[rank].steps)
        if len(having) < 2:
            continue
        slowest = max(having, key=lambda rank: (ranks[rank].steps[number][1] - ranks[rank].steps[number][0], -rank))
        begin, end = ranks[slowest].steps[number]
        own, transfer, within, unmatched = way_back(ranks, matches, slowest, begin, end)
        total.update(own)
        rest = end - begin - sum(own.values()) - transfer - within - unmatched
        expected.append([number, "rank %d" % slowest] + [1000 * value for value in (end - begin, sum(own.values()), transfer, within, unmatched, rest)])
    found = [[row[key] for key in ("step", "slowest", "length_ns", "own_ns", "transfer_ns", "within_uncertainty_ns", "unmatched_ns",
                                   "unexplained_ns")] for row in tables["steps"]]
    lines = [] if found == expected else ["steps: %s, not %s" % (found, expected)]
    for row in tables["parts"]:
        if row["part"].startswith("Own time of rank") and row["time_ns"] != 1000 * total[int(row["part"].split()[-1])]:
            lines.append("%s: %d ns, not %d" % (row["part"], row["time_ns"], 1000 * total[int(row["part"].split()[-1])]))
    if sum(row["time_ns"] for row in tables["parts"]) != sum(row[2] for row in expected):
        lines.append("the parts do not sum to the steps")
    untold = sum(abs(row[5]) + abs(row[6]) + abs(row[7]) for row in expected) / max(1, sum(row[2] for row in expected))
    return lines, "%d steps, %.2f %% untold: " % (len(expected), 100 * untold)


def main():
    files = real_files.RealFiles(__doc__, folders=("multirank_*",))
    files.sets_of_ranks(lambda folder, paths: compare(paths, files.cli))


if __name__ == "__main__":
    sys.exit(main())
