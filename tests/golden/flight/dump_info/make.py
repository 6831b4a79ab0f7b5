#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import pickle
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from flight_dumps import Job

job = Job([("0", "default_pg", [0, 1, 2]), ("5", "tensor", [1, 2])])
for _ in range(3):
    job.all(0, "all_reduce")
    job.all(1, "all_gather")
job.call(1, 1, "broadcast", 4, "started", False)
pathlib.Path(sys.argv[1]).write_bytes(pickle.dumps(job.dump(1, 5), 4))
