#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A snapshot of 200 KB in which 5,000 segments share one list of 2,000 blocks: 10 million blocks for whoever reads it."""
import pickle
import sys

blocks = [{"state": "active_allocated", "size": 512, "address": 0x10000 + 512 * at} for at in range(2000)]
segments = [{"address": 1 << 21, "total_size": 1 << 21, "device": 0, "blocks": blocks} for _ in range(5000)]
with open(sys.argv[1], "wb") as out:
    pickle.dump({"segments": segments, "device_traces": []}, out)
