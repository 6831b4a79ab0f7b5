#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A memory snapshot of two devices as torch.cuda.memory._dump_snapshot() pickles it."""
import pickle
import sys

BASE = 0x7F0000000000
FORWARD = [{"name": "forward", "filename": "/a.py", "line": 7}, {"name": "main", "filename": "/b.py", "line": 1}]
BACKWARD = [{"name": "backward", "filename": "/a.py", "line": 9}]


def entry(action, at, size, frames=None):
    fields = {"action": action, "addr": BASE + at, "size": size, "stream": 0, "time_us": 1_750_000_000_000_000 + at}
    if frames:
        fields["frames"] = frames
    return fields


def block(at, size, requested, state):
    return {"address": BASE + at, "size": size, "requested_size": requested, "state": state, "frames": FORWARD}


SNAPSHOT = {
    "device_traces": [
        [
            entry("free_requested", 0, 100, BACKWARD),  # from before
            entry("free_completed", 0, 100, BACKWARD),
            entry("segment_map", 1 << 21, 1 << 21, FORWARD),
            entry("alloc", 1 << 21, 2000, FORWARD),
            entry("alloc", 0, 500, FORWARD),
            entry("free_requested", 1 << 21, 2000, BACKWARD),
            {"action": "oom", "device_free": 5, "size": 1 << 30, "stream": 0, "frames": FORWARD},
        ],
        [entry("snapshot", 0, 0)],
    ],
    "segments": [
        {"device": 0, "address": BASE, "total_size": 2 << 21, "allocated_size": 512, "active_size": 2560, "requested_size": 2500, "stream": 0,
         "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": True, "frames": [],
         "blocks": [block(0, 512, 500, "active_allocated"), block(512, (1 << 21) - 512, 0, "inactive"),
                    block(1 << 21, 2048, 2000, "active_pending_free"), block((1 << 21) + 2048, (1 << 21) - 2048, 0, "inactive")]},
    ],
    "allocator_settings": {"expandable_segments": True, "trace_alloc_overflowed": True, "trace_alloc_max_entries": 7},
}

if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(pickle.dumps(SNAPSHOT, protocol=4))
