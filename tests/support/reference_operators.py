# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Operators, kernels, modules, copies and launches (R7 to R10), for summary_reference.py, which has the definitions."""
import collections
import json
import re
from fractions import Fraction

from reference_facts import half_even, length, merged, number

MODULE = "nn.Module:"
SLOW_CALL_NS, LATE_NS, LONG_QUEUE = 50_000, 100_000, 1_024


def shapes_text(facts, s):
    """`Input Dims` as JSON with one blank after each comma; None if not recorded."""
    args = facts.args(s)
    for key in ("Input Dims", "Input dims"):
        if key in args:
            return json.dumps(args[key]) if not isinstance(args[key], str) else args[key]
    return None


# -------------------------------------------------------------------------------------------------------------- operators

TIMES = ("calls", "host_self_ns", "host_total_ns", "device_self_ns", "device_total_ns")


def operator_rows(facts, key):
    """For each key(operator), the calls and times that summary_reference.py documents."""
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
        row = rows.setdefault(row_key, dict.fromkeys(TIMES, 0))
        row["calls"] += 1
        row["host_self_ns"] += s.duration - length(merged((c.start, c.end) for c in children[s.order]))
        # The operators around s in whose rows its device work counts: one per row, however often the row occurs.
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
        row["device_self_union_ns"] = union_by_device(facts, self_work[row_key])
        row["device_total_union_ns"] = union_by_device(facts, total_work[row_key])
        if not facts.work:
            row.update(dict.fromkeys((column for column in row if column.startswith("device_")), None))
    return rows


def union_by_device(facts, slices):
    by_device = collections.defaultdict(list)
    for s in slices:
        by_device[facts.device_of(s)].append(s)
    return sum(length(facts.spans(members)) for members in by_device.values())


# ---------------------------------------------------------------------------------------------------------------- kernels

TENSOR_CORES = re.compile(
    "h884|s884|h1688|s1688|hmma|i8816|16816|dgrad_1x1_stride_2x2|first_layer_wgrad_kernel|conv1x1|conv2d_c1_k1|direct_group|"
    "xmma_implicit_gemm|xmma_sparse_conv|xmma_warp_specialized_implicit_gemm|xmma_gemm|xmma_sparse_gemm|c1688|"
    "wgmma|gmma|nvjet|tensorop|imma|tcgen05|flash_fwd|flash_bwd|fmha|cudnn.*_tensor_core|"
    "sm(?:[89][0-9]|1[0-9][0-9])_(?:xmma|cutlass)|cutlass_(?:[89][0-9]|1[0-9][0-9])_(?:xmma|tensorop)", re.IGNORECASE)
NO_TENSOR_CORES = re.compile("elementwise|reduc|copy|memset|index|sort|softmax|norm|adam|sgd|optim|multi_tensor_apply|"
                             "ffma|simt|sgemm|dgemm|triton_poi_|triton_(?:red|per)_(?!.*mm)", re.IGNORECASE)
ORDINARY = re.compile("ffma|simt|sgemm|dgemm", re.IGNORECASE)


def tensor_cores(name):
    if TENSOR_CORES.search(name) and not ORDINARY.search(name):
        return "yes"
    return "no" if NO_TENSOR_CORES.search(name) else "unknown"


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
            "tensor_cores": tensor_cores(name),
        }
    return rows


def weighted_mean(slices, value):
    """The mean over those that have the value, weighted by duration; unweighted if none has a duration; None if none has a value."""
    known = [(value(s), s.duration) for s in slices if value(s) is not None]
    if not known:
        return None
    if not any(time for _, time in known):
        known = [(each, 1) for each, _ in known]
    return sum((each * time for each, time in known if time), Fraction(0)) / sum(time for _, time in known)


# ---------------------------------------------------------------------------------------------------------------- modules

def chains(facts):
    """For each operator, its innermost frame, its innermost module frame, and their origin (see taken); None where there is none."""
    own = {s.order: own_chain(facts, s) for s in facts.operators}
    found, origin = taken(facts, {order: chain for order, chain in own.items() if chain[0] is not None})
    return ({s.order: found.get(s.order, (None, None))[0] for s in facts.operators},
            {s.order: found.get(s.order, (None, None))[1] for s in facts.operators}, origin)


def argument_stacks(facts):
    """The same for traces without frames: the texts of the argument `Call stack`, and their origin."""
    texts = {s.order: facts.args(s).get("Call stack") for s in facts.operators}
    return taken(facts, {order: text for order, text in texts.items() if text})


def taken(facts, own):
    """The values of operators, if operators without their own value take it from others: a dict of these, and for each operator "own",
    "forward" (the forward operator's own), "inherited" (from the operator around it) or None."""
    forward = collections.defaultdict(list)
    for s in facts.operators:
        args = facts.args(s)
        if isinstance(args.get("Sequence number"), int) and not args.get("Fwd thread id"):
            forward[args["Sequence number"]].append(s)
    lanes = _forward_lanes(facts, forward)
    found, origin = dict(own), {}
    for s in sorted(facts.operators, key=lambda s: s.depth):
        origin[s.order] = "own" if s.order in own else None
        if s.order in own:
            continue
        partner, around = _forward_of(facts, s, forward, lanes), facts.operator_around(s)
        if partner is not None and partner.order in own:
            found[s.order], origin[s.order] = own[partner.order], "forward"
        elif around is not None and around.order in found:
            found[s.order], origin[s.order] = found[around.order], "inherited"
    return found, origin


def own_chain(facts, s):
    frame = module = None
    for p in facts.ancestors(s):
        if facts.kind[p.order] == "frame":
            frame = frame or p
            if p.name.startswith(MODULE):
                return frame, p
    return frame, module


def stack_text(facts, frame):
    """A frame and those around it, the innermost first; None if there is no frame."""
    if frame is None:
        return None
    return ";".join([frame.name] + [p.name for p in facts.ancestors(frame) if facts.kind[p.order] == "frame"])


def module_path(facts, module):
    """The names of a module frame and of those around it, the outermost first; None if there is none."""
    if module is None:
        return None
    frames = [module] + [p for p in facts.ancestors(module) if facts.kind[p.order] == "frame" and p.name.startswith(MODULE)]
    return "/".join(frame.name[len(MODULE):].strip() for frame in reversed(frames))


def _forward_lanes(facts, forward):
    """For each `Fwd thread id`, the lane that contains the forward operators of most of its backward operators."""
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
    """For each path of module names, outermost first, the occurrences and times that summary_reference.py documents."""
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
            ("occurrences", "operators", "host_self_ns", "host_total_ns"), 0))
        row.update(dict.fromkeys(("device_self_ns", "device_total_ns", "device_backward_ns"), 0 if facts.work else None))
        row["occurrences"] += 1
        row["host_total_ns"] += s.duration
        row["host_self_ns"] += s.duration - length(merged((c.start, c.end) for c in children[s.order]))
    _, module_of, origin = chains(facts)

    def is_backward(s):
        while s is not None and origin[s.order] == "inherited":
            s = facts.operator_around(s)
        return s is not None and origin[s.order] == "forward"

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
                if owner is not None and is_backward(owner):
                    rows[path[:upto]]["device_backward_ns"] += s.duration
    return rows


# ------------------------------------------------------------------------------------------------------ copies and launches

def copy_rows(facts):
    """The copies, grouped by name."""
    rows = kernel_rows(facts, facts.by_kind["memcpy"] + facts.by_kind["memset"])
    sized = collections.defaultdict(list)
    for s in facts.by_kind["memcpy"] + facts.by_kind["memset"]:
        size = number(facts.args(s).get("bytes", facts.args(s).get("size"))) # MTIA writes the bytes of its transfers as size
        if size is not None:
            sized[s.name].append((int(size), s.duration))
    for name, row in rows.items():
        for column in ("blocks_per_sm", "occupancy", "tensor_cores"):
            del row[column]
        row["bytes"] = sum(size for size, _ in sized[name]) if sized[name] else None
        time = sum(duration for _, duration in sized[name])
        row["bandwidth_gb_s"] = Fraction(row["bytes"], time) if time else None  # bytes per ns are GB/s
    return rows


def launch_figures(facts):
    """For each figure, (time in ns or None, count or None). Graph launches are in none of the times."""
    launched = [(call, facts.launched[call.order]) for call in facts.calls if call.order in facts.launched]
    pairs = [(call, work[0]) for call, work in launched if len(work) == 1]
    delays = sorted(s.start - call.end for call, s in pairs)
    count = {
        "launches": len(pairs), "graph_launches": len(launched) - len(pairs),
        "work_without_launch": sum(1 for s in facts.work if facts.launch[s.order] is None),
        "short_kernels": sum(1 for call, s in pairs if facts.kind[s.order] == "kernel" and s.duration < call.duration),
        "slow_launches": sum(1 for call, _ in pairs if call.duration > SLOW_CALL_NS),
        "delayed_work": sum(1 for delay in delays if delay > LATE_NS),
        "negative_delays": sum(1 for delay in delays if delay < 0),
        "before_launch": sum(1 for call, s in pairs if s.start < call.start),
    }
    figures = {name: (None, value) for name, value in count.items()}
    if delays:
        middle = delays[len(delays) // 2] + delays[(len(delays) - 1) // 2]
        figures["delay_mean"] = half_even(Fraction(sum(delays), len(delays))), None
        figures["delay_median"] = half_even(Fraction(middle, 2)), None
        figures["delay_min"], figures["delay_max"] = (delays[0], None), (delays[-1], None)
    queues = list(_queues(facts, pairs))
    figures["longest_queue"] = None, max((longest for longest, _ in queues), default=0)
    figures["queue_full"] = sum(blocked for _, blocked in queues), None
    return figures


def _queues(facts, pairs):
    """For each stream, the longest queue of launched work that has not started, and the time with LONG_QUEUE or more in it."""
    changes = collections.defaultdict(collections.Counter)
    for call, s in pairs:
        if call.start < s.start:
            key = facts.device_of(s), facts.stream_of(s)
            changes[key][call.start] += 1
            changes[key][s.start] -= 1
    for steps in changes.values():
        level = longest = blocked = 0
        last = None
        for time in sorted(steps):
            if level >= LONG_QUEUE:
                blocked += time - last
            level += steps[time]
            longest = max(longest, level)
            last = time
        yield longest, blocked
