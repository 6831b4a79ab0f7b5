#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from flight_dumps import Job

# JSON dumps: a send of rank 0 has no receive, rank 2 left no dump, and that of rank 3 is cut off.
job = Job([("0", "default_pg", [0, 1, 2, 3])])
job.all(0, "all_reduce")
job.call(0, 0, "send 0->1", 32, "started", True, line=30)
job.write(sys.argv[1], [0, 1, 3], as_json=True)
cut = pathlib.Path(sys.argv[1]) / "trace_rank_3.json"
cut.write_bytes(cut.read_bytes()[:-40])
(pathlib.Path(sys.argv[1]) / "rank2.json").write_text('{"traceEvents": [], "distributedInfo": {"rank": 2}}')
