#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Prints, as JSON, the output of PyTorch's own key_averages().table() for the events of a trace that was written on a different
machine, which has a GPU. The events are passed to PyTorch as its profiler would pass them, as far as the trace contains them. Names
are used as they are in the trace: PyTorch would demangle them.

    tables_of_trace.py TRACE
"""
import gzip
import json
import re
import sys
from decimal import Decimal

import torch
from torch.autograd import DeviceType
from torch.autograd.profiler import EventList, profile

HOST = {"cpu_op": 0, "operator": 0, "user_annotation": 1, "python_function": 2, "overhead": 3}
DEVICE = {"kernel", "gpu_memcpy", "memcpy", "gpu_memset", "memset", "cuda_sync", "gpu_user_annotation"}
ASKED = [([], {}, {}), (["--sort", "self_cuda_time_total", "--limit", "10"], {}, {"sort_by": "self_device_time_total", "row_limit": 10}),
         (["--sort", "cpu_time_total", "--limit", "100000"], {}, {"sort_by": "cpu_time_total", "row_limit": -1}),
         (["--sort", "self_cuda_memory_usage", "--limit", "100000"], {}, {"sort_by": "self_device_memory_usage", "row_limit": -1}),
         (["--sort", "cuda_time_total", "--limit", "1000", "--group-by", "name,shapes"], {"group_by_input_shapes": True},
          {"sort_by": "device_time_total", "row_limit": 1000})]


class Event:
    """One event of the profiler; values that are not given have a neutral default."""

    def __init__(self, **values):
        self.values = {"overload_name": "", "shapes": [], "stack": [], "scope": 0, "is_async": False, "flops": None, "linked_correlation_id": 0,
                       "correlation_id": 0, "external_id": 0, "cuda_elapsed_us": -1, "privateuse1_elapsed_us": -1, "sequence_nr": -1,
                       "device_index": 0, "device_resource_id": 0, "fwd_thread_id": 0, "is_user_annotation": False,
                       "is_python_function": False, "is_hidden_event": False, **values}

    def __getattr__(self, name):
        value = self.values.get(name)
        return lambda: value


def ns(number):
    return int(Decimal(str(number)) * 1000)


def shapes_of(event):
    """The input shapes of an event; the shape of a list of tensors is []."""
    dims = event.get("args", {}).get("Input Dims", event.get("args", {}).get("Input dims", []))
    return [[] if any(isinstance(each, list) for each in shape) else shape for shape in dims] if isinstance(dims, list) else []


def events_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        written = json.loads(file.read().decode("utf-8", "replace"), strict=False, parse_float=Decimal)
    written = written["traceEvents"] if isinstance(written, dict) else written
    threads, events, main = {}, [], None
    for event in written:
        event["kind"] = str(event.get("cat", "")).lower()
        event["args"] = event.get("args") or {}
    hosts = [event for event in written if event.get("ph") == "X" and event["kind"] in ("cpu_op", "operator", "user_annotation")]
    marks = [event for event in hosts if event["name"].startswith("ProfilerStep#")]
    if hosts:
        first = min(marks or hosts, key=lambda event: ns(event["ts"]))
        main = (str(first["pid"]), str(first["tid"]))
    for event in written:
        kind, thread = event["kind"], (str(event.get("pid")), str(event.get("tid")))
        external = event["args"].get("External id", event["args"].get("external id", 0))
        if event.get("name") == "[memory]" and event.get("ph") == "i":
            events.append(Event(name="[memory]", start_ns=ns(event["ts"]), end_ns=ns(event["ts"]), nbytes=event["args"]["Bytes"],
                                device_type=DeviceType(event["args"]["Device Type"]), start_thread_id=threads.setdefault(thread, len(threads))))
        if event.get("ph") != "X":
            continue
        isRuntime = kind.endswith("runtime") or kind.endswith("_driver") or kind == "overhead"
        if kind not in HOST and kind not in DEVICE and not isRuntime:
            continue
        if isRuntime and not external:
            thread = main
        number = threads.setdefault(thread, len(threads))
        start = ns(event["ts"])
        values = dict(name=event["name"], start_ns=start, end_ns=start + ns(event.get("dur", 0)), start_thread_id=number, end_thread_id=number,
                      device_type=DeviceType.CUDA if kind in DEVICE else DeviceType.CPU, is_user_annotation="user_annotation" in kind,
                      is_python_function=kind == "python_function")
        if kind in HOST and kind not in ("python_function", "overhead"):
            values.update(correlation_id=external, external_id=external, shapes=shapes_of(event))
        elif kind not in ("python_function", "gpu_user_annotation"):
            values.update(linked_correlation_id=external)
        events.append(Event(**values))
    return events


class Result:
    def __init__(self, events):
        self.list = sorted(events, key=lambda event: event.start_ns())

    def events(self):
        return self.list

    def trace_start_ns(self):
        return self.list[0].start_ns()


def main():
    torch._C._demangle = lambda name: name
    events = events_of(sys.argv[1])
    recorder = profile(use_kineto=True, use_cpu=True, profile_memory=any(event.name() == "[memory]" for event in events))
    recorder.use_device = "cuda"
    averaged = EventList(recorder._parse_kineto_results(Result(events)), use_device="cuda", profile_memory=recorder.profile_memory)
    averaged._build_tree()
    json.dump([[arguments, averaged.key_averages(**grouping).table(**printing)] for arguments, grouping, printing in ASKED], sys.stdout)


if __name__ == "__main__":
    main()
