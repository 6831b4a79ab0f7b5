#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Two world sizes are one run with a note, or two runs if folders separate them."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from run_folders import Folder

run = Folder(sys.argv[1])
run.trace("flat/rank0.json", 0, 4)
run.trace("flat/rank1.json", 1, 2)
run.trace("large/rank2.json", 2, 4)
run.trace("small/rank3.json", 3, 2)
