#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import sys

# Three ranks, two steps. In each, ranks 0 and 1 compute for 300 us and rank 2 for 400; then all reduce, which takes 50 us once the last
# one has come; then all compute for 100 us. So a step takes 550 us: 400 us of rank 2, 50 us of transfer, 100 us of the slowest
# rank, which is rank 0, as all are equal. Ranks 0 and 1 wait for 100 us. If rank 2 were like them, a step would take 450 us.
folder = pathlib.Path(sys.argv[1])
folder.mkdir()
for rank in range(3):
    events, correlation = [], 0

    def work(name, start, end, stream, host, **described):
        global correlation
        correlation += 1
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": host, "dur": 2,
                       "args": {"correlation": correlation}})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start, "dur": end - start,
                       "args": {"device": rank, "stream": stream, "correlation": correlation, **described}})

    now = 100 + 7000 * rank  # the clocks of the ranks differ
    for step in range(2):
        host = now - 50
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": 1, "tid": 1, "ts": host, "dur": 500})
        arrival = now + (400 if rank == 2 else 300)
        leave = now + 450
        work("gemm", now, arrival, 7, host + 5)
        work("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", arrival, leave, 20, host + 10,
             **{"Collective name": "allreduce", "In msg nelems": 256, "Out msg nelems": 256, "Group size": 3, "dtype": "Float",
                "Process Group Name": "0", "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1, 2]",
                "Seq": step + 1})
        work("adam", leave, leave + 100, 7, host + 15)
        now = leave + 100
    document = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 3}, "traceEvents": events}
    (folder / ("rank%d.json" % rank)).write_text(json.dumps(document))
