#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Members of a run that are no trace, and files that are none."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from run_folders import Folder

run = Folder(sys.argv[1])
import shutil

golden = pathlib.Path(__file__).resolve().parents[2]
run.trace("rank0.json", 0, 3)
log = run.path("node1_rank1_4711.rifflelog/1.part")
shutil.copyfile(golden / "log/slices/log.part", log)
run.snapshot("snapshot_rank2.pickle")
run.dumps("dumps", range(2))
(run.root / "dumps/nccl_trace_rank_1").rename(run.root / "dumps/nccl_trace_1")
shutil.copyfile(golden / "flight/inspector_info/input.json", run.path("inspector/node-1.log"))
run.text("train.log", "loss 3.14")
run.text("config.json", "{}")
run.text("rank1.json.gz", "\x1f")
(run.root / "rank2.json.gz").write_bytes(b"\x1f\x8b\x08\x00")
