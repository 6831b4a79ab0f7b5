#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the matches of `riffle-cli comm` with the truth of generated jobs (support/job_generator.py).

    check_matches.py --cli PATH [--seeds FIRST:LAST]

Over all jobs: no match that is sure is wrong, and at most 1 % of those that are likely. In each kind of job, at least 80 % of the calls
that have a partner are in a match that is right and sure or likely, and at most 1 % of the operations are divided among matches; but all matches are ambiguous if all steps are alike, and only the
marks of steps, which are not there, or the clocks could tell which is which.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import cli_case
import job_generator

KINDS = {
    "numbered": dict(seq=True, coalesced=True, p2p=True, missing=2, cut_windows=True),
    "numbered, graphs": dict(seq=True, graphs=True, twins=True, swapped=True, missing=2, cut_windows=True),
    "missing": dict(missing=3, cut_windows=True),
    "names swapped, two groups of the same ranks": dict(swapped=True, twins=True, missing=1),
    "nothing lists the groups": dict(swapped=True, twins=True, missing=2, pg_config=False, cut_windows=True),
    "graphs": dict(graphs=True, missing=2, cut_windows=True),
    "coalesced, sends": dict(coalesced=True, p2p=True, missing=3, cut_windows=True),
    "cut lists": dict(world=40, ranks=6, steps=3, layers=3, swapped=True, pg_config=False, missing=2),
    "cut lists, listed groups": dict(world=40, ranks=6, steps=3, layers=3, swapped=True, missing=2, cut_windows=True),
    "whole microseconds": dict(rounding=1000, drift=20e-6, missing=2, cut_windows=True),
    "other clocks": dict(offset=10 * job_generator.SECOND, missing=1, cut_windows=True),
    "regular": dict(jitter=0.02, tail=0, missing=2, cut_windows=True),
    "regular, no steps": dict(jitter=0.0, tail=0, missing=2, cut_windows=True, marks=False),
    "all": dict(ranks=8, coalesced=True, p2p=True, graphs=True, swapped=True, missing=3, cut_windows=True, rounding=1000),
}
SEEDS = range(1, 3)


class Outcome:
    """Matches and calls of jobs, counted against the truth."""

    def __init__(self):
        self.matches, self.wrong = collections.Counter(), collections.Counter()
        self.right = self.possible = self.divided = 0

    def add(self, rows, truth):
        place, partners = collections.Counter(), collections.Counter()
        members, confidence = collections.defaultdict(list), {}
        for row in rows:
            number = truth[row["rank"]][place[row["rank"]]]
            place[row["rank"]] += 1
            partners[number] += 1
            if row["match"] is not None:
                members[row["match"]].append(number)
                confidence[row["match"]] = row["confidence"]
        self.possible += sum(count for count in partners.values() if count > 1)
        seen = collections.Counter(number for numbers in members.values() for number in set(numbers))
        self.divided += sum(count > 1 for count in seen.values())
        for match, numbers in members.items():
            self.matches[confidence[match]] += 1
            if len(set(numbers)) > 1:
                self.wrong[confidence[match]] += 1
            elif confidence[match] != "ambiguous":
                self.right += len(numbers)
        return {rank: place[rank] for rank in truth}


class Matches(cli_case.FolderCase):
    def calls_of(self, job):
        return job_generator.asked(job, self.path("job"), [CLI, "comm", "--no-store", "--view", "calls,unmatched", "--format", "json"])

    def test_matches_are_those_of_the_job(self):
        total = Outcome()
        for kind, words in KINDS.items():
            outcome = Outcome()
            for seed in SEEDS:
                job = job_generator.Job(job_generator.Options(seed=seed, **words))
                rows = self.calls_of(job)["calls"]
                truth = job.truth()["calls"]
                for each in (outcome, total):
                    recorded = each.add(rows, truth)
                self.assertEqual(recorded, {rank: len(calls) for rank, calls in truth.items()}, kind)
            if kind == "regular, no steps":
                self.assertEqual(set(outcome.matches), {"ambiguous"}, kind)
            else:
                self.assertGreaterEqual(outcome.right, 0.8 * outcome.possible, kind)
                self.assertLessEqual(outcome.divided, 0.01 * sum(outcome.matches.values()), kind)
            if words.get("seq"):
                self.assertGreater(outcome.matches["sure"], outcome.matches["likely"], kind)
            print("%-45s %s wrong %s, %d divided, %.1f %% matched" % (
                kind, dict(outcome.matches), dict(outcome.wrong), outcome.divided, 100 * outcome.right / outcome.possible))
        self.assertGreater(total.matches["sure"], 0)
        self.assertEqual(total.wrong["sure"], 0)
        self.assertLessEqual(total.wrong["likely"], 0.01 * total.matches["likely"])

    def test_each_missing_call_is_listed(self):
        for words in (dict(seq=True), dict()):
            job = job_generator.Job(job_generator.Options(seed=7, missing=3, tail=0, **words))
            rows = self.calls_of(job)["unmatched"]
            calls = job.truth()["calls"]
            expected = []
            for number, rank in job.truth()["missing"]:
                expected.append((",".join(str(other) for other in calls if number in calls[other]), str(rank)))
            # A call of a group of two, which only one rank recorded, has no match.
            found = [(row["made_by"].replace(" ", ""), row["missing_ranks"]) for row in rows]
            self.assertEqual(sorted(made for made, _ in found), sorted(made for made, _ in expected))
            for made, missing in found:
                if missing is not None:
                    self.assertIn((made, missing), expected)
            self.assertTrue(all(row["why"] for row in rows))

    def tables_of_files(self, files, views):
        """The tables about {path: (recorded rank or None, events)} in a folder."""
        folder = pathlib.Path(self.path("job"))
        for name, (rank, events) in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            document = {"schemaVersion": 1, "traceEvents": events}
            if rank is not None:
                document["distributedInfo"] = {"rank": rank, "world_size": 4}
            (folder / name).write_text(json.dumps(document))
        paths = [str(folder / name) for name in files]
        return subprocess.run([CLI, "comm", "--no-store", "--view", views, "--format", "json", *paths],
                              capture_output=True, text=True, check=True).stdout

    def test_a_file_without_a_rank_has_no_number_of_another_one(self):
        events = [call(20, at, at * at * 1000, 50) for at in range(1, 9)]
        tables = json.loads(self.tables_of_files({"a.json": (1, events), "b.json": (None, events), "rank7.json": (None, events)},
                                                 "groups,calls,clocks"))
        self.assertEqual([row["ranks"] for row in tables["groups"]], ["1, 7, b.json"])
        self.assertEqual([(row["rank"], row["trace"]) for row in tables["clocks"]],
                         [(1, "Rank 1"), (None, "b.json"), (7, "Rank 7")])
        self.assertEqual({row["rank"] for row in tables["calls"]}, {1, None, 7})

    def test_copies_of_a_rank_are_named(self):
        events = [call(20, at, at * at * 1000, 50, Seq=at) for at in range(1, 9)]
        files = {"rank0.json": (0, events), "rank1.json": (1, events), "copy/rank0.json": (0, events)}
        tables = json.loads(self.tables_of_files(files, "groups,clocks"))
        self.assertEqual([(row["matches"], row["ambiguous"]) for row in tables["groups"]], [(8, 8)])
        self.assertEqual(len({row["trace"] for row in tables["clocks"]}), 3)

    def test_a_coalesced_launch_gives_its_times_to_its_own_group(self):
        def of_host(kind, group, at, number):
            return {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 9, "tid": 9, "ts": at, "dur": 20,
                    "args": {**description(kind, group), "Seq": number, "External id": number}}

        events = [of_host("allreduce", "other", 1000, 1),  # its kernel was lost
                  of_host("_allgather_base", "mine", 2000, 7), of_host("coalesced", "mine", 2040, 8),
                  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 2050, "dur": 1,
                   "args": {"correlation": 8, "External id": 8}},
                  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllGather_RING_LL()", "pid": 0, "tid": 20, "ts": 2200, "dur": 700,
                   "args": {"device": 0, "stream": 20, "correlation": 8, "External id": 8, **description("coalesced", "mine")}}]
        tables = json.loads(self.tables_of_files({"rank0.json": (0, events), "rank1.json": (1, events)}, "calls"))
        rows = tables["calls"] if isinstance(tables, dict) else tables
        self.assertEqual([(row["operation"], row["duration_ns"]) for row in rows], [("all_reduce", None), ("all_gather", 700000)] * 2)


def description(kind, group):
    return {"Collective name": kind, "dtype": "Float", "In msg nelems": 64, "Out msg nelems": 64, "Group size": 4,
            "Process Group Name": group, "Process Group Description": group, "Process Group Ranks": "[0, 1, 2, 7]"}


def call(stream, correlation, start, length, **args):
    return {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL()", "pid": 0, "tid": stream, "ts": start,
            "dur": length, "args": {"device": 0, "stream": stream, "correlation": correlation, **description("allreduce", "1"), **args}}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds")
    options, rest = parser.parse_known_args()
    if options.seeds:
        SEEDS = range(*map(int, options.seeds.split(":")))
    sys.argv[1:] = rest
    CLI, arguments = cli_case.arguments()
    unittest.main(argv=arguments)
