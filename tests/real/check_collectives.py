#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares `riffle-cli summary --view collectives` with a computation from the text of real traces that have collectives.

    check_collectives.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Every row must be equal: its key, its counts, times and
bytes, and the bandwidths to twelve digits. Here, slices nest by their times alone. Exit code 77 if there is no such folder.

Calls: an operator with `Collective name`, otherwise a range nccl:… or gloo:…, otherwise an operator c10d::… without either inside.
Kernels belong to the call around their launch; without a launch, to the only operator with their External id; else they are calls
of their own, if they have arguments or a library's name. Ranges of gloo that are inside no call belong, in order, to the first
earlier operator of their kind that has neither kernels nor a range. Rows about kernels that communicate without such a library are
not compared.
"""
import collections
import gzip
import json
import math
import statistics
import subprocess
import sys

import real_files

TIMEOUT_SECONDS = 300
LIBRARIES = ("nccl:", "gloo:", "mpi:", "ucc:", "xccl:", "hccl:")
KINDS = (("barrier", "barrier"), ("allreduce", "all_reduce"), ("allgather", "all_gather"), ("reducescatter", "reduce_scatter"),
         ("alltoall", "all_to_all"), ("broadcast", "broadcast"), ("reduce", "reduce"), ("gather", "gather"), ("scatter", "scatter"),
         ("sendrecv", "send_recv"), ("send", "send"), ("recv", "recv"))
BYTES = {"float": 4, "int": 4, "long": 8, "long int": 8, "double": 8, "bfloat16": 2, "half": 2, "c10::bfloat16": 2, "c10::half": 2,
         "short": 2, "byte": 1, "char": 1, "unsigned char": 1, "signed char": 1, "bool": 1}
COLUMNS = ("operation", "group", "ranks", "group_size", "peers", "type", "message_bytes", "calls", "with_kernels", "device_total_ns",
           "min_ns", "median_ns", "max_ns", "overlapped_ns", "host_total_ns", "total_bytes", "algorithm_gb_s", "bus_gb_s")


def kind_of(name):
    plain = name.lower().replace("_", "").replace(" ", "")
    return next((kind for word, kind in KINDS if word in plain), None)


def nanoseconds(text):
    whole, _, part = str(text).partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


class Slice:
    def __init__(self, event):
        self.name, self.cat, self.args = event["name"], event.get("cat", "").lower(), event.get("args", {})
        self.lane = (event["pid"], event["tid"])
        self.start = nanoseconds(event["ts"])
        self.end = self.start + nanoseconds(event["dur"])
        self.work, self.range, self.used = [], None, False

    def holds(self, other):
        return self is not other and self.start <= other.start and other.end <= self.end


def read(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        text = file.read()
    if not any(word in text for word in (b"nccl", b"gloo", b"c10d::", b"Collective name")):
        return None
    events = json.loads(text.decode("utf-8", "replace"), strict=False, parse_float=str)
    events = events["traceEvents"] if isinstance(events, dict) else events
    return [Slice(event) for event in events if event.get("ph") == "X" and "dur" in event]


def elements_in(dims):
    if any(isinstance(size, list) for size in dims):
        return sum(elements_in(size) for size in dims)
    return math.prod(dims)


def shape_of(slice_):
    """Elements and type of a range's tensors."""
    dims, types = slice_.args.get("Input Dims"), slice_.args.get("Input type")
    if not dims or not types:
        return None, None
    tensors = [(elements_in(size), kind) for size, kind in zip(dims, types) if kind not in ("", "Scalar", "ScalarList")]
    if not tensors or any(kind == "TensorList" for _, kind in tensors):
        return None, None
    kinds = {kind for _, kind in tensors}
    return sum(size for size, _ in tensors), kinds.pop() if len(kinds) == 1 else None


def has_arguments(slice_):
    return "Collective name" in slice_.args or "Process Group Name" in slice_.args


def is_kernel(slice_):
    return slice_.cat == "kernel"


def rank_of(slice_):
    """2 for arguments, 1 for a range, 0 for an operator's name, None for anything else."""
    if slice_.cat not in ("cpu_op", "user_annotation", "operator"):
        return None
    if has_arguments(slice_):
        return None if slice_.args.get("Collective name") in ("wait", "init") else 2
    if slice_.name.startswith(LIBRARIES):
        return 1
    return 0 if slice_.name.startswith("c10d::") and kind_of(slice_.name) else None


class Calls:
    """The calls of a trace, each as (slice of the host or None, kernels, arguments)."""

    def __init__(self, slices):
        self.hosts = [s for s in slices if rank_of(s) is not None]
        self.lanes = collections.defaultdict(list)
        for host in self.hosts:
            self.lanes[host.lane].append(host)
        for host in self.hosts:
            host.owner = self.owner_of(host)
        self.loose = []
        self.attach(slices)
        self.join()

    def around(self, slice_):
        return [host for host in self.lanes[slice_.lane] if host.holds(slice_)]

    def owner_of(self, host):
        outer = self.around(host)
        longest = lambda found: max(found, key=lambda s: s.end - s.start)
        for rank in (2, 1, 0):
            found = [s for s in outer if rank_of(s) == rank]
            if found and rank >= rank_of(host):
                return longest(found)
            if rank == rank_of(host):
                break
        inner = [s for s in self.lanes[host.lane] if host.holds(s) and rank_of(s) > rank_of(host)]
        return min(inner, key=lambda s: s.start) if inner else host

    def final(self, host):
        while host.owner is not host:
            host = host.owner
        return host

    def attach(self, slices):
        launches = {}
        for s in slices:
            if "_runtime" in s.cat or "_driver" in s.cat or s.cat == "runtime":
                launches.setdefault(s.args.get("correlation"), s)
        by_id = collections.defaultdict(list)
        for s in slices:
            if s.cat in ("cpu_op", "operator"):
                by_id[s.args.get("External id")].append(s)
        for kernel in slices:
            if not is_kernel(kernel):
                continue
            launch = launches.get(kernel.args.get("correlation"))
            if launch is None:
                named = by_id.get(kernel.args.get("External id"), [])
                launch = named[0] if len(named) == 1 and kernel.args.get("External id") else None
            found = [] if launch is None else self.around(launch) + [h for h in self.hosts if h is launch]
            communicates = has_arguments(kernel) or "nccl" in kernel.name.lower()
            if found and communicates:
                self.final(min(found, key=lambda s: s.end - s.start)).work.append(kernel)
            elif communicates:
                self.loose.append(kernel)

    def join(self):
        for host in self.hosts:
            owner = self.final(host)
            if owner is not host and rank_of(host) == 1 and owner.range is None:
                owner.range = host
        mine = sorted((h for h in self.hosts if h.owner is h), key=lambda s: s.start)
        for gloo in mine:
            if not gloo.name.startswith(("gloo:", "mpi:")):
                continue
            for host in mine:
                if (host.owner is host and rank_of(host) != 1 and not host.work and host.range is None and host.start <= gloo.start
                        and not host.used and kind_of(host.args.get("Collective name", host.name)) == kind_of(gloo.name)):
                    host.used = True
                    if rank_of(host) == 2:
                        host.range, gloo.owner = gloo, host
                    else:
                        host.owner = gloo
                    break

    def all(self):
        for host in self.hosts:
            if host.owner is host:
                described = host if has_arguments(host) else next((k for k in host.work if has_arguments(k)), host)
                yield host, host.work, described.args
        for kernel in self.loose:
            yield None, [kernel], kernel.args


def union(spans):
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def operation_of(host, work, args):
    if host is not None:
        name = args.get("Collective name") or host.name
        return kind_of(name) or name.split(":")[-1]
    if "Collective name" in args:
        return kind_of(args["Collective name"]) or args["Collective name"]
    word = work[0].name.replace("ncclDevKernel_", "ncclKernel_").partition("ncclKernel_")[2].split("_")[0].split("(")[0]
    return kind_of(word) or work[0].name.split("(")[0]


def groups_of(slices):
    """The calls of each row, and the times in which each device computes."""
    calls = Calls(slices)
    communicating = {id(k) for h in calls.hosts for k in h.work} | {id(k) for k in calls.loose}
    compute = collections.defaultdict(list)
    for s in slices:
        if is_kernel(s) and id(s) not in communicating:
            compute[s.args.get("device")].append((s.start, s.end))
    compute = {device: union(spans) for device, spans in compute.items()}
    groups = collections.defaultdict(list)
    for host, work, args in calls.all():
        operation = operation_of(host, work, args)
        group = args.get("Process Group Description")
        group = args.get("Process Group Name") if group in (None, "undefined", "") else group
        ranks = args.get("Process Group Ranks")
        size = args.get("Group size") or (ranks.count(",") + 1 if ranks and len(ranks) > 2 and ".." not in ranks else None)
        elements, kind = args.get("Out msg nelems" if operation == "all_gather" else "In msg nelems"), args.get("dtype")
        seen = host if host is None or rank_of(host) == 1 else host.range
        if seen is not None and args.get("In msg nelems") is None and not (host.args is not args and has_arguments(host)):
            shown, shown_kind = shape_of(seen)
            elements, kind = None if operation == "all_gather" else shown, kind or shown_kind
        each = BYTES.get((kind or "").lower())
        bytes_ = None if elements is None or each is None or operation == "barrier" or operation not in dict(map(reversed, KINDS)) else \
            elements * each
        peers = None
        if operation in ("send", "recv") and ("Src Rank" in args or "Dst Rank" in args):
            peers = "%s → %s" % (args.get("Src Rank", "?"), args.get("Dst Rank", "?"))
        carried = host is not None and seen is not None and seen.name.startswith(("gloo:", "mpi:"))
        source = (0 if host is not None and has_arguments(host) else 1 if has_arguments(work[0] if work else host) else
                  2 if host is not None and rank_of(host) == 1 else 3)
        key = (operation, group, ranks, size, peers, kind, bytes_, elements, source)
        groups[key].append((work, seen.end - seen.start if carried and not work else None))
    return groups, compute


def rows_of(slices):
    groups, compute = groups_of(slices)
    return [row(key, members, compute) for key, members in groups.items()]


def row(key, members, compute):
    operation, group, ranks, size, peers, kind, bytes_, _, _ = key
    times = [sum(k.end - k.start for k in work) for work, _ in members if work]
    hosts = [time for _, time in members if time is not None]
    overlapped = sum(max(0, min(k.end, end) - max(k.start, start)) for work, _ in members for k in work
                     for start, end in compute.get(k.args.get("device"), []) if start < k.end and k.start < end)
    algorithm = bytes_ * len(times) / sum(times) if bytes_ and times and sum(times) else None
    factor = {"all_reduce": 2, "all_gather": 1, "reduce_scatter": 1, "all_to_all": 1}.get(operation)
    factor = factor * (size - 1) / size if factor and size else 1 if operation in ("broadcast", "reduce", "send", "recv") else None
    middle = round(statistics.median(times)) if times else None
    return dict(zip(COLUMNS, (operation, group, ranks, size, peers, kind, bytes_, len(members), len(times), sum(times) if times else None,
                              min(times, default=None), middle, max(times, default=None), overlapped if times else None,
                              sum(hosts) if hosts else None, None if bytes_ is None else bytes_ * len(members), algorithm,
                              None if algorithm is None or factor is None else algorithm * factor)))


def comparable(row_):
    cells = [row_[name] for name in COLUMNS]
    return tuple(str(cell) if not isinstance(cell, float) else "%.12g" % cell for cell in cells)


def check(cli, path, slices):
    done = subprocess.run(cli + ["summary", str(path), "--no-store", "--view", "collectives", "--format", "json", "--all-columns"],
                          capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode not in (0, 3):
        return ["exit %d: %s" % (done.returncode, done.stderr.strip())], 0
    kinds = {kind for _, kind in KINDS}
    rows = [row_ for row_ in json.loads(done.stdout)
            if row_["known_from"] != "kernel's name" or row_["operation"] in kinds or "nccl" in row_["operation"].lower()]
    found = collections.Counter(comparable(row_) for row_ in rows)
    expected = collections.Counter(comparable(row_) for row_ in rows_of(slices))
    lines = ["expected %s" % (row_,) for row_ in expected - found] + ["found    %s" % (row_,) for row_ in found - expected]
    return lines, sum(expected.values())


def main():
    real = real_files.RealFiles(__doc__.splitlines()[0])
    failed = compared = rows = 0
    for path in real.paths:
        try:
            slices = read(path)
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            continue # damaged text; other checks read it
        if slices is None:
            continue
        lines, count = check(real.cli, path, slices)
        if count or lines:
            compared, rows, failed = compared + 1, rows + count, failed + bool(lines)
            real_files.report(real.name(path), lines, "%3d rows " % count)
    print("%d files, %d rows, %d files differ" % (compared, rows, failed))
    if not compared:
        real.paths = []
    real.finish(failed, "traces with collectives")


if __name__ == "__main__":
    sys.exit(main())
