# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""One process of the generated job: its host threads, its GPU's streams and its memory, as a profiler would record them."""

import random
from collections import Counter
from contextlib import contextmanager

COMPUTE, COMM = 7, 20  # streams
US, MS, MB = 1_000, 1_000_000, 1 << 20
RESERVED = 24 << 30
LAUNCH_DELAY = 2_100  # ns from the end of a launch to the kernel's start on an idle stream
KERNEL_GAP = 900


class Rank:
    def __init__(self, rank, slowness, start):
        self.rank, self.slowness = rank, slowness
        self.random = random.Random(rank + 1)
        self.now = self.born = start
        self.pid = self.main = self.tid = 4336 + 200 * rank
        self.autograd = self.main + 97
        self.events, self.annotated = [], []
        self.free_at = {COMPUTE: 0, COMM: 0}
        self.correlation = self.external = self.sequence = self.flow = self.python = 0
        self.collectives = Counter()
        self.operators, self.frames, self.tape, self.pending = [0], [None], [], []
        self.allocated, self.next_address = 1_950 * MB, 0x7F2A_4000_0000

    # Host

    def spend(self, least, most):
        self.now += self.random.randrange(least, most)

    def add(self, **event):
        self.events.append(event)
        return event

    @contextmanager
    def slice(self, name, category, args=None, begin=2_400, end=1_300):
        event = self.add(ph="X", cat=category, name=name, pid=self.pid, tid=self.tid, ts=self.now, dur=0, args=args or {})
        self.spend(begin, 2 * begin)
        yield event
        self.spend(end, 2 * end)
        event["dur"] = self.now - event["ts"]

    @contextmanager
    def op(self, name, shapes=(), types=None, category="cpu_op", **args):
        self.external += 1
        known = {"External id": self.external}
        if shapes:
            known["Input Dims"] = list(shapes)
            known["Input type"] = types or ["c10::BFloat16" if shape else "Scalar" for shape in shapes]
        self.operators.append(self.external)
        with self.slice(name, category, known | args) as event:
            yield event
        self.operators.pop()

    @contextmanager
    def annotation(self, name):
        """A host range that the profiler repeats on the streams, around the work that was launched in it."""
        span = {}
        self.annotated.append(span)
        with self.op(name, category="user_annotation") as event:
            yield event
        self.annotated.pop()
        for stream, (begin, end) in span.items():
            self.add(ph="X", cat="gpu_user_annotation", name=name, pid=self.rank, tid=stream, ts=begin, dur=end - begin,
                     args={"External id": event["args"]["External id"]})

    @contextmanager
    def frame(self, name, **args):
        """A Python function or a module."""
        self.python += 1
        own = {"Python id": self.python, "Python parent id": self.frames[-1]} | args
        self.frames.append(self.python)
        with self.slice(name, "python_function", own, 1_800, 600):
            yield
        self.frames.pop()

    def runtime(self, name, least=3_300, most=6_200):
        self.correlation += 1
        event = self.add(ph="X", cat="cuda_runtime", name=name, pid=self.pid, tid=self.tid, ts=self.now, dur=0,
                         args={"External id": self.operators[-1], "correlation": self.correlation})
        self.spend(least, most)
        event["dur"] = self.now - event["ts"]
        self.spend(150, 400)
        return event

    # Device

    def place(self, launch, name, category, begin, length, stream, args):
        """Adds work to a stream, with the arrow from its launch."""
        correlation = launch["args"]["correlation"]
        own = {"External id": launch["args"]["External id"], "device": self.rank, "context": 1, "stream": stream,
               "correlation": correlation}
        self.add(ph="X", cat=category, name=name, pid=self.rank, tid=stream, ts=begin, dur=length, args=own | args)
        self.add(ph="s", id=correlation, cat="ac2g", name="ac2g", pid=self.pid, tid=launch["tid"], ts=launch["ts"])
        self.add(ph="f", bp="e", id=correlation, cat="ac2g", name="ac2g", pid=self.rank, tid=stream, ts=begin)
        self.free_at[stream] = begin + length
        for span in self.annotated:
            first, last = span.get(stream, (begin, 0))
            span[stream] = (min(first, begin), max(last, begin + length))

    def ready(self, stream):
        return max(self.free_at[stream] + KERNEL_GAP, self.now + LAUNCH_DELAY)

    def kernel(self, name, microseconds, grid, block=(128, 1, 1), registers=40, shared=0):
        launch = self.runtime("cudaLaunchKernel")
        length = int(microseconds * self.slowness * self.random.uniform(970, 1_040))
        blocks = grid[0] * grid[1] * grid[2] / 132
        warps = blocks * block[0] * block[1] * block[2] / 32
        self.place(launch, name, "kernel", self.ready(COMPUTE), length, COMPUTE,
                   {"registers per thread": registers, "shared memory": shared, "blocks per SM": round(blocks, 3),
                    "warps per SM": round(warps, 3), "grid": list(grid), "block": list(block),
                    "est. achieved occupancy %": min(100, round(warps / 64 * 100))})

    def copy(self, name, size, gigabytes_per_second):
        launch = self.runtime("cudaMemcpyAsync")
        length = 1_200 + int(size / gigabytes_per_second)
        self.place(launch, name, "gpu_memcpy", self.ready(COMPUTE), length, COMPUTE,
                   {"bytes": size, "memory bandwidth (GB/s)": round(size / length, 3)})

    def synchronize(self):
        wait = self.runtime("cudaStreamSynchronize", 900, 1_400)
        self.now = max(self.now, self.free_at[COMPUTE] + 4 * US)
        wait["dur"] = self.now - wait["ts"]

    # Memory

    def allocate(self, size):
        address = self.next_address
        self.next_address += (size + 511) // 512 * 512
        self.memory(address, size)
        return address, size

    def release(self, block):
        self.memory(block[0], -block[1])

    def memory(self, address, size):
        self.allocated += size
        self.add(ph="i", s="t", cat="cpu_instant_event", name="[memory]", pid=self.pid, tid=self.tid, ts=self.now,
                 args={"Addr": address, "Bytes": size, "Device Type": 1, "Device Id": self.rank,
                       "Total Allocated": self.allocated, "Total Reserved": RESERVED})
        self.spend(150, 300)

    # Autograd

    def record(self, forward, name, backward):
        """Queues work for the backward pass. `forward` is the operator that it belongs to, or None."""
        if not forward:
            self.tape.append((None, None, name, backward))
            return
        forward["args"] |= {"Sequence number": self.sequence, "Fwd thread id": 0}
        self.tape.append((forward["ts"], self.sequence, name, backward))
        self.sequence += 1

    def play_back(self):
        while self.tape:
            when, sequence, name, backward = self.tape.pop()
            known = {"Sequence number": sequence, "Fwd thread id": 1} if when else {}
            with self.op(f"autograd::engine::evaluate_function: {name}", **known), self.op(name, **known) as event:
                if when:
                    self.flow += 1
                    self.add(ph="s", id=self.flow, cat="fwdbwd", name="fwdbwd", pid=self.pid, tid=self.main, ts=when)
                    self.add(ph="f", bp="e", id=self.flow, cat="fwdbwd", name="fwdbwd", pid=self.pid, tid=self.tid, ts=event["ts"])
                backward()

    # Collectives

    def collective(self, kind, elements, dtype, group, gathers=1):
        """Launches a collective. meet() places its kernel when both ranks have launched it."""
        args = {"Collective name": kind, "In msg nelems": elements, "Out msg nelems": elements * gathers, "Group size": 2,
                "dtype": dtype, "In split size": "[]", "Out split size": "[]", "Process Group Name": group[0],
                "Process Group Description": group[1], "Process Group Ranks": "[0, 1]", "Rank": self.rank,
                "Seq": self.collectives[group]}
        self.collectives[group] += 1
        operator = {"allreduce": "all_reduce", "_allgather_base": "_all_gather_base"}[kind]
        with self.op("c10d::allreduce_" if kind == "allreduce" else "c10d::_allgather_base_", [[elements]]):
            with self.op("record_param_comms", [[elements]], **args):
                with self.slice("nccl:" + operator, "user_annotation", {"External id": self.operators[-1]}):
                    for call in ("cudaEventRecord", "cudaStreamWaitEvent"):
                        self.runtime(call, 600, 1_200)
                    launch = self.runtime("cudaLaunchKernelExC", 5_000, 8_000)
        # It waits for the work that is on the compute stream so far.
        self.pending.append((launch, args, elements, max(self.free_at[COMPUTE], self.now + LAUNCH_DELAY)))

    def wait_for_collectives(self):
        self.runtime("cudaStreamWaitEvent", 600, 1_200)
        self.free_at[COMPUTE] = max(self.free_at[COMPUTE], self.free_at[COMM])


BYTES = {"BFloat16": 2, "Float": 4}
NAMES = {"allreduce": "ncclDevKernel_AllReduce_Sum_{}_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         "_allgather_base": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"}


def meet(ranks):
    """Places the pending collectives. Each starts on a rank when that rank reaches it, and ends on all ranks after the last
    one has reached it."""
    for together in zip(*(rank.pending for rank in ranks)):
        begins = [max(ready, rank.free_at[COMM] + KERNEL_GAP) for rank, (_, _, _, ready) in zip(ranks, together)]
        _, args, elements, _ = together[0]
        size = elements * BYTES[args["dtype"]]
        end = max(begins) + 9 * US + int(size / 42)  # 42 GB/s
        name = NAMES[args["Collective name"]].format("bf16" if args["dtype"] == "BFloat16" else "f32")
        for rank, begin, (launch, own, _, _) in zip(ranks, begins, together):
            rank.place(launch, name, "kernel", begin, end - begin + rank.random.randrange(-400, 400), COMM,
                       {"registers per thread": 96, "shared memory": 48_208, "blocks per SM": 0.182, "warps per SM": 3.091,
                        "grid": [24, 1, 1], "block": [544, 1, 1], "est. achieved occupancy %": 5} | own)
    for rank in ranks:
        rank.pending.clear()
