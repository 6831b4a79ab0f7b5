#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""An empty file with the name of a rank's trace is a loss; other empty files are not."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from run_folders import Folder

run = Folder(sys.argv[1])
run.trace("rank1.json", 1, 2)
run.text("rank0.json", "")
run.text("rank1.log", "")
run.text("notes.txt", "hello\n")
run.text("config.json", '{"model": "7b"}')
