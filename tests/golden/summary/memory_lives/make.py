# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""One step in which memory is allocated for each of the uses that Riffle guesses. Times in us."""
import json
import sys

MAIN, AUTOGRAD = 1, 2
events = []


def slice_(category, name, thread, begin, end):
    events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": begin, "dur": end - begin})


def memory(time, thread, address, size, total):
    events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": thread, "ts": time,
                   "args": {"Addr": address, "Bytes": size, "Total Allocated": total, "Total Reserved": 4096, "Device Type": 1, "Device Id": 0}})


slice_("user_annotation", "ProfilerStep#1", MAIN, 0, 1000)
slice_("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", MAIN, 10, 100)
slice_("cpu_op", "aten::linear", MAIN, 110, 200)
slice_("cpu_op", "aten::empty", MAIN, 115, 118)
slice_("cpu_op", "aten::addmm", MAIN, 120, 170)
slice_("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", AUTOGRAD, 300, 400)
slice_("cpu_op", "aten::mm", AUTOGRAD, 310, 340)
slice_("cpu_op", "autograd::engine::evaluate_function: AccumulateGrad", AUTOGRAD, 405, 500)
slice_("user_annotation", "Optimizer.step#Adam.step", MAIN, 600, 700)
slice_("cpu_op", "aten::zeros", MAIN, 615, 630)
slice_("cpu_op", "aten::item", MAIN, 790, 810)
memory(50, MAIN, 16, 100, 1180)        # a batch
memory(116, MAIN, 32, 200, 1380)       # an activation
memory(125, MAIN, 48, 50, 1430)        # temporary
memory(165, MAIN, 48, -50, 1380)
memory(320, AUTOGRAD, 64, 300, 1680)   # a gradient
memory(330, AUTOGRAD, 80, 70, 1750)    # a detail of autograd
memory(350, AUTOGRAD, 32, -200, 1550)
memory(410, AUTOGRAD, 80, -70, 1480)
memory(620, MAIN, 96, 400, 1880)       # state of the optimizer
memory(650, MAIN, 153, -80, 1800)      # from before
memory(800, MAIN, 112, 10, 1810)       # who knows
memory(900, MAIN, 16, -100, 1710)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump({"schemaVersion": 1, "traceEvents": events}, file)
