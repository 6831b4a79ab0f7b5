#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs small training loops under PyTorch's profiler. For each it writes the trace into a folder, and beside it, as JSON, the
output of key_averages().table() with the arguments by which riffle-cli prints the same.

    training_run.py FOLDER
"""
import json
import pathlib
import sys
import threading
import warnings

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

STEPS = 5
SORTS = [None, "cpu_time_total", "self_cpu_time_total", "cpu_time", "count", "cpu_memory_usage", "self_cpu_memory_usage",
         "self_cuda_time_total", "device_time"]
# The options of the profiler, and whether a schedule marks the steps.
CASES = {
    "plain": ({}, False),
    "scheduled": ({}, True),
    "shapes": ({"record_shapes": True, "with_flops": True}, False),
    "memory": ({"profile_memory": True}, True),
    "stacks": ({"with_stack": True, "experimental_config": torch._C._profiler._ExperimentalConfig(verbose=True)}, True),
    "everything": ({"record_shapes": True, "with_flops": True, "profile_memory": True, "with_stack": True}, True),
}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.image = torch.nn.Conv2d(4, 8, 3, stride=2, padding=1, groups=2)
        self.first = torch.nn.Linear(8 * 16, 32)
        self.last = torch.nn.Linear(64, 10)

    def forward(self, batch):
        seen = self.first(self.image(batch).flatten(1)).relu()
        both = torch.cat([seen, seen * 2], 1)
        with record_function("products"):
            pairs = torch.bmm(both.unsqueeze(2), both.unsqueeze(1))
            both = both + pairs.sum(2)
        return self.last(both)


def train(net, optimizer):
    with record_function("a range of the program"):
        loss = torch.nn.functional.cross_entropy(net(torch.randn(16, 4, 8, 8)), torch.randint(10, (16,)))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def aside():
    """Work for another thread during a step."""
    for _ in range(20):
        torch.randn(100, 50).add(1).to(torch.float64)


def main():
    warnings.simplefilter("ignore")
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(1)
    for name, (options, scheduled) in CASES.items():
        net = Net()
        optimizer = torch.optim.Adam(net.parameters())
        plan = schedule(wait=1, warmup=1, active=STEPS - 2) if scheduled else None
        with profile(activities=[ProfilerActivity.CPU], schedule=plan, **options) as recorder:
            for _ in range(STEPS):
                other = threading.Thread(target=aside)
                other.start()
                train(net, optimizer)
                other.join()
                if scheduled:
                    recorder.step()
        recorder.export_chrome_trace(str(folder / (name + ".json")))
        shown = []
        for sort in SORTS:
            for limit in (10, 1000):
                for shapes in (False, True):
                    averages = recorder.key_averages(group_by_input_shape=shapes)
                    arguments = ["--limit", str(limit)] + (["--sort", sort] if sort else []) + (["--group-by", "name,shapes"] if shapes else [])
                    shown.append([arguments, averages.table(sort_by=sort, row_limit=limit)])
        if name == "stacks":
            for sort in SORTS[:4]:
                arguments = ["--limit", "1000", "--group-by", "name,stack"] + (["--sort", sort] if sort else [])
                shown.append([arguments, recorder.key_averages(group_by_stack_n=1000).table(sort_by=sort, row_limit=1000)])
        for unit in ("us", "ms", "s"):
            shown.append([["--unit", unit], recorder.key_averages().table(time_unit=unit)])
        (folder / (name + ".tables")).write_text(json.dumps(shown))


if __name__ == "__main__":
    main()
