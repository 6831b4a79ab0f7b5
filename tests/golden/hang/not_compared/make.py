#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from flight_dumps import Job

# A receive from anybody waits, one entry has no number, and one dump cannot be read.
job = Job([("0", "default_pg", [0, 1, 2])])
job.all(0, "all_reduce")
job.call(0, 0, "recv 0<-?", state="scheduled", retired=False)
job.call(1, 0, "all_reduce")
del job.entries[1][-1]["collective_seq_id"]
job.write(sys.argv[1], range(2))
job.write(sys.argv[1], [2], as_json=True)
cut = pathlib.Path(sys.argv[1]) / "trace_rank_2.json"
cut.write_bytes(cut.read_bytes()[:-40])
