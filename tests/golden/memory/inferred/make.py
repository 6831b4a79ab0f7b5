#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A memory snapshot of a training step whose parameters and optimizer states are from before the history, without stacks. The two weights of
4,000 bytes have two states each; the bias of 100 bytes has none. A lookup table has no gradient."""
import pickle
import sys

BASE = 0x7F0000000000
TIME = 1_750_000_000_000_000
MIB = 1 << 20


def frame(name, filename="??", line=0):
    return {"name": name, "filename": filename, "line": line}


BACKWARD = [frame("at::_ops::mm::call(int)"), frame("torch::autograd::Engine::thread_main(int)")]
STEP = [frame("step", "/lib/torch/optim/adam.py", 230), frame("wrapper", "/lib/torch/optim/optimizer.py", 480), frame("main", "/home/me/train.py", 40)]


def entry(action, at, size, frames, ms):
    return {"action": action, "addr": BASE + at * MIB, "size": size, "stream": 0, "time_us": TIME + ms * 1000, "frames": frames}


def block(at, requested, frames):
    return {"address": BASE + at * MIB, "size": (requested + 511) // 512 * 512, "requested_size": requested, "state": "active_allocated", "frames": frames}


OLD = [(1, 4000), (2, 4000), (3, 4000), (4, 4000), (5, 4000), (6, 4000), (7, 100), (8, 777), (9, 8519680)]
FRESH = [(20, 4000), (21, 4000), (22, 100)]
SNAPSHOT = {
    "device_traces": [[entry("alloc", at, size, BACKWARD, ms) for ms, (at, size) in enumerate(FRESH)]
                      + [entry("alloc", 23, 64, STEP, 3), entry("free_requested", 23, 64, STEP, 4), entry("free_completed", 23, 64, STEP, 5)]],
    "segments": [{"device": 0, "address": BASE, "total_size": 32 * MIB, "allocated_size": 0, "active_size": 0, "requested_size": 0, "stream": 0, "segment_type": "large",
                  "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
                  "blocks": [block(at, size, []) for at, size in OLD] + [block(at, size, BACKWARD) for at, size in FRESH]}],
}

if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(pickle.dumps(SNAPSHOT, protocol=4))
