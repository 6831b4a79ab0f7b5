# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the events of a trace, pairs them and nests the slices; a part of reference.py, which has the definitions."""
import collections
import json
import re

import reference_paddle
from reference_document import Bare, Document, Tolerant
from reference_values import ABSENT, clamped, identity, nanoseconds, stream_number, text, thread_of

DEVICE_CATEGORIES = frozenset({
    "kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync", "cuda_event",
    "memcpy", "memset", "mtia_ccp_events", "hpu_op", "xpu_sync",
})
# Kinds of problems: "note" is odd but understood, "repaired" was read after a repair, "lost" means that something is
# missing.
SEVERITY = {
    "broken_event": "lost", "not_an_event": "note", "missing_timestamp": "lost", "bad_timestamp": "lost",
    "absurd_time": "lost", "far_times": "note", "no_duration": "note", "negative_duration": "repaired", "bad_duration": "repaired",
    "unknown_phase": "lost", "missing_phase": "note", "unmatched_end": "lost", "unfinished_begin": "repaired",
    "mended_text": "repaired", "bad_utf8": "repaired", "truncated_text": "lost", "truncated_archive": "lost",
    "missing_close": "repaired", "cut_document": "lost", "unread_text": "lost", "trailing_comma": "repaired", "skipped_text": "lost",
}
ANNOTATIONS = frozenset({"gpu_user_annotation", "user_annotation"})
TIMED_PHASES = frozenset("XBEiICbneSTpFstfNDOPRvVc")
KNOWN_PHASES = TIMED_PHASES | frozenset("M()")


class Slice:
    __slots__ = ("order", "phase", "category", "name", "start", "end", "lane", "device", "flags",
                 "correlation", "external_id", "python_id", "parent", "depth", "self_ns", "pid", "tid")

    @property
    def duration(self):
        return self.end - self.start


class Trace:
    def __init__(self, data):
        self.bytes = len(data)
        self.document = Document(data)
        self.trouble = self.document.trouble
        self.events = len(self.document.events)
        self.events_by_phase = collections.Counter()
        self.slices = []
        self.thread_names = {}
        base = self.document.top.get("baseTimeNanoseconds", 0)
        self.base_time_ns = base if isinstance(base, int) and not isinstance(base, bool) else 0
        self._read_events()
        reference_paddle.settle(self._exact)
        self.end_ns = max([self.end_ns, *(s.end for s, _ in self._exact)])
        self._pair_threads()
        self._pair_async()
        self._finish_open()
        self._nest()
        self.slices_by_category = collections.Counter(s.category for s in self.slices)
        self.lanes = len({s.lane for s in self.slices})

    def exit_code(self):
        return 3 if any(SEVERITY[kind] == "lost" for kind in self.trouble) else 0

    def _make(self, order, event, phase, start):
        s = Slice()
        s.order, s.phase, s.start, s.end = order, phase, start, start
        s.category, s.name = text(event.get("cat")), text(event.get("name"))
        if phase == "X":
            s.name = reference_paddle.plain_name(s.name, s.category)
        lowered = s.category.lower()
        s.pid, s.tid = thread_of(event)
        s.device = lowered in DEVICE_CATEGORIES and phase in "XB"
        s.lane = ("stream", s.pid, stream_number(s.tid)) if s.device else ("host", s.pid, s.tid)
        s.flags = set()
        if order in self.document.repaired:
            s.flags.add("repaired")
        args = event.get("args")
        s.correlation = s.external_id = ""
        s.python_id = None
        if isinstance(args, dict):
            for key in ("correlation", "correlation id"):
                if key in args:
                    s.correlation = text(args[key])
                    break
            for key in ("External id", "external id"):
                if key in args:
                    s.external_id = text(args[key])
                    break
            if lowered == "python_function":
                number = args.get("Python id")
                s.python_id = number if isinstance(number, int) and not isinstance(number, bool) else None
        s.parent, s.depth, s.self_ns = None, 0, 0
        self.slices.append(s)
        return s

    def _read_events(self):
        self._threads = collections.defaultdict(list)   # (pid, tid) -> [(time, order, event)]
        self._async = collections.defaultdict(list)     # key -> [(time, order, event)]
        self._exact = []                                # (slice, start_time)
        self.begin_ns, self.end_ns = None, None
        origin = self._origin()
        if origin:
            self.base_time_ns = 0
            self.trouble["far_times"] += 1
        for order, event in enumerate(self.document.events):
            phase = event.get("ph")
            if not isinstance(phase, str) or isinstance(phase, Bare):
                phase = ""
            self.events_by_phase[phase] += 1
            if phase == "M":
                self._metadata(event)
                continue
            time = nanoseconds(event.get("ts"))
            if phase not in KNOWN_PHASES or not phase:
                self.trouble["unknown_phase" if phase else "missing_phase"] += 1
            elif time is None and phase in TIMED_PHASES:
                self.trouble["missing_timestamp" if event.get("ts") is None else "bad_timestamp"] += 1
            if time is None:
                continue
            time -= origin
            absurd = time != clamped(time)
            end = time = clamped(time)
            if phase == "X":
                s = self._make(order, event, "X", time)
                duration = nanoseconds(event.get("dur"))
                if duration is None:
                    s.flags.add("no_duration")
                    self.trouble["no_duration" if event.get("dur") is None else "bad_duration"] += 1
                    duration = 0
                elif duration < 0:
                    s.flags.add("negative_duration")
                    self.trouble["negative_duration"] += 1
                    duration = 0
                s.end = end = clamped(time + clamped(duration))
                if absurd or end != time + duration:
                    absurd = True
                    s.flags.add("absurd_time")
                exact = reference_paddle.exact_start(event.get("args")) if s.category in reference_paddle.CATEGORIES else None
                if exact is not None and not absurd:
                    self._exact.append((s, exact))
            elif phase in ("B", "E"):
                self._threads[thread_of(event)].append((time, order, event))
            elif phase in ("b", "e", "S", "F"):
                self._async[self._async_key(event, phase)].append((time, order, event))
            if absurd:
                self.trouble["absurd_time"] += 1
                continue
            self.begin_ns = time if self.begin_ns is None else min(self.begin_ns, time)
            self.end_ns = end if self.end_ns is None else max(self.end_ns, end)
        self.begin_ns, self.end_ns = self.begin_ns or 0, self.end_ns or 0

    def _origin(self):
        times = [nanoseconds(event.get("ts")) for event in self.document.events
                 if isinstance(event.get("ph"), str) and event["ph"] in TIMED_PHASES]
        far = [time for time in times if time is not None and time != clamped(time)]
        if len(far) <= sum(time is not None for time in times) - len(far):
            return 0
        return next((time - time % 10**18 for time in far if abs(time) != 1 << 80), 0)

    @staticmethod
    def _async_id(event):
        own = event.get("id2")
        if isinstance(own, dict) and "local" in own:
            return ("local", identity(event.get("pid")), text(own["local"]))
        if isinstance(own, dict) and "global" in own:
            return ("global", text(own["global"]))
        return ("global", text(event.get("id")))

    def _async_key(self, event, phase):
        name = text(event.get("name")) if phase in "SF" else None
        return (phase in "SF", text(event.get("cat")), text(event.get("scope")), self._async_id(event), name)

    def _metadata(self, event):
        args = event.get("args")
        if event.get("name") == "thread_name" and isinstance(args, dict):
            self.thread_names[thread_of(event)] = reference_paddle.thread_name(text(args.get("name")))

    def _pair(self, rows, opening, make):
        rows.sort(key=lambda row: row[:2])
        open_slices = []
        for time, order, event in rows:
            if event["ph"] in opening:
                open_slices.append(make(order, event, time))
                continue
            name = text(event.get("name"))
            for at in range(len(open_slices) - 1, -1, -1):
                if not name or open_slices[at].name == name:
                    open_slices.pop(at).end = time
                    break
            else:
                self.trouble["unmatched_end"] += 1
        self._open += open_slices

    def _pair_threads(self):
        self._open = []
        for rows in self._threads.values():
            self._pair(rows, "B", lambda order, event, time: self._make(order, event, "B", time))

    def _pair_async(self):
        def make(order, event, time):
            s = self._make(order, event, event["ph"], time)
            s.lane = ("async", s.pid, s.category, text(event.get("scope")), self._async_id(event))
            return s
        for rows in self._async.values():
            self._pair(rows, "bS", make)

    def _finish_open(self):
        for s in self._open:
            s.end = max(self.end_ns, s.start)
            s.flags.add("unfinished")
            self.trouble["unfinished_begin"] += 1

    def _nest(self):
        self.slices.sort(key=lambda s: s.order)
        lanes = collections.defaultdict(list)
        for s in self.slices:
            lanes[s.lane].append(s)
        for lane, members in lanes.items():
            self._nest_lane(members, lane[0] == "stream", lane[0] == "host")

    @staticmethod
    def _nest_lane(members, stream, host):
        groups = collections.defaultdict(list)
        for s in members:
            groups[s.start, s.end].append(s)
        ordered = []
        for start, end in sorted(groups, key=lambda span: (span[0], -span[1])):
            group = groups[start, end]
            frames = sorted((s for s in group if s.python_id is not None), key=lambda s: s.python_id)
            if len(frames) > 1:
                frames = iter(frames)
                group = [s if s.python_id is None else next(frames) for s in group]
            ordered += group
        active = []
        covered, reached = collections.Counter(), {}
        for s in ordered:
            # A slice that ends where s starts can contain s only if both have no length.
            active = [p for p in active if p.end > s.start or (p.end == s.start and p.start == p.end)]
            best = None
            for p in active:
                if p.end >= s.end and not (p.end == s.start and p.start < p.end):
                    if best is None or p.duration <= best.duration:
                        best = p
                elif host and p.start < s.start < p.end < s.end:
                    (p if p.duration < s.duration else s).flags.add("crossing")
            s.parent = best
            if best is not None:
                s.depth = best.depth + 1
                begin = max(s.start, reached.get(best.order, s.start))
                if s.end > begin:
                    covered[best.order] += s.end - begin
                    reached[best.order] = s.end
            if not stream or s.category.lower() in ANNOTATIONS:
                active.append(s)
        for s in ordered:
            s.self_ns = s.duration if stream else s.duration - covered[s.order]

    def event_text(self, order):
        begin, end = self.document.spans[order]
        return self.document.text[begin:end]

    def args_text(self, order):
        """The source text of an event's `args` value, or None. It is found by walking the event's own keys."""
        source = self.event_text(order)
        found = None
        if self.document.strict:
            scan, blank = json.JSONDecoder().scan_once, Tolerant.BLANK
            at = blank.match(source, 1).end()
            while source[at] == '"':
                key, at = scan(source, at)
                at = blank.match(source, at).end() + 1
                at = blank.match(source, at).end()
                _, end = scan(source, at)
                if key == "args":
                    found = source[at:end]
                at = blank.match(source, end).end()
                if source[at] == ",":
                    at = blank.match(source, at + 1).end()
            return found
        walker = Tolerant(self.document)
        walker.source, walker.at = source + " ", 1
        while walker.peek() != "}":
            if walker.peek() == ",":
                walker.at += 1
                continue
            key = walker.key()
            walker.peek()
            walker.at += 1
            walker.peek()
            begin = walker.at
            walker.value(walker.AFTER_MEMBER)
            if key == "args":
                found = source[begin:walker.at]
        return found

    def steps(self):
        return sum(1 for s in self.slices if not s.device and s.category.lower() in ("user_annotation", "profilestep")
                   and re.match(r"ProfilerStep#\d+|ProfileStep", s.name))

    def lane_name(self, s):
        kind = s.lane[0]
        if kind == "async":
            return "async %s %s" % (s.category, s.lane[-1][-1])
        name = self.thread_names.get((s.pid, s.tid), "").strip()
        if kind == "stream":
            return name if name.startswith("stream") else "stream %s" % (s.lane[2],)
        return name if name and not name.startswith("stream") else "thread %s" % (s.tid if s.tid != ABSENT else "",)


def read(path):
    with open(path, "rb") as file:
        return Trace(file.read())
