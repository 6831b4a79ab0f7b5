# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes events or averages as the text table that torch.profiler writes."""

from ._averages import time_text

_WIDTH = 12  # of a column of numbers
_UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}
_FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


def table(rows, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55, max_shapes_column_width=80,
          header=None, top_level_events_only=False, time_unit=None, *, with_flops=False):
    """`sort_by` names a number of the rows, and the largest comes first; `row_limit` is -1 for all rows. Rows with a stack
    have a column of frames, as many lines per row as there are frames."""
    if not rows:
        return ""
    everything, rows = rows, list(rows)
    if sort_by is not None:
        by = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        if not hasattr(rows[0], by):
            raise ValueError(f"sort_by={sort_by!r} is not a number of a row, such as cpu_time_total, self_cpu_time_total, "
                             "cuda_time_total or count.")
        rows.sort(key=lambda row: getattr(row, by), reverse=True)
    if top_level_events_only:
        rows = [row for row in rows if row.cpu_parent is None]
    host = sum(row.self_cpu_time_total for row in everything)
    device = sum(row.self_device_time_total for row in everything if row.is_device)

    def text(us):
        return f"{us / _UNITS[time_unit]:.3f}{time_unit}" if time_unit in _UNITS else time_text(us)

    names = _Column("Name", [row.key for row in everything], max_name_column_width)
    columns = [
        (names, lambda row: names.cut(row.key)),
        (_Column("Self CPU %"), lambda row: _share(row.self_cpu_time_total, host)),
        (_Column("Self CPU"), lambda row: text(row.self_cpu_time_total)),
        (_Column("CPU total %"), lambda row: _share(row.cpu_time_total, host)),
        (_Column("CPU total"), lambda row: text(row.cpu_time_total)),
        (_Column("CPU time avg"), lambda row: text(row.cpu_time)),
    ]
    if device:
        columns += [
            (_Column("Self CUDA"), lambda row: text(row.self_device_time_total)),
            (_Column("Self CUDA %"), lambda row: _share(row.self_device_time_total, device)),
            (_Column("CUDA total"), lambda row: text(row.device_time_total)),
            (_Column("CUDA time avg"), lambda row: text(row.device_time)),
        ]
    columns.append((_Column("# of Calls"), lambda row: str(row.count)))
    if any(row.input_shapes for row in everything):
        shapes = _Column("Input Shapes", [str(row.input_shapes) for row in everything], max_shapes_column_width)
        columns.append((shapes, lambda row: str(row.input_shapes)[:shapes.width]))
    frames = [frame for row in everything for frame in row.stack]
    if frames:
        places = _Column("Source Location", frames, max_src_column_width)
        columns.append((places, lambda row: places.end_of(row.stack[0]) if row.stack else ""))
    flops = [row.flops for row in everything if row.flops > 0] if with_flops else []
    if flops:
        scale = min(len(_FLOPS) - 1, (len(str(min(flops))) - 1) // 3)
        columns.append((_Column("Total " + _FLOPS[scale]),
                        lambda row: f"{row.flops / 1000 ** scale:8.3f}" if row.flops > 0 else "--"))
    ruled = "".join("-" * column.width + "  " for column, _ in columns)
    length = len(ruled) - 2
    lines = ["=" * length, header] if header is not None else []
    lines += ["=" * length, "This report only display top-level ops statistics"] if top_level_events_only else []
    lines += [ruled, "".join(column.title.rjust(column.width) + "  " for column, _ in columns), ruled]
    for row in rows if row_limit < 0 else rows[:row_limit]:
        lines.append("".join(value(row).rjust(column.width) + "  " for column, value in columns))
        if frames:
            more = [places.end_of(frame) for frame in row.stack[1:]] + [""]
            lines += ["".join((frame if column is places else "").rjust(column.width) + "  " for column, _ in columns)
                      for frame in more]
    lines += [ruled, f"Self CPU time total: {text(host)}"]
    if device:
        lines.append(f"Self CUDA time total: {text(device)}")
    return "\n".join(lines) + "\n"


class _Column:
    def __init__(self, title, texts=(), limit=None):
        self.title = title
        self.width = max(max(map(len, texts), default=0) + 4, len(title)) if texts else max(_WIDTH, len(title))
        self.limit = limit
        if limit is not None:
            self.width = min(self.width, limit)

    def cut(self, text):
        return text if self.limit is None or len(text) < self.limit - 3 else text[:self.limit - 3] + "..."

    def end_of(self, text):
        return text if len(text) <= self.width else "..." + text[len(text) - self.width + 3:]


def _share(us, total):
    return f"{100 * us / total:.2f}%" if total else "NaN"
