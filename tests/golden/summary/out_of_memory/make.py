# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Two steps in which allocations fail: two on GPU 0, one on GPU 1, and one without any details. Times in us."""
import json
import sys

GIB = 1 << 30
MAIN, OTHER = 1, 2
events = []


def slice_(category, name, thread, begin, end):
    events.append({"ph": "X", "cat": category, "name": name, "pid": 4000, "tid": thread, "ts": begin, "dur": end - begin})


def instant(name, thread, time, device, **args):
    if device is not None:
        args = {**args, "Device Type": 0 if device < 0 else 1, "Device Id": device, "Ev Idx": len(events)}
    events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": name, "pid": 4000, "tid": thread, "ts": time, "args": args})


def memory(time, address, size, total, reserved, device=0):
    instant("[memory]", MAIN, time, device, **{"Addr": address, "Bytes": size, "Total Allocated": total, "Total Reserved": reserved})


def failed(time, thread, asked, allocated, reserved, device):
    instant("[OutOfMemory]", thread, time, device, **{"Bytes": asked, "Total Allocated": allocated, "Total Reserved": reserved})


slice_("user_annotation", "ProfilerStep#1", MAIN, 0, 1000)
slice_("user_annotation", "ProfilerStep#2", MAIN, 1000, 2000)
slice_("cpu_op", "aten::linear", MAIN, 100, 300)
slice_("cpu_op", "aten::empty", MAIN, 150, 250)
slice_("cpu_op", "aten::cat", MAIN, 1100, 1300)
slice_("cpu_op", "aten::mul", OTHER, 500, 600)
memory(120, 4096, 60 * GIB, 60 * GIB, 70 * GIB)
failed(200, MAIN, 12 * GIB + 512, 60 * GIB, 70 * GIB, 0)
memory(310, 4096, -60 * GIB, 0, 70 * GIB)
memory(400, 8192, 10 * GIB, 10 * GIB, 20 * GIB, 1)
failed(550, OTHER, 64 * GIB, 10 * GIB, 20 * GIB, 1)
memory(900, 4096, 5 * GIB, 5 * GIB, 70 * GIB)
failed(1200, MAIN, 75 * GIB, 5 * GIB, 70 * GIB, 0)
instant("[OutOfMemory]", MAIN, 1500, None)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump({"schemaVersion": 1, "traceEvents": events,
               "deviceProperties": [{"id": at, "name": "Device", "totalGlobalMem": 80 * GIB, "computeMajor": 9} for at in (0, 1)]}, file)
