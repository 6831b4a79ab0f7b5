#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the FLOPs of `riffle-cli summary --view operators` with sums over the JSON for every real Kineto file with shapes.

    check_flops.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. The sums computed here, from definition R11 alone,
include the innermost calls of the operators that do the work themselves: mm, addmm, bmm, baddbmm and the convolutions of cuDNN and
MIOpen. The operators around them (linear, matmul, conv2d, convolution) must add nothing if each of their calls contains one of them.
Exit code 77 if the folder does not exist.
"""
import collections
import gzip
import json
import math
import subprocess
import sys

import real_files

TIMEOUT_SECONDS = 120
AROUND = {"aten::linear", "aten::matmul", "aten::conv2d", "aten::convolution", "aten::_convolution"}


def numbers(text):
    return [int(each) for each in text.strip("[]").split(",")]


def product(name, dims, inputs):
    """The FLOPs of one call."""
    if name in ("aten::mm", "aten::bmm"):
        left, right = dims[0], dims[1]
        return 2 * math.prod(left) * right[-1]
    if name in ("aten::addmm", "aten::baddbmm"):
        left, right = dims[1], dims[2]
        return 2 * math.prod(left) * right[-1]
    image, weight = dims[0], dims[1]
    padding, stride, dilation = {
        "aten::cudnn_convolution": lambda: (inputs[2], inputs[3], inputs[4]),
        "aten::miopen_convolution": lambda: (inputs[3], inputs[4], inputs[5]),
    }[name]()
    positions = 1
    for size, kernel, pad, step, spread in zip(image[2:], weight[2:], numbers(padding), numbers(stride), numbers(dilation)):
        positions *= (size + 2 * pad - spread * (kernel - 1) - 1) // step + 1
    return 2 * image[0] * weight[0] * positions * weight[1] * math.prod(weight[2:])


COUNTED = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::cudnn_convolution", "aten::miopen_convolution"}


def expected_sums(events):
    """The FLOPs by name, and the names of surrounding operators whose every call contains a counted one."""
    sums, threads = collections.Counter(), collections.defaultdict(list)
    for event in events:
        if event.get("ph") == "X" and str(event.get("cat", "")).lower() in ("cpu_op", "operator"):
            threads[event.get("pid"), event.get("tid")].append(event)
    bare = set()
    seen = set()
    for slices in threads.values():
        inside = []
        for event in slices:
            arguments = event.get("args", {})
            dims = arguments.get("Input Dims") or arguments.get("Input dims")
            if event["name"] in COUNTED and dims:
                try:
                    flops = product(event["name"], dims, arguments.get("Concrete Inputs", []))
                except (IndexError, ValueError):
                    continue
                begin = float(event["ts"])
                inside.append((begin, begin + float(event["dur"]), event["name"], flops))
        # aten::bmm may call aten::bmm (autocast): the inner one counts.
        inside.sort(key=lambda call: (call[0], -call[1]))
        for call, after in zip(inside, inside[1:] + [(math.inf, math.inf)]):
            if not (after[0] < call[1] and after[1] <= call[1]):
                sums[call[2]] += call[3]
        for event in slices:
            if event["name"] in AROUND:
                seen.add(event["name"])
                begin, end = float(event["ts"]), float(event["ts"]) + float(event["dur"])
                if not any(begin <= call[0] and call[1] <= end for call in inside):
                    bare.add(event["name"])
    return sums, seen - bare


def check(path, cli):
    opened = gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb")
    with opened as stream:
        data = json.loads(stream.read().decode("utf-8", "replace"), strict=False)
    sums, around = expected_sums(data["traceEvents"] if isinstance(data, dict) else data)
    command = cli + ["summary", "--no-store", str(path), "--view", "operators", "--format", "json"]
    found = {row["name"]: row["flops"] for row in json.loads(subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS).stdout)}
    bad = ["%s: %s, found %s" % (name, flops, found.get(name)) for name, flops in sums.items() if found.get(name) != flops]
    bad += ["%s: nothing, found %s" % (name, found[name]) for name in COUNTED - sums.keys() if found.get(name)]
    bad += ["%s only calls counted operators, found %s" % (name, found[name]) for name in around if found.get(name) is not None]
    return sums, around, bad


def main():
    real = real_files.RealFiles("Compare FLOPs with sums over the JSON on real traces.")
    compared = wrong = 0
    for path in real.paths:
        try:
            sums, around, bad = check(path, real.cli)
        except ValueError as error:
            print("skipped   %s: %s" % (path.name, str(error)[:80]))
            continue
        compared += bool(sums)
        wrong += bool(bad)
        print("%-8s  %s: %s; nothing added by %s" % ("diff" if bad else "ok" if sums else "no shapes", path.name[-50:], dict(sums) or "nothing", sorted(around)))
        for line in bad:
            print("      " + line)
    print("%d files with FLOPs, %d differ" % (compared, wrong))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
