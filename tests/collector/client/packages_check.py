#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that the steps of an unmodified loop are those that its training package counts: Transformers, Lightning, Accelerate and
DeepSpeed, each skipped with a line if it is not installed.

Usage: packages_check.py RIFFLE_CLI LIBRARY --torch [TEST...]

It runs under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import record_case  # noqa: E402

# 24 samples, read in 12 batches; the loops print their own count of steps, and 0.3 seconds of other work follow.
DATA = """
import time, torch
class Data(torch.utils.data.Dataset):
    def __len__(self): return 24
    def __getitem__(self, number): return {"x": torch.full((4,), float(number)), "labels": torch.tensor([1.0])}
class Net(torch.nn.Module):
    def __init__(self): super().__init__(); self.layer = torch.nn.Linear(4, 1); self.last = torch.nn.Linear(1, 1)
    def forward(self, x=None, labels=None):
        out = self.last(self.layer(x)); return {"loss": (out - labels).square().mean() * 1e-3, "logits": out}
data = torch.utils.data.DataLoader(Data(), batch_size=2)
def end(steps): time.sleep(0.3); print("\\nCOUNT", steps)
"""

TRANSFORMERS = """
from transformers import Trainer, TrainingArguments
arguments = TrainingArguments("trained", per_device_train_batch_size=2, gradient_accumulation_steps=2, num_train_epochs=1, report_to=[],
                              use_cpu=True, save_strategy="no", eval_strategy="epoch", disable_tqdm=True)
trainer = Trainer(Net(), arguments, train_dataset=Data(), eval_dataset=Data())
trainer.train(); end(trainer.state.global_step)
"""

LIGHTNING = """
import lightning
class Module(lightning.LightningModule):
    def __init__(self): super().__init__(); self.net = Net()
    def training_step(self, batch, number): return self.net(**batch)["loss"]
    def validation_step(self, batch, number): return self.net(**batch)["loss"]
    def configure_optimizers(self): return torch.optim.Adam(self.parameters())
class Two(lightning.LightningModule):
    def __init__(self): super().__init__(); self.automatic_optimization = False; self.first = Net(); self.second = Net()
    def training_step(self, batch, number):
        for optimizer, net in zip(self.optimizers(), (self.first, self.second)):
            optimizer.zero_grad(); self.manual_backward(net(**batch)["loss"]); optimizer.step()
    def configure_optimizers(self): return torch.optim.Adam(self.first.parameters()), torch.optim.SGD(self.second.parameters(), lr=0.1)
settings = dict(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
"""

ACCELERATE = """
from accelerate import Accelerator
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=3)
net = Net(); optimizer = torch.optim.AdamW(net.parameters())
net, optimizer, data = accelerator.prepare(net, optimizer, data); steps = 0
for batch in data:
    with accelerator.accumulate(net):
        accelerator.backward(net(**batch)["loss"]); optimizer.step(); optimizer.zero_grad(); steps += accelerator.sync_gradients
end(steps)
"""

# In stage 3, DeepSpeed makes one call of the optimizer per group of parameters, here per parameter, also before the first step.
DEEPSPEED = """
import os
os.environ.update(DS_ACCELERATOR="cpu", RANK="0", LOCAL_RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="29617")
import deepspeed
net = Net(); optimizer = torch.optim.Adam(net.parameters())
config = {"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 2, "zero_allow_untested_optimizer": True,
          "zero_optimization": {"stage": STAGE, "sub_group_size": 1}}
engine, *_ = deepspeed.initialize(model=net, optimizer=optimizer, config=config)
for batch in data: engine.backward(engine(**batch)["loss"]); engine.step()
end(engine.global_steps)
"""

# The same calls as DeepSpeed's engine and stage 3 make, for machines without DeepSpeed.
LIKE_DEEPSPEED = """
import sys, types
class DeepSpeedEngine:
    def __init__(self, net, optimizer):
        self.net, self.optimizer, self.global_steps, self.batches = net, optimizer, 0, 0
        self.groups = [[p] for p in net.parameters()]; self.step_groups()
    def step_groups(self):
        for group in self.groups: self.optimizer.param_groups[0]["params"] = group; self.optimizer.step()
    def _take_model_step(self): self.step_groups(); self.global_steps += 1; self.net.zero_grad()
    def step(self):
        self.batches += 1
        if self.batches % 2 == 0: self._take_model_step()
from importlib.machinery import ModuleSpec
class Loader:
    def create_module(self, spec): return None
    def exec_module(self, module): module.DeepSpeedEngine = DeepSpeedEngine
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None): return ModuleSpec(name, Loader(), is_package=True) if name.startswith("deepspeed") else None
sys.meta_path.insert(1, Finder)  # before an installed DeepSpeed
import deepspeed.runtime.engine
net = Net(); engine = deepspeed.runtime.engine.DeepSpeedEngine(net, torch.optim.Adam(net.parameters()))
for batch in data: net(**batch)["loss"].backward(); engine.step()
end(engine.global_steps)
"""


class Packages(record_case.RecordCase):
    def check(self, package, script, steps):
        if package and subprocess.run([self.TORCH, "-c", f"import {package}"], capture_output=True).returncode:
            self.skipTest(f"{package} is not installed for {self.TORCH}: nothing was tested")
        done = self.record("-q", "--preset", "light", "--", self.TORCH, self.script(DATA + script))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"\nCOUNT {steps}\n", done.stdout)
        log, = Path(self.output).glob("*.rifflelog")
        rows = json.loads(self.cli("slices", "--json", "--no-store", "--category", "step", str(log)).stdout)
        ended = [row for row in rows if "unfinished" not in row["flags"]]
        self.assertEqual([row["name"] for row in ended], [f"ProfilerStep#{step}" for step in range(steps)])
        self.assertLess(int(ended[-1]["duration_ns"]), 300_000_000)  # the last step has ended before what follows the loop

    def test_transformers(self):
        self.check("transformers", TRANSFORMERS, 6)

    def test_lightning(self):
        fit = "trainer = lightning.Trainer(accumulate_grad_batches=2, **settings); trainer.fit(Module(), data, data); end(trainer.global_step)"
        self.check("lightning", LIGHTNING + fit, 6)

    def test_lightning_with_two_optimizers(self):
        # Lightning adds up the steps of both.
        fit = "trainer = lightning.Trainer(**settings); trainer.fit(Two(), data); end(trainer.global_step // 2)"
        self.check("lightning", LIGHTNING + fit, 12)

    def test_accelerate(self):
        self.check("accelerate", ACCELERATE, 4)

    def test_deepspeed(self):
        for stage in "1", "3":
            with self.subTest(stage=stage):
                self.output = str(Path(self.folder.name, "stage" + stage))
                self.check("deepspeed", DEEPSPEED.replace("STAGE", stage), 6)

    def test_the_calls_of_deepspeed(self):
        self.check("", LIKE_DEEPSPEED, 6)


if __name__ == "__main__":
    sys.exit(record_case.main(Packages, Packages))
