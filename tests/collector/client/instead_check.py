#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks record --instead-of-torch-profiler: programs written for torch.profiler run unchanged, and the traces that they export
have the operators, shapes, annotations and steps of those that torch.profiler writes for the same program.

Usage: instead_check.py RIFFLE_CLI LIBRARY [--torch] [TEST...]

Without --torch, a stand-in takes PyTorch's place. With it, the programs run under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if
that is not set.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import record_case  # noqa: E402

OPTION = "--instead-of-torch-profiler"

# As much of PyTorch as the recorder needs to take the place of its profiler.
STAND_IN = """
import enum, sys, types
def module(name, **names):
    made = types.ModuleType("torch." + name); vars(made).update(names); sys.modules["torch." + name] = made; return made
class ProfilerAction(enum.Enum): NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)
class _KinetoProfile: pass
class profile(_KinetoProfile):
    def __init__(self, *, schedule=None, on_trace_ready=None, record_shapes=False, newest_option=None): print("torch's own")
class older:
    def __init__(self, enabled=True, newest_old_option=None): pass
names = dict(profile=profile, _KinetoProfile=_KinetoProfile, ProfilerAction=ProfilerAction, supported_activities=lambda: set())
profiler = module("profiler", profiler=module("profiler.profiler", **names), **names)
autograd = module("autograd", profiler=module("autograd.profiler", profile=older))
_C = types.SimpleNamespace(_profiler=None, _autograd=types.SimpleNamespace(_profiler_type=lambda: "NVTX"))
cuda = types.SimpleNamespace(is_available=lambda: False, _lazy_call=lambda function: None)
version = types.SimpleNamespace(cuda="13.0")
__version__ = "2.9.1"
"""

STEPS = """
import torch
from torch.profiler import profile, ProfilerAction
def schedule(step): return ProfilerAction(0 if step < 2 or step > 3 else step)
def ready(prof): prof.export_chrome_trace("trace.json"); print("READY", prof.step_num)
with profile(schedule=schedule, on_trace_ready=ready, record_shapes=True, newest_option=3) as prof:
    for step in range(6): prof.step()
print(prof.current_action is ProfilerAction.NONE, isinstance(prof, torch.profiler.profile), prof.activities)
"""


class WithStandIn(record_case.RecordCase):
    def setUp(self):
        super().setUp()
        self.script(STAND_IN, "torch.py")

    def run_job(self, text, *options):
        done = self.record(OPTION, *options, "--", sys.executable, self.script(text))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_a_profile_is_recorded_and_exported(self):
        done = self.run_job(STEPS)
        self.assertEqual(done.stdout, "READY 4\nTrue True set()\n")
        log, = Path(self.output).glob("*.rifflelog")
        trace = os.path.join(self.folder.name, "trace.json")
        with open(trace, encoding="utf-8") as file:
            top = json.load(file)
        self.assertEqual([event["name"] for event in top["traceEvents"] if event["name"].startswith("Prof")], ["ProfilerStep#2", "ProfilerStep#3"])
        self.assertEqual(top["record_shapes"], 1)
        self.assertIn("newest_option: This option is new in PyTorch", done.stderr)
        self.assertRegex(done.stderr, rf"WRITTEN FOR THE PROGRAM\n +[\d.]+\s\w+  {trace}\n")
        self.assertIn(str(log), done.stderr)

    def test_without_a_profile_nothing_is_recorded(self):
        done = self.run_job("import torch")
        self.assertIn("Nothing was recorded: no process of the job started a profile of torch.profiler.", done.stderr)
        self.assertEqual(os.listdir(self.output), [])

    def test_what_pytorch_makes_is_its_own(self):
        done = self.run_job("""
import torch, types
own = types.ModuleType("torch._inductor.utils"); own.torch = torch
exec("made = torch.profiler.profile()", vars(own))
print(isinstance(own.made, torch.profiler.profile), type(own.made) is torch.profiler.profile)
class Mine(torch.profiler.profile): pass
print(isinstance(Mine(), torch.profiler.profile), isinstance(own.made, Mine))
""")
        self.assertEqual(done.stdout, "torch's own\nTrue False\nTrue False\n")

    def test_pytorch_without_cuda_keeps_its_profiler(self):
        done = self.run_job("import torch; torch.version.cuda = None; torch.profiler.profile(); torch.profiler.profile()")
        self.assertEqual(done.stdout, "torch's own\n" * 2)
        self.assertEqual(done.stderr.count("torch.profiler is not replaced: "), 1)

    def test_a_class_of_the_program_without_a_library(self):
        done = self.run_job("""
import os, torch
class Mine(torch.profiler.profile):
    def __init__(self, name): super().__init__(record_shapes=True); self.name = name
os.environ["RIFFLE_COLLECTOR"] = "missing"
with Mine("mine") as prof: prof.step()
prof.export_chrome_trace("trace.json"); print(prof.name, len(prof.key_averages()), os.path.exists("trace.json"))
""")
        self.assertEqual(done.stdout, "mine 0 False\n")
        self.assertEqual(done.stderr.count("This profile of torch.profiler is not recorded: RIFFLE_COLLECTOR names missing"), 1, done.stderr)

    def test_new_options_of_either_class_are_said(self):
        done = self.run_job("import torch\nwith torch.profiler.profile(newest_option=1): pass\n"
                            "with torch.autograd.profiler.profile(newest_old_option=1): pass\nprint('done')")
        self.assertEqual(done.stdout, "done\n")
        for option in "newest_option", "newest_old_option":
            self.assertIn(f"{option}: This option is new in PyTorch", done.stderr)

    def test_a_job_goes_on_if_nothing_can_be_written(self):
        done = self.run_job("""
import os, shutil, sys, torch
prof = torch.profiler.profile(on_trace_ready=lambda prof: prof.export_chrome_trace("missing/trace.json"))
with prof: pass
folder = sys.argv[0].replace("job.py", "recorded"); os.rename(folder, folder + "2"); open(folder, "w").close()
with prof: prof.step()
prof.export_chrome_trace("trace.json"); print(len(prof.key_averages()), os.path.exists("trace.json"))
os.remove(folder); os.rename(folder + "2", folder)
""")
        self.assertEqual(done.stdout, "0 False\n")
        self.assertIn("The trace missing/trace.json was not written: ", done.stderr)
        self.assertIn("This profile of torch.profiler is not recorded: ", done.stderr)
        self.assertNotIn("WRITTEN FOR", done.stderr)

    def test_a_memory_history_without_a_gpu_is_said_once(self):
        done = self.run_job("import torch; prof = torch.profiler.profile()\nfor _ in range(2): prof.start(); prof.stop()", "--memory-history")
        self.assertEqual(done.stderr.count("The history of GPU memory is not recorded: PyTorch has no CUDA device here."), 1)
        self.assertEqual(len(list(Path(self.output).glob("*.rifflelog"))), 2)

    def test_ranks_that_are_left_out_keep_theirs(self):
        done = self.run_job("import os; os.environ.pop('X', None); import torch; torch.profiler.profile()", "--ranks", "1")
        self.assertEqual(done.stdout, "")  # a process without a rank is recorded
        done = self.record(OPTION, "--ranks", "1", "--", "env", "RANK=0", sys.executable, self.script("import torch; torch.profiler.profile()"))
        self.assertEqual(done.stdout, "torch's own\n")

    def test_the_program_chooses_the_steps(self):
        for option in ("--steps=1:2",), ("--schedule=wait=1,warmup=1,active=1",), ("--step-mark=x",), ("--kineto",):
            self.assertEqual(self.record(OPTION, *option, "--", "true").returncode, 2, option)


# The parts that the programs share.
LOOP = """
import sys, os, torch, torch.profiler
from torch.profiler import profile, schedule, record_function, tensorboard_trace_handler, ProfilerActivity
torch.manual_seed(1); torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
def train():
    with record_function("mine"):
        optimizer.zero_grad(); model(torch.cat([torch.ones(2, 8), torch.zeros(1, 8)])).square().mean().backward(); optimizer.step()
def counts(prof): return sorted((row.key, row.count) for row in prof.key_averages() if row.key != "ProfilerStep*")
train(); train()
"""

CYCLES = """
seen = []
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=2, repeat=2), record_shapes=True,
             on_trace_ready=tensorboard_trace_handler("board")) as prof:
    for step in range(10): seen.append((prof.step_num, prof.current_action.name)); train(); prof.step()
print(seen, prof.current_action is torch.profiler.ProfilerAction.NONE, prof.activities, counts(prof))
"""

FORMS = """
class Mine(torch.profiler.profile):
    def __init__(self, name, **options): super().__init__(**options); self.name = name
with Mine("one", record_shapes=True) as prof: train()
prof.export_chrome_trace("derived.json"); print(prof.name, counts(prof), isinstance(prof, profile))
low = torch.profiler._KinetoProfile(activities=[ProfilerActivity.CPU], record_shapes=True)
low.start(); train(); low.stop(); low.export_chrome_trace("low.json.gz"); print(counts(low), isinstance(low, torch.profiler.profiler._KinetoProfile))
with torch.autograd.profiler.profile(record_shapes=True) as older: train()
older.export_chrome_trace("older.json"); print(counts(older), str(older).count("aten::addmm"))
with torch.autograd.profiler.profile(enabled=False) as none: train()
print(none)
# As vLLM's worker: one object, started and stopped for each request.
worker = torch.profiler.profile(activities=[ProfilerActivity.CPU], record_shapes=True, on_trace_ready=tensorboard_trace_handler("vllm", worker_name="w0", use_gzip=True))
for _ in range(2):
    print(worker.profiler is None); worker.start(); worker.add_metadata_json("vllm_version", '"1"'); train(); worker.stop()
    print(worker.key_averages().table(sort_by="self_cuda_time_total").count("aten::addmm"), counts(worker))
"""

# As Megatron-LM with --profile --use-pytorch-profiler --profile-step-start 3 --profile-step-end 5 --profile-ranks 0 1.
MEGATRON = """
torch.distributed.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(model); start, end = 3, 5
prof = torch.profiler.profile(schedule=torch.profiler.schedule(wait=max(start - 1, 0), warmup=1 if start > 0 else 0, active=end - start, repeat=1),
                              on_trace_ready=torch.profiler.tensorboard_trace_handler("tensorboard", worker_name=f"rank{torch.distributed.get_rank()}"),
                              record_shapes=True, with_stack=True)
prof.start()
for iteration in range(8):
    prof.step(); train()
    if iteration + 1 == end: prof.stop()
torch.distributed.barrier(); torch.distributed.destroy_process_group()
"""

CHILDREN = """
def work(name):
    with profile(record_shapes=True) as prof: train()
    prof.export_chrome_trace(f"child{name}.json"); print(counts(prof), flush=True)
if __name__ == "__main__":
    torch.multiprocessing.spawn(work, nprocs=1)
    if os.fork() == 0: work("forked"); os._exit(0)
    os.wait()
"""

COMPILED = """
import torch._dynamo
compiled = torch.compile(model, backend="aot_eager")
@torch.compile(backend="aot_eager")
def inside(x):
    with torch.profiler.profile(): return x + 1
with profile(schedule=schedule(wait=1, warmup=1, active=2)) as prof:
    for step in range(5): optimizer.zero_grad(); compiled(torch.ones(3, 8)).sum().backward(); optimizer.step(); prof.step()
inside(torch.ones(2))
print({kind: dict(found) for kind, found in torch._dynamo.utils.counters.items() if kind in ("stats", "frames", "graph_break", "aot_autograd")})
"""

DATA = """
import warnings; warnings.simplefilter("ignore")
import lightning
from lightning.pytorch.profilers import PyTorchProfiler
class Module(lightning.LightningModule):
    def __init__(self): super().__init__(); self.net = model
    def training_step(self, batch, number): return self.net(batch).square().mean()
    def validation_step(self, batch, number): return self.net(batch).square().mean()
    def configure_optimizers(self): return optimizer
data = torch.utils.data.DataLoader(torch.ones(24, 8), batch_size=2)
def fit(profiler, batches=12):
    trainer = lightning.Trainer(max_epochs=2, limit_train_batches=batches, limit_val_batches=3, accelerator="cpu", profiler=profiler, default_root_dir="root",
                                enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(Module(), data, data)
"""

LIGHTNING = DATA + """
fit("pytorch")
profiler = PyTorchProfiler(dirpath="own", filename="prof", record_shapes=True, group_by_input_shapes=True, sort_by_key="cpu_time_total"); fit(profiler)
fit(PyTorchProfiler(dirpath="short", filename="prof", export_to_chrome=False), batches=1)
"""

ACCELERATE = """
from accelerate import Accelerator
from accelerate.utils import ProfileKwargs
settings = ProfileKwargs(activities=["cpu"], schedule_option=dict(wait=1, warmup=1, active=2, repeat=1), record_shapes=True,
                         on_trace_ready=lambda prof: print("READY", prof.step_num), output_trace_dir="accelerated")
accelerator = Accelerator(cpu=True, kwargs_handlers=[settings]); model, optimizer = accelerator.prepare(model, optimizer)
with accelerator.profile() as prof:
    for step in range(6): train(); prof.step()
print(counts(prof))
"""


class WithTorch(record_case.RecordCase):
    maxDiff = None

    def both(self, program, *launcher, options=(), package=None):
        """Runs a program with PyTorch's profiler and with ours. Returns what each printed, and its files by name without times and ids."""
        if package and subprocess.run([self.TORCH, "-c", f"import {package}"], capture_output=True).returncode:
            self.skipTest(f"{package} is not installed for {self.TORCH}: nothing was tested")
        job = self.script(LOOP + program)
        found = []
        for folder, command in ("theirs", []), ("ours", [self.CLI, "record", OPTION, *options, "-o", self.output, "--"]):
            work = os.path.join(self.folder.name, folder)
            for _ in range(5):
                os.mkdir(work)
                done = subprocess.run([*command, self.TORCH, *launcher, job], capture_output=True, text=True, cwd=work, timeout=self.PATIENCE,
                                      env={**self.environment, "CUDA_VISIBLE_DEVICES": ""})
                if folder == "ours" or "terminate called without an active exception" not in done.stderr:
                    break
                print("PyTorch's own profiler has aborted the program; it runs again.", file=sys.stderr)  # seen with 2.15 under torchrun
                shutil.rmtree(work)
            self.assertEqual(done.returncode, 0, done.stderr[-6000:])
            files = [path for path in sorted(Path(work).rglob("*")) if path.is_file()]
            found.append(([line for line in done.stdout.splitlines() if line], {re.sub(r"\d{6,}|_\d+(?=\.)", "N", str(path.relative_to(work))) + f" {at}": path
                                                                                 for at, path in enumerate(files)}))
        return (*found, done.stderr)

    def content(self, path):
        """What a trace has, counted; only names for other files."""
        if ".json" not in path.name:
            return None
        with (gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8")) as file:
            top = json.load(file)
        start = top.get("riffleTrimmed", {}).get("range_ns", [0])[0] / 1e3  # ranges of an earlier cycle that are still open are in ours
        found = {kind: Counter() for kind in ("operators", "annotations")}
        for event in top["traceEvents"]:
            name, kind, args = event["name"], event.get("cat"), event.get("args") or {}
            if kind == "cpu_op":  # PyTorch's observer writes the tensors of a list one by one, and its profiler nests them
                dims = [inner for shape in args.get("Input Dims", []) for inner in (shape if shape and isinstance(shape[0], list) else [shape])]
                found["operators"][name, str(dims)] += 1
            elif kind in ("user_annotation", "step") and event["ph"] in "XB" and event["ts"] >= start:  # B: open when the trace was written; PyTorch ends it there
                found["annotations"][name] += 1
        return found

    def same(self, our, their, name):
        """Compares the content of two traces; a failure names only what differs."""
        for what in their or ():
            self.assertEqual((our[what] - their[what], their[what] - our[what]), (Counter(), Counter()), f"{name}: {what}")

    def check(self, program, *launcher, prints=True, **how):
        """Compares the files, and what is printed unless it has times."""
        (their_lines, theirs), (our_lines, ours), said = self.both(program, *launcher, **how)
        if prints:
            self.assertEqual(our_lines, their_lines)
        self.assertEqual(list(ours), list(theirs))
        for name in theirs:
            self.same(self.content(ours[name]), self.content(theirs[name]), name)
        for path in ours.values():
            if ".json" in path.name:
                self.assertIn(str(path), said)
                self.assertTrue(self.content(path)["operators"], path)
        return said

    def test_cycles(self):
        self.check(CYCLES)
        self.assertEqual(len(list(Path(self.output).glob("*.rifflelog"))), 1)

    def test_other_forms(self):
        # Without a schedule, ours has the one step that torch.profiler does not mark.
        (their_lines, theirs), (our_lines, ours), _ = self.both(FORMS)
        self.assertEqual(our_lines, their_lines)
        self.assertEqual(list(ours), list(theirs))
        for name in theirs:
            our = self.content(ours[name])
            our["annotations"] -= Counter({"ProfilerStep#0": 1})
            self.same(our, self.content(theirs[name]), name)

    def test_megatrons_flags(self):
        said = self.check(MEGATRON, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", "29631", prints=False)
        self.assertEqual(len(list(Path(self.output).glob("*.rifflelog"))), 2)
        self.assertNotIn("step() was called outside", said)

    def test_children(self):
        (their_lines, theirs), (our_lines, ours), _ = self.both(CHILDREN)
        self.assertEqual(our_lines, their_lines)
        self.assertEqual(list(ours), list(theirs))
        self.assertEqual(len(list(Path(self.output).glob("*.rifflelog"))), 2)

    def test_the_scripts_of_the_check_with_another_import(self):
        command = [self.TORCH, str(HERE.parent / "python" / "dropin_check.py"), "--side", "torch.profiler", ""]
        found = []
        for recorder in [], [self.CLI, "record", OPTION, "-o", self.output, "--"]:
            done = subprocess.run([*recorder, *command], capture_output=True, text=True, env=self.environment, timeout=self.PATIENCE)
            line = [line for line in done.stdout.splitlines() if line.startswith("RESULTS ")]
            self.assertEqual(len(line), 1, done.stderr[-6000:])
            found.append(json.loads(line[0][len("RESULTS "):]))
        for name, result in found[0].items():
            self.assertEqual(found[1][name], result, name)

    def test_torch_compile_notices_nothing(self):
        (their_lines, _), (our_lines, _), _ = self.both(COMPILED)
        self.assertEqual(our_lines, their_lines)

    def test_lightning(self):
        said = self.check(LIGHTNING, package="lightning", prints=False)
        self.assertNotIn("Traceback", said)

    def test_accelerate(self):
        self.check(ACCELERATE, package="accelerate")

    def test_options_of_the_recorder_add_to_those_of_the_program(self):
        (_, _), (_, ours), _ = self.both("with profile() as prof: train()\nprof.export_chrome_trace('trace.json')", options=("--shapes", "--modules", "--stacks"))
        path, = ours.values()
        events = json.loads(path.read_text())["traceEvents"]
        self.assertTrue(any(event.get("args", {}).get("Input Dims") for event in events))
        self.assertTrue(any(event["name"] == "nn.Module: Sequential_0" for event in events))
        self.assertTrue(any("job.py" in str(event.get("args", {}).get("Call stack")) for event in events))

    def test_a_profile_that_is_never_stopped(self):
        done = self.record(OPTION, "--", self.TORCH, self.script(LOOP + "torch.profiler.profile().start(); train()"))
        self.assertEqual(done.returncode, 0, done.stderr)  # with torch.profiler it crashes
        self.assertNotIn("Leaked callback", done.stderr)
        log, = Path(self.output).glob("*.rifflelog")
        self.assertIn("aten::addmm", self.cli("slices", "--csv", "--no-store", str(log)).stdout)


if __name__ == "__main__":
    sys.exit(record_case.main(WithStandIn, WithTorch))
