#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Hangs two real processes of PyTorch over gloo, of which one leaves out a collective (hang_run.py), and asks `riffle-cli hang`
for the rank, the group, the sequence and the stacks. A job that does not hang must give none.

    hang.py --cli build/release/bin/riffle-cli

It runs under $RIFFLE_TORCH_PYTHON, as agreement.py does.
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import agreement

# How the job goes, the entries that the ring has room for, and the answer: kind, group, sequence, operation.
CASES = [
    ("healthy", 2000, None),
    ("silent", 2000, ("missing entry", "default_pg", 8, "gloo:all_gather")),
    ("silent", 5, ("missing entry", "default_pg", 8, "gloo:all_gather")),
    ("next", 2000, ("another collective", "default_pg", 8, "gloo:all_gather")),
    ("subgroup", 2000, ("missing entry", "data", 4, "gloo:all_reduce")),
]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run_job(python, folder, how, ring):
    environment = dict(os.environ, TORCH_FR_BUFFER_SIZE=str(ring))
    port = str(free_port())
    ranks = [subprocess.Popen([python, str(HERE / "hang_run.py"), str(rank), port, folder, how], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for rank in (0, 1)]
    return [rank.communicate(timeout=120)[0] for rank in ranks]


def line_of(text):
    """The number of the first line of hang_run.py that has this text."""
    lines = (HERE / "hang_run.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def problems(report, expected, has_stacks):
    found = report["divergences"]
    if report["ranks"] != [0, 1] or report["world_size"] != 2 or not report["world_size_known"]:
        yield "ranks %s of %s" % (report["ranks"], report["world_size"])
    if expected is None:
        if found:
            yield "a divergence in a healthy job: %s" % found[0]["verdict"]
        return
    if not found:
        yield "no divergence"
        return
    first = found[0]
    kind, group, sequence, operation = expected
    for name, value in (("kind", kind), ("description", group), ("sequence", sequence), ("culprits", [1])):
        if first[name] != value:
            yield "%s is %r instead of %r" % (name, first[name], value)
    if not first["operation"].startswith(operation + " "):
        yield "the operation is " + first["operation"]
    if not has_stacks:
        return
    waiting, culprit = first["members"]
    call = "all_gather" if operation.endswith("all_gather") else "all_reduce(numbers, group=group)"
    lines = [frame["line"] for frame in waiting["call"]["stack"] if frame["file"].endswith("hang_run.py")]
    if lines[:1] != [line_of("distributed." + call)]:
        yield "rank 0 waits in line %s" % lines
    last = culprit.get("call") or culprit["last_call"]
    if not any(frame["name"] == "step" and frame["file"].endswith("hang_run.py") for frame in last["stack"]):
        yield "the stack of rank 1 does not have its step"


def main():
    options, python = agreement.begin(__doc__)
    wrong = 0
    for how, ring, expected in CASES:
        with tempfile.TemporaryDirectory() as name:
            said = run_job(python, name, how, ring)
            folder = pathlib.Path(name)
            for place, has_stacks in ((folder / "json", False), (folder, True)):
                paths = sorted(map(str, place.glob("gloo_trace_rank_*")))
                if len(paths) != 2:
                    print(*said, sep="\n")
                    return 1
                answer = subprocess.run([options.cli, "hang", "--json", *paths], capture_output=True, text=True)
                found = ["exit code %d: %s" % (answer.returncode, answer.stderr)] if answer.returncode else []
                found += problems(json.loads(answer.stdout), expected, has_stacks)
                print("%-9s ring %4d %-6s %s" % (how, ring, "pickle" if has_stacks else "JSON", "; ".join(found) or "good"))
                wrong += len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
