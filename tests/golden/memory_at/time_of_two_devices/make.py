#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A memory snapshot of two devices. The second one starts 1.5 s after the first, but the times of both use the same clock."""
import pickle
import sys


def history(begin, sizes):
    return [{"action": "alloc", "addr": (begin + 1) * 1048576 + at * 4096, "size": size, "stream": 0, "time_us": 1_750_000_000_000_000 + begin * 100_000 + at * 1_000_000, "frames": []}
            for at, size in enumerate(sizes)]


# At 0, 1 and 2.5 s and at 1.5 and 2.5 s.
TRACES = [history(0, [512, 1024]), history(15, [1024, 4096])]
TRACES[0].append(dict(TRACES[0][0], addr=1048576 + 65536, size=2048, time_us=1_750_000_000_000_000 + 2_500_000))
SEGMENTS = [{"device": device, "address": min(entry["addr"] for entry in trace), "total_size": 1 << 20, "allocated_size": 0, "active_size": 0, "requested_size": 0,
             "stream": 0, "segment_type": "small", "frames": [],
             "blocks": [{"address": entry["addr"], "size": 4096, "requested_size": entry["size"], "state": "active_allocated", "frames": []}
                        for entry in sorted(trace, key=lambda entry: entry["addr"])]} for device, trace in enumerate(TRACES)]
with open(sys.argv[1], "wb") as file:
    pickle.dump({"device_traces": TRACES, "segments": SEGMENTS}, file, protocol=4)
