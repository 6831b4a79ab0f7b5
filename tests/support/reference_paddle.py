# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The peculiarities of Paddle's profiler; a part of reference.py."""
import re
from decimal import Decimal

CATEGORIES = frozenset({
    "ProfileStep", "Dataloader", "Forward", "Backward", "Optimization", "PythonOp", "PythonUserDefined", "Operator",
    "OperatorInner", "UserDefined", "Communication", "CudaRuntime", "Kernel", "Memcpy", "Memset", "DygraphKernelLaunch",
    "StaticKernelLaunch", "MluRuntime",
})


def thread(tid):
    """"123(Python)" and "123(C++)" are 123."""
    found = re.fullmatch(r"(\d+)\((?:Python|C\+\+)\)", tid) if isinstance(tid, str) else None
    return found.group(1) if found else tid


def thread_name(name):
    """The thread without its side, which follows without a blank."""
    found = re.fullmatch(r"(thread .*[^ ])\((?:Python|C\+\+)\)", name)
    return found.group(1) if found else name


def plain_name(name, category):
    found = re.fullmatch(r"(.*)\[\d+(?:\.\d+)? (?:ns|us|ms|s)\]", name, re.DOTALL) if category in CATEGORIES else None
    return found.group(1) if found else name


def exact_start(args):
    """`start_time` in ns, relative to an unnamed origin."""
    found = re.fullmatch(r"(-?\d+(?:\.\d+)?) us", str(args.get("start_time"))) if isinstance(args, dict) else None
    return int(Decimal(found.group(1)) * 1000) if found else None


def settle(slices):
    """Restores the digits that starts in whole microseconds have lost; the (slice, exact start) that lost least gives the origin."""
    known = [(s, exact) for s, exact in slices if s.start % 1000 == 0]
    if not known:
        return
    origins = [s.start - exact for s, exact in known]
    if max(origins) - min(origins) >= 1000:
        return
    for s, exact in known:
        length = s.end - s.start
        s.start = max(origins) + exact
        s.end = s.start + length
