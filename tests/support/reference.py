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
Device side  Decided per event by its category, in upper or lower case: see DEVICE_CATEGORIES in reference_trace.py.
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
Exit code    1: not readable; 3: something was lost (SEVERITY in reference_trace.py); 0 otherwise.
"""
import argparse
import csv
import io
import json
import sys

from reference_document import NotATrace
from reference_trace import SEVERITY, read

CSV_COLUMNS = ["id", "lane", "depth", "phase", "category", "name", "start_ns", "duration_ns", "self_ns", "parent",
               "correlation", "external_id", "flags"]


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
