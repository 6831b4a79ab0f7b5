#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Each kind of evidence for a rank outweighs those behind it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from run_folders import Folder

run = Folder(sys.argv[1])
run.trace("rank_1/rank2.json.gz", 3, 4)
run.trace("rank_2/worker5.1.pt.trace.json")
run.trace("worker1.2.pt.trace.json")
run.trace("trace_rank0.json")
run.trace("somebody.json")
