#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A memory snapshot of one device without a history: a segment of 2 MiB with a block of 1000 requested bytes."""
import pickle
import sys

BASE = 0x7F0000000000
BLOCKS = [{"address": BASE, "size": 1024, "requested_size": 1000, "state": "active_allocated", "frames": []},
          {"address": BASE + 1024, "size": (2 << 20) - 1024, "requested_size": 0, "state": "inactive", "frames": []}]
SEGMENT = {"device": 0, "address": BASE, "total_size": 2 << 20, "allocated_size": 1024, "active_size": 1024, "requested_size": 1000, "stream": 0,
           "segment_type": "small", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": BLOCKS}

with open(sys.argv[1], "wb") as out:
    out.write(pickle.dumps({"device_traces": [[]], "segments": [SEGMENT]}, protocol=4))
