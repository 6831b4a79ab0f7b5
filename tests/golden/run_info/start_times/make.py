#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Two start times under the folder of a job are two runs."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from run_folders import Folder

run = Folder(sys.argv[1])
for start in ("Sep08_11-00-51", "2023-09-09_08-30-00"):
    for rank in range(2):
        run.trace("7b_train/%s/traces/rank%d_dp%d/t.json" % (start, rank, rank))
