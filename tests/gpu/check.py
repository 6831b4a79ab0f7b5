#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks what the collector records of a real GPU, job by job: counts that must be exact, and what it leaves to other tools.

Usage: check.py OUT RIFFLE_CLI [unittest arguments]
Run it under a Python with PyTorch, with RIFFLE_COLLECTOR and PYTHONPATH set; gpu_case.py says how to try it without a GPU.
RIFFLE_GPU_SOAK sets the number of records of the long job (default 25 million)."""

import json
import os
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "collector"))
import read_log  # noqa: E402
from gpu_case import GPU, PRELUDE, GpuCase, main  # noqa: E402

SOAK = int(os.environ.get("RIFFLE_GPU_SOAK", 25_000_000 if GPU else 100_000))
START = """
import riffle_profiler as riffle
from riffle_profiler import _library
lib = _library.library()
def start(*options): lib.check(lib.start("\\n".join(("dir=" + sys.argv[1],) + options).encode()))
def stop(): sync(); lib.check(lib.stop())
def armed(): lib.check(lib.flush())
"""
GRAPH = """
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for _ in range(10): x.add_(1)
"""


def expected(count):
    return count if GPU else 0


class GpuTest(GpuCase):
    prelude = PRELUDE + START

    def log(self):
        logs = list(self.folder.glob("*.rifflelog"))
        self.assertEqual(len(logs), 1, self.said)
        return logs[0]

    def rows(self, wanted):
        return [row for kind, row in read_log.read(self.log()) if kind == wanted]

    def facts(self):
        return {row["Key"]: row["Value"] for row in self.rows("Process")}

    def info(self):
        return json.loads(subprocess.run([self.cli, "info", "--json", self.log()], capture_output=True, text=True).stdout)

    def check_whole(self):
        self.assertEqual(self.rows("Loss"), [])
        if GPU:
            self.assertIn("is recording", self.facts()["cupti"])

    # --- What is recorded --------------------------------------------------------------------------

    def test_late_start(self):
        self.job("kernels(50); start(); armed(); kernels(100); stop()")
        self.assertEqual(len(self.rows("Kernels")), expected(100))
        self.check_whole()
        if GPU:
            facts = {row["Key"] for row in self.rows("Devices")}
            self.assertLessEqual({"name", "totalGlobalMem", "numSms"}, facts)
            self.assertTrue(any(key.startswith("context ") for key in facts), facts)
            launches = {row["Correlation"] for row in self.rows("Calls")}
            self.assertLessEqual({row["Correlation"] for row in self.rows("Kernels")}, launches)

    @unittest.skipUnless(GPU, "needs a GPU")
    def test_from_the_first_kernel_by_injection(self):
        for preset in ("light", "normal", "memory"):
            self.job("kernels(1000)", str(self.cli), "record", "--preset", preset, "-o", "{}", "--", prelude=PRELUDE)
            self.assertEqual(sum("add" in row["Name"].lower() for row in self.rows("Kernels")), 1000)
            self.check_whole()

    def test_a_pause_is_exact(self):
        self.job("start(); armed(); kernels(10); lib.pause(); kernels(20); lib.resume(); kernels(40); stop()")
        self.assertEqual(len(self.rows("Kernels")), expected(50))

    @unittest.skipUnless(GPU, "needs a GPU")
    def test_what_the_stop_cuts_off_is_counted(self):
        self.job("big = torch.ones(8192, 8192, device='cuda'); sync(); start(); armed()\n"
                 "for _ in range(100): big @ big\n"
                 "lib.check(lib.stop())")
        kernels = {row["Correlation"] for row in self.rows("Kernels")}
        launches = [row for row in self.rows("Calls") if "LaunchKernel" in row["Name"] and row["Category"] == "cuda_runtime"]
        missing = sum(row["Correlation"] not in kernels for row in launches)
        self.assertGreaterEqual(len(launches), 100)
        self.assertLessEqual(missing, sum(row["Count"] for row in self.rows("Loss")))

    @unittest.skipUnless(GPU, "needs a GPU")
    def test_graphs(self):
        for before, after in ((GRAPH, ""), ("", GRAPH)):
            body = before + "start(%s); armed()\n" + after + "for _ in range(100): graph.replay()\nstop()\n"
            with self.subTest("captured " + ("before" if before else "after") + " the start"):
                self.job(body % "")
                nodes = [row for row in self.rows("Kernels") if row["GraphNode"]]
                self.assertEqual((len(nodes), len({row["GraphId"] for row in nodes})), (1000, 1))
                self.check_whole()
            with self.subTest("as a whole, captured " + ("before" if before else "after") + " the start"):
                self.job(body % "'graphs=whole'")
                self.assertEqual(sum(row["Name"].startswith("CUDA graph") for row in self.rows("Kernels")), 100)

    @unittest.skipUnless(GPU, "needs a GPU")
    def test_memory(self):
        bytes_ = 64 << 20
        for backend in ("native", "cudaMallocAsync"):
            self.job(f"""
                start("preset=memory"); armed()
                y = torch.empty({bytes_}, dtype=torch.uint8, device="cuda"); sync()
                del y; torch.cuda.empty_cache(); stop()
            """, PYTORCH_CUDA_ALLOC_CONF=f"backend:{backend}")
            rows = self.rows("Allocations")
            taken = [row for row in rows if row["Bytes"] == bytes_]
            freed = [row for row in rows if row["Bytes"] == -bytes_]
            self.assertEqual((len(taken), len(freed)), (1, 1), rows)
            self.assertEqual(taken[0]["Address"], freed[0]["Address"])
            self.assertEqual(taken[0]["Allocated"] - freed[0]["Allocated"], bytes_)
            self.assertEqual(taken[0]["Pool"] > 0, backend != "native")
            calls = {row["Correlation"]: row for row in self.rows("Calls")}
            self.assertEqual(calls[taken[0]["Correlation"]]["Thread"], taken[0]["Thread"])
            self.check_whole()

    def test_samples(self):
        self.job("start('sample_ms=20')\nfor _ in range(100): kernels(100); time.sleep(0.01)\nstop()")
        counters = {}
        for row in self.rows("Counters"):
            counters.setdefault(row["Name"], []).append(row["Number"])
        wanted = {"Host memory (bytes)", "CPU (%)"} | ({"GPU 0 memory (bytes)", "GPU 0 utilisation (%)", "GPU 0 power (W)"} if GPU else set())
        self.assertEqual(set(counters), wanted)
        self.assertGreater(len(counters["CPU (%)"]), 20)
        for name, values in counters.items():
            self.assertGreater(max(values), 0, name)
        print({name: (len(values), round(max(values), 1)) for name, values in counters.items()})

    # --- torch.profiler in the same process -------------------------------------------------------------

    PROFILE = """
def theirs():
    with torch.profiler.profile(activities=[ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * GPU) as prof:
        kernels(30)
    print(sum(event.device_type.name == "CUDA" and "emcpy" not in event.name for event in prof.events()))
"""

    def test_torch_profiler_gets_all_and_we_the_rest(self):
        out = self.job(self.PROFILE + textwrap.dedent("""
            with riffle.profile(dir=sys.argv[1]):
                armed(); kernels(100); theirs(); kernels(10); theirs(); kernels(1); sync()
        """))
        self.assertEqual(out.split(), [str(expected(30))] * 2)
        self.assertEqual(len(self.rows("Kernels")), expected(111))
        self.assertNotIn("riffle:", self.said)
        self.check_whole()

    @unittest.skipUnless(GPU, "needs a GPU")
    def test_without_the_package_it_warns_and_gives_way_in_the_end(self):
        out = self.job(self.PROFILE + textwrap.dedent("""
            library = ctypes.CDLL(os.environ["RIFFLE_COLLECTOR"])
            assert library.riffle_start(b"dir=" + sys.argv[1].encode()) == 0
            library.riffle_flush(); kernels(100); time.sleep(2)
            theirs(); time.sleep(10); kernels(10)
            assert library.riffle_stop() == 0
        """), prelude=PRELUDE)
        print("torch.profiler had", out.strip(), "of 30 kernels; cupti:", self.facts()["cupti"])
        self.assertIn("Nothing in this process yields to torch.profiler", self.said)
        self.assertIn("taken over CUPTI", self.facts()["cupti"])
        self.assertEqual(len(self.rows("Kernels")), 100)

    # --- A long run -------------------------------------------------------------------------------

    def test_soak(self):
        nodes = 1000
        self.job(f"""
            import resource
            start(); armed()
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            if GPU:
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    for _ in range({nodes}): x.add_(1)
                for replay in range({SOAK // nodes}):
                    graph.replay()
                    if replay % 100 == 99: sync()
            else:
                for _ in range({SOAK // 2}): lib.range_push(b"range"); lib.range_pop()
            stop()
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            assert grown < 600 << 10, f"{{grown}} KiB"
            print(grown)
        """)
        info = self.info()
        lost = sum(trouble.get("count", 0) for trouble in info["import"])
        count = info["slices_by_category"].get("kernel" if GPU else "user_annotation", 0)
        print(f"{count} records, {lost} lost, {info['bytes'] / max(count, 1):.2f} bytes each")
        self.assertEqual(count + lost, SOAK // nodes * nodes if GPU else SOAK // 2)
        if GPU:
            self.assertEqual(lost, 0)


if __name__ == "__main__":
    main()
