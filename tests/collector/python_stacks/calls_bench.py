# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What the recording of every Python call costs per call, in CPU time of the thread; the best of several runs, in ns.

Usage: RIFFLE_COLLECTOR=LIBRARY PYTHON calls_bench.py
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "collector" / "python"))
import riffle_profiler as riffle  # noqa: E402

CALLS, ROUNDS = 20000, 15


def leaf():
    pass


def of_python():
    function = leaf
    for _ in range(CALLS):
        function()


def of_c():
    function = abs
    for _ in range(CALLS):
        function(1)


def best(function):
    found = []
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        function()
        found.append((time.thread_time_ns() - start) / CALLS)
        time.sleep(0.03)  # the ring is emptied meanwhile
    return min(found)


def both():
    return best(of_python), best(of_c)


def show(what, times):
    print(f"{what:<34} {times[0] - plain[0]:6.0f} {times[1] - plain[1]:6.0f}")


plain = both()
print(f"Python {sys.version.split()[0]:<27}     of   of C, ns more per call")
with tempfile.TemporaryDirectory() as folder:
    with riffle.profile(dir=folder, with_stack="calls") as prof:
        show('profile(with_stack="calls")', both())
    print(f"{prof.stats.events} events, {prof.stats.dropped} dropped")
sys.setprofile(lambda *unused: None)
show("an empty function of Python", both())
sys.setprofile(None)
if "torch" in sys.argv[1:]:
    import torch

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_stack=True):
        show("torch.profiler(with_stack=True)", both())
