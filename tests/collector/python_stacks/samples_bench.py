# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What sampled Python stacks cost: the processor time of the collector's thread per sample of a thread, by depth and by the number
of threads, and a loop's own time with and without samples: PYTHON samples_bench.py LIBRARY [ROUNDS]"""

import ctypes
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import read_log  # noqa: E402

library, with_gil = ctypes.CDLL(sys.argv[1]), ctypes.PyDLL(sys.argv[1])
assert with_gil.riffle_python_stacks(1) == 0, "the frames of this interpreter cannot be read"


def different(depth):
    """Different functions, as in a program: recursion has one code object only."""
    body = "".join(f"def f{i}(function):\n  return f{i + 1}(function)\n" for i in range(depth))
    space = {}
    last = f"def f{depth}(function):\n  return function()\n"
    exec(compile(body + last, "/a/path/of/usual/length/site-packages/model.py", "exec"), space)
    return space["f0"]


def sampler_ns():
    for thread in os.listdir("/proc/self/task"):
        if open(f"/proc/self/task/{thread}/comm").read() == "riffle python\n":
            return int(open(f"/proc/self/task/{thread}/schedstat").read().split()[0])
    return 0


def per_sample(depth, count, every_ms, seconds=1.0):
    """µs per sample of a thread, and the share of a processor."""
    ended = threading.Event()
    waiting = [threading.Thread(target=different(depth), args=(ended.wait,)) for _ in range(count - 1)]
    for thread in waiting:
        thread.start()
    with tempfile.TemporaryDirectory() as folder:
        options = f"dir={folder}\nsample_ms=0\ncupti=0\ncontrol=0\nstacks=sampled\nstack_sample_ms={every_ms}"
        assert library.riffle_start(options.encode()) == 0

        def work():
            begin = time.perf_counter()
            while time.perf_counter() < begin + seconds:
                pass
        different(depth)(work)
        used = sampler_ns()
        assert library.riffle_stop() == 0
        (log,) = Path(folder).iterdir()
        samples = max(row["Number"] for kind, row in read_log.read(log) if kind == "Stats" and row["Key"] == "python_samples")
    ended.set()
    for thread in waiting:
        thread.join()
    return used / samples / 1e3, used / seconds / 1e9


def loop():
    start = time.thread_time_ns()
    total = 0
    for number in range(200_000):
        total += len(str(number))
    return (time.thread_time_ns() - start) / 1e6


def main(rounds):
    print("Python", sys.version.split()[0])
    for depth in (5, 15, 30, 60, 120):
        print(f"depth {depth:>4}: " + ", ".join(
            f"{count} threads {per_sample(depth, count, 1)[0]:.1f} µs" for count in (1, 4, 16)))
    for every in (1, 2, 5, 10, 20):
        print(f"30 frames, 4 threads, every {every:>2} ms: {100 * per_sample(30, 4, every)[1]:.2f} % of a processor")
    times = {"without": [], "sampled": []}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            times["without"].append(statistics.median(loop() for _ in range(5)))
            assert library.riffle_start(f"dir={folder}\nsample_ms=0\ncupti=0\ncontrol=0\nstacks=sampled".encode()) == 0
            times["sampled"].append(statistics.median(loop() for _ in range(5)))
            assert library.riffle_stop() == 0
    ratios = [b / a for a, b in zip(times["without"], times["sampled"])]
    without = statistics.median(times["without"])
    print(f"a loop of Python: {without:.2f} ms, sampled every 10 ms {statistics.median(ratios):.4f} times")


main(int(sys.argv[2]) if len(sys.argv) > 2 else 30)
