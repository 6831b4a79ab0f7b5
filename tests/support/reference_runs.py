# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of each step on each device that a run keeps of a rank, for summary_reference.py.

Definitions
-----------
Row          One per step and device; without device work one per step, with the figures of devices unknown.
Parts        The union of the kinds of work, clipped to the step on the host, whoever launched it. Exposed is communication - compute.
Host wait    The union of the waiting calls on the thread of the step's mark, clipped to the step; unknown without a mark or without calls.
Idle         The gaps in the time from the first step's start to the last one's end, each with one cause, clipped to the step.
Device span  The first start and the last end of the device's work that the step launched.
Memory peak  The largest `Total Allocated` of the device's events in the step, and of the last one before it.
"""
import memory_reference
import reference_steps as steps
from reference_facts import difference, intersection, length, merged


def host_wait(facts, step):
    if step.lane is None or not facts.calls:
        return None
    return length(intersection(facts.spans(s for s in facts.by_kind["waiting"] if s.lane == step.lane), [(step.begin, step.end)]))


def memory_peak(events, step, device):
    known = [event for event in events if event.device == device]
    before = [event.total for event in known if event.time < step.begin][-1:]
    return max(before + [event.total for event in known if step.begin <= event.time < step.end], default=None)


def rows_of(facts):
    all_steps, rows = steps.steps_of(facts), []
    whole = merged([(all_steps[0].begin, max(step.end for step in all_steps))])
    events = [event for event in memory_reference.events(facts) if event.total is not None and event.device[0] != 0]
    gaps = {device: steps.idle_gaps(facts, device, whole) for device in facts.devices} if whole else {}
    numbers = {device: device if isinstance(device, int) else None for device in facts.devices}
    for step in all_steps:
        span = [(step.begin, step.end)] if step.begin < step.end else []
        common = {"step": step.number, "start_ns": step.begin, "duration_ns": step.end - step.begin,
                  "host_wait_ns": host_wait(facts, step), "unfinished": int(not step.ended)}
        for device in sorted(numbers, key=str):
            work = facts.devices[device]
            kernels = [s for s in work if facts.kind[s.order] == "kernel"]
            communication = facts.spans(s for s in kernels if s.order in facts.communication)
            compute = facts.spans(s for s in kernels if s.order not in facts.communication)
            launched = [s for s in step.work if facts.device_of(s) == device]
            row = dict(common, device=numbers[device], kernel_ns=length(intersection(facts.spans(kernels), span)),
                       busy_ns=length(intersection(facts.spans(work), span)),
                       communication_ns=length(intersection(communication, span)),
                       exposed_communication_ns=length(intersection(difference(communication, compute), span)),
                       device_start_ns=min((s.start for s in launched), default=None),
                       device_end_ns=max((s.end for s in launched), default=None),
                       memory_peak_bytes=max((memory_peak(events, step, key) for key in {event.device for event in events}
                                              if key[1] == numbers[device]), key=lambda peak: peak or 0, default=None))
            for cause in steps.CAUSES:
                row["idle_%s_ns" % cause] = sum(max(0, min(gap.end, step.end) - max(gap.begin, step.begin))
                                                for gap in gaps.get(device, ()) if gap.cause == cause)
            row["idle_ns"] = sum(row["idle_%s_ns" % cause] for cause in steps.CAUSES)
            assert row["idle_ns"] + row["busy_ns"] == row["duration_ns"]
            rows.append(row)
        if not numbers:
            recorded = any(other.parts["communication"] for other in all_steps)
            rows.append(dict(common, device=None, busy_ns=None, idle_ns=None, memory_peak_bytes=None,
                             communication_ns=step.parts["communication"] if recorded else None))
    return rows
