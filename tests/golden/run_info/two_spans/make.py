#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Two spans of four workers (active=3, repeat=2): only the files tell the rank."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from run_folders import Folder

run = Folder(sys.argv[1])
for rank in range(4):
    for span in range(2):
        run.trace("output/gpt-125m-4xdp/profiling/gpt-125m-worker-0_%d.%d.pt.trace.json"
                  % (301 + rank, 1698957822181 + 4000 * span + rank), rank, 4, behind=span == 1)
