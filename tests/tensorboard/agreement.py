#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what TensorBoard's PyTorch plugin computes with its own code (plugin_figures.py) with `riffle-cli summary --like
tensorboard`, for real traces and for the golden cases.

    agreement.py --cli build/release/bin/riffle-cli [--filter REGEX]

It runs under $RIFFLE_TENSORBOARD_PYTHON, an interpreter that has torch-tb-profiler 0.4.3 and pandas; status 77 (skipped) if that is
not set. Real traces are searched for in $RIFFLE_TRACES. The plugin adds up floating-point numbers, so a relative difference of one
millionth is allowed, and half a nanosecond for averages, which Riffle rounds. Traces that contain only the theoretical occupancy are
left out: Riffle shows it in the same column as the achieved one.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import other_program
ROLES = ["kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu", "other"]
TRACES = ["AMD-AGI__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", "AMD-AGI__eager_trace.json.gz", "AMD-AGI__resnet_act_checkpoint.json.gz",
          "deepseek-ai__train.json", "facebookresearch__control.json.gz", "facebookresearch__df_index_resolver.json.gz",
          "facebookresearch__nccl_data.json.gz", "facebookresearch__rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
          "harryjmoss__gpu_working_chrome_trace.json", "luatil__trace_06.json",
          "marcalph__192-222-51-72_4336.1774353536539013415.pt.trace.json", "pytorch__worker0.1623143566756.pt.trace.json.gz"]


def us(ns):
    return None if ns is None else ns / 1000


def percent(share):
    return None if share is None else share * 100


def ours(cli, path):
    """The figures of riffle-cli in the form of plugin_figures.py."""
    run = subprocess.run([cli, "summary", str(path), "--like", "tensorboard", "--format", "json", "--no-store"], capture_output=True, text=True)
    views = json.loads(run.stdout)
    rows = {(row["section"], row["name"], row["device"]): row for row in views["overview"]}
    devices = sorted({device for section, _, device in rows if section == "device"})
    kinds = {"utilization": lambda share: share, "sm_efficiency": lambda share: share, "occupancy": percent, "tensor_cores": lambda share: share}
    return {
        "overview": [us(rows["step", role, None]["time_ns"]) for role in [*ROLES, "step"]],
        "steps": [[row["step"], *(us(row[role + "_ns"]) for role in ROLES), us(row["duration_ns"])] for row in views["steps"]],
        "panel": [us(rows["distributed", name, None]["time_ns"]) for name in ("computing", "communicating", "overlap", "neither")],
        "devices": {str(device): [shown(rows["device", name, device]["share"]) for name, shown in kinds.items()] for device in devices},
        "operators": {row["name"]: [row["calls"], us(row.get("device_self_ns", 0)), us(row.get("device_total_ns", 0)), us(row["host_self_ns"]),
                                    us(row["host_total_ns"]), row["tensor_core_self"], row["tensor_core_total"], row["tensor_core_eligible"] == "yes"]
                      for row in views["operators"]},
        "kernels": {row["name"]: [row["calls"], us(row["total_ns"]), us(row["max_ns"]), us(row["min_ns"]), row["blocks_per_sm"],
                                  percent(row["occupancy"]), row["tensor_cores"] == "yes"] for row in views["kernels"]},
        "memory": {row["device"] + " " + row["name"]: [row[key] for key in (
            "self_increase_bytes", "self_allocated_bytes", "self_allocations", "increase_bytes", "allocated_bytes", "allocations", "calls")]
            for row in views["memory"]},
    }


def same(one, other, allowed):
    if isinstance(one, (str, bool)) or one is None or other is None:
        return one == other
    return abs(one - other) <= max(allowed, 1e-6 * abs(one))


def differences(theirs, found):
    steps = max(len(theirs["steps"]), 1)
    theirs["panel"] = [sum(column) / steps for column in zip(*theirs["panel"])]
    for view, figures in theirs.items():
        pairs = figures.items() if isinstance(figures, dict) else enumerate(figures)
        if len(figures) != len(found[view]):
            yield "%s: %d rows, found %d" % (view, len(figures), len(found[view]))
            continue
        for key, cells in pairs:
            row = found[view].get(key) if isinstance(figures, dict) else found[view][key]
            cells, row = (each if isinstance(each, list) else [each] for each in (cells, row))
            allowed = 0.000501 if view in ("overview", "panel") else 1e-6
            if len(cells) != len(row) or not all(same(one, other, allowed) for one, other in zip(cells, row)):
                yield "%s: %s: %s\n    found %s" % (view, str(key)[:60], cells, row)


def main():
    options, python = other_program.begin(__doc__, "RIFFLE_TENSORBOARD_PYTHON", "torch-tb-profiler")
    folder = other_program.TRACES / "kineto"
    paths = sorted((HERE.parent / "golden").glob("like_tensorboard/*/input.json")) + [folder / name for name in TRACES if (folder / name).exists()]
    wrong = 0
    for path in paths:
        name = path.parent.name if path.name == "input.json" else path.name
        if not re.search(options.filter, name):
            continue
        run = subprocess.run([python, str(HERE / "plugin_figures.py"), str(path)], capture_output=True, text=True, timeout=900)
        if run.returncode:
            print("%s\n%s" % (name, run.stderr[-2000:]))
            return 1
        theirs = json.loads(run.stdout)
        rows = sum(len(figures) for figures in theirs.values())
        found = list(differences(theirs, ours(options.cli, path)))
        print("%-64s %5d rows, %d differ" % (name, rows, len(found)))
        print(*["  " + each for each in found[:6]], sep="\n", end="\n" if found else "")
        wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
