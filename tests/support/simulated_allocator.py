# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's caching allocator in small, written from its published rules, and the memory snapshots that it would dump.

It keeps its blocks in lists, knows the figures after each of its events, and shares no code with Riffle.

Definitions
-----------
Rounding     A request becomes a block of at least 512 bytes and a multiple of it; with divisions, a multiple of the next lower power of two
             divided by their number.
Pools        Blocks of up to 1 MiB are in small segments, others in large ones. Blocks of different streams, pools and kinds never mix.
Fit          The smallest free block that is large enough, the lowest address first.
Split        The remainder of a free block becomes a free block, except in a large segment: only if it is above 1 MiB. With expandable
             segments, every remainder does.
Segments     2 MiB for small blocks, 20 MiB for requests below 10 MiB, otherwise the request rounded up to 2 MiB. An expandable segment grows
             by pages of 2 MiB (small) or 20 MiB (large) at its end.
Failure      If the device has too little, segments without a block in use go back to it (not those of private pools), and the request is
             tried once more on the device alone. Then it fails, and an oom event is recorded.
"""
import copy
import pickle

MIB = 1 << 20
SMALL = MIB


class OutOfMemory(Exception):
    pass


class Block:
    __slots__ = ("address", "size", "requested", "state", "frames")

    def __init__(self, address, size):
        self.address, self.size, self.requested, self.state, self.frames = address, size, 0, "inactive", []


class Segment:
    def __init__(self, address, size, stream, pool, small, expandable):
        self.address, self.stream, self.pool, self.small, self.expandable = address, stream, pool, small, expandable
        self.blocks = [Block(address, size)] if size else []

    @property
    def size(self):
        return sum(block.size for block in self.blocks)

    def free_at(self, index):
        """Frees a block and merges it with free neighbours."""
        self.blocks[index].state, self.blocks[index].requested = "inactive", 0
        for at in (index, index - 1):
            if 0 <= at and at + 1 < len(self.blocks) and self.blocks[at].state == self.blocks[at + 1].state == "inactive":
                self.blocks[at].size += self.blocks.pop(at + 1).size


class Allocator:
    def __init__(self, capacity, expandable=False, divisions=0, limit=None):
        """`limit`: what the process may reserve of the device (set_per_process_memory_fraction)."""
        self.capacity, self.expandable, self.divisions = capacity, expandable, divisions
        self.limit = capacity if limit is None else limit
        self.segments, self.events, self.figures, self.failures = [], [], [], {}
        self.next_address = 0x7F0000000000

    # What a program does

    def malloc(self, requested, stream=0, pool=(0, 0), frames=()):
        size = self.rounded(requested)
        small = size <= SMALL
        found = self.fitting(size, stream, pool, small)
        if not found:
            found = self.grow(size, stream, pool, small)
        if not found:
            self.release_cached()
            found = self.grow(size, stream, pool, small)
        if not found:
            self.failures[len(self.events)] = {"asked": size, "stream": stream, "pool": pool, "small": small, "device_free": self.left(),
                                               "then": self.without_history()}
            self.record("oom", device_free=self.left(), size=size, stream=stream, pool=pool, frames=frames)
            raise OutOfMemory
        segment, index = found
        block = segment.blocks[index]
        rest = block.size - size
        if rest >= 512 if small or self.expandable else rest > SMALL:
            block.size = size
            segment.blocks.insert(index + 1, Block(block.address + size, rest))
        block.state, block.requested, block.frames = "active_allocated", requested, list(frames)
        self.record("alloc", addr=block.address, size=requested, stream=stream, pool=pool, frames=frames)
        return block.address

    def free(self, address, frames=(), waits=False):
        """Frees a block; if it waits for another stream, it stays pending until complete()."""
        segment, index = self.find(address)
        block = segment.blocks[index]
        assert block.state == "active_allocated"
        block.state = "active_pending_free"
        self.record("free_requested", addr=address, size=block.requested, stream=segment.stream, pool=segment.pool, frames=frames)
        if not waits:
            self.complete(address, frames)

    def complete(self, address, frames=()):
        segment, index = self.find(address)
        requested = segment.blocks[index].requested
        assert segment.blocks[index].state == "active_pending_free"
        segment.free_at(index)
        self.record("free_completed", addr=address, size=requested, stream=segment.stream, pool=segment.pool, frames=frames)

    def release_cached(self):
        """torch.cuda.empty_cache()"""
        for segment in list(self.segments):
            if segment.pool != (0, 0) or len(segment.blocks) != 1 or segment.blocks[0].state != "inactive":
                continue
            self.segments.remove(segment)
            self.record("segment_unmap" if segment.expandable else "segment_free", addr=segment.address, size=segment.blocks[0].size,
                        stream=segment.stream, pool=segment.pool)

    def note_snapshot(self):
        """What torch.cuda.memory._snapshot() leaves in the history: the bytes in blocks."""
        self.record("snapshot", addr=0, size=self.measure()["in_blocks"], stream=0, pool=(0, 0))

    # How it does it

    def rounded(self, size):
        if size < 512:
            return 512
        if self.divisions > 1 and size > 512 * self.divisions:
            floor = 1 << (size.bit_length() - 1)
            step = max(floor // self.divisions, 1)
            return size if size == floor else -(-size // step) * step
        return -(-size // 512) * 512

    def left(self):
        return self.capacity - sum(segment.size for segment in self.segments)

    def allowed(self):
        return self.left() - (self.capacity - self.limit)

    def fitting(self, size, stream, pool, small):
        free = [(block.size, block.address, segment, index)
                for segment in self.segments if (segment.stream, segment.pool, segment.small) == (stream, pool, small)
                for index, block in enumerate(segment.blocks) if block.state == "inactive" and block.size >= size]
        return min(free, key=lambda one: one[:2])[2:] if free else None

    def grow(self, size, stream, pool, small):
        if self.expandable and pool == (0, 0):
            return self.map_pages(size, stream, pool, small)
        need = 2 * MIB if small else 20 * MIB if size < 10 * MIB else -(-size // (2 * MIB)) * 2 * MIB
        if need > self.allowed():
            return None
        segment = Segment(self.next_address, need, stream, pool, small, False)
        self.next_address += need + 2 * MIB
        self.segments.append(segment)
        self.record("segment_alloc", addr=segment.address, size=need, stream=stream, pool=pool)
        return segment, 0

    def map_pages(self, size, stream, pool, small):
        segment = next((one for one in self.segments if one.expandable and (one.stream, one.pool, one.small) == (stream, pool, small)), None)
        tail = segment.blocks[-1] if segment and segment.blocks[-1].state == "inactive" else None
        page = (2 if small else 20) * MIB
        more = -(-(size - (tail.size if tail else 0)) // page) * page
        if more > self.allowed():
            return None
        if not segment:
            segment = Segment(self.next_address, 0, stream, pool, small, True)
            self.next_address += 1 << 40
            self.segments.append(segment)
        end = segment.address + segment.size
        segment.blocks.append(Block(end, more))
        if tail:
            tail.size += segment.blocks.pop().size
        self.record("segment_map", addr=end, size=more, stream=stream, pool=pool)
        return segment, len(segment.blocks) - 1

    def find(self, address):
        return next((segment, index) for segment in self.segments for index, block in enumerate(segment.blocks) if block.address == address)

    def record(self, action, pool, frames=(), **fields):
        self.events.append({"action": action, **fields, "pool_id": pool, "time_us": 1_750_000_000_000_000 + 10 * len(self.events),
                            "frames": list(frames)})
        self.figures.append(self.measure())

    def without_history(self):
        """A copy in which one can try what would have helped."""
        other = Allocator(self.capacity, self.expandable, self.divisions, self.limit)
        other.segments, other.next_address = copy.deepcopy(self.segments), self.next_address
        return other

    def measure(self):
        """The figures of this moment."""
        blocks = [block for segment in self.segments for block in segment.blocks]
        holes = [block.size for block in blocks if block.state == "inactive"]
        used = [block for block in blocks if block.state != "inactive"]
        return {"reserved": sum(block.size for block in blocks), "segments": len(self.segments), "blocks": len(used), "holes": len(holes),
                "allocated": sum(block.requested for block in used if block.state == "active_allocated"),
                "pending": sum(block.requested for block in used if block.state == "active_pending_free"),
                "in_blocks": sum(block.size for block in used), "free": sum(holes), "largest_free": max(holes, default=0)}

    # The snapshot

    def snapshot(self, first=0):
        """What _dump_snapshot() writes; the history starts at an event."""
        segments = []
        for segment in sorted(self.segments, key=lambda one: one.address):
            used = [block for block in segment.blocks if block.state != "inactive"]
            segments.append({
                "device": 0, "address": segment.address, "total_size": segment.size, "stream": segment.stream, "frames": [],
                "segment_type": "small" if segment.small else "large", "segment_pool_id": segment.pool, "is_expandable": segment.expandable,
                "allocated_size": sum(block.size for block in used if block.state == "active_allocated"),
                "active_size": sum(block.size for block in used), "requested_size": sum(block.requested for block in used),
                "blocks": [{"address": block.address, "size": block.size, "requested_size": block.requested, "state": block.state,
                            "frames": block.frames} for block in segment.blocks]})
        divisions = {str(1 << at): self.divisions for at in range(16)}
        return {"segments": segments, "device_traces": [self.events[first:]], "external_annotations": [],
                "allocator_settings": {"expandable_segments": self.expandable, "max_split_size": -1, "roundup_power2_divisions": divisions}}

    def dump(self, path, first=0):
        with open(path, "wb") as out:
            pickle.dump(self.snapshot(first), out, protocol=4)
