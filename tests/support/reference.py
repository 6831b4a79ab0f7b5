#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A second, independent reader of Chrome traces: slow, short, and written against the definitions only.

Tests compare riffle-cli with it. It shares no code and no implementation idea with the C++ importer: strict files go
through Python's own `json` (numbers with a fraction as Decimal), files that `json` rejects through a hand-written tolerant
parser (reference_document.py). `reference.py info --json FILE` and `reference.py slices --csv FILE` answer in
the form of riffle-cli. `reference.py summary FILE` is summary_reference.py.

Definitions
-----------
Containers   An object with `traceEvents`, a bare array, or events one after another (JSON lines). Plain or gzip, by content.
Events       Every object of the event array, including `{}`. The key of `events_by_phase` is the text of `ph`, or "" if it is
             missing or not a string. An element that is not an object is not an event (`not_an_event`, a note); a list
             that contains events, which are not read, is lost (`skipped_text`).
Keys         If a key occurs twice in one event, the last one counts.
Time         Decimal text of `ts` and `dur` (number or string) times 1000, rounded half to even to an integer nanosecond. Start,
             duration and end that do not fit int64 are clamped, and the slice is flagged `absurd_time`. A string must be a
             number as a whole ("100a" is unreadable); surrounding blanks and a leading plus are allowed. Times are on the
             trace's own clock: `baseTimeNanoseconds` is not added. If more times of events do not fit int64 than do, all times count
             from the first of those, rounded down to a multiple of 10^18 ns, and `baseTimeNanoseconds` is 0.
Intervals    Half-open, [start, end).
Slices       X; B with its E; b with its e; S with its F. An unfinished B, b or S is a slice that ends at the trace's end
             and is flagged `unfinished`. Instants, counters, flows, metadata, samples, objects and marks are not slices.
             Name, category and arguments of a pair are those of the opening event.
Trace span   From the smallest start to the largest end of all events with a readable time, except metadata and absurd times.
No `dur`     An X without a readable `dur` has duration 0 and the flag `no_duration`; a negative one is 0 and flagged
             `negative_duration`. Both are counted; neither is lost.
No `ts`      A timed event without a readable `ts` (any known phase except M and the context marks "(" and ")") is not a slice,
             is counted as `missing_timestamp` or `bad_timestamp` and is lost. It stays in `events` and `events_by_phase`.
Unknown `ph` Counted (`unknown_phase`), not a slice, lost. Without any `ph`, as in `{}`: `missing_phase`, a note.
Numbers      pid and tid: integral numbers and strings that spell one canonically ("25738") are the same; other strings are
             text; anything else counts as absent, and absent is a value of its own. Any size of integer.
Paddle       A string "123(Python)" or "123(C++)" is thread 123; its name loses the same ending. In Paddle's categories a name
             loses a duration in brackets at its end, and `ts`, cut off to whole microseconds, gets back the digits of `start_time`:
             see reference_paddle.py.
Device side  Decided per event by its category, in upper or lower case: see DEVICE_CATEGORIES.
Lanes        Host: (pid, tid). Stream: (device, stream) = (pid, tid) of device-side events, tid "stream 7" being 7; a stream
             is never a host lane with equal numbers. Async: (pid of the opening event, category, id).
B and E      Per (pid, tid), ordered by time, ties in file order: an E with a name closes the most recent open B of that
             name, an E without one (or with "") the most recent open B. An E that closes nothing is lost (`unmatched_end`).
             X does not take part in this pairing.
b and e      The same among events of one category, scope and id. `id` and `id2.global` are valid for the whole trace,
             `id2.local` for one pid. Ids are compared as text. S and F: the same, but the name is a part of the key.
Parent       The shortest slice of its lane that wholly contains it: p.start <= s.start and s.end <= p.end; a zero-length s at
             p.end is outside unless p is zero-length at that time too. Of two containers of equal length the one that starts
             later is the parent. Among equal intervals the one earlier in the file is the outer one; python_function slices with a
             `Python id` take the places that they have in this order by ascending id, so the lower id is the outer one.
             In a stream lane only annotations (gpu_user_annotation, user_annotation) are parents.
Depth        The number of ancestors. (Rows are a matter of drawing and are not computed here.)
Self         Duration minus the union of the children; in stream lanes the duration.
crossing     The flag of the shorter (or, if equally long, the later) of two slices of a host lane that overlap without containment.
Exit code    1: not readable; 3: something was lost (SEVERITY below); 0 otherwise.
"""
import argparse
import collections
import csv
import io
import json
import re
import sys
from decimal import Decimal, ROUND_HALF_EVEN, localcontext

import reference_paddle
from reference_document import LONE_SURROGATE, Bare, Document, NotATrace, Tolerant

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
CSV_COLUMNS = ["id", "lane", "depth", "phase", "category", "name", "start_ns", "duration_ns", "self_ns", "parent",
               "correlation", "external_id", "flags"]
ABSENT = ("absent",)
INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1


class Slice:
    __slots__ = ("order", "phase", "category", "name", "start", "end", "lane", "device", "flags",
                 "correlation", "external_id", "python_id", "parent", "depth", "self_ns", "pid", "tid")

    @property
    def duration(self):
        return self.end - self.start


# ---------------------------------------------------------------------------------------------------------------- values

NUMBER = re.compile(r"\s*\+?(-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*\Z")


def nanoseconds(value):
    """Microseconds as found in the source, in integer nanoseconds of any size; None if they are not a number."""
    if isinstance(value, bool) or isinstance(value, Bare):
        return None
    if isinstance(value, int):
        result = value * 1000
    elif isinstance(value, (str, Decimal)):
        if isinstance(value, str):
            match = NUMBER.match(value)
            if not match:
                return None
            value = Decimal(match.group(1))
        if not value.is_finite():
            return None
        if value and value.adjusted() > 30:
            return -(1 << 80) if value < 0 else 1 << 80
        with localcontext() as context:
            context.prec = 400
            if value and value.adjusted() < -60:
                return 0
            result = int((value * 1000).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))
    else:
        return None
    return result


def clamped(value):
    return max(INT64_MIN, min(value, INT64_MAX))


CANONICAL_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z")


def identity(value):
    """A pid or tid as a comparable value."""
    if isinstance(value, bool) or isinstance(value, Bare) or value is None:
        return ABSENT
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    if isinstance(value, str):
        return int(value) if CANONICAL_INTEGER.match(value) else value
    return ABSENT


def thread_of(event):
    """The pid and tid of an event."""
    return identity(event.get("pid")), identity(reference_paddle.thread(event.get("tid")))


def text(value):
    """A name, category or id as text; "" if absent."""
    if isinstance(value, str):
        return LONE_SURROGATE.sub("\ufffd", value) if not value.isascii() else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Decimal)):
        return str(value)
    return ""


def stream_number(tid):
    if isinstance(tid, str):
        match = re.match(r"stream\s+(-?[0-9]+)", tid)
        if match:
            return int(match.group(1))
    return tid


# ----------------------------------------------------------------------------------------------------------------- trace

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


def info(trace):
    return {
        "format": "chrome-json", "bytes": trace.bytes, "events": trace.events,
        "events_by_phase": dict(trace.events_by_phase), "slices": len(trace.slices),
        "slices_by_category": dict(trace.slices_by_category), "lanes": trace.lanes, "steps": trace.steps(),
        "begin_ns": trace.begin_ns, "end_ns": trace.end_ns, "base_time_ns": trace.base_time_ns,
        "import": [{"kind": kind, "severity": SEVERITY[kind], "count": count, "examples": []}
                   for kind, count in sorted(trace.trouble.items())],
        "load_seconds": 0.0, "peak_memory_bytes": 0,
    }


def rows(trace):
    """The rows of the CSV form, the header first."""
    ids = {s.order: number for number, s in enumerate(trace.slices)}
    yield CSV_COLUMNS
    for s in trace.slices:
        yield [ids[s.order], trace.lane_name(s), s.depth, s.phase, s.category, s.name, s.start, s.duration, s.self_ns,
               "" if s.parent is None else ids[s.parent.order], s.correlation, s.external_id, "|".join(sorted(s.flags))]


def main():
    if sys.argv[1:2] == ["summary"]:
        import summary_reference  # it imports this file
        return summary_reference.main(sys.argv[2:])
    parser = argparse.ArgumentParser(description="Independent reference reader of Chrome traces, with riffle-cli's output.")
    parser.add_argument("command", choices=["info", "slices"])
    parser.add_argument("trace")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--csv", action="store_true")
    parser.add_argument("--args", action="store_true")
    parser.add_argument("--no-store", action="store_true")
    options = parser.parse_args()
    try:
        trace = read(options.trace)
    except (OSError, NotATrace) as error:
        print("reference: %s: %s" % (options.trace, error), file=sys.stderr)
        return 1
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
    if options.command == "info":
        json.dump(info(trace), out, indent=1)
        out.write("\n")
    elif options.json:
        header = None
        result = []
        for row, s in zip(rows(trace), [None] + trace.slices):
            if header is None:
                header = row
                continue
            result.append(dict(zip(header, row)))
            if options.args:
                result[-1]["args"] = trace.args_text(s.order)
        json.dump(result, out)
        out.write("\n")
    else:
        # Control characters that CSV does not quote are written as text.
        shown = {code: "\\x%02x" % code for code in range(0x20) if chr(code) not in "\t\r\n"}
        csv.writer(out, lineterminator="\n").writerows([cell.translate(shown) if isinstance(cell, str) else cell for cell in row] for row in rows(trace))
    out.flush()
    return trace.exit_code()


if __name__ == "__main__":
    sys.exit(main())
