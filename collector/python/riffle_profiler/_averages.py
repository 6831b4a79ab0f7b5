# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Sums over a log's slices by name, as torch.profiler's key_averages() returns them. riffle-cli reads the log."""

import json

from . import _cli

_HOST = {"cpu_op", "user_annotation", "step", "cuda_runtime", "cuda_driver", "overhead"}
_CALLS = {"cuda_runtime", "cuda_driver"}  # device time counts for the operator that made the launch, not for the launch itself
_DEVICE = {"kernel", "gpu_memcpy", "gpu_memset"}
# Operators that torch.profiler leaves out of its tables.
_LEFT_OUT = {"aten::is_leaf", "aten::output_nr", "aten::_version"}


class Average:
    """All slices with one name. Times are in microseconds: `total` is from start to end, `self` excludes the slices inside.
    The device time is that of the kernels and copies that the slice launched, or of the kernel itself."""

    def __init__(self, key, input_shapes, is_device):
        self.key, self.input_shapes, self.is_device = key, input_shapes, is_device
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.device_time_total = self.self_device_time_total = 0.0

    @property
    def cpu_time(self):
        return self.cpu_time_total / self.count

    @property
    def device_time(self):
        return self.device_time_total / self.count

    def __repr__(self):
        return (f"<Average {self.key}: {self.count} calls, CPU {_time(self.cpu_time_total)}, "
                f"device {_time(self.device_time_total)}>")


class Averages(list):
    """A list of Average objects, ordered by their first slice."""

    def table(self, sort_by=None, row_limit=100, max_name_column_width=55, max_shapes_column_width=80):
        """Returns the averages as a text table. `sort_by` names a number of Average; the largest comes first."""
        rows = list(self)
        if sort_by is not None:
            by = str(sort_by).replace("cuda", "device")
            if by not in _SORTABLE:
                raise ValueError(f"sort_by={sort_by!r} is not one of {', '.join(_SORTABLE)}.")
            rows.sort(key=lambda row: getattr(row, by), reverse=True)
        return _table(rows if row_limit < 0 else rows[:row_limit], self, max_name_column_width, max_shapes_column_width)


_SORTABLE = ("count", "cpu_time", "cpu_time_total", "self_cpu_time_total", "device_time", "device_time_total",
             "self_device_time_total")


def averages(log, steps=None, group_by_input_shape=False):
    """The averages of the log in the folder `log`; `steps` is a range A:B as for riffle-cli, or None for all steps."""
    totals, host, launched = {}, {}, []
    for row in _rows(log, steps, group_by_input_shape):
        name = "ProfilerStep*" if row["name"].startswith("ProfilerStep#") else row["name"]
        shapes = _shapes(row) if group_by_input_shape else None
        is_device = row["category"] in _DEVICE
        counts = is_device or row["category"] in _HOST and name not in _LEFT_OUT and "unfinished" not in row["flags"]
        total = totals.setdefault((name, is_device, str(shapes)), Average(name, shapes, is_device)) if counts else None
        duration = row["duration_ns"] / 1e3
        if is_device:
            total.count += 1
            total.device_time_total += duration
            total.self_device_time_total += duration
            launched.append((row["launch"], duration))
        else:
            host[row["id"]] = _Slice(total, row["parent"], duration, row["category"] in _CALLS)
    _merge_equal(host)
    for one in host.values():
        if one.total:
            one.total.count += 1
            one.total.cpu_time_total += one.duration
            one.total.self_cpu_time_total += one.duration
            if above := _counted(host, one.parent):
                above.total.self_cpu_time_total -= one.duration
    for launch, duration in launched:
        own, above = True, _counted(host, launch)
        while above:
            if not above.is_call:
                above.total.device_time_total += duration
                above.total.self_device_time_total += duration * own
                own = False
            above = _counted(host, above.parent)
    return Averages(total for total in totals.values() if total.count)


class _Slice:
    __slots__ = ("total", "parent", "duration", "is_call", "inner")

    def __init__(self, total, parent, duration, is_call):
        self.total, self.parent, self.duration, self.is_call = total, parent, duration, is_call
        self.inner = 0  # number of counted slices directly inside


def _merge_equal(host):
    """Merges an operator that only calls itself in another form into one call, as torch.profiler's tables do."""
    for one in host.values():
        if one.total and (above := _counted(host, one.parent)):
            above.inner += 1
    for number in sorted(host):  # the number of a slice is larger than that of its parent
        one = host[number]
        above = _counted(host, one.parent) if one.total else None
        if above and above.inner == 1 and above.total.key == one.total.key:
            one.total, above.inner = None, one.inner


def _counted(host, number):
    """The slice `number`, or its innermost ancestor that counts, or None."""
    while number in host:
        if host[number].total:
            return host[number]
        number = host[number].parent
    return None


def _shapes(row):
    try:
        return json.loads(row["args"]).get("Input Dims", [])
    except (KeyError, ValueError):
        return []


def _rows(log, steps, with_args):
    for line in _cli.lines("slices", "--json", "--no-store", *["--args"] * with_args, *["--steps", steps] * bool(steps), log):
        if line.startswith("{"):  # one slice per line
            yield json.loads(line.rstrip().rstrip(","))


def _time(us):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.3f}{unit}"
    return f"{us:.3f}us"


def _cut(text, width):
    return text if width is None or len(text) <= width else text[:width - 3] + "..."


def _table(rows, everything, name_width, shapes_width):
    host = sum(row.self_cpu_time_total for row in everything)
    device = sum(row.self_device_time_total for row in everything if row.is_device)
    shapes = any(row.input_shapes is not None for row in everything)
    lines = [["Name", "Self CPU %", "Self CPU", "CPU total", "CPU time avg"]
             + ["Self device", "Device total", "Device time avg"] * bool(device) + ["# of Calls"] + ["Input Shapes"] * shapes]
    for row in rows:
        lines.append([_cut(row.key, name_width), f"{100 * row.self_cpu_time_total / host if host else 0:.2f}%",
                      _time(row.self_cpu_time_total), _time(row.cpu_time_total), _time(row.cpu_time)])
        if device:
            lines[-1] += [_time(row.self_device_time_total), _time(row.device_time_total), _time(row.device_time)]
        lines[-1] += [str(row.count)] + [_cut(str(row.input_shapes or []), shapes_width)] * shapes
    widths = [max(map(len, column)) for column in zip(*lines)]
    ruled = "  ".join("-" * width for width in widths)
    text = ["  ".join(cell.ljust(width) if at == 0 else cell.rjust(width) for at, (cell, width) in enumerate(zip(line, widths)))
            for line in lines]
    ends = [f"Self CPU time total: {_time(host)}"] + [f"Self device time total: {_time(device)}"] * bool(device)
    return "\n".join([ruled, text[0], ruled, *text[1:], ruled, *ends])
