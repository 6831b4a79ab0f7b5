#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Plays a job of several ranks and writes what torch.profiler would have recorded of each, and truth.json.

    job_generator.py FOLDER [--seed N] [--KEY VALUE ...]

All ranks play the same program: collectives of the whole job, of groups of neighbours (tp) and of strided ranks (dp), each with
computation of random length before it. Nobody leaves a collective before the last member came; then all leave it, each with a lag.
Every rank's clock has an offset and a drift, and its times are rounded.

truth.json has per rank, in the order of its recorded calls on the device, the number of the operation that each call was a part of;
the offset and the drift of each clock; and how many calls were left out.
"""
import argparse
import dataclasses
import json
import math
import pathlib
import random
import subprocess

US, MS, SECOND = 1_000, 1_000_000, 1_000_000_000
BASE = 1_700_000_000 * SECOND
BYTES = {"Float": 4, "BFloat16": 2}
KERNELS = {"allreduce": "AllReduce_Sum_f32_RING_LL", "_allgather_base": "AllGather_RING_LL", "alltoallv": "SendRecv",
           "_reduce_scatter_base": "ReduceScatter_Sum_f32_RING_LL", "send": "SendRecv", "recv": "SendRecv"}
RANGES = {"allreduce": "all_reduce", "_allgather_base": "_all_gather_base", "_reduce_scatter_base": "_reduce_scatter_base",
          "alltoallv": "all_to_all"}


@dataclasses.dataclass
class Options:
    seed: int = 1
    ranks: int = 4            # that were recorded
    world: int = 0            # 0: as many as were recorded
    steps: int = 5
    layers: int = 4
    tp: int = 2               # ranks of a group of neighbours
    seq: bool = False         # Seq and Comms Id are recorded
    described: bool = True    # the arguments of operators are recorded; otherwise only ranges, as in old versions
    swapped: bool = False     # the names of groups differ between ranks
    twins: bool = False       # two groups of all ranks
    cut_lists: bool = True    # lists of more than 30 ranks are cut, as Kineto does
    pg_config: bool = True
    missing: int = 0          # calls that were not recorded
    cut_windows: bool = False # recordings begin and end at different times
    graphs: bool = False      # tp collectives are replayed by a graph
    coalesced: bool = False
    p2p: bool = False
    offset: int = 500 * US    # the most by which a host's clock is off
    drift: float = 1e-6       # the most by which a clock drifts, per unit of time
    rounding: int = 1         # ns
    steady_lag: int = 0       # the most by which a rank always leaves late
    lag: int = 3 * US         # the rest of its lag when it leaves; a tenth of it on average
    tail: float = 0.01        # share of leavings that are late by up to 2 ms
    marks: bool = True        # steps are marked
    jitter: float = 0.3       # of the length of computations


class Rank:
    def __init__(self, number, options, chance, host_offset):
        self.number = number
        self.host = BASE       # true time of the thread
        self.free = {}         # true time at which a stream is free
        self.offset = host_offset + chance.randint(-30 * US, 30 * US)
        self.drift = chance.uniform(-options.drift, options.drift)
        self.events, self.truth = [], []
        self.ids = 1
        self.counts = {}
        self.begin, self.end = 0, math.inf
        self.steady_lag = chance.randint(0, options.steady_lag) if options.steady_lag else 0
        self.rounding = options.rounding

    def clock(self, true):
        shown = true - BASE + self.offset + round((true - BASE) * self.drift)
        return shown // self.rounding * self.rounding

    def add(self, begin, end, **event):
        if begin < self.begin or end > self.end:
            return False
        first, last = self.clock(begin), self.clock(end)
        self.events.append({"ph": "X", "ts": first, "dur": max(last - first, 0), **event})
        return True


class Job:
    def __init__(self, options):
        self.options, self.chance = options, random.Random(options.seed)
        self.world = options.world or options.ranks
        host_offsets = [self.chance.randint(-options.offset, options.offset) for _ in range(self.world)]
        self.ranks = [Rank(rank, options, self.chance, host_offsets[rank // 2]) for rank in range(self.world)]
        everybody = list(range(self.world))
        # Each group: description, ranks, communicator, stream.
        self.groups = [("default_pg", [everybody], 20)]
        tp = [everybody[first:first + options.tp] for first in range(0, self.world, options.tp)]
        self.groups.append(("tp", tp, 24))
        self.groups.append(("dp", [everybody[first::options.tp] for first in range(options.tp)], 28))
        if options.twins:
            self.groups.append(("twin", [everybody], 32))
        self.comms = {(at, part): self.chance.getrandbits(63) for at, group in enumerate(self.groups) for part in range(len(group[1]))}
        self.operations = 0
        self.made = []  # per call on the device: the first operation of its launch, and the rank

    def name(self, rank, group):
        """Groups are called by numbers, which differ between ranks that made them in another order."""
        if not self.options.swapped:
            return str(group)
        order = list(range(len(self.groups)))
        random.Random(rank.number).shuffle(order)
        return str(order[group])

    def listed(self, ranks):
        if len(ranks) > 30 and self.options.cut_lists:
            return "[" + ", ".join(map(str, ranks[:30])) + ", ...]"
        return "[" + ", ".join(map(str, ranks)) + "]"

    def compute(self, rank, mean):
        rank.host += max(1 * US, round(mean * math.exp(self.chance.gauss(0, self.options.jitter))))

    def arguments(self, rank, group, part, kind, elements, number, peers):
        description, parts, _ = self.groups[group]
        out = elements * len(parts[part]) if kind == "_allgather_base" else elements
        arguments = {"Collective name": kind, "In msg nelems": elements, "Out msg nelems": out, "Group size": len(parts[part]),
                     "dtype": "Float", "Process Group Name": self.name(rank, group), "Process Group Description": description,
                     "Process Group Ranks": self.listed(parts[part])}
        if self.options.seq:
            arguments["Seq"] = number
            arguments["Comms Id"] = self.comms[group, part]
        if peers:
            arguments["Rank"] = rank.number
            arguments["Src Rank" if kind == "recv" else "Dst Rank"] = peers[0] if kind == "recv" else peers[1]
        return arguments

    def run(self, group, part, kinds, elements, is_async=False, replayed=None, peers=None):
        """One operation of the members of a group, or several that share a launch (`kinds`). `replayed` is the number in a graph."""
        _, parts, stream = self.groups[group]
        members = [self.ranks[rank] for rank in (peers or parts[part])]
        lefts, numbers = {}, []
        for kind in kinds:
            numbers.append(self.operations)
            self.operations += 1
        key = "p2p" if peers else "collective"
        for rank in members:
            seq = rank.counts.get((group, key), 0) + 1
            rank.counts[group, key] = seq
            arrival = max(rank.host + 8 * US, rank.free.get(stream, 0) + 1 * US)
            lefts[rank.number] = (rank.host, arrival, seq)
        transfer = round(8 * US + sum(elements) * 4 / 100 + self.chance.randint(0, 4 * US))
        done = max(arrival for _, arrival, _ in lefts.values()) + transfer
        for rank in members:
            host, arrival, seq = lefts[rank.number]
            lag = rank.steady_lag + (round(self.chance.expovariate(10 / self.options.lag)) if self.options.lag else 0)
            if self.chance.random() < self.options.tail:
                lag += self.chance.randint(50 * US, 2 * MS)
            end = done + lag
            rank.free[stream] = end
            rank.host = host + 10 * US if is_async else end + 2 * US
            own = kinds if not peers else ["send" if rank.number == peers[0] else "recv"]
            self.made.append((numbers[0], rank.number))
            if self.made[-1] not in self.missing:
                self.record(rank, group, part, own, elements, numbers, seq if replayed is None else replayed, host, arrival, end,
                            replayed is not None, peers)

    def record(self, rank, group, part, kinds, elements, numbers, seq, host, arrival, end, is_replay, peers):
        if len(kinds) > 1 and host < rank.begin:
            return  # a launch without its operations is one call of an unknown kind
        correlation = external = rank.ids
        rank.ids += 2
        stream = self.groups[group][2]
        details = [self.arguments(rank, group, part, kind, size, seq, peers) for kind, size in zip(kinds, elements)]
        device = {"device": rank.number % 8, "stream": stream, "correlation": correlation}
        if not rank.add(arrival, end, cat="kernel", name="ncclDevKernel_" + KERNELS[kinds[0]] + "(ncclDevKernelArgsStorage<4096ul>)",
                        pid=rank.number % 8, tid=stream,
                        args={**device, **({"graph node id": numbers[0] + 1} if is_replay else {"External id": external}),
                              **(details[0] if len(kinds) == 1 and self.options.described else {})}):
            return
        where = {"pid": 1000 + rank.number, "tid": 1}
        if is_replay:
            rank.add(host, host + 5 * US, cat="cuda_runtime", name="cudaGraphLaunch", **where, args={"correlation": correlation})
        else:
            launch = 4 * US if len(kinds) == 1 else 6 * US
            if len(kinds) > 1:
                for at, detail in enumerate(details):
                    rank.add(host + at * US, host + at * US + 900, cat="cpu_op", name="record_param_comms", **where,
                             args={"External id": external, **detail})
                rank.add(host + 4 * US, host + 9 * US, cat="user_annotation", name="nccl:coalesced", **where, args={})
            elif self.options.described:
                rank.add(host, host + 7 * US, cat="cpu_op", name="record_param_comms", **where,
                         args={"External id": external, **details[0]})
            else:
                rank.add(host, host + 7 * US, cat="user_annotation", name="nccl:" + RANGES[kinds[0]], **where, args={})
            rank.add(host + launch, host + launch + 2 * US, cat="cuda_runtime", name="cudaLaunchKernel", **where,
                     args={"correlation": correlation})
        for place, number in enumerate(numbers):
            rank.truth.append((rank.clock(arrival), place, number))

    def play(self):
        options, chance = self.options, self.chance
        # The calls to leave out are chosen among those of a run without them.
        self.missing = set()
        if options.missing:
            dry = Job(dataclasses.replace(options, missing=0))
            dry.play()
            made = [call for call in dry.made if call[1] < options.ranks]
            self.missing = set(random.Random(options.seed).sample(made[len(made) // 5:-len(made) // 5], options.missing))
        sizes = [chance.choice([4096, 65536, 262144, 1048576]) for _ in range(options.layers)]
        for step in range(options.steps):
            begins = {}
            for rank in self.ranks:
                begins[rank.number] = rank.host
                if options.cut_windows and step == 0:
                    rank.begin = rank.host + chance.randint(0, 4 * MS)
                if options.cut_windows and step == options.steps - 1:
                    rank.end = rank.host + chance.randint(2 * MS, 6 * MS)
            self.step(sizes)
            for rank in self.ranks:
                rank.host = max([rank.host, *rank.free.values()])
                if options.marks:
                    rank.add(begins[rank.number], rank.host, cat="user_annotation", name="ProfilerStep#%d" % (step + 10),
                             pid=1000 + rank.number, tid=1, args={})
                self.compute(rank, 300 * US)

    def step(self, sizes):
        options = self.options

        def everybody(group, kinds, elements, mean, **more):
            for part, ranks in enumerate(self.groups[group][1]):
                for rank in ranks:
                    self.compute(self.ranks[rank], mean)
                self.run(group, part, kinds, elements, **more)

        everybody(0, ["alltoallv"], [8192], 300 * US)
        for layer, size in enumerate(sizes):
            for half in range(2):
                everybody(1, ["allreduce"], [16384], 200 * US, replayed=1 + 2 * layer + half if options.graphs else None)
            everybody(2, ["_reduce_scatter_base"], [size], 50 * US, is_async=True)
        if options.twins:
            everybody(3, ["allreduce"], [16384], 40 * US)
            everybody(0, ["allreduce"], [16384], 40 * US)
        if options.coalesced:
            everybody(2, ["allreduce", "allreduce", "allreduce"], [512, 1024, 512], 100 * US)
        if options.p2p:
            for parity in range(2):
                for rank in range(parity, self.world - 1, 2):
                    for at in (rank, rank + 1):
                        self.compute(self.ranks[at], 80 * US)
                    self.run(0, 0, ["send"], [32768], peers=(rank, rank + 1))
        for size in sizes:
            everybody(2, ["_allgather_base"], [size // 4], 100 * US)
        everybody(0, ["allreduce"], [1], 100 * US)

    def trace(self, rank):
        document = {"schemaVersion": 1, "baseTimeNanoseconds": BASE,
                    "distributedInfo": {"backend": "nccl", "rank": rank.number, "world_size": self.world}, "traceEvents": []}
        if self.options.pg_config and self.options.described:
            document["distributedInfo"]["pg_config"] = [
                {"pg_name": self.name(rank, at), "pg_desc": description, "backend_config": "cuda:nccl", "pg_size": len(ranks),
                 "ranks": ranks}
                for at, (description, parts, _) in enumerate(self.groups) for ranks in parts if rank.number in ranks]
        for event in sorted(rank.events, key=lambda event: event["ts"]):
            document["traceEvents"].append(event)
        text = json.dumps(document, separators=(",", ":"))
        return text

    def write(self, folder):
        folder = pathlib.Path(folder)
        for rank in self.ranks[:self.options.ranks]:
            for event in rank.events:
                for key in ("ts", "dur"):
                    event[key] = event[key] / 1000  # µs; at most 12 digits in front of the point
            (folder / ("rank%d.pt.trace.json" % rank.number)).write_text(self.trace(rank))
        (folder / "truth.json").write_text(json.dumps(self.truth()))

    def truth(self):
        recorded = self.ranks[:self.options.ranks]
        return {"calls": {rank.number: [number for _, _, number in sorted(rank.truth)] for rank in recorded},
                "offset_ns": {rank.number: rank.offset for rank in recorded},
                "drift": {rank.number: rank.drift for rank in recorded}, "missing": sorted(self.missing)}


def asked(job, folder, command):
    """Plays the job, writes it into the folder, and returns the JSON that the command prints of the files of its ranks."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    job.play()
    job.write(folder)
    files = [str(folder / ("rank%d.pt.trace.json" % rank)) for rank in range(job.options.ranks)]
    return json.loads(subprocess.run([*command, *files], capture_output=True, text=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    for field in dataclasses.fields(Options):
        if field.type is bool:
            parser.add_argument("--" + field.name, action=argparse.BooleanOptionalAction, default=field.default)
        else:
            parser.add_argument("--" + field.name, type=field.type, default=field.default)
    words = vars(parser.parse_args())
    folder = words.pop("folder")
    folder.mkdir(parents=True, exist_ok=True)
    job = Job(Options(**words))
    job.play()
    job.write(folder)


if __name__ == "__main__":
    main()
