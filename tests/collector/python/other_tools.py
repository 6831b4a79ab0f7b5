#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Opens what Riffle writes as JSON in HolisticTraceAnalysis (HTA) and compares its answers with riffle-cli's: how often each
operator, kernel, call and annotation occurs, the kernels' times, the launches, the steps. The files are converted logs (with a
stand-in for CUPTI; of a training loop in PyTorch), the bundled sample and a trimmed copy of it. The loop is recorded by
torch.profiler, too. TraceLens cannot be installed from PyPI, so that only what its tree of events needs is checked.

Usage: other_tools.py RIFFLE_CLI LIBRARY FOLDER_OF_STUBS [unittest arguments]

HTA runs under $RIFFLE_HTA_PYTHON (pip install HolisticTraceAnalysis "pandas<3"), the loop under $RIFFLE_TORCH_PYTHON. What lacks its
interpreter is skipped and listed.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = str(ROOT / "resources" / "sample" / "generated_rank0.pt.trace.json.gz")
CLI, LIBRARY, STUBS = (os.path.abspath(path) for path in sys.argv[1:4]) if len(sys.argv) > 3 else (None, None, None)
HTA, TORCH = os.environ.get("RIFFLE_HTA_PYTHON"), os.environ.get("RIFFLE_TORCH_PYTHON")
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "cuda_sync")

# Five steps of four operators, each of which launches a kernel; copy_ runs inside mm. With "copies", linear also starts copies.
KERNELS = """
import ctypes, sys, time
library, stubs, folder, work = sys.argv[1:]
lib = ctypes.CDLL(library)
lib.riffle_step.argtypes = [ctypes.c_int64]
ctypes.CDLL(stubs + "/libcuda.so.1")
cupti = ctypes.CDLL(stubs + "/libcupti.so.13")
assert lib.riffle_start(f"dir={folder}".encode()) == 0
assert lib.riffle_flush() == 0  # looks for CUPTI
def operator(name, inner=None):
    lib.riffle_range_push_category(name, b"cpu_op")
    correlation = cupti.stub_lone_launch()
    if name == b"aten::linear" and work == "copies":
        cupti.stub_launch(13)
    time.sleep(0.0001)
    if inner:
        operator(inner)
    cupti.stub_lone_kernel(7, correlation)
    lib.riffle_range_pop()
for step in range(5):
    lib.riffle_step(step)
    operator(b"aten::linear")
    operator(b"aten::mm", b"aten::copy_")
    operator(b"aten::add_")
    assert lib.riffle_flush() == 0
    if step == 2:
        lib.riffle_pause(), lib.riffle_resume()
assert lib.riffle_stop() == 0
"""
TRAIN = """
import torch
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.LayerNorm(128), torch.nn.Linear(128, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
batch = torch.randn(16, 64)
def train(steps, step):
    for _ in range(steps):
        optimizer.zero_grad()
        with torch.profiler.record_function("forward"):
            loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        step()
train(2, lambda: None)
"""
PROFILES = TRAIN + """
import os, sys
sys.path.insert(0, sys.argv[1])
import riffle_profiler as riffle
os.chdir(sys.argv[2])
for module, name in ((torch.profiler, "theirs.json"), (riffle, "ours.json")):
    with module.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True,
                        schedule=module.schedule(wait=1, warmup=1, active=3, repeat=1),
                        on_trace_ready=lambda prof: prof.export_chrome_trace(name)) as prof:
        train(6, prof.step)
"""


def hta(path):
    """What HTA says about a trace; runs under its interpreter."""
    import logging

    import hta.configs.env_options as options
    from hta.common.trace_call_graph import CallGraph
    from hta.trace_analysis import TraceAnalysis

    logging.disable(logging.CRITICAL)
    assert options.disable_ns_rounding()  # it rounds to microseconds otherwise
    analysis = TraceAnalysis(trace_files={0: path}, trace_dir=".", include_last_profiler_step=True)
    frame, names = analysis.t.get_trace(0), analysis.t.symbol_table.sym_table
    counts = Counter((names[category], names[name]) for category, name in zip(frame["cat"], frame["name"]))
    times = analysis.get_gpu_kernel_breakdown(visualize=False, num_kernels=1000, duration_ratio=1.0)[1]
    annotations = analysis.get_gpu_user_annotation_breakdown(use_gpu_annotation=False, visualize=False)
    bandwidth = analysis.get_memory_bw_summary()
    CallGraph(analysis.t, ranks=[0])
    return {"counts": [[*key, count] for key, count in sorted(counts.items())],
            "steps": [int(step) for step in analysis.get_profiler_steps()],
            "kernels": {row["name"]: [row["sum (us)"], row["max (us)"], row["min (us)"]] for _, row in times.iterrows()},
            "launches": len(analysis.get_cuda_kernel_launch_stats(visualize=False, include_memory_events=True)[0]),
            "annotations": {} if annotations is None else {row["name"]: row["sum (us)"] for _, row in annotations.iterrows()},
            "copies": 0 if bandwidth is None else int(bandwidth["memory_bw_gbps"]["count"].sum())}


def cli(*arguments):
    return subprocess.run([CLI, *arguments], check=True, stdout=subprocess.PIPE, text=True, timeout=120).stdout


def asked(path, *arguments):
    """The rows of an answer of riffle-cli."""
    return json.loads(cli(*arguments, "--no-store", path))


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = cls.temporary.name
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("RANK", "NVTX_INJECTION64_PATH", "RIFFLE_OPTIONS")}
        environment.update(RIFFLE_CLI=CLI, RIFFLE_COLLECTOR=LIBRARY, STUB_CUPTI="12")
        cls.record(environment)

    def opened(self, path):
        """HTA's answers for a file. They must equal riffle-cli's for `path` or for the log that it was converted from."""
        done = subprocess.run([HTA, __file__, "--hta", path], env={**os.environ, "HTA_DISABLE_NS_ROUNDING": "1"}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return json.loads(done.stdout.splitlines()[-1])

    def compare(self, found, log):
        """Compares HTA's answers with riffle-cli's about the log or trace. HTA leaves out what has no end, and Kineto's spans about
        itself, as which the log's gaps are written; steps are annotations."""
        rows = [row for row in asked(log, "slices", "--json") if row["category"] != "Trace" and "unfinished" not in row["flags"]]
        counts = Counter(("user_annotation" if row["category"] == "step" else row["category"], row["name"]) for row in rows)
        self.assertEqual(found["counts"], [[*key, count] for key, count in sorted(counts.items())])
        calls = {row["correlation"] for row in rows if row["category"] == "cuda_runtime"} - {None}
        steps = {row["name"]: row["duration_ns"] for row in asked(log, "summary", "--format", "json", "--view", "steps")
                 if not row["unfinished"]}
        self.assertEqual(found["steps"], sorted(int(name.split("#")[1]) for name in steps))
        self.assertEqual({name: round(found["annotations"][name] * 1000) for name in steps}, steps)
        for row in asked(log, "summary", "--format", "json", "--view", "kernels"):
            self.assertEqual([round(time * 1000) for time in found["kernels"][row["name"]]],
                             [row["total_ns"], row["max_ns"], row["min_ns"]], row["name"])
        self.assertEqual(found["launches"], sum(row["correlation"] in calls for row in rows if row["category"] in DEVICE))
        self.assertEqual(found["copies"], sum(row["category"] in ("gpu_memcpy", "gpu_memset") for row in rows))
        print(f"{os.path.basename(log)}: {sum(counts.values())} slices, {len(steps)} steps, {found['launches']} launches, equal in HTA")
        return counts


class Kernels(Case):
    """A log with kernels, and the bundled sample."""

    @classmethod
    def record(cls, environment):
        cls.logs = {}
        for work in ("kernels", "copies"):
            folder = os.path.join(cls.folder, work)
            os.mkdir(folder)
            subprocess.run([sys.executable, "-c", KERNELS, LIBRARY, STUBS, folder, work], env=environment, check=True, timeout=60)
            (log,) = (str(path) for path in Path(folder).glob("*.rifflelog"))
            cls.logs[work] = (log, os.path.join(folder, "log.json.gz"))
            cli("convert", log, "-o", cls.logs[work][1])

    @unittest.skipUnless(HTA, "RIFFLE_HTA_PYTHON does not name an interpreter that has HTA")
    def test_hta_finds_what_the_log_has(self):
        for work, (log, converted) in self.logs.items():
            found = self.opened(converted)
            counts = self.compare(found, log)
            self.assertEqual(counts["kernel", "void synthetic<float>(float)"], 20 if work == "kernels" else 25)
            self.assertEqual(found["copies"], 0 if work == "kernels" else 15)
        self.assertEqual([counts["cpu_op", name] for name in ("aten::linear", "aten::mm", "aten::copy_", "aten::add_")], [5] * 4)
        self.assertEqual(sum(count for (category, _), count in counts.items() if category == "user_annotation"), 4)  # one has no end

    @unittest.skipUnless(HTA, "RIFFLE_HTA_PYTHON does not name an interpreter that has HTA")
    def test_hta_finds_the_same_in_a_sample_and_its_trimmed_copy(self):
        trimmed = os.path.join(self.folder, "trimmed.json.gz")
        cli("trim", "--steps", "0:3", SAMPLE, "-o", trimmed)
        found = self.opened(SAMPLE)
        self.compare(found, SAMPLE)
        self.assertEqual(self.opened(trimmed), found)

    def test_trace_lens_finds_each_kernel(self):
        """The rules are those of TraceLens's tree of events: it sorts what has a stream by time, needs an end of each operator and
        call, knows five kinds of names, and goes from a call by the arrow with its correlation id to the kernel in the arrow's lane."""
        with gzip.open(self.logs["kernels"][1], "rt", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        starts = {event["id"] for event in events if event.get("cat") == "ac2g" and event["ph"] == "s"}
        ends = {event["id"]: (event["pid"], event["tid"], event["id"]) for event in events
                if event.get("cat") == "ac2g" and event["ph"] == "f"}
        lanes, linked = {}, 0
        for event in events:
            arguments = event.get("args", {})
            if event["ph"] == "M":
                self.assertIn((event["name"], *arguments), {("process_name", "name"), ("process_labels", "labels"),
                                                            ("process_sort_index", "sort_index"), ("thread_name", "name"),
                                                            ("thread_sort_index", "sort_index")})
            if "stream" in arguments or event.get("cat") in ("cpu_op", "cuda_runtime", "cuda_driver"):
                self.assertGreaterEqual(event["ts"] + event["dur"], event["ts"])
            if event.get("cat") != "ac2g" and "correlation" in arguments:
                lanes[event["pid"], event["tid"], arguments["correlation"]] = event
        for event in events:
            if event.get("cat") == "cuda_runtime" and event["args"]["correlation"] in starts:
                linked += lanes[ends[event["args"]["correlation"]]]["cat"] == "kernel"
        self.assertEqual(linked, 20)


@unittest.skipUnless(TORCH, "RIFFLE_TORCH_PYTHON does not name an interpreter that has PyTorch")
class Loop(Case):
    """A training loop, recorded by torch.profiler and by Riffle."""

    @classmethod
    def record(cls, environment):
        subprocess.run([TORCH, "-c", PROFILES, str(ROOT / "collector" / "python"), cls.folder], env=environment, check=True, timeout=120,
                       stderr=subprocess.DEVNULL)
        subprocess.run([CLI, "record", "--shapes", "--modules", "-o", os.path.join(cls.folder, "recorded"), "--", TORCH, "-c", TRAIN],
                       env=environment, check=True, timeout=120, stderr=subprocess.DEVNULL)
        (cls.log,) = (str(path) for path in Path(cls.folder).glob("recorded/*.rifflelog"))
        cls.theirs, cls.ours = (os.path.join(cls.folder, name) for name in ("theirs.json", "ours.json"))

    @unittest.skipUnless(HTA, "RIFFLE_HTA_PYTHON does not name an interpreter that has HTA")
    def test_hta_finds_what_torch_profiler_recorded(self):
        theirs, ours = self.opened(self.theirs), self.opened(self.ours)
        self.compare(ours, self.ours)
        self.assertEqual(ours["counts"], theirs["counts"])
        self.assertEqual(ours["steps"], theirs["steps"])
        self.assertEqual(set(ours["annotations"]), set(theirs["annotations"]))

    @unittest.skipUnless(HTA, "RIFFLE_HTA_PYTHON does not name an interpreter that has HTA")
    def test_hta_finds_what_record_recorded(self):
        converted = os.path.join(self.folder, "recorded.json")
        cli("convert", self.log, "-o", converted)
        counts = self.compare(self.opened(converted), self.log)
        self.assertEqual((counts["cpu_op", "AddmmBackward0"], counts["python_function", "nn.Module: GELU_0"]), (4, 2))

    def arrows(self, path):
        """The names of the operators and backward nodes that arrows connect."""
        with open(path, encoding="utf-8") as file:
            found = json.load(file)["traceEvents"]
        names = {(event["tid"], event["ts"]): event["name"] for event in found if event.get("cat") == "cpu_op"}
        ends = {(event["id"], event["ph"]): names[event["tid"], event["ts"]] for event in found if event.get("cat") == "fwdbwd"}
        return Counter((name, ends[number, "f"]) for (number, phase), name in ends.items() if phase == "s")

    def test_the_file_has_the_same_slices_and_arrows(self):
        arrows = self.arrows(self.theirs)
        self.assertEqual(self.arrows(self.ours), arrows)
        self.assertEqual(arrows["aten::addmm", "AddmmBackward0"], 6)
        counts = [Counter((row["category"], row["name"]) for row in asked(path, "slices", "--json") if row["category"] != "Trace")
                  for path in (self.theirs, self.ours)]
        self.assertEqual(*counts)


if __name__ == "__main__":
    if sys.argv[1] == "--hta":
        print(json.dumps(hta(sys.argv[2])))
    else:
        unittest.main(argv=[__file__, *sys.argv[4:]], verbosity=2)
