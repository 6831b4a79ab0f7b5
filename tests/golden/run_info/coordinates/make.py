#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Coordinates are the identity of ranks that nothing else tells; process groups tell those of the others."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from run_folders import Folder

run = Folder(sys.argv[1])
for tp in range(2):
    for dp in range(2):
        run.trace("server/1750000000.25-TP-%d-DP-%d.trace.json.gz" % (tp, dp))
for rank in range(4):
    run.trace("mesh/%s.json" % "abcd"[rank], rank, 4, [
        {"pg_name": "0", "pg_desc": "default_pg", "pg_size": 4, "ranks": [0, 1, 2, 3]},
        {"pg_name": "1", "pg_desc": "mesh_dp", "pg_size": 2, "ranks": [rank % 2, rank % 2 + 2]},
        {"pg_name": "2", "pg_desc": "mesh_tp", "pg_size": 2, "ranks": [rank // 2 * 2, rank // 2 * 2 + 1]}])
