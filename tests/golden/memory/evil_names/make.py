#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A memory snapshot whose names would colour, clear and turn around what a terminal shows."""
import pickle
import sys

FRAMES = [{"name": "evil\x1b[31mred\x00\u202e\u2066 Größe", "filename": "a\tb\x7f.py", "line": 3}]
SNAPSHOT = {
    "device_traces": [[{"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": FRAMES}]],
    "segments": [{"device": 0, "address": 4096, "total_size": 2097152, "allocated_size": 512, "active_size": 512, "requested_size": 512, "stream": 0,
                  "segment_type": "small", "frames": [], "blocks": [{"address": 4096, "size": 512, "requested_size": 512, "state": "active_allocated", "frames": FRAMES}]}],
}
with open(sys.argv[1], "wb") as file:
    pickle.dump(SNAPSHOT, file, protocol=4)
