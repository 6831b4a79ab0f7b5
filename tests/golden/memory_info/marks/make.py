#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A memory snapshot with marks: nested ranges, a range without an end, and an end without a start."""
import pickle
import sys


def mark(stage, name, ms, device=0):
    return {"stage": stage, "name": name, "device": device, "time_us": 1_750_000_000_000_000 + ms * 1000}


SNAPSHOT = {
    "segments": [],
    "device_traces": [[{"action": "snapshot", "addr": 0, "size": 0, "stream": 0, "time_us": 1_750_000_000_000_000}]],
    "external_annotations": [mark("START", "step", 0), mark("START", "step", 1), mark("END", "step", 3), mark("END", "step", 10), mark("START", "step", 20),
                             mark("END", "load", 21), mark("START", "step", 5, 1), mark("END", "step", 6, 1)],
}

if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(pickle.dumps(SNAPSHOT, protocol=4))
