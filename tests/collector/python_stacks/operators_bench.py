# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What Python stacks cost per operator of PyTorch: forward passes of a small transformer, recorded in turn without a profiler, with
profile(), with profile(with_stack=True) and with torch.profiler with and without stacks. CPU time of the thread, medians.

Usage: RIFFLE_COLLECTOR=LIBRARY RIFFLE_CLI=CLI PYTHON operators_bench.py [ROUNDS]
"""

import collections
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "collector" / "python"))
import riffle_profiler as riffle  # noqa: E402
import torch  # noqa: E402

PASSES = 20
torch.set_num_threads(1)
CPU = [torch.profiler.ProfilerActivity.CPU]
layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)
model = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
batch = torch.randn(1, 4, 16)


def deeper(count):
    """A training script has some frames around the model."""
    return deeper(count - 1) if count else model(batch)


def passes():
    start = time.thread_time_ns()
    for _ in range(PASSES):
        deeper(10)
    return (time.thread_time_ns() - start) / PASSES


def measured(profiler):
    with profiler:
        passes()
        return passes()


def main(rounds):
    with tempfile.TemporaryDirectory() as folder:
        with riffle.profile(activities=CPU, with_stack=True, dir=folder) as prof:
            deeper(10)
        found = prof.events()
        outermost = sum(event.cpu_parent is None for event in found)
        depth = statistics.mean(len(event.stack) for event in found if event.cpu_parent is None)
        ways = {
            "nothing": lambda: measured(open(os.devnull)),
            "profile()": lambda: measured(riffle.profile(activities=CPU, dir=folder)),
            "profile(with_stack=True)": lambda: measured(riffle.profile(activities=CPU, dir=folder, with_stack=True)),
            'profile(with_stack="sampled")': lambda: measured(riffle.profile(activities=CPU, dir=folder, with_stack="sampled")),
            'profile(with_stack="calls")': lambda: measured(riffle.profile(activities=CPU, dir=folder, with_stack="calls")),
            "torch.profiler": lambda: measured(torch.profiler.profile(activities=CPU)),
            "torch.profiler(with_stack=True)": lambda: measured(torch.profiler.profile(activities=CPU, with_stack=True)),
        }
        times = collections.defaultdict(list)
        for _ in range(rounds):
            for name, run in ways.items():
                times[name].append(run())
    print(f"{len(found)} operators per pass, {outermost} of them outermost, {depth:.0f} frames deep; {rounds} rounds")
    base = statistics.median(times["nothing"])
    for name, all_times in times.items():
        median = statistics.median(all_times)
        print(f"{name:<34} {median / 1e3:9.1f} µs per pass  {(median - base) / len(found):8.0f} ns per operator more")
    apart = [with_stacks - without for with_stacks, without in zip(times["profile(with_stack=True)"], times["profile()"])]
    print(f"stacks: {statistics.median(apart) / outermost:.0f} ns per outermost operator")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
