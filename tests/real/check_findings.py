#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the findings and critical paths of every Kineto file in a folder of real traces.

    check_findings.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Every finding's value must be beyond its threshold,
and a finding with instances must have a place to jump to. The files named below must have exactly the findings that are known for
them (computed here from the text if that is easy). A critical path's segments must follow each other without gaps and add up to its
sums by kind. Exit code 77 if the folder does not exist.
"""
import gzip
import json
import statistics
import subprocess
import sys

import real_files

TIMEOUT_SECONDS = 120

BELOW = {"low_utilization", "slow_collective", "ddp_without_nccl"}
# Files that were inspected by hand, with all findings of a severity above "hint" that they must have.
KNOWN = {
    "deepseek-ai__train.json": set(),
    "AMD-AGI__profile_trace_rank_0.json.gz": set(),
    "AMD-AGI__resnet_act_checkpoint.json.gz": {"asynchronous_steps", "communication_share", "slow_collective"},
    "facebookresearch__df_index_resolver.json.gz": {"communication_share", "long_collective", "launch_bound"},
    "facebookresearch__control.json.gz": {"communication_share"},
    "pytorch__worker0.1623143566756.pt.trace.json.gz": {"dataloader_share", "input_not_overlapped"},
    "pytorch-labs__asdf_False.json.gz": {"low_utilization", "launch_bound", "idle_after_sync"},
}


def table(cli, path, view, *more):
    done = subprocess.run(cli + ["summary", str(path), "--view", view, "--format", "json", *more], capture_output=True, text=True,
                          timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode:
        raise AssertionError("exit %d: %s" % (done.returncode, done.stderr.strip()))
    return json.loads(done.stdout)


def check_long_collective(path, row):
    """Compares the finding with the longest collective call and the number of calls, computed from the text."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    calls = [round(event["dur"] * 1000) for event in events
             if str(event.get("cat", "")).lower() == "kernel" and "nccl" in event["name"].lower()]
    longest = max(calls)
    assert row["duration_ns"] == longest, (row["duration_ns"], longest)
    assert abs(row["measured"] - longest / statistics.median(calls)) < 1e-9, row["measured"]
    assert "one of {:,} calls".format(len(calls)) in row["text"], row["text"]


def check(cli, path):
    found = table(cli, path, "findings")
    for row in found:
        beyond = row["measured"] < row["threshold"] if row["id"] in BELOW else row["measured"] > row["threshold"]
        assert beyond, row
        assert row["text"] and row["rule"] and row["suggestion"], row
        assert not row["instances"] or row["start_ns"] is not None, row
    if path.name in KNOWN:
        warnings = {row["id"] for row in found if row["severity"] != "hint"}
        assert warnings == KNOWN[path.name], warnings
    if path.name == "facebookresearch__df_index_resolver.json.gz":
        check_long_collective(path, next(row for row in found if row["id"] == "long_collective"))

    sums = {}
    end = None
    for row in table(cli, path, "critical-path", "--group-by", "segments"):
        assert end is None or row["start_ns"] == end, row
        end = row["start_ns"] + row["duration_ns"]
        sums[row["bound_by"]] = sums.get(row["bound_by"], 0) + row["time_ns"]
    bound = {row["bound_by"]: row["time_ns"] for row in table(cli, path, "critical-path")}
    assert bound == sums, (bound, sums)
    return found, bound


def main():
    real = real_files.RealFiles(__doc__.splitlines()[0])
    failed = 0
    for path in real.paths:
        try:
            found, bound = check(real.cli, path)
            most = max(bound, key=bound.get, default="-")
            print("%-60s %-90s %s" % (path.name[:60], " ".join(row["id"] for row in found) or "-", most))
        except AssertionError as wrong:
            failed += 1
            print("%-60s WRONG %s" % (path.name[:60], wrong))
    print("%d files, %d wrong" % (len(real.paths), failed))
    return 1 if failed or not real.paths else 0


if __name__ == "__main__":
    sys.exit(main())
