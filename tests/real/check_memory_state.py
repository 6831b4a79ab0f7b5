#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares `riffle-cli memory state` at many instants with a reconstruction in Python, for every memory snapshot in a folder of real files.

    check_memory_state.py --cli build/release/bin/riffle-cli [--filter REGEX] [--instants 12] [--seed 1]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Blocks are kept here in a dict by address, and mapped
memory as a set of pages of 2 MiB; both are traced back from the final state. Then the sizes of all blocks are followed forward by the
allocator's rules. They must be those that the final state and the snapshot entries of the history record. Segments, blocks, holes and
figures at the start and the end of the history and at random events must be equal. Then the state at the start, as riffle-cli reports it,
is replayed forward through the whole history, which must lead to the final state in the file. Also compared are random rows of the series
over the history, the peaks of streams, and what `memory oom` reports about each allocation that failed. Exit code 77 if the folder does not exist.
"""
import bisect
import io
import json
import math
import random
import subprocess

import check_memory_snapshots
import real_files

PAGE = 2 << 20
ROUNDING = 512
SMALL_SEGMENT = 2 << 20
KEPT = 1 << 20  # the largest remainder that stays in a block of a large segment


class State:
    """The memory of a device: fixed segments and pages by address, and blocks by address as [size or None, requested, pending]."""

    def __init__(self, segments):
        self.fixed, self.pages, self.blocks, self.sizes = {}, {}, {}, {}
        for segment in segments:
            if segment.get("is_expandable"):
                self.map(segment["address"], segment["total_size"], segment["stream"])
            else:
                self.fixed[segment["address"]] = (segment["total_size"], segment["stream"])
            for block in segment["blocks"]:
                if block["state"] != "inactive":
                    self.blocks[block["address"]] = [block["size"], block["requested_size"], block["state"] != "active_allocated"]

    def map(self, address, size, stream):
        assert address % PAGE == 0 and size % PAGE == 0
        for page in range(address, address + size, PAGE):
            assert page not in self.pages
            self.pages[page] = stream

    def unmap(self, address, size):
        for page in range(address, address + size, PAGE):
            del self.pages[page]

    def undo(self, entry, number=None):
        action, address, size = entry["action"], entry.get("addr"), entry.get("size")
        if action == "alloc":
            del self.blocks[address]
        elif action == "free_completed":
            assert address not in self.blocks
            self.blocks[address] = [self.sizes.get(number), size, True]
        elif action == "free_requested":
            self.blocks[address][2] = False
        elif action == "segment_alloc":
            assert self.fixed.pop(address)[0] == size
        elif action == "segment_free":
            assert address not in self.fixed
            self.fixed[address] = (size, entry["stream"])
        elif action == "segment_map":
            self.unmap(address, size)
        elif action == "segment_unmap":
            self.map(address, size, entry["stream"])

    def redo(self, entry):
        action, address, size = entry["action"], entry.get("addr"), entry.get("size")
        if action == "alloc":
            assert address not in self.blocks
            self.blocks[address] = [None, size, False]
        elif action == "free_requested":
            self.blocks[address][2] = True
        elif action == "free_completed":
            del self.blocks[address]
        elif action == "segment_alloc":
            self.fixed[address] = (size, entry["stream"])
        elif action == "segment_free":
            assert self.fixed.pop(address)[0] == size
        elif action == "segment_map":
            self.map(address, size, entry["stream"])
        elif action == "segment_unmap":
            self.unmap(address, size)

    def segments(self):
        """(address, size, stream, expandable), ordered by address; adjacent pages are one segment."""
        found = [(address, size, stream, False) for address, (size, stream) in self.fixed.items()]
        begin = last = None
        for page in sorted(self.pages) + [None]:
            if begin is not None and (page is None or page != last + PAGE or self.pages[page] != self.pages[last]):
                found.append((begin, last + PAGE - begin, self.pages[begin], True))
                begin = page
            elif begin is None:
                begin = page
            last = page
        return sorted(found)

    def pieces(self):
        """(address, state, size, requested or None) of blocks and holes, ordered by address."""
        starts, found, at = sorted(self.blocks), [], 0
        for address, size, _, _ in self.segments():
            cursor, end = address, address + size
            while at < len(starts) and starts[at] < end:
                start = starts[at]
                assert start >= cursor, "a block is outside all segments, or two blocks overlap"
                known, requested, pending = self.blocks[start]
                following = min(starts[at + 1] if at + 1 < len(starts) else end, end)
                block = min(known if known is not None else rounded(requested), following - start)
                if start > cursor:
                    found.append((cursor, "free", start - cursor, None))
                found.append((start, "pending" if pending else "active", block, requested))
                cursor = start + block
                at += 1
            if cursor < end:
                found.append((cursor, "free", end - cursor, None))
        assert at == len(starts), "a block is outside all segments"
        return found


def rounded(size):
    return max(-(-size // ROUNDING), 1) * ROUNDING


def padding_of(segments):
    """The allocator for Ascend devices adds 32 bytes to each request; files do not say so, but the sizes of blocks do."""
    blocks = [block for segment in segments for block in segment["blocks"] if block["state"] != "inactive"]
    fits = [sum(block["size"] == rounded(block["requested_size"] + padding) for block in blocks) for padding in (0, 32)]
    return 32 if fits[1] > fits[0] else 0


class Sizes:
    """The sizes of blocks, followed forward by the rules of PyTorch's allocator: `at_free` by the number of the free_completed entry."""

    def __init__(self, begin, final, trace, expandable, padding):
        self.padding = padding
        self.at_free, self.wrong, self.fixed, self.split = {}, [], dict(begin.fixed), expandable
        self.starts, self.of, self.open = sorted(begin.blocks), {}, set()
        for at, start in enumerate(self.starts):
            _, requested, _ = begin.blocks[start]
            self.of[start] = rounded(requested + padding)
            end = self.large_end(start)
            if end is None:
                continue
            hole = min(self.starts[at + 1] if at + 1 < len(self.starts) else end, end) - start
            if hole - self.of[start] <= KEPT:
                self.of[start] = hole
            else:
                self.open.add(start)
        for number, entry in enumerate(trace):
            self.take(number, entry)
        self.wrong += ["the block at 0x%x has %d bytes, not %d" % (start, final.blocks[start][0], size) for start, size in sorted(self.of.items())
                       if start not in self.open and final.blocks[start][0] != size]

    def large_end(self, address):
        """The end of the fixed segment for large blocks that contains an address, if it may keep remainders."""
        starts = sorted(self.fixed)
        at = bisect.bisect_right(starts, address) - 1
        if self.split or at < 0 or address >= starts[at] + self.fixed[starts[at]][0] or self.fixed[starts[at]][0] <= SMALL_SEGMENT:
            return None
        return starts[at] + self.fixed[starts[at]][0]

    def take(self, number, entry):
        action, address, size = entry["action"], entry.get("addr"), entry.get("size")
        if action == "segment_alloc":
            self.fixed[address] = (size, entry["stream"])
        elif action == "segment_free":
            del self.fixed[address]
        elif action == "free_completed":
            self.at_free[number] = self.of.pop(address)
            self.open.discard(address)
            self.starts.remove(address)
        elif action == "alloc":
            self.allocate(address, size)
        elif action == "snapshot" and size and not self.open and size != sum(self.of.values()):
            self.wrong.append("entry %d records %d bytes in blocks, not %d" % (number, size, sum(self.of.values())))

    def allocate(self, address, size):
        at = bisect.bisect_left(self.starts, address)
        end, before = self.large_end(address), self.starts[at - 1] if at else None
        if before in self.open and end == self.large_end(before) and address - before - self.of[before] <= KEPT:
            self.of[before] = address - before
            self.open.discard(before)
        self.of[address] = rounded(size + self.padding)
        if end is not None:
            hole = min(self.starts[at] if at < len(self.starts) else end, end) - address
            if hole - self.of[address] <= KEPT:
                self.of[address] = hole
        self.starts.insert(at, address)


def sizes_of(trace, segments, settings):
    begin = State(segments)
    for entry in reversed(trace):
        begin.undo(entry)
    expandable = settings.get("expandable_segments", any(segment.get("is_expandable") for segment in segments)
                              or any(entry["action"] == "segment_map" for entry in trace))
    return Sizes(begin, State(segments), trace, expandable, padding_of(segments))


def figures(segments, pieces):
    reserved = sum(size for _, size, _, _ in segments)
    holes = [size for _, state, size, _ in pieces if state == "free"]
    blocks = sum(size for _, state, size, _ in pieces if state != "free")
    allocated = sum(requested for _, state, _, requested in pieces if state == "active")
    pending = sum(requested for _, state, _, requested in pieces if state == "pending")
    return {
        "reserved": reserved, "allocated": allocated, "pending": pending, "active": allocated + pending, "in_blocks": blocks,
        "rounding": blocks - allocated - pending, "free": sum(holes), "largest_free": max(holes, default=0), "holes": len(holes),
        "segments": len(segments), "blocks": sum(state != "free" for _, state, _, _ in pieces),
        "fragmentation": 1 - max(holes) / sum(holes) if holes else 0,
        "squared_fragmentation": sum(hole * hole for hole in holes) / reserved ** 2 if reserved else 0,
    }


def stream_name(stream):
    return "default stream" if stream == 0 else "stream 0x%x" % stream


def run(cli, *words):
    done = subprocess.run(cli + ["memory"] + [str(word) for word in words] + ["--format", "json"], capture_output=True, text=True,
                          timeout=check_memory_snapshots.TIMEOUT_SECONDS, check=False)
    if done.returncode:
        raise ValueError("exit %d: %s" % (done.returncode, done.stderr.strip()))
    return json.loads(done.stdout)


def ask(cli, path, device, at):
    return run(cli, "state", path, "--device", device, "--at", at)


def compare_figures(what, row, wanted):
    return ["%s: %s is %r, not %r" % (what, key, row[key], value) for key, value in wanted.items()
            if key in row and not math.isclose(row[key], value, rel_tol=1e-12)]


def stream_peaks(trace, segments):
    """The peaks of (allocated, active, reserved) over the history by stream, computed back from the final state."""
    levels, change = {}, {"alloc": (1, 1, 0), "free_requested": (-1, 0, 0), "free_completed": (0, -1, 0), "segment_alloc": (0, 0, 1),
                          "segment_map": (0, 0, 1), "segment_free": (0, 0, -1), "segment_unmap": (0, 0, -1)}
    for segment in segments:
        level = levels.setdefault(segment["stream"], [0, 0, 0])
        level[2] += segment["total_size"]
        for block in segment["blocks"]:
            if block["state"] != "inactive":
                level[1] += block["requested_size"]
                level[0] += block["requested_size"] if block["state"] == "active_allocated" else 0
    peaks = {stream: list(level) for stream, level in levels.items()}
    for entry in reversed(trace):
        level = levels.setdefault(entry["stream"], [0, 0, 0])
        for at, sign in enumerate(change.get(entry["action"], (0, 0, 0))):
            level[at] -= sign * entry["size"]
        peaks[entry["stream"]] = [max(pair) for pair in zip(peaks.setdefault(entry["stream"], [0, 0, 0]), level)]
    return peaks


def least_segment(asked, expandable):
    if asked <= KEPT:
        return SMALL_SEGMENT
    if expandable:
        return max(asked, 20 << 20)
    return 20 << 20 if asked < 10 << 20 else -(-asked // PAGE) * PAGE


def verdict_on(asked, device_free, state, stream, expandable):
    """Only for a moment when nothing is pending; check_memory_simulated.py has all verdicts."""
    streams = {address: of for address, _, of, _ in state.segments()}
    holes, own, of = [], [], None
    for address, kind, size, _ in state.pieces():
        of = streams.get(address, of)
        if kind == "free":
            holes.append(size)
            own += [size] if of == stream else []
    rules = [("refused", device_free >= least_segment(asked, expandable)), ("segment size", device_free >= asked),
             ("other pool", max(own, default=0) >= asked), ("other stream", max(holes, default=0) >= asked),
             ("fragmentation", sum(holes) >= asked), ("divided", sum(holes) + device_free >= asked), ("demand", True)]
    return next(name for name, holds in rules if holds)


def compare_failure(what, row, entry, state, expandable):
    wanted = figures(state.segments(), state.pieces())
    waits = sum(size for _, kind, size, _ in state.pieces() if kind == "pending")
    wanted.update(cached=wanted["free"], asked=entry["size"], device_free=entry["device_free"], pending_blocks=waits,
                  segment=least_segment(entry["size"], expandable), lacking=max(0, entry["size"] - wanted["free"] - waits - entry["device_free"]))
    lines = compare_figures(what, row, wanted)
    verdict = verdict_on(entry["size"], entry["device_free"], state, entry["stream"], expandable)
    if not waits and row["verdict"] != verdict:
        lines.append("%s: verdict %r, not %r" % (what, row["verdict"], verdict))
    return lines


def compare(what, answer, state):
    segments, pieces = state.segments(), state.pieces()
    lines = ["%s: %s" % (what, remark) for remark in answer["remarks"]]
    found = [(int(row["address"], 16), row["reserved"], row["stream"], row["expandable"] == "yes") for row in answer["segments"]]
    if found != [(address, size, stream_name(stream), expandable) for address, size, stream, expandable in segments]:
        lines.append("%s: segments differ (%d, not %d)" % (what, len(found), len(segments)))
    found = [(int(row["address"], 16), row["state"], row["size"], row["requested"]) for row in answer["blocks"]]
    if found != pieces:
        odd = next((pair for pair in zip(found, pieces) if pair[0] != pair[1]), (len(found), len(pieces)))
        lines.append("%s: blocks differ: %r, not %r" % ((what,) + odd))
    return lines + compare_figures(what, answer["figures"][0], figures(segments, pieces))


def check_device(cli, path, trace, segments, settings, device, instants, rng):
    state, sizes = State(segments), sizes_of(trace, segments, settings)
    state.sizes = sizes.at_free
    wanted = {len(trace) - 1} | {rng.randrange(len(trace)) for _ in range(instants)} if trace else set()
    wanted |= {at for at, entry in enumerate(trace) if entry["action"] in ("oom", "segment_unmap")}
    lines = ["device %d: %s" % (device, wrong) for wrong in sizes.wrong]
    series = {-1 if row["event"] is None else row["event"]: row for row in run(cli, "state", path, "--device", device, "--table", "series")}
    chosen = set(rng.sample(sorted(series), min(150, len(series)))) | {-1}
    failures = {row["event"]: row for row in run(cli, "oom", path) if row["device"] == "device %d" % device}
    if set(failures) != {at for at, entry in enumerate(trace) if entry["action"] == "oom"}:
        lines.append("device %d: the failures differ: %r" % (device, sorted(failures)))
    peaks = {row["of"]: [row["peak_allocated"], row["peak_active"], row["peak_reserved"]]
             for row in run(cli, "state", path, "--device", device, "--table", "peaks")}
    for stream, wanted in stream_peaks(trace, segments).items():
        if peaks.get(stream_name(stream), [0, 0, 0]) != wanted:
            lines.append("device %d, %s: peaks %r, not %r" % (device, stream_name(stream), peaks.get(stream_name(stream)), wanted))
    for at in range(len(trace) - 1, -1, -1):
        if at in failures:
            lines += compare_failure("device %d, failure %d" % (device, at), failures[at], trace[at], state,
                                     settings.get("expandable_segments", False))
        if at in chosen:
            lines += compare_figures("device %d, series %d" % (device, at), series[at], figures(state.segments(), state.pieces()))
        if at in wanted:
            lines += compare("device %d, event %d" % (device, at), ask(cli, path, device, at), state)
        state.undo(trace[at], at)
    lines += compare_figures("device %d, series, start" % device, series[-1], figures(state.segments(), state.pieces()))
    answer = ask(cli, path, device, "begin")
    lines += compare("device %d, start" % device, answer, state)

    forward = State([])
    for row in answer["segments"]:
        stream = 0 if row["stream"] == "default stream" else int(row["stream"].split()[1], 16)
        if row["expandable"] == "yes":
            forward.map(int(row["address"], 16), row["reserved"], stream)
        else:
            forward.fixed[int(row["address"], 16)] = (row["reserved"], stream)
    for row in answer["blocks"]:
        if row["state"] != "free":
            forward.blocks[int(row["address"], 16)] = [None, row["requested"], row["state"] == "pending"]
    for entry in trace:
        forward.redo(entry)
    final = State(segments)
    if forward.segments() != final.segments() or forward.pages != final.pages:
        lines.append("device %d: a replay from the start leads to other segments at the end" % device)
    if {at: block[1:] for at, block in forward.blocks.items()} != {at: block[1:] for at, block in final.blocks.items()}:
        lines.append("device %d: a replay from the start leads to other blocks at the end" % device)
    return lines, len(wanted) + len(chosen) + 1


def main():
    def add_options(parser):
        parser.add_argument("--instants", type=int, default=12, help="number of random events per device")
        parser.add_argument("--seed", type=int, default=1)

    files = real_files.RealFiles(__doc__, ("memsnap",), add_options)
    rng = random.Random(files.options.seed)
    failed = instants = 0
    for path in files.paths:
        snapshot = check_memory_snapshots.PlainData(io.BytesIO(check_memory_snapshots.pickle_of(path))).load()
        segments = snapshot if isinstance(snapshot, list) else snapshot["segments"]
        traces = [] if isinstance(snapshot, list) else snapshot["device_traces"]
        settings = {} if isinstance(snapshot, list) else snapshot.get("allocator_settings", {})
        lines = []
        for device in sorted({segment["device"] for segment in segments} | {device for device, trace in enumerate(traces) if trace}):
            more, compared = check_device(files.cli, path, traces[device] if device < len(traces) else [],
                                          [segment for segment in segments if segment["device"] == device], settings, device, files.options.instants,
                                          rng)
            lines += more
            instants += compared
        real_files.report(files.name(path), lines[:20])
        failed += bool(lines)
    print("%d snapshots, %d instants, %d files differ" % (len(files.paths), instants, failed))
    files.finish(failed, "snapshots")


if __name__ == "__main__":
    main()
