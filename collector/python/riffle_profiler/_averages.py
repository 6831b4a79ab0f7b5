# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Sums over events by name, as torch.profiler's key_averages() returns them."""


def time_text(us):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.3f}{unit}"
    return f"{us:.3f}us"


def _text_of(name):
    return property(lambda self: time_text(getattr(self, name)))


def _same_as(name):
    return property(lambda self: getattr(self, name))


class Numbers:
    """What events and averages share: times per call, times as text, and the older names that scripts use."""

    cpu_time = property(lambda self: self.cpu_time_total / self.count if self.count else 0.0)
    device_time = property(lambda self: self.device_time_total / self.count if self.count else 0.0)

    cpu_time_str, device_time_str = _text_of("cpu_time"), _text_of("device_time")
    cpu_time_total_str, self_cpu_time_total_str = _text_of("cpu_time_total"), _text_of("self_cpu_time_total")
    device_time_total_str, self_device_time_total_str = _text_of("device_time_total"), _text_of("self_device_time_total")

    cuda_time, cuda_time_str = _same_as("device_time"), _same_as("device_time_str")
    cuda_time_total, self_cuda_time_total = _same_as("device_time_total"), _same_as("self_device_time_total")
    cuda_memory_usage = _same_as("device_memory_usage")
    self_cuda_memory_usage = _same_as("self_device_memory_usage")


class Average(Numbers):
    """All events with one name. Times are in microseconds: `total` is from start to end, `self` excludes the events inside.
    The device time is that of the kernels and copies that the event launched, or of the kernel itself."""

    node_id, is_async, is_remote, is_legacy, overload_name = -1, False, False, False, ""
    cpu_memory_usage = device_memory_usage = self_cpu_memory_usage = self_device_memory_usage = 0

    def __init__(self, first=None, input_shapes=None, stack=()):
        self.key = first.key if first else None
        self.input_shapes, self.stack = input_shapes, stack
        self.is_device = bool(first) and first.is_device
        self.is_user_annotation = bool(first) and first.is_user_annotation
        self.device_type, self.use_device, self.scope, self.cpu_parent, self.cpu_children = (
            getattr(first, name, None) for name in ("device_type", "use_device", "scope", "cpu_parent", "cpu_children"))
        self.count = self.flops = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.device_time_total = self.self_device_time_total = 0.0

    def add(self, other):
        self.count += other.count
        self.flops += other.flops
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        self.device_time_total += other.device_time_total
        self.self_device_time_total += other.self_device_time_total
        return self

    __iadd__ = add

    def __repr__(self):
        return (f"<Average {self.key}: {self.count} calls, CPU {time_text(self.cpu_time_total)}, "
                f"device {time_text(self.device_time_total)}>")


class Averages(list):
    """A list of Average objects, ordered by their first event."""

    def __init__(self, found=(), with_flops=False):
        super().__init__(found)
        self._with_flops = with_flops

    def table(self, *args, **kwargs):
        """Returns the averages as a text table; the parameters are those of table() in _table.py."""
        from ._table import table
        return table(self, *args, with_flops=self._with_flops, **kwargs)

    def __str__(self):
        return self.table()

    def total_average(self):
        total = Average()
        for row in self:
            total.add(row)
        total.key = "Total"
        return total

    @property
    def self_cpu_time_total(self):
        return sum(row.self_cpu_time_total for row in self)


def averages(events, group_by_input_shape=False, with_flops=False, group_by_stack_n=0):
    """The averages of events, by name and, if requested, by the shapes of the inputs and the innermost frames."""
    totals = {}
    for event in events:
        shapes = event.input_shapes if group_by_input_shape else None
        stack = event.stack[:group_by_stack_n] if group_by_stack_n > 0 else []
        key = (event.key, event.is_device, event.is_user_annotation, str(shapes), *stack)
        if key not in totals:
            totals[key] = Average(event, shapes, stack)
        totals[key].add(event)
    return Averages(totals.values(), with_flops)
