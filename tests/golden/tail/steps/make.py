#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The bundled log: eight steps, the last of which takes 3.745 ms, of which kernels take 3.559 ms."""
import pathlib
import shutil
import sys

shutil.copyfile(pathlib.Path(__file__).resolve().parents[4] / "resources/sample/log/000001.part", sys.argv[1])
