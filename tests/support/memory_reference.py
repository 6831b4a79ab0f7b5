# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""An independent computation of what profile_memory recorded in a trace of PyTorch, for summary_reference.py.

Definitions
-----------
Event        An instant named [memory] with `Device Type` or `Bytes`; ordered by time, then by position in the file. Bytes below 0 are freed.
Inside       The deepest slice of the event's thread that contains its time; the operator is this slice or the nearest one around it.
             An allocation at a whole microsecond belongs to a call of aten::empty or aten::empty_strided that ends then, if no earlier
             allocation belongs to that call; of several such calls to the one that started first, the outer one before the inner one.
Life         An allocation, and the next release of its address on its device; an allocation at an address that is still taken begins
             another life, and the earlier one has no end. A release without an allocation is a life without a start.
Peak         The first event of a device with the largest `Total Allocated`; alive are the lives that started by then and ended later or never.
"""
import collections

import reference_values


class Event:
    __slots__ = ("time", "address", "bytes", "total", "reserved", "device", "operator")


def device_name(kind, number):
    return "CPU" if kind == 0 else "GPU%d" % number if kind in (1, 6) else "device type %d, %d" % (kind, number)


def integer(args, key, default):
    value = args.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def operators_at(facts, lane):
    """Returns a function that finds the innermost operator of a lane at a time; times must ascend."""
    slices = sorted((s for s in facts.trace.slices if s.lane == lane), key=lambda s: (s.start, s.depth))
    starts = [s.start for s in slices]
    state = {"next": 0, "open": []}

    def at(time):
        while state["next"] < len(slices) and starts[state["next"]] <= time:
            state["open"].append(slices[state["next"]])
            state["next"] += 1
        state["open"] = [s for s in state["open"] if s.end > time]
        if not state["open"]:
            return None
        inside = max(state["open"], key=lambda s: (s.depth, s.start))
        return inside if facts.kind[inside.order] == "operator" else facts.operator_around(inside)
    return at


def events(facts):
    found, finders = [], {}
    for order, event in enumerate(facts.trace.document.events):
        args = event.get("args")
        if event.get("name") != "[memory]" or event.get("ph") not in ("i", "I", "n") or not isinstance(args, dict):
            continue
        if "Device Type" in args or "Bytes" in args:
            found.append((reference_values.nanoseconds(event["ts"]), order, event, args))
    made, lanes = [], []
    for time, _, event, args in sorted(found, key=lambda item: item[:2]):
        one = Event()
        one.time, one.address, one.bytes = time, integer(args, "Addr", 0), integer(args, "Bytes", 0)
        one.total, one.reserved = integer(args, "Total Allocated", None), integer(args, "Total Reserved", None)
        one.device = (integer(args, "Device Type", 0), integer(args, "Device Id", -1))
        lane = ("host",) + reference_values.thread_of(event)
        if lane not in finders:
            finders[lane] = operators_at(facts, lane)
        one.operator = finders[lane](time)
        made.append(one)
        lanes.append(lane)
    settle_ends(facts, made, lanes)
    return made


def settle_ends(facts, made, lanes):
    ending, taken = collections.defaultdict(list), set()
    for s in facts.trace.slices:
        if s.lane[0] == "host" and s.name in ("aten::empty", "aten::empty_strided"):
            ending[s.lane, s.end].append(s)
    for one, lane in zip(made, lanes):
        if one.bytes <= 0:
            continue
        open_calls = [s for s in ending[lane, one.time] if s.order not in taken] if one.time % 1000 == 0 else []
        if open_calls:
            one.operator = min(open_calls, key=lambda s: (s.start, s.depth, s.order))
        if one.operator is not None:
            taken.add(one.operator.order)


def lives(made):
    """[allocation or None, release or None]"""
    found, taken = [], {}
    for one in made:
        place = (one.device, one.address)
        if one.bytes < 0:
            life = taken.pop(place, None) if one.address else None
            if life:
                life[1] = one
            else:
                found.append([None, one])
            continue
        found.append([one, None])
        if one.address:
            taken[place] = found[-1]
    return found


def name_of(operator):
    return operator.name if operator else ""


def printed(name):
    """The row with null for empty texts."""
    return name or None


def event_view(facts):
    rows = []
    for begin, end in lives(events(facts)):
        first = begin or end
        name = name_of(first.operator)
        parent = name_of(first.operator and facts.operator_around(first.operator))
        rows.append({"name": printed("%s (%s)" % (parent, name) if parent and name.startswith("aten::empty") else name), "parent": printed(parent),
                     "device": device_name(*first.device), "bytes": abs(first.bytes),
                     "allocated_at_ns": begin.time if begin else None, "released_at_ns": end.time if end else None,
                     "lifetime_ns": end.time - begin.time if begin and end else None, "address": hex(first.address & (1 << 64) - 1) if first.address else None})
    return rows


def peak_view(facts):
    made = events(facts)
    all_lives, rows = lives(made), []
    index = {id(one): at for at, one in enumerate(made)}
    for device in sorted({one.device for one in made}):
        totals = [(one.total, -at) for at, one in enumerate(made) if one.device == device and one.total is not None]
        if not totals:
            continue
        bytes_then, at = max(totals)
        groups = collections.defaultdict(lambda: [0, 0, None])
        alive = 0
        for begin, end in all_lives:
            first = begin or end
            if first.device != device or not first.address or (begin and index[id(begin)] > -at) or (end and index[id(end)] <= -at):
                continue
            group = groups["(before the recording)" if not begin else name_of(begin.operator) or "(no operator)"]
            size = abs(first.bytes)
            alive += size
            group[:] = group[0] + size, group[1] + 1, max(size, group[2] or 0)
        count = sum(group[1] for group in groups.values())
        if bytes_then != alive:
            groups["(before the recording)"][0] += bytes_then - alive
        name = device_name(*device)
        rows.append({"name": name, "device": name, "bytes": bytes_then, "allocations": count, "peak_at_ns": made[-at].time})
        for group, (size, number, largest) in groups.items():
            rows.append({"name": group, "device": name, "bytes": size, "allocations": number or None, "largest_bytes": largest, "peak_at_ns": None})
    return rows


def operator_view(facts):
    """The rows of devices and, below each, of its operators."""
    made = events(facts)
    calls = collections.Counter(s.name for s in facts.operators)
    rows = []
    for device in sorted({one.device for one in made}):
        own, total = collections.defaultdict(list), collections.defaultdict(list)
        mine = [one for one in made if one.device == device]
        for one in mine:
            own[name_of(one.operator)].append(one.bytes)
            around, seen = one.operator, set()
            while around:
                if around.name not in seen:
                    total[around.name].append(one.bytes)
                seen.add(around.name)
                around = facts.operator_around(around)
        name = device_name(*device)

        def sums(sizes):
            return {"allocations": sum(size >= 0 for size in sizes), "frees": sum(size < 0 for size in sizes),
                    "allocated_bytes": sum(size for size in sizes if size >= 0), "freed_bytes": -sum(size for size in sizes if size < 0),
                    "increase_bytes": sum(sizes)}
        rows.append({"name": name, "device": name, "peak_allocated_bytes": max((one.total for one in mine if one.total is not None), default=None),
                     "peak_reserved_bytes": max((one.reserved for one in mine if one.reserved is not None), default=None), "calls": None,
                     **sums([one.bytes for one in mine])})
        for operator in own.keys() | total.keys():
            inside = sums(total[operator])
            rows.append({"name": printed(operator), "device": name, "calls": calls[operator] if operator else None,
                         "total_allocations": inside["allocations"] if operator else None,
                         "total_allocated_bytes": inside["allocated_bytes"] if operator else None,
                         "total_increase_bytes": inside["increase_bytes"] if operator else None, **sums(own[operator])})
    return rows
