#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the tables of `riffle-cli sql` with what Python reads in every memory snapshot of a folder of real files.

    check_memory_queries.py --cli build/release/bin/riffle-cli [--filter REGEX]

Compared for each device are the events with action, address, size and stream; the allocations with address, size and events, as the replay
of memory_replay.py finds them; what is alive at the peak and at the end; the segments and their blocks; and the frames of the stack
of every event. The sums over what is alive at the peak and the number of events are also compared with `memory info`. Exit code 77 if the
folder does not exist.
"""
import csv
import io
import json
import subprocess

import real_files
from check_memory_snapshots import PlainData, pickle_of
from memory_replay import replay, stream_name

TIMEOUT_SECONDS = 120

csv.field_size_limit(1 << 30)


def run(cli, *words):
    done = subprocess.run(cli + list(words), capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode:
        raise ValueError("%s: exit %d: %s" % (" ".join(words), done.returncode, done.stderr.strip()))
    return done.stdout


def ask(cli, path, sql):
    return [tuple(row) for row in csv.reader(io.StringIO(run(cli, "sql", "--no-store", "--limit", "100000000", "--format", "csv", str(path), sql), newline=""))][1:]


def texts(*row):
    return tuple("" if cell is None else str(cell) for cell in row)


def peak_of(trace, allocations):
    """The largest level of allocated bytes and the first event that reached it; −1 before the first event."""
    level = peak = sum(one.size for one in allocations if one.alive(-1) and not one.pending(-1))
    event = -1
    for at, entry in enumerate(trace):
        level += entry["size"] if entry["action"] == "alloc" else -entry["size"] if entry["action"] == "free_requested" else 0
        if level > peak:
            peak, event = level, at
    return peak, event


def state(one, event):
    return None if not one.alive(event) else "active_pending_free" if one.pending(event) else "active_allocated"


def events_of(trace):
    for at, entry in enumerate(trace):
        out_of_memory = entry["action"] == "oom"
        yield texts(at, entry["action"], None if out_of_memory else "0x%x" % entry["addr"], entry["size"],
                    entry.get("device_free") if out_of_memory else None, stream_name(entry["stream"]))


def stacks_of(trace):
    return [tuple(texts(frame["name"], frame["filename"], frame["line"]) for frame in entry.get("frames") or []) for entry in trace]


def device_questions(device, trace, segments):
    """Yields an SQL query and its answer, in any order."""
    where = " where host = 0 and device = %d" % device
    yield "select event, action, address, size, device_free, stream from events" + where, list(events_of(trace))
    allocations = replay(trace, segments)
    peak, event = peak_of(trace, allocations)
    yield ("select address, size, begin_event, freed_event, end_event, stream, at_peak, at_end from allocations" + where,
           [texts("0x%x" % one.address, one.size, one.begin, one.freed, one.end, stream_name(one.stream), state(one, event),
                  state(one, len(trace) - 1)) for one in allocations])
    yield ("select sum(size) from allocations" + where + " and at_peak = 'active_allocated'",
           [texts(peak or (0 if any(state(one, event) == "active_allocated" for one in allocations) else None))])
    yield ("select address, size, allocated, active, stream, kind, expandable from segments" + where,
           [texts("0x%x" % one["address"], one["total_size"], one["allocated_size"], one["active_size"], stream_name(one["stream"]),
                  one["segment_type"], int(one.get("is_expandable", False))) for one in segments])
    yield ("select s.address, b.address, b.size, b.requested, b.state from blocks b join segments s on s.id = b.segment_id" + where,
           [texts("0x%x" % one["address"], "0x%x" % block["address"], block["size"], block.get("requested_size", block["size"]),
                  block["state"].replace("awaiting", "pending")) for one in segments for block in one["blocks"]])


def check_stacks(cli, path, device, trace):
    frames = {}
    for stack, function, file, line in ask(cli, path, "select stack_id, function, file, line from stacks order by stack_id, depth"):
        frames.setdefault(stack, []).append((function, file, line))
    found = [tuple(frames.get(stack, ())) for _, stack in ask(cli, path, "select event, stack_id from events where host = 0 and device = %d order by event" % device)]
    wanted = stacks_of(trace)
    if found != wanted:
        at = next((at for at, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1]), min(len(found), len(wanted)))
        yield "device %d: the stack of event %d differs: %r, not %r" % (device, at, found[at:at + 1], wanted[at:at + 1])


def check(cli, path):
    snapshot = PlainData(io.BytesIO(pickle_of(path))).load()
    segments = snapshot if isinstance(snapshot, list) else snapshot["segments"]
    traces = [] if isinstance(snapshot, list) else snapshot["device_traces"]
    for device in sorted({segment["device"] for segment in segments} | {at for at, trace in enumerate(traces) if trace}):
        trace = traces[device] if device < len(traces) else []
        for sql, wanted in device_questions(device, trace, [one for one in segments if one["device"] == device]):
            found, wanted = sorted(ask(cli, path, sql)), sorted(wanted)
            if found != wanted:
                yield "%s: %d rows, not %d; the first difference is %r" % (
                    sql, len(found), len(wanted), next((pair for pair in zip(found, wanted) if pair[0] != pair[1]), "beyond"))
        yield from check_stacks(cli, path, device, trace)
    info = {row["device"]: row for row in json.loads(run(cli, "memory", "info", str(path), "--format", "json"))["devices"]}
    for number, events, peak, end in ask(cli, path, "select device, (select count(*) from events e where e.device = d.device), (select coalesce(sum(size), 0) from"
                                                    " allocations a where a.device = d.device and at_peak = 'active_allocated'), (select coalesce(sum(size), 0) from"
                                                    " allocations a where a.device = d.device and at_end is not null) from devices d where host = 0"):
        row = info["device " + number]
        if (int(events), int(peak), int(end)) != (row["events"], row["peak_allocated"], row["end_active"]):
            yield "device %s: %s events, %s bytes at the peak and %s at the end, not as in memory info" % (number, events, peak, end)


def main():
    files = real_files.RealFiles(__doc__, ("memsnap",))
    failed = 0
    for path in files.paths:
        try:
            lines = list(check(files.cli, path))
        except ValueError as error:
            lines = [str(error)]
        real_files.report(files.name(path), lines[:10])
        failed += bool(lines)
    print("%d snapshots, %d differ" % (len(files.paths), failed))
    files.finish(failed, "snapshots")


if __name__ == "__main__":
    main()
