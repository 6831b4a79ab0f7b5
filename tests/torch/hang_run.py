#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""One rank of a small job over gloo that hangs, or does not, and writes a dump of its Flight Recorder.

    hang_run.py RANK PORT FOLDER HOW

HOW is "healthy"; "silent": rank 1 leaves out the last all-gather and makes no further call; "next": rank 1 leaves it out
and goes on with the next all-reduce; "subgroup": as "silent", in a second group of both ranks. A thread writes the dumps
while rank 0 waits, as pickle and as JSON.
"""
import datetime
import os
import pathlib
import sys
import threading
import time

import torch
import torch.distributed as distributed
from torch._C import _distributed_c10d

STEPS = 4
WAIT_SECONDS = 3
TIMEOUT_SECONDS = 120  # longer than the test: no time runs out


def write_dump(rank, folder):
    (folder / ("gloo_trace_rank_%d" % rank)).write_bytes(_distributed_c10d._dump_fr_trace())
    (folder / "json").mkdir(exist_ok=True)
    (folder / "json" / ("gloo_trace_rank_%d.json" % rank)).write_bytes(_distributed_c10d._dump_fr_trace_json())


def later(rank, folder):
    """Ends when both dumps are there: the end of one process ends the call in which the other one waits."""
    time.sleep(WAIT_SECONDS)
    write_dump(rank, folder)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and len(list((folder / "json").iterdir())) < 2:
        time.sleep(0.1)
    time.sleep(0.5)
    os._exit(0)


def step(rank, how, group, is_last):
    numbers = torch.ones(16)
    distributed.all_reduce(numbers)
    if is_last:
        threading.Thread(target=later, args=(rank, FOLDER), daemon=True).start()
    leaves_out = is_last and rank == 1
    if not (leaves_out and how == "subgroup"):
        distributed.all_reduce(numbers, group=group)
    if not (leaves_out and how != "healthy"):
        distributed.all_gather([torch.zeros(4), torch.zeros(4)], torch.ones(4))
    elif how == "next":
        distributed.all_reduce(torch.ones(4))


def main():
    rank, port, how = int(sys.argv[1]), sys.argv[2], sys.argv[4]
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port, RANK=str(rank), WORLD_SIZE="2")
    distributed.init_process_group("gloo", timeout=datetime.timedelta(seconds=TIMEOUT_SECONDS))
    group = distributed.new_group([0, 1], group_desc="data")
    for number in range(STEPS):
        step(rank, how, group, number == STEPS - 1)
    time.sleep(60)  # the thread ends the process


FOLDER = pathlib.Path(sys.argv[3])
if __name__ == "__main__":
    main()
