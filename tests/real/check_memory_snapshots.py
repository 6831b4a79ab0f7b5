#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares `riffle-cli memory info` and the figures of `check` with Python's own unpickling, for every memory snapshot in a folder of real files.

    check_memory_snapshots.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. The unpickler refuses everything that is not plain
data. Computed here from the objects are the counts of entries by device and action, the distinct stacks and frames, the final state,
the levels at the start of the history and their peaks, and what the ring buffer has lost. Exit code 77 if the folder does not exist.
"""
import base64
import collections
import io
import json
import pickle
import pickletools
import re
import subprocess

import real_files

TIMEOUT_SECONDS = 120


class PlainData(pickle.Unpickler):
    """Unpickles plain data only, without running code."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError("%s.%s in a snapshot" % (module, name))


def pickle_of(path):
    data = path.read_bytes()
    if path.suffix == ".html":
        data = base64.b64decode(re.search(rb'"base64":\s*"([^"]+)"', data).group(1))
    return data


def stack_of(frames):
    return tuple((frame["name"], frame["filename"], frame["line"]) for frame in frames or [])


def levels(trace, segments):
    """The allocated, active and reserved bytes before the first entry and after each entry, computed back from the final state."""
    blocks = [block for segment in segments for block in segment["blocks"]]
    allocated = sum(block["requested_size"] for block in blocks if block["state"] == "active_allocated")
    pending = sum(block["requested_size"] for block in blocks if block["state"] in ("active_pending_free", "active_awaiting_free"))
    level = [allocated, allocated + pending, sum(segment["total_size"] for segment in segments)]
    change = {"alloc": (1, 1, 0), "free_requested": (-1, 0, 0), "free_completed": (0, -1, 0), "segment_alloc": (0, 0, 1),
              "segment_map": (0, 0, 1), "segment_free": (0, 0, -1), "segment_unmap": (0, 0, -1)}
    found = [tuple(level)]
    for entry in reversed(trace):
        for at, sign in enumerate(change.get(entry["action"], (0, 0, 0))):
            level[at] -= sign * entry["size"]
        found.append(tuple(level))
    return found[::-1]


def expected_device(trace, segments):
    open_at, unknown, allocations = set(), 0, 0
    for entry in trace:
        if entry["action"] == "alloc":
            open_at.add(entry["addr"])
            allocations += 1
        elif entry["action"] == "free_completed":
            unknown += entry["addr"] not in open_at
            open_at.discard(entry["addr"])
    alive = {block["address"] for segment in segments for block in segment["blocks"] if block["state"].startswith("active")}
    of_time = levels(trace, segments)
    peaks = [max(level[at] for level in of_time) for at in range(3)]
    first = [level[0] for level in of_time].index(peaks[0])
    times = [entry["time_us"] * 1000 for entry in trace if "time_us" in entry]
    return {
        "events": len(trace), "segments": len(segments), "blocks": sum(len(segment["blocks"]) for segment in segments),
        "allocations": allocations + unknown + len(alive - open_at), "freed_from_before": unknown, "alive_from_before": len(alive - open_at),
        "begin_allocated": of_time[0][0], "begin_active": of_time[0][1], "begin_reserved": of_time[0][2],
        "end_allocated": of_time[-1][0], "end_active": of_time[-1][1], "end_reserved": of_time[-1][2],
        "peak_allocated": peaks[0], "peak_active": peaks[1], "peak_reserved": peaks[2], "peak_allocated_event": first - 1 if first else None,
        "end_blocks": sum(segment["allocated_size"] for segment in segments),
        "begin_unix_ns": min(times, default=None), "end_unix_ns": max(times, default=None),
        "double_allocations": 0, "vanished": len(open_at - alive), "unknown_frees": 0, "impossible_sizes": 0, "other_sizes": 0,
        "overlapping_blocks": 0,
    }


FIGURES = {"memory.peak": "peak_allocated", "memory.peak_active": "peak_active", "memory.peak_reserved": "peak_reserved",
           "memory.begin": "begin_allocated", "memory.end": "end_allocated", "memory.end_reserved": "end_reserved"}


def checked_figures(cli, path, device):
    """The figures of a device as `riffle-cli check` prints them; None for those that it does not judge."""
    names = [*FIGURES, "memory.growth", "memory.oom"]
    done = subprocess.run(cli + ["check", "--no-store", "--device", str(device), str(path)] + [word for name in names for word in ("--max", name + "<=1e15")],
                          capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    values = [line.rsplit("  ", 2)[1].replace(",", "") for line in done.stdout.splitlines()]
    return {name: None if value.startswith("not recorded") else int(value) for name, value in zip(names, values)}


def expected_figures(device, trace, recorded):
    """The same from the facts of expected_device(). Without any history, only the end is known."""
    figures = {name: device[key] for name, key in FIGURES.items()}
    figures["memory.growth"] = device["end_allocated"] - device["begin_allocated"]
    figures["memory.oom"] = sum(entry["action"] == "oom" for entry in trace)
    return {name: value if recorded or name.startswith("memory.end") else None for name, value in figures.items()}


def check(cli, path):
    done = subprocess.run(cli + ["memory", "info", str(path), "--format", "json"], capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
                          check=False)
    if done.returncode:
        return ["exit %d: %s" % (done.returncode, done.stderr.strip())]
    answer = json.loads(done.stdout)
    data = pickle_of(path)
    with_stop = 0
    for opcode, argument, position in pickletools.genops(data):
        protocol = argument if opcode.name == "PROTO" else None
        if protocol is not None and protocol != answer["protocol"]:
            return ["protocol %s, not %s" % (answer["protocol"], protocol)]
        with_stop = position + 1
    snapshot = PlainData(io.BytesIO(data)).load()
    segments = snapshot if isinstance(snapshot, list) else snapshot["segments"]
    traces = [] if isinstance(snapshot, list) else snapshot["device_traces"]

    lines = []

    def same(what, found, wanted):
        if found != wanted:
            lines.append("%s: %r, not %r" % (what, found, wanted))

    everything = [entry for trace in traces for entry in trace] + segments + [block for segment in segments for block in segment["blocks"]]
    stacks = {stack_of(one.get("frames")) for one in everything} - {()}
    same("pickle_bytes", answer["pickle_bytes"], with_stop)
    same("state_only", answer["state_only"], isinstance(snapshot, list))
    same("events", answer["events"], sum(map(len, traces)))
    same("stacks", answer["stacks"], len(stacks))
    same("frames", answer["frames"], len({frame for stack in stacks for frame in stack}))
    same("annotations", answer["annotations"], 0 if isinstance(snapshot, list) else len(snapshot.get("external_annotations", [])))
    same("settings", sorted(answer["settings"]), [] if isinstance(snapshot, list) else sorted(snapshot.get("allocator_settings", {})))

    marks = collections.Counter((mark["name"], mark["device"]) for mark in ([] if isinstance(snapshot, list) else snapshot.get("external_annotations", []))
                                if mark["stage"] == "START")
    same("marks", {(row["name"], row["device"]): row["ranges"] for row in answer["marks"] if row["ranges"]}, dict(marks))
    ooms = [(device, event, entry["size"], entry["device_free"]) for device, trace in enumerate(traces) for event, entry in enumerate(trace)
            if entry["action"] == "oom"]
    same("out of memory", [(int(row["device"].split()[1]), row["event"], row["asked_bytes"], row["device_free_bytes"]) for row in answer["out_of_memory"]], ooms)

    actions = collections.Counter()
    sizes = collections.Counter()
    for device, trace in enumerate(traces):
        for entry in trace:
            actions["device %d" % device, entry["action"]] += 1
            sizes["device %d" % device, entry["action"]] += entry["size"] if entry["action"] != "snapshot" else 0
    same("actions", {(row["device"], row["action"]): row["events"] for row in answer["actions"]}, dict(actions))
    same("bytes by action", {(row["device"], row["action"]): row["bytes"] for row in answer["actions"]}, dict(sizes))

    devices = sorted({segment["device"] for segment in segments} | {device for device, trace in enumerate(traces) if trace})
    same("devices", [row["device"] for row in answer["devices"]], ["device %d" % device for device in devices])
    for row, device in zip(answer["devices"], devices):
        trace = traces[device] if device < len(traces) else []
        facts = expected_device(trace, [segment for segment in segments if segment["device"] == device])
        for key, wanted in facts.items():
            same("device %d: %s" % (device, key), row[key], wanted)
        same("device %d: check" % device, checked_figures(cli, path, device), expected_figures(facts, trace, any(traces)))
    return lines


def main():
    files = real_files.RealFiles(__doc__, ("memsnap",))
    failed = 0
    for path in files.paths:
        lines = check(files.cli, path)
        real_files.report(files.name(path), lines)
        failed += bool(lines)
    print("%d snapshots, %d differ" % (len(files.paths), failed))
    files.finish(failed, "snapshots")


if __name__ == "__main__":
    main()
