#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Two files of a rank that are no spans are offered for comparison."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from run_folders import Folder

run = Folder(sys.argv[1])
run.trace("rank0.json", 0, 2)
run.trace("rank0 (1).json", 0, 2)
run.trace("rank1.json", 1, 2)
run.snapshot("rank1_step5.pickle")
run.snapshot("rank1_step9.pickle")
