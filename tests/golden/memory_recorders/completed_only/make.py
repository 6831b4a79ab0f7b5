#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A history whose recorder writes only when memory is back in the pool (free_completed), not when the program freed it."""
import pickle
import sys

BASE = 0x7F0000000000


def entry(action, at, size):
    return {"action": action, "addr": BASE + at, "size": size, "stream": 0, "frames": []}


def block(at, size, requested, state):
    return {"address": BASE + at, "size": size, "requested_size": requested, "state": state, "frames": []}


SNAPSHOT = {
    "device_traces": [[
        entry("alloc", 0, 1000),            # 0
        entry("alloc", 1024, 3000),         # 1: 4000 are allocated, the peak
        entry("free_completed", 0, 1000),   # 2
        entry("free_completed", 4096, 70),  # 3: from before the history
        entry("alloc", 0, 500),             # 4: 3500 at the end
    ]],
    "segments": [
        {"device": 0, "address": BASE, "total_size": 2 << 20, "allocated_size": 3584, "active_size": 3584, "requested_size": 3500, "stream": 0,
         "segment_type": "small", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
         "blocks": [block(0, 512, 500, "active_allocated"), block(512, 512, 0, "inactive"), block(1024, 3072, 3000, "active_allocated"),
                    block(4096, (2 << 20) - 4096, 0, "inactive")]},
    ],
}

if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(pickle.dumps(SNAPSHOT, protocol=4))
