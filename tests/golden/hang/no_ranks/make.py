#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from flight_dumps import Job

# Names that do not tell the rank: no dump can be placed.
job = Job([("0", "default_pg", [0, 1])])
job.all(0, "all_reduce")
job.write(sys.argv[1], range(2))
for rank, name in enumerate(("a", "b")):
    (pathlib.Path(sys.argv[1]) / ("nccl_trace_rank_%d" % rank)).rename(pathlib.Path(sys.argv[1]) / name)
