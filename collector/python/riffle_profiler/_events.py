# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded operators one by one, as torch.profiler's events() returns them. riffle-cli reads the log."""

import json
import re
import sys
from collections import namedtuple
from enum import Enum

from . import _cli, _flops
from ._averages import Numbers, averages
from ._shapes import nested

_HOST = {"cpu_op", "user_annotation", "step", "cuda_runtime", "cuda_driver", "overhead"}
_CALLS = {"cuda_runtime", "cuda_driver"}  # device time counts for the operator that made the launch, not for the launch itself
_DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}
# Operators that torch.profiler leaves out of its tables.
_LEFT_OUT = {"aten::is_leaf", "aten::output_nr", "aten::_version"}
_BACKWARD, _USER = 1, 7  # values of PyTorch's RecordScope
_NODE = "autograd::engine::evaluate_function: "


class _OwnDeviceType(Enum):
    CPU = 0
    CUDA = 1


def device_types():
    """PyTorch's DeviceType if PyTorch has been imported, otherwise an enum with the same names."""
    torch = sys.modules.get("torch")
    return torch.autograd.DeviceType if torch else _OwnDeviceType


class Interval:
    """A span of time in microseconds since the cycle started."""

    def __init__(self, start, length):
        self.start, self.end, self._length = start, start + length, length

    def elapsed_us(self):
        return self._length


Kernel = namedtuple("Kernel", ["name", "device", "duration"])


class Event(Numbers):
    """One slice, with the attributes of torch.profiler's FunctionEvent."""

    node_id, count, is_async, is_remote, is_legacy = -1, 1, False, False, False
    overload_name, concrete_inputs, kwinputs, fwd_thread, device_index = "", (), {}, 0, 0
    cpu_memory_usage = device_memory_usage = self_cpu_memory_usage = self_device_memory_usage = 0

    def __init__(self, row, origin, device_type, with_flops):
        args = json.loads(row["args"]) if row.get("args") else {}
        start = (row.get("start_ns", origin) - origin) / 1e3
        self.id, self.trace_name = row["id"], row["name"]
        self.name = "ProfilerStep*" if row["name"].startswith("ProfilerStep#") else row["name"]
        self.time_range = Interval(start, row["duration_ns"] / 1e3)
        self.thread = self.device_resource_id = _number(row.get("lane", ""))
        self.device_type, self.is_device = device_type, row["category"] in _DEVICE
        self.is_user_annotation = row["category"] in ("user_annotation", "step")
        self.use_device = None
        self.cpu_parent, self.cpu_children, self.kernels = None, [], []
        shapes = args.get("Input Dims", [])
        self.input_shapes = shapes if "Input type" in args else nested(self.name, shapes)
        self.concrete_inputs = args.get("Concrete Inputs", [])
        self.sequence_nr = args.get("Sequence number", -1)
        stack = args.get("Call stack", "")
        self.stack = stack.split(";") if stack else []  # the innermost frame first
        self.scope = _USER if self.is_user_annotation else 0
        self.flops = _flops.of(self.name, self.input_shapes) if with_flops else 0

    @property
    def key(self):
        return self.name

    @property
    def cpu_time_total(self):
        return 0 if self.is_device else self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        return 0 if self.is_device else self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_time_total(self):
        if self.is_device:
            return self.time_range.elapsed_us()
        return self.self_device_time_total + sum(child.device_time_total for child in self.cpu_children)

    @property
    def self_device_time_total(self):
        return self.time_range.elapsed_us() if self.is_device else sum(kernel.duration for kernel in self.kernels)

    def __repr__(self):
        return (f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
                f"start_us={self.time_range.start} end_us={self.time_range.end} thread={self.thread} "
                f"cpu_children={[child.id for child in self.cpu_children]} input_shapes={self.input_shapes}>")


def events(log, *, steps=None, between=None, with_args=True, with_steps=True, with_flops=False):
    """The events of the log in the folder `log`, in order of their starts. `steps` is a range A:B as for riffle-cli, or None
    for all; `between` are the times in ns between which the events start."""
    host, calls, device, parents = {}, set(), [], {}
    types = device_types()
    for row in _rows(log, steps, with_args):
        if between and not between[0] <= row.get("start_ns", between[0]) < between[1]:
            continue
        parents[row["id"]] = row["parent"]
        if row["category"] in _DEVICE:
            device.append((Event(row, between[0] if between else 0, types.CUDA, False), row["launch"]))
        elif (row["category"] in _HOST and row["name"] not in _LEFT_OUT and "unfinished" not in row["flags"]
              and (with_steps or row["category"] != "step")):
            host[row["id"]] = Event(row, between[0] if between else 0, types.CPU, with_flops)
            if row["category"] in _CALLS:
                calls.add(row["id"])
    for number, event in host.items():
        event.cpu_parent = _counted(host, parents, parents[number])
        if event.cpu_parent:
            event.cpu_parent.cpu_children.append(event)
    for event, launch in device:
        while (above := _counted(host, parents, launch)) and above.id in calls:
            launch = parents[above.id]
        if above:
            above.kernels.append(Kernel(event.name, 0, event.time_range.elapsed_us()))
    in_order = sorted(host.values(), key=_start)
    _tell_backward(in_order)
    _tell_stacks(in_order)
    found = _without_equal(list(host.values())) + [event for event, _ in device]
    if device:
        for event in found:
            event.use_device = "cuda"
    return Events(sorted(found, key=_start), with_flops)


def _start(event):
    return event.time_range.start, -event.time_range.end


def _tell_backward(found):
    """Completes the nodes of the backward pass. PyTorch's observer gives the sequence number only to the function inside a
    node, and no forward thread: it is that of the last operator with this number."""
    forward = {}
    for event in found:
        node = event.cpu_parent
        if node and node.name == _NODE + event.name:
            event.scope = _BACKWARD
            if event.sequence_nr >= 0:
                node.sequence_nr = event.sequence_nr
                node.fwd_thread = event.fwd_thread = forward.get(event.sequence_nr, 0)
        elif event.sequence_nr >= 0 and not event.name.startswith(_NODE):
            forward[event.sequence_nr] = event.thread


def _tell_stacks(found):
    """The recorder takes the stack of an outermost operator, which those inside it share. The backward pass has the stacks of
    its forward operators, as in torch.profiler."""
    forward = {}
    for event in found:
        above = event.cpu_parent
        if event.name.startswith(_NODE):
            event.stack = forward.get(event.sequence_nr, [])
        elif above and not event.stack and not event.is_user_annotation:
            event.stack = above.stack
        if event.sequence_nr >= 0 and event.scope != _BACKWARD and not event.name.startswith(_NODE) and event.stack:
            forward[event.sequence_nr] = event.stack


class Events(list):
    """A list of Event objects, with the methods of torch.profiler's EventList."""

    def __init__(self, found=(), with_flops=False):
        super().__init__(found)
        self._with_flops = with_flops

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
        return averages(self, group_by_input_shapes, self._with_flops, group_by_stack_n)

    def table(self, *args, **kwargs):
        from ._table import table
        return table(self, *args, with_flops=self._with_flops, **kwargs)

    def __str__(self):
        return self.table()

    def total_average(self):
        return averages(self).total_average()

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    def export_chrome_trace(self, path):
        """Writes the events alone as JSON; profile.export_chrome_trace() writes everything that was recorded."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{"name": event.trace_name, "ph": "X", "ts": event.time_range.start, "dur": event.time_range.elapsed_us(),
                        "tid": event.thread, "pid": "GPU" if event.is_device else "CPU functions", "args": {}}
                       for event in self], file)


def _without_equal(found):
    """Merges an operator that only calls itself in another form into one call, as torch.profiler does."""
    while True:
        merged = set()
        for event in found:
            above = event.cpu_parent
            if above and above.name == event.name and len(above.cpu_children) == 1:
                above.cpu_children, above.kernels = event.cpu_children, event.kernels
                for child in event.cpu_children:
                    child.cpu_parent = above
                merged.add(event.id)
        if not merged:
            return found
        found = [event for event in found if event.id not in merged]


def _counted(host, parents, number):
    """The event `number`, or that of its innermost ancestor that has one, or None."""
    while number is not None and number not in host:
        number = parents.get(number)
    return host.get(number)


def _number(lane):
    found = re.search(r"\d+", lane)
    return int(found.group()) if found else 0


def _rows(log, steps, with_args):
    for line in _cli.lines("slices", "--json", "--no-store", *["--args"] * with_args, *["--steps", steps] * bool(steps), log):
        if line.startswith("{"):  # one slice per line
            yield json.loads(line.rstrip().rstrip(","))
