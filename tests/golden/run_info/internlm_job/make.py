#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The folders of a job as InternLM prints them: a trace, and memory logs of eight ranks beside it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from run_folders import Folder

run = Folder(sys.argv[1])
run.trace("7b_train/Sep08_11-00-51/traces/rank0_dp0_tp0_pp0/SH-IDC1-10-140-1-78_238619.1694142354680.pt.trace.json")
for rank in range(8):
    run.memory_log("memory_trace/rank%d_dp%d_tp0" % (rank, rank))
    run.pages("memory_trace/rank%d_dp%d_tp0" % (rank, rank))
