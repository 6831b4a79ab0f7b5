#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A memory snapshot of two devices: a module with C++ frames, a backward pass, an optimizer, two streams, a private pool, an oom."""
import pickle
import sys

BASE = 0x7F0000000000
TIME = 1_750_000_000_000_000
MIB = 1 << 20


def frame(name, filename="??", line=0):
    return {"name": name, "filename": filename, "line": line}


MAIN = [frame("PyObject_Call"), frame("main", "/home/me/train.py", 40), frame("_start")]
MODULE = [frame("forward", "/lib/torch/nn/modules/linear.py", 114), frame("_call_impl", "/lib/torch/nn/modules/module.py", 1527),
          frame("forward", "/home/me/model.py", 61)] + MAIN
MATMUL = [frame("torch::unwind::unwind()"), frame("at::detail::empty_cuda(int)"), frame("at::_ops::mm::redispatch(int)"), frame("at::_ops::mm::call(int)"),
          frame("at::_ops::linear::call(int)")] + MODULE
BACKWARD = [frame("at::_ops::mm::call(int)"), frame("torch::autograd::generated::MmBackward0::apply(int)"),
            frame("torch::autograd::Engine::thread_main(int)"), frame("start_thread")]
ADAM = [frame("_init_group", "/lib/torch/optim/adam.py", 175), frame("step", "/lib/torch/optim/adam.py", 230)] + MAIN


def entry(action, at, size, frames, ms, stream=0):
    return {"action": action, "addr": BASE + at * MIB, "size": size, "stream": stream, "time_us": TIME + ms * 1000, "frames": frames}


def block(at, requested, frames, state="active_allocated"):
    return {"address": BASE + at * MIB, "size": MIB, "requested_size": requested, "state": state, "frames": frames}


def segment(device, at, pool, blocks):
    return {"device": device, "address": BASE + at * MIB, "total_size": 16 * MIB, "allocated_size": 0, "active_size": 0, "requested_size": 0, "stream": 7 if device else 0,
            "segment_type": "large", "segment_pool_id": pool, "is_expandable": False, "frames": [], "blocks": blocks}


SNAPSHOT = {
    "device_traces": [
        [
            entry("alloc", 1, 1000, MODULE, 0),              # 0
            entry("alloc", 2, 2000, MATMUL, 1),              # 1
            entry("alloc", 3, 700, MATMUL, 2, 7),            # 2
            entry("alloc", 17, 5000, BACKWARD, 3),           # 3: in the private pool
            entry("free_requested", 3, 700, BACKWARD, 4, 7), # 4: waits for another stream
            entry("alloc", 4, 400, ADAM, 5),                 # 5
            {"action": "oom", "device_free": 5, "size": 1 << 30, "stream": 0, "time_us": TIME + 6000, "frames": MATMUL}, # 6
            entry("free_completed", 3, 700, BACKWARD, 7, 7), # 7
            entry("free_requested", 2, 2000, BACKWARD, 8),   # 8
            entry("free_completed", 2, 2000, BACKWARD, 8),   # 9
        ],
        [],
    ],
    "segments": [segment(0, 0, (0, 0), [block(0, 64, []), block(1, 1000, MODULE), block(4, 400, ADAM)]), segment(0, 16, (1, 0), [block(17, 5000, BACKWARD)]),
                 segment(1, 64, (0, 0), [block(64, 30, [], "active_pending_free")])],
}

if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(pickle.dumps(SNAPSHOT, protocol=4))
