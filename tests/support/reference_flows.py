# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The slices that flow arrows connect, for checks that read a trace with reference.py.

Definitions
-----------
Point        An event s, t or f with a readable time. It is at a place: the stream (pid, tid), where "stream 7" is 7, if such a stream has
             slices and the point is an f or the thread (pid, tid) has no slices; otherwise the thread.
Around       Slices of the place that start at the point, or start before it and end after it. The innermost one started last.
Bound to     The innermost slice around it whose correlation id is the id of the flow, except in the category fwdbwd, which has ids of its
             own. Otherwise, for a start in TensorFlow's category DataFlow, the slice that started last of those that end at the point.
             Otherwise the innermost slice around it; of those that start at the point, one with a duration comes first. An f
             without `bp: e` is bound to the next slice instead, unless a slice starts at the point. If all this finds nothing: the
             slice that started last of those that end at the point.
Arrow        Leads to each t and f from the last s or t of the same category and id before it, in order of time, ties in file order. An f
             without any takes the start after it, if that is followed neither by a t nor by an f.
"""
import collections

from reference_values import nanoseconds, stream_number, text, thread_of

FORWARD_BACKWARD = "fwdbwd"


class Point:
    def __init__(self, order, event, time):
        self.order, self.time, self.phase = order, time, event["ph"]
        self.category, self.id = text(event.get("cat")), text(event.get("id"))
        self.takes_next = self.phase == "f" and event.get("bp") != "e"
        pid, tid = thread_of(event)
        self.thread, self.stream = ("host", pid, tid), ("stream", pid, stream_number(tid))
        self.slice = None


def bind(points, members):
    """Finds the slices of the points of one place."""
    slices = sorted(members, key=lambda s: (s.start, -s.duration, s.depth, s.order))
    active, started = [], 0
    for point in sorted(points, key=lambda point: point.time):
        while started < len(slices) and slices[started].start <= point.time:
            active.append(slices[started])
            started += 1
        active = [s for s in active if s.end >= point.time]
        point.slice = bound(point, active, slices[started] if started < len(slices) else None)


def bound(point, touching, following):
    """The slice that a point is bound to, of those that start no later than it and end no earlier, and the one after it."""
    around = [s for s in touching if s.start == point.time or s.end > point.time]
    if point.category != FORWARD_BACKWARD:
        named = [s for s in around if s.correlation and s.correlation == point.id]
        if named:
            return named[-1]
    ending = [s for s in touching if s.start < point.time == s.end]
    if point.category == "DataFlow" and point.phase == "s" and ending:
        return ending[-1]
    here = [s for s in around if s.start == point.time]
    if point.takes_next and not here and following is not None:
        return following
    choices = [s for s in here if s.duration > 0] or around or ending
    return choices[-1] if choices else None


def points(trace):
    lanes = collections.defaultdict(list)
    for s in trace.slices:
        lanes[s.lane].append(s)
    found, by_lane = [], collections.defaultdict(list)
    for order, event in enumerate(trace.document.events):
        time = nanoseconds(event.get("ts"))
        if event.get("ph") not in ("s", "t", "f") or time is None:
            continue
        point = Point(order, event, time)
        found.append(point)
        on_stream = point.stream in lanes and (point.phase == "f" or point.thread not in lanes)
        by_lane[point.stream if on_stream else point.thread].append(point)
    for lane, its_points in by_lane.items():
        bind(its_points, lanes.get(lane, ()))
    return found


def arrows(trace):
    """Pairs of points."""
    groups = collections.defaultdict(list)
    for point in points(trace):
        groups[point.category, point.id].append(point)
    for group in groups.values():
        group.sort(key=lambda point: (point.time, point.order))
        source = None
        for at, point in enumerate(group):
            if point.phase == "s":
                source = point
                continue
            before = source
            if before is None:
                later = [other for other in group[at + 1:] if other.phase != "f"]
                if later and later[0].phase == "s":
                    following = group[group.index(later[0]) + 1:]
                    before = later[0] if not following or following[0].phase == "s" else None
            if before is not None:
                yield before, point
            if point.phase == "t":
                source = point
