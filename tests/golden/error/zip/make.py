#!/usr/bin/env python3
"""A zip archive with a trace in it."""
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1], "w") as out:
    out.writestr("trace.json", '{"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]}')
