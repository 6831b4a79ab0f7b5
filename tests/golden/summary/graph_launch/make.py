# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Launches whose kernels must find their operators: a CUDA graph of 1,754 kernels, Triton's cuLaunchKernel, ROCm's hipLaunchKernel."""
import json
import sys

GRAPH, KERNELS = 5, 1754


def host(cat, name, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": args}


def kernel(name, ts, dur, correlation):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur,
            "args": {"device": 0, "stream": 7, "correlation": correlation}}


events = [
    host("python_function", "nn.Module: Net_0", 0, 900, **{"Python module id": 0}),
    host("user_annotation", "replay", 5, 95),
    host("cpu_op", "CUDAGraphReplay", 10, 80),
    host("cpu_op", "aten::inner", 12, 10),  # over before the launch
    host("cuda_runtime", "cudaGraphLaunch", 30, 20, correlation=GRAPH),
    host("cpu_op", "triton_poi_fused_add_0", 200, 50, kernel_backend="triton"),
    host("cuda_driver", "cuLaunchKernel", 210, 10, correlation=6),
    host("cpu_op", "aten::mm", 300, 50),
    host("cuda_runtime", "hipLaunchKernel", 310, 10, correlation=7),
    host("cuda_runtime", "hipExtModuleLaunchKernel", 330, 10, correlation=8),
    host("cuda_driver", "cuLaunchKernelEx", 400, 10, correlation=9),  # in no operator, but in the module
    kernel("triton_poi_fused_add_0", 10_000, 7, 6),
    kernel("Cijk_Ailk", 10_010, 11, 7),
    kernel("Cijk_Post", 10_030, 3, 8),
    kernel("bare", 10_040, 2, 9),
]
events += [kernel("node_%d" % (at % 10), 100 + 2 * at, 1, GRAPH) for at in range(KERNELS)]
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump({"traceEvents": events}, file)
