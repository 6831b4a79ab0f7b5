# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Steps, their breakdown, busy and idle time of devices (R1, R3 to R6), for summary_reference.py, which has the definitions."""
import bisect
import collections
from fractions import Fraction

from reference_facts import (HOST_COLLECTIVE, STEP, difference, first_at_or_after, intersection, length, merged)

ROLES = ("kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu", "other")
NEAR_NS = 5_000


class Step:
    def __init__(self, number, name, begin, end):
        self.number, self.name, self.begin, self.end = number, name, begin, end
        self.device_begin = self.device_end = None
        self.work = []
        self.lane = None  # of its mark
        self.parts = {}
        self.ended = True


def steps_of(facts):
    """The steps, ordered by time; one step "all" over the whole trace if none is recorded."""
    marks = sorted(facts.by_kind["step"], key=lambda s: (s.start, s.order))
    steps = []
    for ordinal, s in enumerate(marks):
        found = STEP.match(s.name).group(1)
        steps.append(Step(int(found) if found else ordinal, s.name, s.start, s.end))
        steps[-1].lane = s.lane
        if "unfinished" in s.flags:
            steps[-1].ended = False
            steps[-1].end = min([s.end] + [mark.start for mark in marks if mark.start > s.start])
    if not steps:
        steps = [Step(0, "all", facts.begin, facts.end)]
    for s in facts.work:
        launch = facts.launch[s.order]
        time = s.start if launch is None else launch.start
        inside = [step for step in steps if step.begin <= time < step.end]
        if inside:
            inside[-1].work.append(s)
    for step in steps:
        if step.work:
            step.device_begin = min(s.start for s in step.work)
            step.device_end = max(s.end for s in step.work)
    _break_down(facts, steps)
    return steps


def _break_down(facts, steps):
    kinds = facts.by_kind
    spans = {
        "kernel": facts.spans(facts.compute_kernels()), "memcpy": facts.spans(kinds["memcpy"]),
        "memset": facts.spans(kinds["memset"]), "communication": facts.spans(facts.communication_kernels()),
        "runtime": facts.spans(facts.calls), "dataloader": facts.spans(kinds["dataloader"]),
        "cpu": facts.spans(kinds["operator"] + kinds["frame"] + kinds["annotation"]),
    }
    if not facts.work:
        spans["communication"] = facts.spans(s for s in kinds["operator"] + kinds["annotation"]
                                             if s.name.startswith(HOST_COLLECTIVE))
    for step in steps:
        free = merged([(step.begin, step.end)])
        for role in ROLES[:-1]:
            step.parts[role] = length(intersection(free, spans[role]))
            free = difference(free, spans[role])
        step.parts["other"] = length(free)
        assert sum(step.parts.values()) == step.end - step.begin


def window_of(steps):
    """Disjoint spans: from the first step to the last, without those that never ended, unless none ended."""
    ended = [step for step in steps if step.ended] or steps
    open_steps = merged((step.begin, step.end) for step in steps if step not in ended)
    return difference(merged([(ended[0].begin, max(step.end for step in ended))]), open_steps)


def busy(facts, device, window):
    """For each figure of one device, (time in ns or None, ratio or None) over the window."""
    kinds = {kind: [s for s in facts.devices[device] if facts.kind[s.order] == kind] for kind in ("kernel", "memcpy", "memset")}
    compute = intersection(facts.spans(s for s in kinds["kernel"] if s.order not in facts.communication), window)
    communication = intersection(facts.spans(s for s in kinds["kernel"] if s.order in facts.communication), window)
    memcpy, memset = intersection(facts.spans(kinds["memcpy"]), window), intersection(facts.spans(kinds["memset"]), window)
    kernels = merged(compute + communication)
    whole = length(window)

    def share(spans, of=whole):
        return length(spans), Fraction(length(spans), of) if of else None

    both = intersection(communication, compute)
    return {
        "window": (whole, None), "utilization": share(kernels), "busy": share(merged(kernels + memcpy + memset)),
        "compute": share(compute), "communication": share(communication),
        "exposed_communication": share(difference(communication, compute)), "overlap": share(both, length(communication)),
        "memcpy": share(memcpy), "exposed_memcpy": share(difference(memcpy, kernels)), "memset": share(memset),
        "sm_efficiency": (None, _sm_efficiency(facts, kinds["kernel"], window)),
        "occupancy": (None, _occupancy(facts, kinds["kernel"], window)),
        "idle": share(difference(window, merged(kernels + memcpy + memset))),
    }


def _sm_efficiency(facts, kernels, window):
    """min(1, blocks per SM of everything that runs), averaged over the window; None if no kernel has the figure."""
    changes, known = collections.defaultdict(Fraction), False
    for s in kernels:
        value = facts.blocks_per_sm(s)
        if value is None:
            continue
        known = True
        for begin, end in intersection(merged([(s.start, s.end)]), window) if value > 0 else ():
            value = min(value, 10**9)  # inf means all of the device
            changes[begin] += value
            changes[end] -= value
    if not known or not window:
        return None
    area, level, last = Fraction(0), Fraction(0), window[0][0]
    for time in sorted(changes):
        area += min(Fraction(1), level) * (time - last)
        level += changes[time]
        last = time
    return area / length(window)


def _occupancy(facts, kernels, window):
    weighted, weight = Fraction(0), 0
    for s in kernels:
        value = facts.occupancy(s)
        time = length(intersection(merged([(s.start, s.end)]), window))
        if value is not None:
            weighted += value * time
            weight += time
    return weighted / weight if weight else None


# ------------------------------------------------------------------------------------------------------------------- idle

Gap = collections.namedtuple("Gap", "begin end cause")
HOST_CAUSES = ("dataloader", "synchronisation", "runtime", "host_code", "nothing_recorded")
CAUSES = HOST_CAUSES + ("communication", "dependency", "launch_latency", "unknown")


def idle_gaps(facts, device, window):
    """The gaps of the device in the window with their causes, ordered by time."""
    work = facts.devices[device]
    starts = [s.start for s in work]
    streams = collections.defaultdict(list)
    for s in work:
        streams[facts.stream_of(s)].append(s)
    gaps = []
    for begin, end in difference(window, facts.spans(work)):
        following = first_at_or_after(work, starts, end)
        if following is not None and following.start >= window[-1][1]:
            following = None
        launch = facts.launch[following.order] if following is not None else None
        if launch is None:
            gaps.append(Gap(begin, end, "unknown"))
        elif launch.start >= begin:
            gaps.append(Gap(begin, end, _host_cause(facts, launch.lane, begin, min(end, launch.start))))
        else:
            gaps.append(Gap(begin, end, _linked(facts, device, streams, following, launch, begin)))
    return gaps


def _host_cause(facts, lane, begin, end):
    """The cause that covers most of [begin, end) on the launching thread; the launch itself if that time is empty."""
    if begin == end:
        return "runtime"
    covered = dict.fromkeys(HOST_CAUSES, 0)
    pieces, ends = _thread(facts, lane)
    left = end - begin
    for at in range(bisect.bisect_right(ends, begin), len(pieces)):
        piece_begin, piece_end, cause = pieces[at]
        if piece_begin >= end:
            break
        time = min(piece_end, end) - max(piece_begin, begin)
        covered[cause] += time
        left -= time
    covered["nothing_recorded"] += left
    return max(HOST_CAUSES, key=lambda cause: (covered[cause], -HOST_CAUSES.index(cause)))


CAUSE_OF_KIND = {"waiting": "synchronisation", "runtime": "runtime", "operator": "host_code", "frame": "host_code",
                 "annotation": "host_code"}


def _thread(facts, lane):
    """A thread, cut where anything starts or ends, and what it does in each piece: the innermost slice, or data loading around it."""
    if not hasattr(facts, "threads"):
        facts.threads, facts.members = {}, collections.defaultdict(list)
        for s in facts.trace.slices:
            if s.start < s.end:
                facts.members[s.lane].append(s)
    if lane not in facts.threads:
        changes = collections.defaultdict(list)
        for s in facts.members[lane]:
            changes[s.start].append((True, s))
            changes[s.end].append((False, s))
        pieces, active, last = [], {}, None
        for time in sorted(changes):
            if active:
                if any(facts.kind[s.order] == "dataloader" for s in active.values()):
                    cause = "dataloader"
                else:
                    innermost = min(active.values(), key=lambda s: (s.duration, -s.depth, -s.start))
                    cause = CAUSE_OF_KIND.get(facts.kind[innermost.order], "nothing_recorded")
                pieces.append((last, time, cause))
            for begins, s in changes[time]:
                if begins:
                    active[s.order] = s
                else:
                    del active[s.order]
            last = time
        facts.threads[lane] = pieces, [piece[1] for piece in pieces]
    return facts.threads[lane]


def _linked(facts, device, streams, following, launch, gap_begin):
    """The cause of a gap whose next work was launched before it.

    A `Stream Wait Event` of the same stream links the work to what it waited for if the wait was called after the launch of
    the work before it on the stream and not after its own launch. It waited for the work that was launched last on the
    other stream before the event was recorded. This work is the cause if it ended in the gap or less than 5 us before.
    """
    stream = facts.stream_of(following)
    marks = [mark for mark in facts.by_kind["stream mark"] if mark.category.lower() == "cuda_sync"
             and mark.name == "Stream Wait Event" and facts.device_of(mark) == device and facts.stream_of(mark) == stream]
    if not marks:
        return "launch_latency"
    earlier = [facts.launch[s.order].start for s in streams[stream]
               if facts.launch[s.order] is not None and facts.launch[s.order].start < launch.start]
    since = max(earlier, default=None)
    causes = set()
    for mark in marks:
        if mark.start > launch.start or (since is not None and mark.start < since):
            continue
        args = facts.args(mark)
        recorded = str(args.get("wait_on_cuda_event_record_corr_id"))
        record = next((s for s in facts.calls if s.correlation == recorded), None)
        if record is None:
            continue
        before = [s for s in streams[args.get("wait_on_stream")]
                  if facts.launch[s.order] is not None and facts.launch[s.order].start < record.start]
        last = max(before, key=lambda s: (facts.launch[s.order].start, s.start), default=None)
        if last is not None and last.end >= gap_begin - NEAR_NS:
            causes.add("communication" if last.order in facts.communication else "dependency")
    return next((cause for cause in ("communication", "dependency") if cause in causes), "launch_latency")


def idle_sums(gaps):
    sums = collections.Counter()
    for gap in gaps:
        sums[gap.cause] += gap.end - gap.begin
    return sums
