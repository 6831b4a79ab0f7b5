#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from flight_dumps import Job

job = Job([("0", "default_pg", [0, 1, 2])])
for _ in range(4):
    job.all(0, "all_reduce")
    job.call(0, 0, "send 0->1")
    job.call(1, 0, "recv 1<-0")
job.write(sys.argv[1], range(3))
