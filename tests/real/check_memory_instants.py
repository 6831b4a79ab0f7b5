#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what is alive according to `riffle-cli memory --at …` with a replay in Python, for every memory snapshot in a folder of real
files.

    check_memory_instants.py --cli build/release/bin/riffle-cli [--filter REGEX] [--instants N] [--seed N]

The instants for every device are the peak, the first oom, the start, the end, and random events. Compared are the sets of allocations that
are alive (address, bytes, state, start, end, stream); the trees by stack, module, operator, category, stream, pool and size, with bytes,
pending bytes and counts; and `memory diff` between consecutive instants. The replay (memory_replay.py) goes forward, as PyTorch's viewer
does, whereas the model goes back. Frames are folded and named independently (memory_groups.py), and so are the rules that `memory rules`
prints applied (memory_rules.py). Exit code 77 if the folder does not exist.
"""
import concurrent.futures
import io
import json
import random
import subprocess

import real_files
from check_memory_snapshots import PlainData, pickle_of
from memory_groups import by_module, by_operator, by_pool, by_size, by_stack, grouped, titled
from memory_replay import replay, stream_name
from memory_rules import Rules, module_files, stacks_of

TIMEOUT_SECONDS = 120


def tree_of(rows, by):
    tree, path, before = {}, [], {}
    for row in rows:
        del path[row["depth"]:]
        if len(path) != row["depth"]:
            raise ValueError("depth %d follows depth %d" % (row["depth"], len(path)))
        siblings = tuple(path)
        rank = (-row["bytes"], row[by].encode())
        if siblings in before and before[siblings] > rank:
            raise ValueError("%r is not in order" % row[by])
        before[siblings] = rank
        path.append(row[by])
        assert tuple(path) not in tree, "%r occurs twice" % (path,)
        tree[tuple(path)] = (row["bytes"], row["pending_bytes"], row["allocations"], row["own_bytes"])
        for deeper in [key for key in before if len(key) > row["depth"]]:
            del before[deeper]
    return tree


class Checker:
    def __init__(self, cli, path):
        self.cli, self.path = cli, path

    def run(self, *words):
        done = subprocess.run(self.cli + ["memory", *words], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
        if done.returncode:
            raise ValueError("%s: exit %d: %s" % (" ".join(words), done.returncode, done.stderr.strip()))
        return done.stdout

    def ask(self, *options):
        return json.loads(self.run(str(self.path), "--format", "json", *options))

    def check_difference(self, device, moments, allocations, by, path_of):
        (at, event), (later, later_event) = moments
        rows = json.loads(self.run("diff", str(self.path), "--format", "json", "--device", str(device), "--from", at, "--to", later, "--by", by))
        before, after = (grouped([one for one in allocations if one.alive(when)], when, path_of) for when in (event, later_event))
        wanted = {}
        for path in before.keys() | after.keys():
            old, new = before.get(path), after.get(path)
            change = (new or (0,))[0] - (old or (0,))[0]
            state = "new" if not old else "gone" if not new else "grown" if change > 0 else "shrunk" if change < 0 else "unchanged"
            wanted[path] = (change, state, (old or (0,))[0], (new or (0,))[0], (old or (0, 0, 0))[2], (new or (0, 0, 0))[2])
        found, path = {}, []
        for row in rows:
            del path[row["depth"]:]
            path.append(row[by])
            found[tuple(path)] = tuple(row[key] for key in ("change_bytes", "state", "before_bytes", "after_bytes", "before_allocations", "after_allocations"))
        if found == wanted and len(found) == len(rows):
            return []
        other = sorted(key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key))
        return ["device %d from %s to %s by %s: %d nodes differ; the first is %r: %r, not %r" % (device, at, later, by, len(other), other[0], found.get(other[0]), wanted.get(other[0]))]

    def check_instant(self, device, at, event, allocations, groupings):
        """Compares one instant: after the event `event`, or before the first one if it is −1."""
        alive = [one for one in allocations if one.alive(event)]
        wanted = sorted(("0x%x" % one.address, one.size, "active_pending_free" if one.pending(event) else "active_allocated", one.begin, one.freed, one.end,
                         stream_name(one.stream)) for one in alive)
        options = ["--device", str(device), "--at", at]
        rows = self.ask(*options, "--by", "allocation")
        found = sorted((row["address"], row["bytes"], row["state"], row["begin_event"], row["freed_event"], row["end_event"], row["stream"]) for row in rows)
        lines = []
        if [tuple(str(x) for x in one) for one in found] != [tuple(str(x) for x in one) for one in wanted]:
            lines.append("device %d at %s: %d are alive, not %d; the first difference is %s" % (device, at, len(found), len(wanted),
                                                                                 next((pair for pair in zip(found, wanted) if pair[0] != pair[1]), "beyond")))
        if rows and rows[0]["event"] != (event if event >= 0 else None):
            lines.append("device %d at %s: event %r, not %d" % (device, at, rows[0]["event"], event))
        for by, path_of in groupings.items():
            found, wanted = tree_of(self.ask(*options, "--by", by), by), grouped(alive, event, path_of)
            if found != wanted:
                other = sorted(key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key))
                lines.append("device %d at %s by %s: %d nodes differ; the first is %r: %r, not %r" % (device, at, by, len(other), other[0], found.get(other[0]), wanted.get(other[0])))
        return lines

    def check(self, instants, seed):
        snapshot = PlainData(io.BytesIO(pickle_of(self.path))).load()
        segments = snapshot if isinstance(snapshot, list) else snapshot["segments"]
        traces = [] if isinstance(snapshot, list) else snapshot["device_traces"]
        has_pools = any("pool_id" in entry for trace in traces for entry in trace)
        chosen = random.Random(seed)
        times = [entry["time_us"] for trace in traces for entry in trace if "time_us" in entry]
        jobs, differences, unknown = [], [], []
        modules = module_files(stacks_of(segments, traces))
        annotations = snapshot.get("external_annotations", ()) if isinstance(snapshot, dict) else ()
        for device in sorted({segment["device"] for segment in segments} | {at for at, trace in enumerate(traces) if trace}):
            trace = traces[device] if device < len(traces) else []
            mine = [segment for segment in segments if segment["device"] == device]
            allocations = replay(trace, mine)
            groupings = {"stack": titled(by_stack), "module": titled(by_module), "operator": titled(by_operator), "size": by_size, "pool": by_pool(mine, has_pools),
                         "stream": lambda one: [stream_name(one.stream)], "metadata": lambda one: [one.metadata or "(none recorded)"], "category": Rules(self.run("rules"), trace, allocations, modules, annotations).path}
            moments = [("begin", -1), ("end", len(trace) - 1)]
            level = peak = sum(one.size for one in allocations if one.alive(-1) and not one.pending(-1))
            peak_event = -1
            for at, entry in enumerate(trace):
                level += entry["size"] if entry["action"] == "alloc" else -entry["size"] if entry["action"] == "free_requested" else 0
                if level > peak:
                    peak, peak_event = level, at
            moments.append(("peak", peak_event))
            moments += [("oom", at) for at, entry in enumerate(trace) if entry["action"] == "oom"][:1]
            moments += [("#%d" % at, at) for at in sorted(chosen.sample(range(len(trace)), min(instants, len(trace))))]
            if trace and "time_us" in trace[0]:
                at = chosen.randrange(len(trace))
                after = trace[at]["time_us"] - min(times)  # all devices share one clock
                moments.append(("%dus" % after, max(other for other, entry in enumerate(trace) if entry["time_us"] <= trace[at]["time_us"])))
            jobs += [(device, at, event, allocations, groupings) for at, event in moments]
            alive = [one for one in allocations if one.alive(peak_event)]
            blank = sum(one.size for one in alive if groupings["category"](one)[0] == "unknown")
            unknown.append("%.1f %%" % (100 * blank / max(1, sum(one.size for one in alive))))
            pairs = list(zip(moments, moments[1:]))[:12]
            differences += [(device, pair, allocations, by, groupings[by]) for at, pair in enumerate(pairs) for by in (("stack", "category") if at % 2 else ("operator", "size"))]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda job: self.check_instant(*job), jobs)) + list(pool.map(lambda job: self.check_difference(*job), differences))
        return len(jobs), unknown, [line for lines in results for line in lines]


def add_options(parser):
    parser.add_argument("--instants", type=int, default=50, help="number of random events per device")
    parser.add_argument("--seed", type=int, default=1)


def main():
    files = real_files.RealFiles(__doc__, ("memsnap",), add_options)
    failed = instants = 0
    for path in files.paths:
        try:
            count, unknown, lines = Checker(files.cli, path).check(files.options.instants, files.options.seed)
        except ValueError as error:
            count, unknown, lines = 0, [], [str(error)]
        instants += count
        real_files.report(files.name(path), lines[:10], "%3d instants, unknown at the peak: %s  " % (count, ", ".join(unknown)))
        failed += bool(lines)
    print("%d snapshots, %d instants, %d differ" % (len(files.paths), instants, failed))
    files.finish(failed, "snapshots")


if __name__ == "__main__":
    main()
