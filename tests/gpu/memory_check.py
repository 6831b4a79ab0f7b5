#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what riffle-cli reports about the memory of real jobs with what PyTorch itself reported while they ran.

Usage: memory_check.py OUT RIFFLE_CLI [unittest arguments]
Run it under a Python with PyTorch, with PYTHONPATH set; gpu_case.py says how to try it without a GPU."""

import json
import subprocess
import unittest
from pathlib import Path

from gpu_case import DEVICE, GPU, GpuCase, main

TRAIN = f"""
sys.path.insert(0, {str(Path(__file__).resolve().parent)!r})
import json
from train import Gpt
from torch.profiler import profile, record_function

def bytes_of(tensors):
    return sum({{tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors}}.values())

def train(steps):
    model = Gpt(4, 256, 4, 1000, 128).to({DEVICE!r})
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
    tokens = torch.randint(0, 1000, (8, 129), device={DEVICE!r})
    for step in range(steps):
        with record_function(f"ProfilerStep#{{step}}"):
            optimizer.zero_grad(set_to_none=True)
            loss = torch.nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
            loss.backward()
            optimizer.step()
    sync()
    return model, optimizer, dict(
        parameter=bytes_of(model.parameters()), gradient=bytes_of(p.grad for p in model.parameters()),
        optimizer=bytes_of(v for state in optimizer.state.values() for v in state.values() if v.device.type == {DEVICE!r} and v.dim() > 0))
"""


class MemoryTest(GpuCase):
    def cli_json(self, *arguments):
        done = subprocess.run([self.cli, *map(str, arguments), "--format", "json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_events_of_a_trace(self):
        truth = json.loads(self.job(TRAIN + """
with profile(activities=[ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * GPU, profile_memory=True, record_shapes=True) as profiler:
    kept = train(3)
    probe = torch.empty(12345678, dtype=torch.uint8, device=kept[0].head.weight.device)
    del probe
profiler.export_chrome_trace(sys.argv[1] + "/train.pt.trace.json")
print(json.dumps(kept[2]))
"""))
        rows = self.cli_json("summary", self.folder / "train.pt.trace.json", "--view", "memory-events")
        found = [row for row in rows if row["bytes"] in (12345678, (12345678 + 511) // 512 * 512)]
        self.assertEqual(len(found), 1, found)
        # Allocations in the profile that were never released include at least the model, its gradients and the optimizer's state.
        kept = sum(row["bytes"] for row in rows if row["released_at_ns"] is None and row["device"].lower().startswith("gpu" if GPU else "cpu"))
        self.assertGreaterEqual(kept, sum(truth.values()))

    @unittest.skipUnless(GPU, "needs a GPU")
    def test_categories_beside_their_trace(self):
        truth = json.loads(self.job(TRAIN + """
import riffle_profiler as riffle
with riffle.memory(max_entries=1_000_000, dir=sys.argv[1]) as memory:
    torch.cuda.reset_peak_memory_stats()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], with_stack=True, profile_memory=True) as profiler:
        kept = train(3)
    truth = dict(kept[2], held=torch.cuda.memory_allocated(), peak=torch.cuda.max_memory_allocated(), x=x.nbytes,
                 statistics={key: value for key, value in torch.cuda.memory_stats().items() if key.startswith("requested_bytes.all")})
    memory.dump()
profiler.export_chrome_trace(sys.argv[1] + "/train.pt.trace.json")
print(json.dumps(truth))
"""))
        snapshot, = self.folder.glob("*.pickle")
        device, = self.cli_json("memory", "info", snapshot)["devices"]
        self.assertEqual(device["end_blocks"], truth["held"])
        self.assertEqual(device["end_allocated"], truth["statistics"]["requested_bytes.all.current"])
        self.assertEqual(device["peak_allocated"], truth["statistics"]["requested_bytes.all.peak"])
        guessed = {row["category"]: row["bytes"] for row in self.cli_json("memory", snapshot, "--at", "end", "--by", "category") if row["depth"] == 0}
        print(f"{'category':12} {'true':>12} {'guessed':>12}")
        for category in ("parameter", "gradient", "optimizer"):
            name = next((one for one in guessed if one.startswith(category)), category)
            print(f"{category:12} {truth[category]:12} {guessed.get(name, 0):12}")
            self.assertLess(abs(guessed.get(name, 0) - truth[category]), 0.02 * truth[category])

    @unittest.skipUnless(GPU, "needs a GPU")
    def test_out_of_memory(self):
        self.job("""
import riffle_profiler as riffle
with riffle.memory(dir=sys.argv[1]):
    kept = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    try: torch.empty(1 << 42, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError: pass
    else: sys.exit("four TiB fitted")
""")
        snapshot, = self.folder.glob("*.pickle")
        failed = self.cli_json("memory", "oom", snapshot)
        self.assertEqual([(row["asked"], row["verdict"]) for row in failed], [(1 << 42, "demand")])
        self.assertGreaterEqual(failed[0]["allocated"], 1 << 30)


if __name__ == "__main__":
    main()
