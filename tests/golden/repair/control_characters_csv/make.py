#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Names that would command a terminal: DEL, and the control characters of eight bits."""
import pathlib
import sys

EVENT = '{"ph": "X", "cat": "c", "name": "%s", "pid": 1, "tid": 1, "ts": %d, "dur": 5}'
NAMES = ["del \x7f", "csi \u009b31m", "escaped \\u009b31m", "no-break space \u00a0"]
pathlib.Path(sys.argv[1]).write_text("[%s]" % ",\n".join(EVENT % (name, 10 * at) for at, name in enumerate(NAMES)), encoding="utf-8")
