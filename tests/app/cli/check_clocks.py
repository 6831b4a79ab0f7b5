#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the clocks of `riffle-cli comm --view clocks` with the truth of generated jobs (support/job_generator.py).

    check_clocks.py --cli PATH [--seeds FIRST:LAST]

The noise: times are whole microseconds, clocks drift by up to 2 ppm, every rank leaves each collective by up to 2 µs late, always the same, and by
1 µs in the mean, each time another; 1 % of the leavings are late by up to 2 ms. The true offset must be inside the bound always, and inside the
uncertainty in 95 % of the cases. The uncertainty is at most three times the 95th percentile of the true error. The bounds are those of an
independent computation, to the nanosecond.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import cli_case
import clock_reference
import job_generator

NOISE = dict(steps=12, rounding=1000, steady_lag=2000, lag=10000, drift=2e-6, missing=1, cut_windows=True)
SEEDS = range(1, 9)


class Clocks(cli_case.FolderCase):
    def tables_of(self, job):
        return job_generator.asked(job, self.path("job"), [CLI, "comm", "--no-store", "--view", "calls,clocks", "--format", "json"])

    def compare_bounds(self, tables):
        expected = clock_reference.bounds(clock_reference.matches_of(tables["calls"]), tables["clocks"])
        found = {clock["rank"]: (clock["bound_low_ns"], clock["bound_high_ns"]) for clock in tables["clocks"]
                 if clock["reference"] is not None}
        self.assertEqual(found, expected)

    def test_the_truth_is_inside_bound_and_uncertainty(self):
        errors, uncertainties, inside = [], [], 0
        for seed in SEEDS:
            job = job_generator.Job(job_generator.Options(seed=seed, **NOISE))
            tables = self.tables_of(job)
            self.compare_bounds(tables)
            truth = job.truth()
            for clock in tables["clocks"][1:]:
                rank = clock["rank"]
                self.assertEqual(clock["reference"], 0)
                true_time = clock["at_ns"] - truth["offset_ns"][rank]
                ahead = [truth["offset_ns"][each] + truth["drift"][each] * true_time for each in (rank, 0)]
                true = ahead[0] - ahead[1]
                self.assertLessEqual(clock["bound_low_ns"], true)
                self.assertLessEqual(true, clock["bound_high_ns"])
                errors.append(abs(clock["offset_ns"] - true))
                uncertainties.append(clock["uncertainty_ns"])
                inside += errors[-1] <= uncertainties[-1]
        self.assertGreaterEqual(inside, 0.95 * len(errors))
        of_95 = [sorted(values)[int(0.95 * len(values)) - 1] for values in (errors, uncertainties)]
        self.assertLessEqual(of_95[1], 3 * of_95[0])
        print("%d clocks: %d inside the uncertainty, whose 95th percentile is %d ns; that of the true error is %d ns" % (
            len(errors), inside, of_95[1], of_95[0]))

    def test_a_drift_is_found(self):
        job = job_generator.Job(job_generator.Options(seed=5, steps=40, layers=2, drift=50e-6, tail=0, lag=1000))
        tables = self.tables_of(job)
        self.compare_bounds(tables)
        drift = job.truth()["drift"]
        for clock in tables["clocks"][1:]:
            self.assertAlmostEqual(clock["drift_ppm"], (drift[clock["rank"]] - drift[0]) * 1e6, delta=1)

    def test_ranks_without_a_common_collective_are_not_compared(self):
        folder = pathlib.Path(self.path("job"))
        folder.mkdir()
        for rank in range(4):
            pair = "[0, 1]" if rank < 2 else "[2, 3]"
            events = [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL()", "pid": 0, "tid": 20, "ts": at * at * 1000,
                       "dur": 50, "args": {"device": rank, "stream": 20, "correlation": at, "Collective name": "allreduce", "dtype": "Float",
                                           "In msg nelems": 64, "Out msg nelems": 64, "Group size": 2, "Process Group Name": "1",
                                           "Process Group Ranks": pair}} for at in range(1, 9)]
            document = {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 4}, "traceEvents": events}
            (folder / ("rank%d.json" % rank)).write_text(json.dumps(document))
        done = subprocess.run([CLI, "comm", "--no-store", "--view", "clocks", str(folder)], capture_output=True, text=True, check=True)
        self.assertIn("2 groups of clocks", done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds")
    options, rest = parser.parse_known_args()
    if options.seeds:
        SEEDS = range(*map(int, options.seeds.split(":")))
    sys.argv[1:] = rest
    CLI, arguments = cli_case.arguments()
    unittest.main(argv=arguments)
