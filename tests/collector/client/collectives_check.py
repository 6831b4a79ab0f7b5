#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks what riffle-cli record --compiled-observer says about the collectives of process groups: operation, type, sizes, group,
ranks and sequence number are those that the program itself knows.

Usage: collectives_check.py RIFFLE_CLI LIBRARY --torch [TEST...]

It runs under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import record_case  # noqa: E402

PACKAGE = HERE.parents[2] / "collector" / "python" / "riffle_profiler"

# Each rank makes three steps, calls the collectives of gloo in the last one, and writes what it did into a file of its own.
JOB = """
import json, sys, torch, torch.distributed as dist
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method=sys.argv[2], rank=rank, world_size=3)
pair = dist.new_group([0, 2], group_desc="the pair")
model = torch.nn.Linear(4, 4); optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
told = []
def call(run, operation, given, taken, dtype="Float", group=dist.group.WORLD, ranks=(0, 1, 2), **more):
    told.append({"name": "c10d::" + operation, "Collective name": operation.rstrip("_"), "In msg nelems": given, "Out msg nelems": taken,
                 "Group size": len(ranks), "Process Group Name": group.group_name, "Process Group Description": group.group_desc,
                 "Process Group Ranks": json.dumps(list(ranks)), "Rank": ranks.index(rank), **({"dtype": dtype} if dtype else {}), **more})
    run()
    told[-1]["Seq"] = group._get_sequence_number_for_group()
def calls():
    x, y = torch.ones(10, 10), torch.ones(30, 10, dtype=torch.bfloat16)
    wide, all = torch.ones(30, 10), [torch.empty(10, 10) for _ in range(3)]
    call(lambda: dist.all_reduce(x), "allreduce_", 100, 100)
    call(lambda: dist.all_gather(all, x), "allgather_", 100, 300)
    call(lambda: dist.all_gather_into_tensor(wide, x), "_allgather_base_", 100, 300)
    call(lambda: dist.broadcast(y, 0), "broadcast_", 300, 300, "BFloat16")
    call(lambda: dist.reduce(x, 1), "reduce_", 100, 100)
    call(lambda: dist.barrier(), "barrier", 0, 0, None)
    call(lambda: dist.all_to_all_single(wide, wide.clone()), "alltoall_base_", 300, 300, **{"In split size": "[]", "Out split size": "[]"})
    call(lambda: dist.all_to_all_single(wide, wide.clone(), [10, 10, 10], [10, 10, 10]), "alltoall_base_", 300, 300,
         **{"In split size": "[10, 10, 10]", "Out split size": "[10, 10, 10]"})
    call(lambda: dist.scatter(x, all if rank == 0 else None, src=0), "scatter_", 300 if rank == 0 else 0, 100)
    call(lambda: dist.gather(x, all if rank == 0 else None, dst=0), "gather_", 100, 300 if rank == 0 else 0)
    call(lambda: dist.reduce_scatter_tensor(torch.empty(10, 10), wide), "_reduce_scatter_base_", 300, 100)
    call(lambda: dist.all_reduce_coalesced([x, wide]), "allreduce_coalesced_", 400, 400)
    h = []
    call(lambda: h.append(dist.all_reduce(torch.ones(7, dtype=torch.int64), async_op=True)), "allreduce_", 7, 7, "Long")
    h[0].wait()
    if rank != 1:
        of_pair = {"group": pair, "ranks": (0, 2)}
        call(lambda: dist.all_reduce(x, group=pair), "allreduce_", 100, 100, **of_pair)
        peers = {"Src Rank": 0, "Dst Rank": 2}
        if rank == 0: call(lambda: dist.send(x, 2, group=pair), "send", 100, 0, **of_pair, **peers)
        else: call(lambda: dist.recv(x, 0, group=pair), "recv_", 0, 100, **of_pair, **peers)
        if rank == 0: call(lambda: dist.send(x, 2, group=pair), "send", 100, 0, **of_pair, **peers)
        else: call(lambda: dist.recv(x, group=pair), "recv_any_source_", 0, 100, **of_pair, **{"Dst Rank": 2})
for step in range(3):
    if step == 2: calls()
    model(torch.ones(2, 4)).sum().backward(); optimizer.step(); optimizer.zero_grad()
with open(sys.argv[3] + str(rank), "w") as file: json.dump(told, file)
dist.destroy_process_group()
"""
LAUNCHER = """
import subprocess, sys
ranks = [subprocess.Popen([sys.executable, sys.argv[1], str(rank), "file://" + sys.argv[2] + "store", sys.argv[2]]) for rank in range(3)]
sys.exit(max(rank.wait() for rank in ranks))
"""

# A backend that describes itself, as NCCL does: within the call of the dispatcher, it opens PyTorch's own range for that.
BACKEND = """
#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/ParamCommsUtils.hpp>
extern "C" void send()
{
    const at::Tensor given = at::ones({3});
    RECORD_PARAM_COMMS_DATA(std::make_tuple(int64_t{7}, true), std::make_tuple(std::string("5"), std::string("PIPELINE")),
                            std::vector<at::Tensor>{given}, std::vector<at::Tensor>{given}, 1, "send", 3, 3, at::kFloat,
                            std::vector<int64_t>(), std::vector<int64_t>(), 8, 2, 2);
}
extern "C" void broadcast()
{
    const at::Tensor given = at::ones({3});
    RECORD_PARAM_COMMS_DATA(std::make_tuple(int64_t{42}, false), std::make_tuple(std::string("5"), std::string("PIPELINE")),
                            std::vector<at::Tensor>{given}, std::vector<at::Tensor>{given}, 0, "broadcast", 3, 3, at::kFloat,
                            std::vector<int64_t>(), std::vector<int64_t>(), 8, 2, 2);
}
extern "C" void describe()
{
    const at::Tensor given = at::ones({6});
    RECORD_PARAM_COMMS_DATA(std::make_tuple(int64_t{41}, false), std::make_tuple(std::string("5"), std::string("TENSOR_MODEL_PARALLEL")),
                            std::vector<at::Tensor>{given}, std::vector<at::Tensor>{given}, 1, "all_to_allv", 6, 9, at::kHalf,
                            (std::vector<int64_t>{2, 4}), (std::vector<int64_t>{4, 5}), 8, 2, 2);
}
"""
DESCRIBED = """
import ctypes, os, sys, torch
import torch.distributed as dist
backend = ctypes.CDLL(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + sys.argv[2], rank=0, world_size=1)
model = torch.nn.Linear(4, 4); optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    backend.describe(); backend.send(); backend.broadcast()
    dist.all_reduce(torch.ones(3))
    model(torch.ones(2, 4)).sum().backward(); optimizer.step()
dist.destroy_process_group()
"""
# A backend without options, a tensor without memory, and a PyTorch that is compiled without process groups.
FAKE = """
import sys, torch, torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore
dist.init_process_group("fake", rank=1, world_size=4, store=FakeStore())
model = torch.nn.Linear(4, 4); optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    dist.all_reduce(torch.ones(3))
    model(torch.ones(2, 4)).sum().backward(); optimizer.step()
    try:
        with torch._subclasses.FakeTensorMode(): dist.all_reduce(torch.ones(5))
    except RuntimeError: pass  # it has no kernel for these, but has asked the observer
print("done")
"""
KEYS = ("Collective name", "dtype", "Process Group Name", "Process Group Description", "In msg nelems", "Out msg nelems", "Group size",
        "Rank", "Src Rank", "Dst Rank", "In split size", "Out split size", "Process Group Ranks", "Seq")


class Collectives(record_case.RecordCase):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.environment["XDG_CACHE_HOME"] = os.path.join(self.folder.name, "cache")
        subprocess.run([self.TORCH, str(PACKAGE / "_observer_build.py")], check=True, env=self.environment, timeout=300)

    def described(self, log):
        """The operators that are calls of a process group, in their order, as the arguments of the rows."""
        rows = json.loads(self.cli("slices", "--json", "--args", "--no-store", str(log)).stdout)
        rows = [{"name": row["name"], **json.loads(row["args"] or "{}")} for row in sorted(rows, key=lambda row: row["start_ns"])]
        return [{"name": row["name"], **{key: row[key] for key in KEYS if key in row}} for row in rows if "Collective name" in row]

    def test_collectives_of_gloo(self):
        place = os.path.join(self.folder.name, "told")
        done = self.record("--compiled-observer", "--shapes", "--", self.TORCH, self.script(LAUNCHER), self.script(JOB, "rank.py"), place)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("observer records the operators, not", done.stderr)
        logs = [log for log in Path(self.output).glob("*.rifflelog") if self.described(log)]  # not that of the launcher
        told = [json.loads(Path(place + str(rank)).read_text()) for rank in range(3)]
        logs.sort(key=lambda log: self.described(log)[0]["Rank"])
        self.assertEqual([self.described(log) for log in logs], told)
        asked = self.cli("sql", str(logs[0]), "--format", "csv", "select operation, in_elements, process_group from collectives "
                         "where group_description = 'the pair' and operation = 'allreduce'")
        self.assertEqual(asked.stdout.splitlines()[1:], ["allreduce,100,1"], asked.stderr)

    def test_a_backend_that_describes_itself(self):
        source, made = self.script(BACKEND, "backend.cpp"), os.path.join(self.folder.name, "backend.so")
        torch = subprocess.run([self.TORCH, "-c", "import torch; print(torch.__path__[0])"], capture_output=True, text=True, check=True)
        torch = torch.stdout.strip()
        subprocess.run(["c++", "-std=c++20", "-O0", "-DNDEBUG", "-w", "-fPIC", "-shared", f"-I{torch}/include",
                        f"-I{torch}/include/torch/csrc/api/include", source, "-o", made, f"-L{torch}/lib", "-ltorch_cpu", "-lc10"],
                       check=True, timeout=300)
        for options, sequence in (["--shapes"], 41), ([], None):
            store = os.path.join(self.folder.name, f"store{len(options)}")
            self.output = os.path.join(self.folder.name, f"recorded{len(options)}")
            done = self.record("--compiled-observer", *options, "--", self.TORCH, self.script(DESCRIBED), made, store)
            self.assertEqual(done.returncode, 0, done.stderr)
            log, = Path(self.output).glob("*.rifflelog")
            described = [row for row in self.described(log) if row["name"] == "record_param_comms"]
            found = [row for row in described if row["Collective name"] == "all_to_allv"]
            # PyTorch hands over the peer, and the root, in the place of the rank.
            peers = {(row["Collective name"], row.get("Rank"), row.get("Src Rank"), row.get("Dst Rank")) for row in described
                     if row not in found}
            self.assertEqual(peers, {("send", None, None, 10), ("broadcast", None, None, None)})
            wanted = {"name": "record_param_comms", "Collective name": "all_to_allv", "dtype": "Half", "Process Group Name": "5",
                      "Process Group Description": "TENSOR_MODEL_PARALLEL", "In msg nelems": 6, "Out msg nelems": 9, "Group size": 2,
                      "Rank": 1, "In split size": "[2, 4]", "Out split size": "[4, 5]", "Process Group Ranks": "[8, 10]",
                      **({"Seq": sequence} if sequence else {})}
            self.assertGreaterEqual(len(found), 2)
            self.assertEqual(found, [wanted] * len(found))
            # Without shapes PyTorch does not hand over inputs, and gloo's calls say nothing of their group.
            others = [row["Seq"] for row in self.described(log) if row["name"] == "c10d::allreduce_"]
            self.assertEqual(others, list(range(4 - len(others), 4)) if options else [])

    def test_a_backend_that_says_nothing_and_tensors_without_memory(self):
        done = self.record("--compiled-observer", "--shapes", "--", self.TORCH, self.script(FAKE))
        self.assertEqual((done.returncode, "done" in done.stdout), (0, True), done.stderr)
        log, = Path(self.output).glob("*.rifflelog")
        found = {(row["Collective name"], row["Group size"], row["Rank"], row.get("In msg nelems")) for row in self.described(log)
                 if "Group size" in row}
        self.assertIn(("allreduce", 4, 1, 3), found)

    def test_a_pytorch_without_process_groups(self):
        compiler = self.script('#!/bin/sh\ncase "$*" in *-DRIFFLE_NO_COLLECTIVES*) exec c++ "$@";; esac\necho error; exit 1\n', "compiler")
        os.chmod(compiler, 0o755)
        self.environment.update(XDG_CACHE_HOME=os.path.join(self.folder.name, "other cache"), CXX=compiler)
        subprocess.run([self.TORCH, str(PACKAGE / "_observer_build.py")], check=True, env=self.environment, timeout=300)
        store = os.path.join(self.folder.name, "store")
        job = DESCRIBED.replace("backend.", "# ").replace("backend =", "#")
        done = self.record("--compiled-observer", "--shapes", "--", self.TORCH, self.script(job), "", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("observer records the operators, not", done.stderr)
        log, = Path(self.output).glob("*.rifflelog")
        self.assertEqual(self.described(log), [])
        self.assertIn("Input type", self.cli("slices", "--json", "--args", "--no-store", str(log)).stdout)


if __name__ == "__main__":
    sys.exit(record_case.main(None, Collectives))
