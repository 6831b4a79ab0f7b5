#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks for every Kineto file in a folder of real traces that kernels are attributed to the operators that launched them.

    check_launches.py --cli build/release/bin/riffle-cli [--filter REGEX]

The operator of a kernel is the shortest one that contains the whole call with the kernel's correlation, on the call's thread. It is
found here by intervals alone, without the nesting of reference.py. Compared are calls and time by kernel and operator, as reported by
`summary --view kernels --group-by properties`. Unless --filter is used, CUDA graphs (all kernels of one call), driver calls (Triton)
and HIP calls must be among the calls that have operators. Exit code 77 if the folder does not exist.
"""
import collections
import json
import re
import subprocess
import sys

import real_files  # sets the path for the next import
import reference_facts

TIMEOUT_SECONDS = 120
SHOWN = 4
GRAPH_KERNELS = 1000


def operators_of_calls(facts):
    """Maps the order of a launch to the shortest operator of its thread that contains it."""
    lanes = collections.defaultdict(lambda: ([], []))
    for s in facts.operators:
        lanes[s.lane][0].append(s)
    for s in facts.calls:
        lanes[s.lane][1].append(s)
    found = {}
    for operators, calls in lanes.values():
        operators.sort(key=lambda s: s.start)
        calls.sort(key=lambda s: s.start)
        open_ones, at = [], 0
        for call in calls:
            while at < len(operators) and operators[at].start <= call.start:
                open_ones.append(operators[at])
                at += 1
            open_ones = [s for s in open_ones if s.end >= call.start]
            around = [s for s in open_ones if s.end >= call.end]
            if around:
                found[call.order] = min(around, key=lambda s: (s.duration, -s.depth))
    return found


def check(path, cli, seen):
    """Yields the differences as lines of text, and counts in `seen` the kernels with an operator by the name of their call."""
    facts = reference_facts.read(path)
    around = operators_of_calls(facts)
    wanted = collections.defaultdict(lambda: [0, 0])
    launched = collections.Counter()
    for s in facts.by_kind["kernel"]:
        launch = facts.launch[s.order]
        operator = around.get(launch.order) if launch is not None else facts.owner[s.order]
        cell = wanted[s.name, operator.name if operator is not None else None]
        cell[0] += 1
        cell[1] += s.duration
        if operator is not None and launch is not None:
            seen[launch.name] += 1
            launched[launch.order] += 1
    seen["largest graph"] = max([seen["largest graph"], *launched.values()])
    done = subprocess.run(cli + ["summary", "--no-store", str(path), "--view", "kernels", "--group-by", "properties", "--format", "json"],
                          capture_output=True, timeout=TIMEOUT_SECONDS)
    found = collections.defaultdict(lambda: [0, 0])
    for row in json.loads(done.stdout):
        cell = found[row["name"], row["operator"]]
        cell[0] += row["calls"]
        cell[1] += row["total_ns"]
    bad = [key for key in wanted.keys() | found.keys() if wanted[key] != found[key]]
    if bad:
        yield "%d of %d kernels and operators differ" % (len(bad), len(wanted))
        for key in sorted(bad, key=str)[:SHOWN]:
            yield "  %s of %s: calls and ns %s, found %s" % (key[0][:60], key[1], wanted[key], found[key])


def main():
    real = real_files.RealFiles("Check to which operators the kernels of real traces are attributed.")
    seen, bad = collections.Counter(), 0
    for path in real.paths:
        lines = list(check(path, real.cli, seen))
        bad += bool(lines)
        real_files.report(real.name(path), lines)
    print("kernels with an operator, by the call that launched them: %s" % dict(seen.most_common()))
    missing = [] if real.options.filter else [
        text for text, pattern in (("driver calls", "cuLaunchKernel"), ("HIP calls", "hip"), ("graphs", r"(cuda|hip)GraphLaunch"))
        if not any(re.match(pattern, name) for name in seen)]
    if not real.options.filter and seen["largest graph"] < GRAPH_KERNELS:
        missing.append("graph of %d kernels" % GRAPH_KERNELS)
    if missing:
        print("These files contain no %s." % ", no ".join(missing))
    return 1 if bad or missing or not real.paths else 0


if __name__ == "__main__":
    sys.exit(main())
