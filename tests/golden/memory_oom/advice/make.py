#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A failed request for 15 MiB, and memory of every kind that could have served it, in MiB:

    default pool, default stream: 10 in use (model.py:10), hole of 6, 8 in use (model.py:12), 6 pending, hole of 10
    default pool, stream 0x7:     2 in use, hole of 18
    pool (0, 1), default stream:  20 without a block
    device:                       4 free
"""
import pickle
import sys

MIB = 1 << 20
BASE = 0x7F0000000000


def frames(*places):
    return [{"name": name, "filename": "/home/me/%s.py" % file, "line": line} for name, file, line in places]


def entry(action, at, size, stack, **more):
    return {"action": action, "addr": BASE + at * MIB, "size": size * MIB, "stream": 0, "frames": stack, "pool_id": (0, 0), **more}


def segment(at, stream, pool, *blocks):
    made, address = [], BASE + at * MIB
    for size, state, stack in blocks:
        made.append({"address": address, "size": size * MIB, "requested_size": size * MIB if state != "inactive" else 0, "state": state, "frames": stack})
        address += size * MIB
    return {"device": 0, "address": BASE + at * MIB, "total_size": address - BASE - at * MIB, "allocated_size": 0, "active_size": 0, "requested_size": 0,
            "stream": stream, "segment_type": "large", "segment_pool_id": pool, "is_expandable": False, "frames": [], "blocks": made}


MAIN = ("train", "train", 3)
FIRST, SECOND = frames(("forward", "model", 10), MAIN), frames(("forward", "model", 12), MAIN)
COPY = frames(("prefetch", "data", 8), MAIN)
FAILED = frames(("linear", "site-packages/torch/nn/functional", 5), ("forward", "model", 14), ("loss", "model", 30), MAIN, ("<module>", "train", 90))

SNAPSHOT = {
    "device_traces": [[
        entry("alloc", 0, 10, FIRST, category="activation"),
        entry("alloc", 16, 8, SECOND, category="activation"),
        entry("alloc", 24, 6, COPY, category="input"),
        entry("free_requested", 24, 6, COPY),
        {"action": "oom", "device_free": 4 * MIB, "size": 15 * MIB, "stream": 0, "frames": FAILED, "pool_id": (0, 0)},
    ]],
    "segments": [
        segment(0, 0, (0, 0), (10, "active_allocated", FIRST), (6, "inactive", []), (8, "active_allocated", SECOND), (6, "active_pending_free", COPY),
                (10, "inactive", [])),
        segment(100, 7, (0, 0), (2, "active_allocated", COPY), (18, "inactive", [])),
        segment(200, 0, (0, 1), (20, "inactive", [])),
    ],
}

if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(pickle.dumps(SNAPSHOT, protocol=4))
