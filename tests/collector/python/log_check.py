#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the Python package in a real training loop on the CPU: riffle-cli must find in the log what each option requests.

Usage: log_check.py RIFFLE_CLI LIBRARY [unittest arguments]

It runs under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from torch_inside import run_inside

HERE = Path(__file__).resolve().parent


class Options(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(1)
        cls.model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
        cls.optimizer = torch.optim.Adam(cls.model.parameters())
        cls.train()  # so that PyTorch's setup in its first step is not part of a test

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    @classmethod
    def train(cls):
        cls.optimizer.zero_grad()
        cls.model(torch.ones(2, 8)).square().mean().backward()
        cls.optimizer.step()

    def recorded(self, steps=3, **settings):
        with riffle.profile(dir=self.folder, **settings) as prof:
            for step in range(steps):
                self.train()
                if step < steps - 1:
                    prof.step()
        return prof

    def slices(self, log, *arguments):
        done = subprocess.run([os.environ["RIFFLE_CLI"], "slices", "--json", "--no-store", *arguments, log],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def names(self, log, category):
        return Counter(row["name"] for row in self.slices(log, "--category", category))

    def test_activities(self):
        operators = self.names(self.recorded(activities=[torch.profiler.ProfilerActivity.CPU]).path, "cpu_op")
        self.assertEqual((operators["aten::addmm"], operators["AddmmBackward0"]), (6, 6))
        if not torch.cuda.is_available():
            gpu = self.recorded(activities=[torch.profiler.ProfilerActivity.CUDA])
            self.assertEqual((len(self.names(gpu.path, "cpu_op")), len(self.names(gpu.path, "step"))), (0, 3))

    def test_record_shapes(self):
        arguments = ("--name", "^aten::addmm$", "--args")
        shapes = {row["args"] and json.dumps(json.loads(row["args"])["Input Dims"])
                  for row in self.slices(self.recorded(record_shapes=True).path, *arguments)}
        self.assertEqual(shapes, {"[[16], [2, 8], [8, 16], [], []]", "[[4], [2, 16], [16, 4], [], []]"})
        without = self.slices(self.recorded().path, *arguments)
        self.assertFalse([row for row in without if "Input Dims" in row["args"]])

    def test_shapes_of_lists_are_nested_as_in_torch_profilers_trace(self):
        one, two = torch.ones(2, 3), torch.ones(4, 3)
        parameters = [torch.nn.Parameter(torch.ones(3, 2)), torch.nn.Parameter(torch.ones(4))]
        for parameter in parameters:
            parameter.grad = torch.ones_like(parameter)
        optimizer = torch.optim.SGD(parameters, lr=0.1, foreach=True)

        def work():
            torch.cat([one, two])
            torch.cat([one, two], out=torch.empty(6, 3))
            torch.stack([one, one, one])
            torch.einsum("ij,kj->ik", one, two)
            two[torch.tensor([0, 1]), torch.tensor([1, 2])]
            optimizer.step()

        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as theirs:
            work()
        with riffle.profile(dir=self.folder, record_shapes=True) as ours:
            work()
        exported = os.path.join(self.folder, "theirs.json")
        theirs.export_chrome_trace(exported)
        with open(exported, encoding="utf-8") as file:
            expected = [(event["name"], event["args"].get("Input Dims", [])) for event in json.load(file)["traceEvents"]
                        if event.get("cat") == "cpu_op"]
        wanted = {"aten::cat", "aten::stack", "aten::einsum", "aten::mm", "aten::add"}
        found = [(event.name, event.input_shapes) for event in ours.events()]
        self.assertEqual([one for one in found if one[0] in wanted], [one for one in expected if one[0] in wanted])
        # Two lists of two, or one of four and a number: the text does not tell, so it stays as it is.
        self.assertIn(("aten::_foreach_add_", [[3, 2], [4], [3, 2], [4], []]), found)
        # The last one may be the output, which would not belong to the list.
        self.assertIn(("aten::index", [[4, 3], [2], [2]]), found)

    def test_with_modules(self):
        modules = self.names(self.recorded(with_modules=True).path, "python_function")
        self.assertEqual(modules, {"nn.Module: Sequential_0": 3, "nn.Module: Linear_0": 3, "nn.Module: ReLU_0": 3,
                                   "nn.Module: Linear_1": 3})
        self.assertFalse(self.names(self.recorded().path, "python_function"))

    def test_on_trace_ready_finds_its_cycle_in_the_log(self):
        found = []

        def ready(prof):
            found.append((sorted(self.names(prof.path, "step")), prof.key_averages()))

        self.recorded(8, schedule=riffle.schedule(wait=1, warmup=1, active=2, repeat=2), on_trace_ready=ready)
        steps = [f"ProfilerStep#{step}" for step in (2, 3, 6, 7)]
        self.assertEqual([names for names, _ in found], [steps[:2], steps])
        for _, averages in found:
            self.assertEqual({row.key: row.count for row in averages}["aten::addmm"], 4)

    def test_pytorchs_own_trace_handler(self):
        traces = os.path.join(self.folder, "traces")
        self.recorded(on_trace_ready=torch.profiler.tensorboard_trace_handler(traces, use_gzip=True))
        (name,) = os.listdir(traces)
        self.assertTrue(name.endswith(".pt.trace.json.gz"), name)
        self.assertEqual(self.names(os.path.join(traces, name), "cpu_op")["aten::addmm"], 6)

    def test_each_cycle_is_a_span_of_its_own(self):
        log = self.recorded(10, schedule=riffle.schedule(wait=1, warmup=1, active=2, repeat=2)).path
        rows = [row for row in self.slices(log) if row["category"] != "Trace"]  # the gaps between the cycles
        steps = sorted((row["start_ns"], row["start_ns"] + row["duration_ns"]) for row in rows if row["category"] == "step")
        self.assertEqual(len(steps), 4)
        spans = (steps[0][0], steps[1][1]), (steps[2][0], steps[3][1])
        for row in rows:
            if row["category"] == "recording_gap":
                continue
            end = row["start_ns"] + row["duration_ns"]
            self.assertTrue(any(span[0] <= row["start_ns"] and end <= span[1] for span in spans), row)
        self.assertEqual(self.names(log, "cpu_op")["aten::addmm"], 8)  # two in each recorded step

    def test_key_averages_equal_those_of_torch_profiler(self):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as theirs:
            for _ in range(3):
                self.train()
        prof = self.recorded(record_shapes=True)
        ours = prof.key_averages()
        counts = {row.key: row.count for row in ours}
        self.assertEqual(counts, {row.key: row.count for row in theirs.key_averages()})
        by_shapes = Counter((row.key, str(row.input_shapes)) for row in prof.key_averages(group_by_input_shape=True)
                            if row.key == "aten::addmm")
        self.assertEqual(by_shapes, Counter((row.key, str(row.input_shapes)) for row in
                                            theirs.key_averages(group_by_input_shape=True) if row.key == "aten::addmm"))
        for row in ours:
            self.assertGreaterEqual(row.self_cpu_time_total, 0, row)
            self.assertLessEqual(row.self_cpu_time_total, row.cpu_time_total + 1e-6, row)
        tops = sum(event.cpu_time_total for event in prof.events() if event.cpu_parent is None)
        self.assertAlmostEqual(ours.self_cpu_time_total, tops, delta=1e-3 * tops)
        self.assertIn("aten::addmm", ours.table(sort_by="cpu_time_total"))

    def test_metadata_and_process_groups(self):
        import torch.distributed as dist

        dist.init_process_group("gloo", init_method=f"file://{self.folder}/store", rank=0, world_size=1)
        try:
            prof = riffle.profile(dir=self.folder)
            prof.preset_metadata_json("early", "[1]")
            with prof:
                prof.add_metadata("text", 'a "b"')
                dist.all_reduce(torch.ones(8))
        finally:
            dist.destroy_process_group()
        done = subprocess.run([os.environ["RIFFLE_CLI"], "info", "--json", "--no-store", prof.path], capture_output=True, text=True,
                              timeout=60)
        metadata = json.loads(done.stdout)["metadata"]
        self.assertEqual([json.loads(metadata[key]) for key in ("early", "text")], [[1], 'a "b"'])
        self.assertNotIn("metadata:", metadata["process"])
        info = json.loads(metadata["distributedInfo"])
        self.assertEqual((info["backend"], info["rank"], info["world_size"], info["pg_count"]), ("gloo", 0, 1, 1))
        self.assertIn("gloo:all_reduce", {event.name for event in prof.events()})

    def test_a_profile_inside_another_has_its_own_part(self):
        with riffle.profile(dir=self.folder) as outer:
            self.train()
            with riffle.profile(dir=self.folder) as inner:
                self.train()
            exported = os.path.join(self.folder, "inner.json.gz")
            inner.export_chrome_trace(exported)
            self.train()
        self.assertEqual(outer.path, inner.path)
        for prof, count in ((outer, 6), (inner, 2)):
            self.assertEqual({row.key: row.count for row in prof.key_averages()}["aten::addmm"], count)
        self.assertEqual(self.names(exported, "cpu_op")["aten::addmm"], 2)
        outer.export_chrome_trace(exported)
        self.assertEqual(self.names(exported, "cpu_op")["aten::addmm"], 6)

    def test_a_schedule_inside_another(self):
        found = []
        steps = riffle.schedule(wait=2, warmup=1, active=2, repeat=1)
        with riffle.profile(dir=self.folder, schedule=steps) as outer:
            for _ in range(2):
                with riffle.profile(dir=self.folder, schedule=riffle.schedule(wait=1, warmup=0, active=1, repeat=1),
                                    on_trace_ready=lambda prof: found.append(prof.key_averages())) as inner:
                    for _ in range(3):
                        self.train()
                        inner.step()
                outer.step()
            for _ in range(4):
                self.train()
                outer.step()
        self.assertEqual([{row.key: row.count for row in averages}["aten::addmm"] for averages in (*found, outer.key_averages())],
                         [2, 2, 4])

    def test_an_exception_without_with_keeps_what_was_recorded(self):
        script = ("import torch, riffle_profiler\n"
                  "riffle_profiler.profile().start()\n"
                  "torch.mm(torch.ones(2, 2), torch.ones(2, 2))\n"
                  "raise KeyError('the end')\n")
        done = subprocess.run([sys.executable, "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertIn("KeyError: 'the end'", done.stderr)
        (log,) = (name for name in os.listdir(self.folder) if name.endswith(".rifflelog"))
        self.assertEqual(self.names(os.path.join(self.folder, log), "cpu_op")["aten::mm"], 1)


def main():
    global riffle, torch
    cli, library = map(os.path.abspath, sys.argv[1:3])
    if sys.argv[-1] != "--inside":
        return run_inside(__file__, RIFFLE_CLI=cli, RIFFLE_COLLECTOR=library)
    sys.path.insert(0, str(HERE.parents[2] / "collector" / "python"))
    import riffle_profiler as riffle
    import torch
    unittest.main(argv=[__file__, *sys.argv[3:-1]], verbosity=2)


if __name__ == "__main__":
    sys.exit(main())
