#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from flight_dumps import Job

job = Job([("0", "default_pg", [0, 1, 2, 3]), ("1", "data", [0, 1]), ("1", "data", [2, 3])])
for _ in range(5):
    job.all(1, "all_reduce", 64, line=21)
    job.all(2, "all_reduce", 64, line=21)
    job.all(0, "all_gather", 8, line=22)
# Rank 3 leaves out the last all-reduce of its group, and nobody reaches the all-gather together.
job.call(2, 2, "all_reduce", 64, "started", True, line=21)
for rank in (0, 1):
    job.call(rank, 1, "all_reduce", 64, line=21)
    job.call(rank, 0, "all_gather", 8, "started", True, line=22)
job.write(sys.argv[1], range(4), ring=9)
