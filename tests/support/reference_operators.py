# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Operators, kernels, modules, copies and launches (R7 to R10), for summary_reference.py, where the definitions are."""
import collections
import json
from fractions import Fraction

from reference_facts import half_even, length, merged, number

MODULE = "nn.Module:"
SLOW_CALL_NS, LATE_NS, LONG_QUEUE = 50_000, 100_000, 1_024


def shapes_text(facts, s):
    """`Input Dims` as the text of its value without blanks; "" when not recorded."""
    args = facts.args(s)
    for key in ("Input Dims", "Input dims"):
        if key in args:
            return json.dumps(args[key], separators=(",", ":"), default=str) if not isinstance(args[key], str) else args[key]
    return ""


# -------------------------------------------------------------------------------------------------------------- operators

def operator_rows(facts, key):
    """By key(operator): calls and times, as documented in summary_reference.py."""
    children, own = collections.defaultdict(list), collections.defaultdict(list)
    for s in facts.operators + facts.calls:
        around = next((p for p in facts.ancestors(s) if facts.kind[p.order] in ("operator", "runtime", "waiting")), None)
        if around is not None and facts.kind[around.order] == "operator":
            children[around.order].append(s)
    for s in facts.work:
        owner = facts.owner[s.order]
        if owner is not None:
            own[owner.order].append(s)
    around = {s.order: facts.operator_around(s) for s in facts.operators}
    rows = {}
    outermost, total_work = {}, collections.defaultdict(list)
    for s in facts.operators:
        row_key = key(s)
        row = rows.setdefault(row_key, dict.fromkeys(("calls", "host_self_ns", "host_total_ns", "device_self_ns", "device_total_ns"), 0))
        row["calls"] += 1
        row["host_self_ns"] += s.duration - length(merged((c.start, c.end) for c in children[s.order]))
        # The operators around s in whose rows its device work counts: one a row, however often the row occurs.
        keys, p = {row_key}, around[s.order]
        outer = False
        while p is not None:
            p_key = key(p)
            outer = outer or p_key == row_key
            keys.add(p_key)
            p = around[p.order]
        outermost[s.order] = not outer
        if not outer:
            row["host_total_ns"] += s.duration
        for work in own[s.order]:
            row["device_self_ns"] += work.duration
            for each in keys:
                total_work[each].append(work)
    self_work = collections.defaultdict(list)
    for s in facts.operators:
        self_work[key(s)] += own[s.order]
    for row_key, row in rows.items():
        row["device_total_ns"] = sum(s.duration for s in total_work[row_key])
        row["device_self_union_ns"] = length(facts.spans(self_work[row_key]))
        row["device_total_union_ns"] = length(facts.spans(total_work[row_key]))
    return rows


def by_name(s):
    return s.name


# ---------------------------------------------------------------------------------------------------------------- kernels

def kernel_rows(facts, slices=None):
    groups = collections.defaultdict(list)
    for s in facts.by_kind["kernel"] if slices is None else slices:
        groups[s.name].append(s)
    whole = sum(s.duration for members in groups.values() for s in members)
    rows = {}
    for name, members in groups.items():
        durations = sorted(s.duration for s in members)
        total, count = sum(durations), len(durations)
        middle = durations[count // 2] + durations[(count - 1) // 2]
        rows[name] = {
            "calls": count, "total_ns": total, "mean_ns": half_even(Fraction(total, count)),
            "median_ns": half_even(Fraction(middle, 2)), "min_ns": durations[0], "max_ns": durations[-1],
            "share": Fraction(total, whole) if whole else None,
            "blocks_per_sm": weighted_mean(members, facts.blocks_per_sm), "occupancy": weighted_mean(members, facts.occupancy),
            "without_occupancy": sum(1 for s in members if facts.occupancy(s) is None),
        }
    return rows


def weighted_mean(slices, value):
    """By duration, over those that have the value; plain when none has a duration; None when none has a value."""
    known = [(value(s), s.duration) for s in slices if value(s) is not None]
    if not known:
        return None
    if not any(time for _, time in known):
        known = [(each, 1) for each, _ in known]
    return sum((each * time for each, time in known if time), Fraction(0)) / sum(time for _, time in known)


# ---------------------------------------------------------------------------------------------------------------- modules

def chains(facts):
    """By operator: its innermost frame, and its innermost module frame; None each without one. Backward operators inherit."""
    frame, module = {}, {}
    forward = collections.defaultdict(list)
    for s in facts.operators:
        args = facts.args(s)
        if isinstance(args.get("Sequence number"), int) and not args.get("Fwd thread id"):
            forward[args["Sequence number"]].append(s)
    lanes = _forward_lanes(facts, forward)
    for s in sorted(facts.operators, key=lambda s: s.depth):
        frame[s.order], module[s.order] = own_chain(facts, s)
    for s in sorted(facts.operators, key=lambda s: s.depth):
        if frame[s.order] is not None:
            continue
        partner = _forward_of(facts, s, forward, lanes)
        if partner is not None and own_chain(facts, partner)[0] is not None:
            frame[s.order], module[s.order] = own_chain(facts, partner)
            continue
        around = facts.operator_around(s)
        if around is not None:
            frame[s.order], module[s.order] = frame[around.order], module[around.order]
    return frame, module


def own_chain(facts, s):
    frame = module = None
    for p in facts.ancestors(s):
        if facts.kind[p.order] == "frame":
            frame = frame or p
            if p.name.startswith(MODULE):
                return frame, p
    return frame, module


def _forward_lanes(facts, forward):
    """By `Fwd thread id`: the lane that holds forward operators of most of its backward operators."""
    votes = collections.defaultdict(collections.Counter)
    for s in facts.operators:
        args = facts.args(s)
        if args.get("Fwd thread id"):
            for lane in {p.lane for p in forward[args.get("Sequence number")] if p.start < s.start}:
                votes[args["Fwd thread id"]][lane] += 1
    first = {}
    for s in sorted(facts.operators, key=lambda s: (s.start, s.order)):
        first.setdefault(s.lane, len(first))
    return {thread: max(count, key=lambda lane: (count[lane], -first[lane])) for thread, count in votes.items()}


def _forward_of(facts, s, forward, lanes):
    args = facts.args(s)
    thread = args.get("Fwd thread id")
    if not thread or thread not in lanes:
        return None
    candidates = [p for p in forward[args.get("Sequence number")] if p.start < s.start and p.lane == lanes[thread]]
    return max(candidates, key=lambda p: (p.start, p.depth), default=None)


def module_rows(facts):
    """By path of module names, outermost first: occurrences and times, as documented in summary_reference.py."""
    modules = [s for s in facts.frames if s.name.startswith(MODULE)]
    around = {s.order: next((p for p in facts.ancestors(s) if facts.kind[p.order] == "frame" and p.name.startswith(MODULE)), None)
              for s in modules}
    paths, children = {}, collections.defaultdict(list)
    for s in sorted(modules, key=lambda s: s.depth):
        outer = around[s.order]
        paths[s.order] = (paths[outer.order] if outer is not None else ()) + (s.name[len(MODULE):].strip(),)
        if outer is not None:
            children[outer.order].append(s)
    rows = {}
    for s in modules:
        row = rows.setdefault(paths[s.order], dict.fromkeys(
            ("occurrences", "operators", "host_self_ns", "host_total_ns", "device_self_ns", "device_total_ns"), 0))
        row["occurrences"] += 1
        row["host_total_ns"] += s.duration
        row["host_self_ns"] += s.duration - length(merged((c.start, c.end) for c in children[s.order]))
    _, module_of = chains(facts)
    for s in facts.operators:
        if module_of[s.order] is not None:
            rows[paths[module_of[s.order].order]]["operators"] += 1
    for s in facts.work:
        owner, launch = facts.owner[s.order], facts.launch[s.order]
        module = module_of[owner.order] if owner is not None else own_chain(facts, launch)[1] if launch is not None else None
        if module is not None:
            path = paths[module.order]
            rows[path]["device_self_ns"] += s.duration
            for upto in range(1, len(path) + 1):
                rows[path[:upto]]["device_total_ns"] += s.duration
    return rows


# ------------------------------------------------------------------------------------------------------ copies and launches

def copy_rows(facts):
    """By name of the copy."""
    rows = {}
    for s in facts.by_kind["memcpy"] + facts.by_kind["memset"]:
        row = rows.setdefault(s.name, {"calls": 0, "bytes": 0, "total_ns": 0, "measured_ns": 0, "without_bytes": 0})
        size = number(facts.args(s).get("bytes"))
        row["calls"] += 1
        row["total_ns"] += s.duration
        if size is None:
            row["without_bytes"] += 1
        else:
            row["bytes"] += int(size)
            row["measured_ns"] += s.duration
    for row in rows.values():
        measured = row.pop("measured_ns")
        row["bandwidth"] = Fraction(row["bytes"], measured) if measured else None  # bytes a ns are GB/s
    return rows


def launch_figures(facts):
    """Of all launches, each with its first device slice; times in ns."""
    pairs = [(call, min(facts.launched[call.order], key=lambda s: (s.start, s.order)))
             for call in facts.calls if call.order in facts.launched]
    delays = [s.start - call.end for call, s in pairs]
    return {
        "launches": len(pairs),
        "short_kernels": sum(1 for call, s in pairs if facts.kind[s.order] == "kernel" and s.duration < call.duration),
        "slow_launches": sum(1 for call, _ in pairs if call.duration > SLOW_CALL_NS),
        "late_starts": sum(1 for delay in delays if delay > LATE_NS),
        "negative_delays": sum(1 for delay in delays if delay < 0),
        "delays": sorted(delays),
    }


def queue_figures(facts):
    """By (device, stream): the longest queue of launched work that has not started, and the time with LONG_QUEUE or more."""
    changes = collections.defaultdict(collections.Counter)
    for s in facts.work:
        launch = facts.launch[s.order]
        if launch is not None:
            key = facts.device_of(s), facts.stream_of(s)
            changes[key][launch.start] += 1
            changes[key][s.start] -= 1
    rows = {}
    for key, steps in changes.items():
        level = longest = blocked = 0
        last = None
        for time in sorted(steps):
            if level >= LONG_QUEUE:
                blocked += time - last
            level += steps[time]
            longest = max(longest, level)
            last = time
        rows[key] = {"longest": longest, "blocked_ns": blocked}
    return rows
