# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Replays the history of a memory snapshot forward, as PyTorch's viewer does; the model goes back."""


class Allocation:
    def __init__(self, address, size, begin, stack, stream):
        self.address, self.size, self.begin, self.stack, self.stream = address, size, begin, stack, stream
        self.freed = self.end = self.block = None
        self.waits = False  # the block was already pending when the history started
        self.metadata = None
        self.given_back = []  # the stack that freed it, if it is unknown what allocated it

    def alive(self, event):
        return (self.begin is None or self.begin <= event) and (self.end is None or self.end > event)

    def pending(self, event):
        return self.freed <= event if self.freed is not None else self.waits


def from_before(entry):
    """An allocation whose first known entry is the one that frees it; that stack is not the one that allocated it."""
    one = Allocation(entry["addr"], entry["size"], None, [], entry["stream"])
    one.given_back = entry.get("frames") or []
    return one


def stream_name(pointer):
    return "stream %#x" % (pointer & 0xFFFF_FFFF_FFFF_FFFF) if pointer else "default stream"


def replay(trace, segments):
    """Every allocation that occurs in the history or in the final state."""
    known, open_at = [], {}
    for at, entry in enumerate(trace):
        action, address = entry["action"], entry.get("addr")
        if action == "alloc":
            open_at[address] = Allocation(address, entry["size"], at, entry.get("frames") or [], entry["stream"])
            open_at[address].metadata = entry.get("user_metadata")
            known.append(open_at[address])
        elif action == "free_requested":
            if address not in open_at:
                open_at[address] = from_before(entry)
                known.append(open_at[address])
            open_at[address].freed = at
        elif action == "free_completed":
            if address not in open_at:
                known.append(from_before(entry))
                known[-1].waits = True
                open_at[address] = known[-1]
            open_at.pop(address).end = at
    for segment in segments:
        for block in segment["blocks"]:
            if not block["state"].startswith("active"):
                continue
            one = open_at.pop(block["address"], None)
            if one is None:
                one = Allocation(block["address"], block["requested_size"], None, block.get("frames") or [], segment["stream"])
                one.waits = block["state"] != "active_allocated"
                known.append(one)
            elif one.begin is None:
                one.stack = block.get("frames") or []
                one.given_back = [] if one.stack else one.given_back
            one.block, one.size = segment, block["requested_size"]
    return [one for one in known if one not in open_at.values()]  # leave out allocations that are neither freed nor in the final state
