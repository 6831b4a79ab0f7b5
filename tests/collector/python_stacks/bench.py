# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What a walk costs, by depth: PYTHON bench.py PROBE.so. The best of several runs, in ns; nothing is written."""

import ctypes
import sys

probe = ctypes.PyDLL(sys.argv[1])
probe.probe_attach.restype = ctypes.c_char_p
probe.probe_unchanged.restype = probe.probe_spent.restype = ctypes.c_double
timed = probe.probe_timed


def at(depth, function):
    return function() if depth <= 0 else at(depth - 1, function)


def different(depths):
    """Different functions, as in a program: recursion has one code object only."""
    body = "".join(f"def f{i}(function):\n  return f{i + 1}(function)\n" for i in range(depths))
    space = {}
    exec(compile(body + f"def f{depths}(function):\n  return function()\n", "/a/path/of/usual/length/site-packages/model.py", "exec"), space)
    return space["f0"]


def leaf():
    for _ in range(200):
        timed()
        timed()


def g5(n):
    if n:
        g5(n - 1)
    else:
        timed()


def suffix():
    for _ in range(100):
        g5(5)
        g5(4)


def best(function):
    return min(function() for _ in range(15))


def spent(function):
    function()
    probe.probe_spent()
    function()
    return probe.probe_spent()


why = probe.probe_attach()
if why:
    sys.exit(why.decode())
print("Python", sys.version.split()[0])
print(f"{'depth':>6} {'unchanged':>10} {'line of leaf':>13} {'5 of leaf':>10}   (the last two with the clock, 2 reads)")
for depth in (5, 15, 30, 60, 120, 250):
    inside = different(depth)
    unchanged = best(lambda: inside(lambda: probe.probe_unchanged(2000)))
    line = best(lambda: inside(lambda: spent(leaf)))
    five = best(lambda: inside(lambda: spent(suffix)))
    print(f"{depth:>6} {unchanged:>10.0f} {line:>13.0f} {five:>10.0f}")
