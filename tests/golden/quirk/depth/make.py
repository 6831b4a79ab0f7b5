#!/usr/bin/env python3
"""90 Python frames inside each other, each an nanosecond shorter at both ends."""
import sys

with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write('{"traceEvents": [')
    for depth in reversed(range(90)):
        out.write('%s{"ph": "X", "cat": "python_function", "name": "f%d", "pid": 1, "tid": 1, "ts": %d.%03d, "dur": %d.%03d, '
                  '"args": {"Python id": %d, "Python parent id": %s}}\n'
                  % ("" if depth == 89 else ",", depth, 5, depth, 1, 800 - 2 * depth, depth + 1, depth or "null"))
    out.write("]}\n")
