# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

EVENTS = b'''{"traceEvents": [
{"ph": "X", "cat": "c", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 5},
{"ph": "X", "cat": "c", "name": "b", "pid": 1, "tid": 1, "ts": 10, "dur": 5}]}
'''
pathlib.Path(sys.argv[1]).write_bytes(EVENTS + bytes(5000))
