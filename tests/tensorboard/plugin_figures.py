#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Prints, as JSON, what TensorBoard's PyTorch plugin (torch-tb-profiler 0.4.3, with pandas) computes for a trace with its own code.

    plugin_figures.py TRACE

The plugin's latest sources know more categories of runtime calls than the released package, and keep annotations, which the package
drops; both are patched in here. Times count from the first event, so that floating-point numbers can represent them.
"""
import gzip
import json
import math
import sys
from decimal import Decimal

from torch_tb_profiler.profiler import data, trace


def plain(value):
    """The value with all Decimals in it converted to floating-point numbers."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return float(value) if isinstance(value, Decimal) else value


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        written = json.loads(file.read().decode("utf-8", "replace"), strict=False, parse_float=Decimal)
    begin = min(event["ts"] for event in written["traceEvents"] if event.get("ph") == "X")
    for event in written["traceEvents"]:
        if "ts" in event:
            event["ts"] -= begin
    return plain(written)


def figures(path):
    trace.EventTypeMap.update({name + "_runtime": trace.EventTypes.RUNTIME for name in ("cuda", "mtia", "glow", "xpu", "privateuse1")})
    released = trace.create_trace_event

    def create(event, lightning):
        kind = trace.EventTypeMap.get(event.get("cat", "").lower())
        if kind == trace.EventTypes.USER_ANNOTATION and not event["name"].startswith("ProfilerStep#"):
            return trace.OperatorEvent(kind, event)
        return released(event, lightning)

    trace.create_trace_event = create
    written = read(path)
    run = data.RunProfileData.from_json("worker", "1", written)
    gpu = run.gpu_metrics_parser
    found = {
        "overview": run.avg_costs.costs,
        "steps": [[name, *costs.costs] for name, costs in zip(run.steps_names, run.steps_costs)],
        "panel": [[each.computation, each.communication, each.overlap, each.other] for each in run.comm_overlap_costs],
        "devices": {str(each): [gpu.gpu_utilization[each], gpu.avg_approximated_sm_efficiency_per_device[each],
                                gpu.avg_occupancy_per_device[each], run.tc_ratio[each]] for each in gpu.gpu_ids},
        "operators": {op.name: [op.calls, op.self_device_duration, op.device_duration, op.self_host_duration, op.host_duration,
                                op.tc_self_ratio, op.tc_total_ratio, op.tc_eligible] for op in run.op_list_groupby_name},
        "kernels": {}, "memory": {},
    }
    if run.kernel_stat is not None:
        for name, row in run.kernel_stat.iterrows():
            cells = [row[column] for column in ("count", "sum", "max", "min", "blocks_per_sm", "occupancy", "tc_used")]
            found["kernels"][name] = [0 if math.isnan(cell) else cell.item() if hasattr(cell, "item") else cell for cell in cells]
    if run.memory_snapshot:
        for device, names in run.memory_snapshot.get_memory_statistics(run.tid2tree).items():
            found["memory"].update({device + " " + name: values for name, values in names.items()})
    return found


if __name__ == "__main__":
    sys.setrecursionlimit(100000)
    json.dump(figures(sys.argv[1]), sys.stdout)
