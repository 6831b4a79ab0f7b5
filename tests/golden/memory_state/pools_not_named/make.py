#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A snapshot of an expandable segment of a private pool that grew twice. Old versions of PyTorch record the pools of
segments, but not those of events."""
import pickle
import sys

BASE, PART = 0x7F0000000000, 2 << 20
SEGMENT = {
    "device": 0, "address": BASE, "total_size": 3 * PART, "allocated_size": 0, "active_size": 0, "stream": 0,
    "segment_type": "large", "segment_pool_id": (0, 1), "is_expandable": True,
    "blocks": [{"address": BASE, "size": 3 * PART, "requested_size": 0, "state": "inactive", "frames": []}],
}
EVENTS = [{"action": "segment_map", "addr": BASE + at * PART, "size": PART, "stream": 0, "frames": []} for at in (1, 2)]

with open(sys.argv[1], "wb") as file:
    pickle.dump({"segments": [SEGMENT], "device_traces": [EVENTS]}, file)
