#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A memory snapshot of a server for inference: constructors allocate a weight, the KV cache and a work buffer; one forward pass has run."""
import pickle
import sys

BASE = 0x7F0000000000
TIME = 1_750_000_000_000_000
MIB = 1 << 20


def frame(name, filename, line):
    return {"name": name, "filename": filename, "line": line}


SERVER = [frame("__init__", "/lib/vllm/entrypoints/llm.py", 243), frame("<module>", "/home/me/serve.py", 5)]
WEIGHT = [frame("create_weights", "/lib/vllm/model_executor/layers/linear.py", 190), frame("__init__", "/lib/vllm/model_executor/layers/linear.py", 300),
          frame("__init__", "/lib/vllm/model_executor/models/llama.py", 60)] + SERVER
CACHE = [frame("_allocate_kv_cache", "/lib/vllm/worker/cache_engine.py", 93), frame("__init__", "/lib/vllm/worker/cache_engine.py", 68)] + SERVER
BUFFER = [frame("__init__", "/home/me/queue.py", 12)] + SERVER
FORWARD = [frame("forward", "/lib/vllm/model_executor/models/llama.py", 170), frame("_call_impl", "/lib/torch/nn/modules/module.py", 1784)] + SERVER
STAYS = [(1, 3000, WEIGHT), (2, 7000, CACHE), (3, 7000, CACHE), (4, 500, BUFFER)]


def entry(action, at, size, frames, ms):
    return {"action": action, "addr": BASE + at * MIB, "size": size, "stream": 0, "time_us": TIME + ms * 1000, "frames": frames}


def block(at, requested, frames):
    return {"address": BASE + at * MIB, "size": (requested + 511) // 512 * 512, "requested_size": requested, "state": "active_allocated", "frames": frames}


SNAPSHOT = {
    "device_traces": [[entry("alloc", at, size, frames, ms) for ms, (at, size, frames) in enumerate(STAYS)]
                      + [entry("alloc", 5, 2500, FORWARD, 4), entry("free_requested", 5, 2500, SERVER, 5), entry("free_completed", 5, 2500, SERVER, 6)]],
    "segments": [{"device": 0, "address": BASE, "total_size": 16 * MIB, "allocated_size": 0, "active_size": 0, "requested_size": 0, "stream": 0, "segment_type": "large",
                  "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": [block(*one) for one in STAYS]}],
}

if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(pickle.dumps(SNAPSHOT, protocol=4))
