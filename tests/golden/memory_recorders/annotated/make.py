#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What later recorders write: texts that the program attached after an allocation (annotate), metadata that is a dict, ids of pools as lists."""
import pickle
import sys

BASE = 0x7F0000000000


def entry(action, at, size, pool=(0, 0), **more):
    return {"action": action, "addr": BASE + at, "size": size, "stream": 0, "frames": [], "pool_id": list(pool), **more}


def block(at, size, requested, state):
    return {"address": BASE + at, "size": size, "requested_size": requested, "state": state, "frames": []}


def segment(at, pool, *blocks):
    return {"device": 0, "address": BASE + at, "total_size": 2 << 20, "allocated_size": 0, "active_size": 0, "requested_size": 0, "stream": 0,
            "segment_type": "small", "segment_pool_id": list(pool), "is_expandable": False, "frames": [], "blocks": list(blocks)}


LAYER = {"layer": 3, "kind": "weights", "shape": [2, 5], "shared": None}
SNAPSHOT = {
    "device_traces": [[
        entry("annotate", 4096, 70, user_metadata="from before"),  # 0: of the allocation that is freed at 7
        entry("alloc", 0, 1000, user_metadata="made in step 1"),   # 1
        entry("alloc", 1024, 3000, user_metadata=LAYER),           # 2
        entry("alloc", 2 << 20, 600, pool=(0, 1)),                 # 3
        entry("annotate", 0, 1000, user_metadata="saved for backward"),
        entry("annotate", 0, 1000, user_metadata={"node": "MulBackward0"}),
        entry("annotate", 2 << 20, 600, pool=(0, 1), user_metadata="captured"),
        entry("free_requested", 4096, 70),
        entry("free_completed", 4096, 70),
        entry("free_requested", 2 << 20, 600, pool=(0, 1)),
        entry("free_completed", 2 << 20, 600, pool=(0, 1)),
        entry("alloc", 2 << 20, 800, pool=(0, 1)),                 # 11: at the address of an annotated one, but not annotated
    ]],
    "segments": [segment(0, (0, 0), block(0, 1024, 1000, "active_allocated"), block(1024, 3072, 3000, "active_allocated"),
                         block(4096, (2 << 20) - 4096, 0, "inactive")),
                 segment(2 << 20, (0, 1), block(2 << 20, 1024, 800, "active_allocated"), block((2 << 20) + 1024, (2 << 20) - 1024, 0, "inactive"))],
}

if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(pickle.dumps(SNAPSHOT, protocol=4))
