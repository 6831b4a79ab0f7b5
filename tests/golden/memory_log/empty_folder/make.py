#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

(pathlib.Path(sys.argv[1]) / "rank0_dp0_tp0").mkdir(parents=True)
