#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A Perfetto trace as PyTorch's CUPTI back end writes it: two operators that touch each other, their launches, a kernel with
its annotation on its stream, a copy that a CUDA graph moved to a lane of its own, and a counter of the GPU."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from pftrace import Trace, data, number  # noqa: E402

T = 1_700_000_000_000_000_000
trace = Trace()
trace.clocks(T, T)
trace.process(1, 4242, "python").thread(2, 1, 4242, 4243, "main thread")
trace.intern([
    (Trace.NAME, 1, "aten::mm"), (Trace.NAME, 2, "aten::add"), (Trace.NAME, 3, "ProfilerStep#1"),
    (Trace.NAME, 4, "cudaLaunchKernel"), (Trace.NAME, 5, "gemm_kernel"),
    (Trace.CATEGORY, 1, "cpu_op"), (Trace.CATEGORY, 2, "user_annotation"), (Trace.CATEGORY, 3, "cuda_runtime"),
    (Trace.STAGE, 1, "Kernel", 2), (Trace.STAGE, 2, "Memcpy", 0), (Trace.STAGE, 4, "Annotation", 0),
    (Trace.STAGE, 100, "[07] stream 7", 0), (Trace.STAGE, 101, "[20] side comms", 0),
    (Trace.KERNEL, 1, "gemm_kernel"), (Trace.ARGUMENT, 1, "registers_per_thread"), (Trace.ARGUMENT, 3, "thread_count"),
])
counters = number(1, 1) + number(3, 0) + data(2, data(1, number(1, 0) + data(2, "Power (W)")))
trace.packet(data(12, data(47, counters)))
trace.slices([
    (T, T + 100_000, 2, 3, 2, None),
    (T + 1_000, T + 21_000, 2, 1, 1, {"External id": 5, "Sequence number": 9, "Input Dims": [[2, 3], [3, 4]]}),
    (T + 21_000, T + 30_000, 2, 2, 1, None),
])
trace.slices([
    (T + 2_000, T + 5_000, 2, 4, 3, {"cbid": 211, "correlation": 77}),
    (T + 22_000, T + 24_000, 2, 4, 3, {"cbid": 41, "correlation": 78}),
])
process = {"arch": "sm_90", "process_id": "4242"}
trace.stage(T + 10_000, 8_000, 0, 100, 1, 5, {"device id": 0, "context id": 1, "stream id": 7, "correlation": 77} | process,
            (4, 2, 1), (128, 1, 1), ((1, 64), (3, 128)), 1, 1)
trace.stage(T + 25_000, 1_000, 0, 101, 2, None, {"device id": 0, "context id": 1, "stream id": 7, "correlation": 78,
                                                 "graph node id": 202, "bytes": 4096} | process, event=2)
trace.stage(T + 9_999, 8_002, 0, 100, 4, 3, {"device id": 0, "context id": 0, "stream id": 7} | process, event=3)
trace.gpu_counter(T + 12_000, 1, [(0, 250.5)])
trace.write(sys.argv[1])
