#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the bundled memory snapshot: a small GPT in training whose loop keeps the graph of every loss, until an allocation
fails. The snapshot is generated, not recorded. Every run writes the same bytes.

    make_snapshot.py FILE            writes the snapshot
    make_snapshot.py --check FILE    fails if the file is not what this script writes
"""

import gzip
import pickle
import sys

MB = 1 << 20
CAPACITY = 2_048 * MB
SEGMENT = 64 * MB
STREAM = 0
LAYERS, WIDTH, TOKENS, STEPS = 6, 1_024, 4_096, 12
WEIGHT, ACTIVATION, LOGITS = 4 * WIDTH * WIDTH * 4, TOKENS * WIDTH * 2, 96 * MB
START = 1_700_000_000_000_000  # microseconds


class OutOfMemory(Exception):
    pass


def stack(*frames):
    """Frames from the innermost to the outermost."""
    libraries = {"torch": "/opt/env/lib/python3.11/site-packages/torch/"}
    known = []
    for name, file, line in frames:
        package, _, rest = file.partition(":")
        known.append({"name": name, "filename": libraries[package] + rest if rest else "/data/gpt/" + file, "line": line})
    return known


LOOP = ("main", "train.py", 71)
FORWARD = (("forward", "model.py", 88), ("train_step", "train.py", 40), LOOP)


class Allocator:
    """First fit in segments of one size; a larger block has a segment of its own."""

    def __init__(self):
        self.segments, self.trace, self.time, self.reserved = [], [], START, 0
        self.next_address = 0x7F40_0000_0000

    def note(self, action, address, size, frames):
        self.time += 37
        self.trace.append({"action": action, "addr": address, "size": size, "stream": STREAM, "frames": frames,
                           "time_us": self.time})

    def allocate(self, size, frames):
        size = -(-size // 512) * 512
        place = next(((segment, block) for segment in self.segments for block in segment["blocks"]
                      if block["state"] == "inactive" and block["size"] >= size), None)
        if place is None:
            place = self.new_segment(size, frames)
        segment, block = place
        at = segment["blocks"].index(block)
        if block["size"] > size:
            segment["blocks"].insert(at + 1, {"address": block["address"] + size, "size": block["size"] - size,
                                              "requested_size": 0, "state": "inactive", "frames": []})
        block.update(size=size, requested_size=size, state="active_allocated", frames=frames)
        self.note("alloc", block["address"], size, frames)
        return block["address"]

    def new_segment(self, size, frames):
        total = max(SEGMENT, -(-size // (2 * MB)) * 2 * MB)
        if self.reserved + total > CAPACITY:
            free = CAPACITY - self.reserved
            self.trace.append({"action": "oom", "device_free": free, "size": size, "stream": STREAM, "frames": frames,
                               "time_us": self.time + 37, "addr": 0})
            raise OutOfMemory
        block = {"address": self.next_address, "size": total, "requested_size": 0, "state": "inactive", "frames": []}
        segment = {"device": 0, "address": self.next_address, "total_size": total, "stream": STREAM,
                   "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": frames,
                   "blocks": [block]}
        self.next_address += total + SEGMENT
        self.reserved += total
        self.segments.append(segment)
        self.note("segment_alloc", segment["address"], total, frames)
        return segment, block

    def free(self, address, frames=()):
        for segment in self.segments:
            for at, block in enumerate(segment["blocks"]):
                if block["address"] == address:
                    size = block["size"]
                    self.note("free_requested", address, size, list(frames))
                    self.note("free_completed", address, size, list(frames))
                    block.update(state="inactive", requested_size=0, frames=[])
                    merge(segment["blocks"], at)
                    return
        raise KeyError(address)

    def snapshot(self):
        for segment in self.segments:
            used = [block for block in segment["blocks"] if block["state"] == "active_allocated"]
            segment["allocated_size"] = segment["active_size"] = sum(block["size"] for block in used)
            segment["requested_size"] = sum(block["requested_size"] for block in used)
        return {"segments": self.segments, "device_traces": [self.trace],
                "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "expandable_segments": False}}


def merge(blocks, at):
    """Joins a free block with free neighbours."""
    for other in (at + 1, at - 1):
        if 0 <= other < len(blocks) and blocks[other]["state"] == "inactive":
            first, second = min(at, other), max(at, other)
            blocks[first]["size"] += blocks[second]["size"]
            del blocks[second]
            at = first


def train(memory):
    build = (("__init__", "model.py", 31), ("build", "train.py", 22), ("main", "train.py", 64))
    adam = (("_init_group", "torch:optim/adam.py", 178), ("step", "torch:optim/adam.py", 218),
            ("train_step", "train.py", 44), LOOP)
    weights = [memory.allocate(WEIGHT, stack(("__init__", "torch:nn/modules/linear.py", 106), *build))
               for _ in range(LAYERS * 3)]
    state, kept = [], []
    for step in range(STEPS):
        batch = memory.allocate(TOKENS * 8, stack(("to_device", "data.py", 17), ("train_step", "train.py", 38), LOOP))
        saved = []
        for layer in range(LAYERS):
            for name, line, size in (("attention", 47, 3 * ACTIVATION), ("mlp", 58, 4 * ACTIVATION), ("norm", 62, ACTIVATION)):
                saved.append(memory.allocate(size, stack(("linear", "torch:nn/functional.py", 2_373), (name, "model.py", line), *FORWARD)))
        logits = memory.allocate(LOGITS, stack(("cross_entropy", "torch:nn/functional.py", 3_462), ("loss", "model.py", 95), *FORWARD[1:]))
        backward = stack(("backward", "torch:_tensor.py", 581), ("train_step", "train.py", 42), LOOP)
        gradients = []
        for layer in range(LAYERS):
            gradients += [memory.allocate(WEIGHT, backward) for _ in range(3)]
            for _ in range(3):
                memory.free(saved.pop(), backward)
        memory.free(logits, backward)
        # The mistake: the curve of the loss keeps the tensor, and with it the last hidden state.
        kept.append(memory.allocate(8 * ACTIVATION, stack(("log_loss", "train.py", 55), ("train_step", "train.py", 43), LOOP)))
        if not state:
            state = [memory.allocate(2 * WEIGHT, stack(*adam)) for _ in weights]
        for gradient in gradients:
            memory.free(gradient, stack(("zero_grad", "torch:optim/optimizer.py", 978), ("train_step", "train.py", 45), LOOP))
        memory.free(batch, stack(("train_step", "train.py", 46), LOOP))


def content():
    memory = Allocator()
    try:
        train(memory)
    except OutOfMemory:
        return gzip.compress(pickle.dumps(memory.snapshot(), protocol=4), 9, mtime=0)
    raise SystemExit("The run was expected to fail.")


def main(arguments):
    is_check = arguments[:1] == ["--check"]
    if len(arguments) != 1 + is_check:
        raise SystemExit(__doc__)
    path = arguments[-1]
    if not is_check:
        with open(path, "wb") as file:
            file.write(content())
        return
    with open(path, "rb") as file:
        if gzip.decompress(file.read()) != gzip.decompress(content()):
            raise SystemExit(f"{path} is not what make_snapshot.py writes.")


if __name__ == "__main__":
    main(sys.argv[1:])
