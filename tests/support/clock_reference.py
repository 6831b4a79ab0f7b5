# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The bounds that causality sets to clocks, by the algorithm of Bellman and Ford over all constraints, one by one."""
import collections
import math

BOUNDING = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv", "barrier"}


def bounds(matches, clocks):
    """{rank: (least, most)}: how far the clock of the rank can be ahead of that of its reference, in ns; None if nothing is possible.

    `matches` are lists of (rank, start, end), and `clocks` the rows of `comm --view clocks`: their drifts and slacks are taken as given.
    """
    of_rank = {clock["rank"]: clock for clock in clocks}

    def straight(rank, time):
        return time - round(of_rank[rank]["drift_ppm"] * 1e-6 * (time - of_rank[rank]["at_ns"]))

    constraints = []  # x[a] - x[b] <= most: a leaves after b came
    for match in matches:
        for a, _, end in match:
            for b, start, _ in match:
                if a != b:
                    slack = of_rank[a]["slack_ns"] + of_rank[b]["slack_ns"]
                    constraints.append((a, b, straight(a, end) - straight(b, start) + slack))

    def least_paths(source, is_reversed):
        paths = {rank: math.inf for rank in of_rank}
        paths[source] = 0
        for _ in range(len(of_rank) + 1):
            is_changed = False
            for a, b, most in constraints:
                to, by = (b, a) if is_reversed else (a, b)
                if paths[by] + most < paths[to]:
                    paths[to] = paths[by] + most
                    is_changed = True
            if not is_changed:
                return paths
        return None  # a circle below 0

    found = {}
    for rank, clock in of_rank.items():
        if clock["reference"] is None:
            continue
        most, least = least_paths(clock["reference"], False), least_paths(clock["reference"], True)
        if most is None or least is None:
            return None
        found[rank] = (-least[rank], most[rank])
    return found


def matches_of(rows):
    """The sure and likely matches of collectives that everybody leaves after the last one came, in the rows of `comm --view calls`."""
    members = collections.defaultdict(list)
    for row in rows:
        if row["confidence"] in ("sure", "likely") and row["peers"] is None:
            members[row["match"]].append(row)
    return [[(row["rank"], row["start_ns"], row["start_ns"] + row["duration_ns"]) for row in match]
            for match in members.values() if all(row["operation"] in BOUNDING for row in match)]
