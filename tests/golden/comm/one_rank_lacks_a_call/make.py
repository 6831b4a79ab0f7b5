#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import sys

# Two ranks make four all-reduces with sequence numbers; rank 1, whose group has another name, did not record the third one.
folder = pathlib.Path(sys.argv[1])
folder.mkdir()
for rank in range(2):
    events = []
    for seq, (first, end) in enumerate([(100, 150), (300, 320), (400, 480), (600, 650)], 1):
        if (rank, seq) == (1, 3):
            continue
        start = first + 10 * rank  # rank 0 waits for rank 1
        described = {"Collective name": "allreduce", "In msg nelems": 256 * seq, "Out msg nelems": 256 * seq, "Group size": 2,
                     "dtype": "Float", "Process Group Name": "7" if rank else "0", "Process Group Description": "default_pg",
                     "Process Group Ranks": "[0, 1]", "Seq": seq}
        events += [
            {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": start - 20, "dur": 8,
             "args": {"External id": seq, **described}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": start - 15, "dur": 2,
             "args": {"correlation": seq}},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "pid": 0,
             "tid": 20, "ts": start, "dur": end - start, "args": {"device": rank, "stream": 20, "correlation": seq, **described}}]
    document = {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}, "traceEvents": events}
    (folder / ("rank%d.json" % rank)).write_text(json.dumps(document))
