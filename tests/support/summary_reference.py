#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A second, independent computation of every number that `riffle-cli summary` prints: slow, exact, from the definitions only.

    summary_reference.py TRACE --view VIEW[,VIEW] [--group-by name+shapes] [--format json]

It uses reference.py (reading, nesting) and shares nothing with the C++ analyses. Answers are JSON as riffle-cli's: an array
of rows for one view, an object of arrays for several views. Ratios are exact fractions until they are printed.

Definitions
-----------
Times        Integer nanoseconds on the trace's own clock; intervals are half-open; unions join intervals that touch.
Kinds        By category, in upper or lower case (reference_facts.py has the lists). A step mark is a host slice whose name starts with
             ProfilerStep or ProfileStep. Operators are cpu_op and its like, without step marks, `enumerate(DataLoader)#` and
             `Optimizer.` annotations. Device work is kernels, memcpys and memsets; synchronisation and annotations on a stream
             are not. Runtime calls that wait: those with Synchronize in their name, and memcpys without Async.
Launch       The runtime or driver call with the work's correlation ("" and 0 link nothing; the earliest of several).
Operator of  device work: the nearest operator around its launch. For work without a launch slice, the only operator with its External
             id; otherwise none.
Communication A kernel with nccl, rccl, hccl, oneccl or mccl in its name, with a `Collective name`, or of an operator c10d::*,
             nccl:*, gloo:*, or symm_mem::* unless fused with a product. All other kernels are compute.
Device       args.device, otherwise the pid.
Step         [start, end) of a step mark; without any, one step "all" from the first slice's start to the last end. Device work
             belongs to the step in which its launch starts or, without a launch, in which it starts; of overlapping steps, to
             the one that starts last.
Breakdown    In the order kernel (compute), memcpy, memset, communication, runtime, dataloader, cpu, the union of each role over all
             lanes takes what is still free in the step; other is the rest. cpu: operators, frames, annotations.
Ended        A step whose mark has no end reaches to the next mark or to the end of the trace. It is in no mean.
Window       From the first step's start to the last step's end, of those that ended unless none did, without the others.
Busy         Per device, clipped to the window; exposed communication = communication - compute; exposed memcpy = memcpy -
             kernels.
SM efficiency  The mean over the window of min(1, sum of `blocks per SM` of the kernels that run).
Occupancy    Weighted by the time in the window; kernels without the figure are left out.
Idle gap     A maximal part of the window without device work. `next` is the first work that starts at or after its end, inside
             the window (ties: file order). No next, or no launch of it: unknown. If the launch starts at or after the gap's start:
             the host's doing, by what covers most of the gap until the launch starts, on the launching thread: dataloader (with
             everything in it), otherwise by the innermost (shortest) slice synchronisation, runtime, host_code; or nothing_recorded;
             ties in this order; an empty interval is runtime. If it was launched earlier: communication or dependency if a stream wait
             links next to work that ended later than 5 us before the gap; otherwise launch_latency.
Run's steps  See reference_runs.py.
Operators    Children: the operators and calls directly inside, regardless of frames between. host self = duration - union of the
             children. An instance inside another one of its row adds to self, not to total; work counts once per row. Unions are over
             all work of the row on a device, and they are summed over devices.
Kernels      Mean and median are rounded half to even; means of figures are weighted by duration over the kernels that have them.
Modules      A row is a path of `nn.Module: ` frames. Device self is the work whose operator's chain ends in this module. A chain is
             the frames around an operator on its thread; an operator without any takes that of its forward operator (equal
             Sequence number, no Fwd thread id, the last to start before it), else that of the operator around it. Stacks of
             traces without frames are the argument `Call stack`. Device
             backward is the work of operators with a forward operator's chain and of those that inherit from one.
Copies       By name, memset included; bandwidth = bytes / time of those with bytes; bytes per ns are GB/s.
Launches     Calls with exactly one device slice; graph launches have several and are left out. Delay = device start - call end; it is
             negative where clocks differ. Queue of a stream: each piece of work from its launch to its start.
"""
import argparse
import json
import sys
from fractions import Fraction

import memory_reference
import reference
import reference_facts
import reference_operators as operators
import reference_runs
import reference_steps as steps
from reference_facts import half_even


def operator_view(facts, by_shapes=False):
    if by_shapes:
        rows = operators.operator_rows(facts, lambda s: (s.name, operators.shapes_text(facts, s)))
        return [dict(name=name, input_shapes=shapes, **row) for (name, shapes), row in rows.items()]
    return [dict(name=name, **row) for name, row in operators.operator_rows(facts, lambda s: s.name).items()]


def operators_by_stack(facts):
    if facts.frames:
        frame, _, origin = operators.chains(facts)
        known = {around.order: around for around in frame.values() if around is not None}
        texts = {order: operators.stack_text(facts, around) for order, around in known.items()}
        stack = {order: texts[around.order] for order, around in frame.items() if around is not None}
    else:
        stack, origin = operators.argument_stacks(facts)

    def key(s):
        return s.name, stack.get(s.order), origin[s.order]

    return [dict(name=name, call_stack=stack, stack_origin=whose, **row)
            for (name, stack, whose), row in operators.operator_rows(facts, key).items()]


def operators_by_module(facts):
    module = operators.chains(facts)[1]
    return [dict(module=path, **row)
            for path, row in operators.operator_rows(facts, lambda s: operators.module_path(facts, module[s.order])).items()]


def kernel_view(facts):
    return [dict(name=name, **row) for name, row in operators.kernel_rows(facts).items()]


def step_view(facts):
    rows = []
    for step in steps.steps_of(facts):
        rows.append({"step": step.number, "name": step.name, "start_ns": step.begin, "duration_ns": step.end - step.begin,
                     "device_start_ns": step.device_begin, "device_end_ns": step.device_end,
                     "unfinished": int(not step.ended)})
        rows[-1].update(("%s_ns" % role, time) for role, time in step.parts.items())
    return rows


def module_view(facts):
    return [dict(path="/".join(path), **row) for path, row in operators.module_rows(facts).items()]


def copy_view(facts):
    return [dict(name=name, **row) for name, row in operators.copy_rows(facts).items()]


def overview(facts):
    rows, all_steps = [], steps.steps_of(facts)

    def add(section, name, device=None, time=None, share=None, count=None):
        rows.append({"section": section, "name": name, "device": device, "time_ns": time, "share": share, "count": count})

    add("trace", "span", time=facts.trace.end_ns - facts.trace.begin_ns)
    ended = [step for step in all_steps if step.ended]
    whole = sum(step.end - step.begin for step in ended)
    if ended:
        add("step", "mean", time=half_even(Fraction(whole, len(ended))))
    for role in steps.ROLES if ended else ():
        time = sum(step.parts[role] for step in ended)
        add("step", role, time=half_even(Fraction(time, len(ended))), share=Fraction(time, whole) if whole else None)
    window = steps.window_of(all_steps)
    for device in facts.devices:
        for name, (time, share) in steps.busy(facts, device, window).items():
            add("device", name, device, time, share)
        sums = steps.idle_sums(steps.idle_gaps(facts, device, window))
        for cause in steps.CAUSES:
            idle = sum(sums.values())
            add("idle", cause, device, sums[cause], Fraction(sums[cause], idle) if idle else None)
    if facts.work:
        for name, (time, count) in operators.launch_figures(facts).items():
            add("launches", name, time=time, count=count)
    return rows


VIEWS = {"overview": overview, "steps": step_view, "run-steps": reference_runs.rows_of, "operators": operator_view, "kernels": kernel_view, "modules": module_view,
         "memcpy": copy_view,
         "memory": memory_reference.operator_view, "memory-peak": memory_reference.peak_view, "memory-events": memory_reference.event_view}
GROUPED = {"name,shapes": lambda facts: operator_view(facts, True), "name,stack": operators_by_stack, "module": operators_by_module}


def printable(value):
    return float(value) if isinstance(value, Fraction) else value


def main(arguments):
    parser = argparse.ArgumentParser(description="Independent computation of riffle-cli's summaries.")
    parser.add_argument("trace")
    parser.add_argument("--view", default="overview")
    parser.add_argument("--group-by", choices=["name", "name,shapes", "name,stack", "module"], default="name")
    parser.add_argument("--format", choices=["json"], default="json")
    parser.add_argument("--no-store", action="store_true")
    options = parser.parse_args(arguments)
    try:
        facts = reference_facts.read(options.trace)
    except (OSError, reference.NotATrace) as error:
        print("reference: %s: %s" % (options.trace, error), file=sys.stderr)
        return 1
    answers = {}
    for view in options.view.split(","):
        grouped = view == "operators" and options.group_by in GROUPED
        answers[view] = GROUPED[options.group_by](facts) if grouped else VIEWS[view](facts)
    json.dump(next(iter(answers.values())) if len(answers) == 1 else answers, sys.stdout, indent=1, default=printable)
    print()
    return facts.trace.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
