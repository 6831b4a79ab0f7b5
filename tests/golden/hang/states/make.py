#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from flight_dumps import Job

# Members of one call in other states are in rows of their own.
job = Job([("0", "default_pg", [0, 1, 2])])
job.all(0, "all_reduce")
for rank, state in enumerate(("started", "scheduled", "started")):
    job.call(rank, 0, "all_reduce", state=state, retired=False)
job.write(sys.argv[1], range(3))
