#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the recording of unmodified programs with a real Paddle.

Usage: paddle_check.py RIFFLE_CLI LIBRARY --paddle [TEST...]

The programs run under $RIFFLE_PADDLE_PYTHON, an interpreter that has Paddle (a build for the CPU is enough); status 77 (skipped) if
that is not set.
"""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import record_case  # noqa: E402

MODEL = """
import json, os, sys, time, paddle, paddle.profiler as profiler
paddle.seed(0)
class Data(paddle.io.Dataset):
    def __getitem__(self, number): return paddle.full([8], float(number)).numpy(), paddle.ones([1]).numpy()
    def __len__(self): return 24
net = paddle.nn.Sequential(paddle.nn.Linear(8, 16), paddle.nn.ReLU(), paddle.nn.Linear(16, 1))
def loss_of(x, y): return ((net(x) - y) ** 2).mean()
loader = paddle.io.DataLoader(Data(), batch_size=4, num_workers=int(os.environ.get("WORKERS", 0)))
"""

LOOP = MODEL + """
optimizer = paddle.optimizer.AdamW(parameters=net.parameters()); losses = []
for x, y in loader:
    with profiler.RecordEvent("mine"): loss = loss_of(x, y)
    loss.backward(); optimizer.step(); optimizer.clear_grad(); losses.append(float(loss).hex())
print(*losses)
"""

# Programs that print their own number of steps.
COUNTS = {
    "minimize": """
optimizer = paddle.optimizer.Momentum(parameters=net.parameters()); steps = 0
for x, y in loader: loss = loss_of(x, y); loss.backward(); optimizer.minimize(loss); net.clear_gradients(); steps += 1
""",
    "two batches a step, with a scaler that leaves the optimizer out": """
optimizer = paddle.optimizer.SGD(parameters=net.parameters()); scaler = paddle.amp.GradScaler(); steps = 0
for number, (x, y) in enumerate(loader):
    with paddle.amp.auto_cast(enable=False): loss = loss_of(x if number != 3 else x * float("inf"), y)
    scaler.scale(loss).backward()
    if number % 2: scaler.step(optimizer); scaler.update(); optimizer.clear_grad(); steps += 1
""",
    "Model.fit with accumulation": """
class Count(paddle.callbacks.Callback):
    steps = 0
    def on_train_batch_end(self, number, logs=None): self.steps += 1
count = Count(); model = paddle.Model(net)
model.prepare(paddle.optimizer.Adam(parameters=net.parameters()), paddle.nn.MSELoss())
model.fit(Data(), Data(), batch_size=4, epochs=2, verbose=0, accumulate_grad_batches=3, callbacks=[count])
steps = count.steps // 3
""",
    "two optimizers": """
one = paddle.optimizer.Adam(parameters=net[0].parameters()); two = paddle.optimizer.Lamb(parameters=net[2].parameters()); steps = 0
for x, y in loader:
    loss_of(x, y).backward(); one.step(); two.step(); two.step(); one.clear_grad(); two.clear_grad(); steps += 1
""",
    "LBFGS, which computes the loss several times in a step": """
optimizer = paddle.optimizer.LBFGS(parameters=net.parameters()); steps = 0
for x, y in loader:
    def closure(): optimizer.clear_grad(); loss = loss_of(x, y); loss.backward(); return loss
    optimizer.step(closure); steps += 1
""",
}

# Prints what Paddle's own profiler has counted in its steps, which are the last ones.
OWN = MODEL + """
optimizer = paddle.optimizer.AdamW(parameters=net.parameters())
def step():
    loss = loss_of(paddle.ones([4, 8]), paddle.ones([4, 1])); loss.backward(); optimizer.step(); optimizer.clear_grad()
for _ in range(2): step()
own = profiler.Profiler(targets=[profiler.ProfilerTarget.CPU], on_trace_ready=lambda own: None); own.start()
for _ in range(5): step()
own.stop(); counts = {}
def walk(node):
    kind = str(node.type).rsplit(".", 1)[-1]
    if kind in ("Operator", "Forward", "Backward", "Optimization"):
        key = f"{kind} {node.name}"; counts[key] = counts.get(key, 0) + 1
    for child in node.children_node: walk(child)
for root in own.profiler_result.get_data().values(): walk(root)
print(json.dumps(counts))
"""

# Prints which functions of Paddle are ours and whether the mode of Paddle's profiler is on, during the schedule and afterwards.
LEFT = MODEL + """
import types
def ours(value): return type(value) is types.FunctionType and "riffle_profiler" in value.__code__.co_filename
def state():
    kinds = [paddle.optimizer.Optimizer, *paddle.optimizer.Optimizer.__subclasses__(), *paddle.amp.GradScaler.__mro__]
    return [sorted(f"{kind.__name__}.{key}" for kind in kinds for key, value in list(vars(kind).items()) if ours(value)) + ["os._exit"] * ours(os._exit),
            bool(profiler.utils.in_profiler_mode()), [str(type(one)) for one in sys.meta_path]]
optimizer = paddle.optimizer.SGD(parameters=net.parameters()); states = []
for number, (x, y) in enumerate(loader):
    loss_of(x, y).backward(); optimizer.step(); optimizer.clear_grad(); states.append(state())
print(json.dumps(states))
"""

GRAPHS = MODEL + """
class Net(paddle.nn.Layer):
    def __init__(self): super().__init__(); self.first = paddle.nn.Linear(8, 16); self.second = paddle.nn.Linear(16, 1)
    def forward(self, x):
        x = self.first(x)
        if x.shape[0] > 2: x = x * 2
        return self.second(x).mean()
compiled = paddle.jit.to_static(Net(), full_graph=FULL); optimizer = paddle.optimizer.SGD(parameters=compiled.parameters())
for rows in (4, 4, 3, 4): loss = compiled(paddle.ones([rows, 8])); loss.backward(); optimizer.step(); optimizer.clear_grad()
from paddle.jit.sot.symbolic.compile_cache import CompileSIRCache
from paddle.jit.sot.opcode_translator.executor.executor_cache import OpcodeExecutorCache
print(float(loss).hex(), len(CompileSIRCache().cache), sorted(len(found[0]) for found in OpcodeExecutorCache().cache.values()))
"""

# Other threads run Paddle while the schedule switches its events on and off.
THREADS = MODEL + """
import threading
stop = threading.Event()
def other():
    own = paddle.nn.Linear(8, 8)
    while not stop.is_set():
        with paddle.no_grad(): own(paddle.ones([4, 8])).sum()
net[0].weight.set_value(paddle.ones([8, 16]) * 0.1); net[2].weight.set_value(paddle.ones([16, 1]) * 0.1)
optimizer = paddle.optimizer.Adam(parameters=net.parameters()); threads = [threading.Thread(target=other) for _ in range(2)]
for thread in threads: thread.start()
for step in range(120):
    loss = loss_of(paddle.ones([4, 8]), paddle.ones([4, 1])); loss.backward(); optimizer.step(); optimizer.clear_grad()
    try: net(paddle.ones([4, 7]))
    except ValueError: pass
stop.set()
for thread in threads: thread.join()
print(float(loss).hex())
"""

FLEET = """
import paddle
from paddle.distributed import fleet
fleet.init(is_collective=True); net = paddle.nn.Linear(4, 4)
optimizer = fleet.distributed_optimizer(paddle.optimizer.AdamW(parameters=net.parameters())); net = fleet.distributed_model(net)
for _ in range(5): net(paddle.ones([2, 4])).sum().backward(); optimizer.step(); optimizer.clear_grad()
"""

STATIC = """
import paddle
paddle.enable_static()
x = paddle.static.data("x", [4, 8]); loss = paddle.static.nn.fc(x, 1).mean()
paddle.optimizer.SGD(0.1).minimize(loss)
run = paddle.static.Executor(); run.run(paddle.static.default_startup_program())
import numpy
for _ in range(3): run.run(feed={"x": numpy.ones((4, 8), "float32")}, fetch_list=[loss])
print("trained")
"""


class Paddle(record_case.RecordCase):
    OPTIONS = ("-q",)
    PADDLE = None

    def run_recorded(self, text, *options, **environment):
        done = self.record(*options, "--", self.PADDLE, self.script(text), **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def run_alone(self, text):
        return subprocess.run([self.PADDLE, self.script(text)], capture_output=True, text=True, env=self.environment, timeout=120,
                              cwd=self.folder.name, check=True).stdout

    def slices(self):
        log, = Path(self.output).glob("*.rifflelog")
        return json.loads(self.cli("slices", "--json", "--no-store", str(log)).stdout)

    def steps(self, rows):
        """The steps that have ended; the last mark of a log has no end."""
        return sorted((row for row in rows if row["category"] == "step"), key=lambda row: row["start_ns"])[:-1]

    def test_operators_layers_and_stages(self):
        done = self.run_recorded(LOOP)
        self.assertEqual(done.stdout, self.run_alone(LOOP))  # the losses, bit for bit
        rows = self.slices()
        steps = self.steps(rows)
        self.assertEqual([row["name"] for row in steps], [f"ProfilerStep#{number}" for number in range(6)])
        for step in steps:
            inside = [row for row in rows if step["start_ns"] <= row["start_ns"] < step["start_ns"] + step["duration_ns"]]
            counts = Counter((row["category"], row["name"]) for row in inside)
            self.assertEqual({key: count for key, count in counts.items() if key[0] not in ("cpu_op", "step")},
                             {("Dataloader", "_DataLoaderIterSingleProcess"): 1, ("user_annotation", "mine"): 1,
                              ("Forward", "Sequential"): 1, ("Forward", "Linear"): 2, ("Forward", "ReLU"): 1,
                              ("Backward", "Gradient Backward"): 1, ("Optimization", "Optimization Step"): 1})
            self.assertEqual(counts["cpu_op", "matmul dygraph"], 2)
            self.assertEqual(counts["cpu_op", "Global_MatmulGradNode"], 2)
            self.assertEqual(counts["cpu_op", "adamw_ dygraph"], 4)
        log, = Path(self.output).glob("*.rifflelog")
        stages = self.cli("summary", "--no-store", "--view", "model", "--format", "csv", str(log)).stdout
        for stage in ("Dataloader", "Forward", "Backward", "Optimization"):
            self.assertIn(f"\n1,{stage},6,", stages)

    def test_as_many_operators_as_paddles_profiler_counts(self):
        own = json.loads(self.run_recorded(OWN).stdout)
        self.assertEqual(own, json.loads(self.run_alone(OWN)))  # that profiler is not disturbed
        rows = self.slices()
        begin = self.steps(rows)[2]["start_ns"]
        kinds = {"cpu_op": "Operator"}
        counts = Counter(f"{kinds.get(row['category'], row['category'])} {row['name']}" for row in rows if row["start_ns"] >= begin)
        self.assertGreater(sum(own.values()), 100)
        self.assertEqual({key: counts[key] for key in own}, own)

    def test_the_programs_own_number_of_steps(self):
        for name, text in COUNTS.items():
            with self.subTest(name):
                self.setUp()
                done = self.run_recorded(MODEL + text + "print('COUNT', steps); time.sleep(0.3)\n", "--preset", "light")
                steps = self.steps(self.slices())
                self.assertEqual(done.stdout.split()[-2:], ["COUNT", str(len(steps))])
                self.assertGreater(len(steps), 2)

    def test_a_schedule_and_nothing_is_left_afterwards(self):
        *during, after, last = json.loads(self.run_recorded(LEFT, "--steps", "1:4").stdout)
        self.assertIn("Optimizer.step", during[0][0])
        self.assertEqual([mode for _, mode, _ in during], [True, True, True, False])
        self.assertEqual([after[:2], last[:2]], [[[], False]] * 2)
        self.assertEqual(during[-1], after)
        rows = self.slices()
        names = Counter(row["name"] for row in rows)
        self.assertEqual([row["name"] for row in rows if row["category"] == "step"], [f"ProfilerStep#{number}" for number in (1, 2, 3)])
        self.assertEqual((names["matmul dygraph"], names["Sequential"], names["Gradient Backward"]), (6, 3, 3))

    def test_light_has_steps_only(self):
        self.run_recorded(LOOP, "--preset", "light")
        self.assertEqual({row["category"] for row in self.slices()}, {"step"})

    def test_to_static_compiles_the_same(self):
        for full in ("True", "False"):
            with self.subTest(full_graph=full):
                self.setUp()
                text = GRAPHS.replace("FULL", full)
                self.assertEqual(self.run_recorded(text).stdout, self.run_alone(text))

    def test_processes_that_load_data(self):
        self.assertEqual(self.run_recorded(LOOP, WORKERS="2").stdout, self.run_alone(LOOP))
        self.assertEqual(len(self.steps(self.slices())), 6)

    def test_other_threads(self):
        done = self.run_recorded(THREADS, "--schedule", "wait=1,warmup=0,active=1,repeat=50")
        self.assertEqual(done.stdout, self.run_alone(THREADS))
        rows = [row for row in self.slices() if row["category"] == "Optimization"]
        self.assertEqual(len(rows), 50)

    def test_two_ranks_of_the_launcher(self):
        done = self.record("-q", "--", self.PADDLE, "-m", "paddle.distributed.launch", "--nproc_per_node", "2",
                           "--log_dir", os.path.join(self.folder.name, "log"), self.script(FLEET))
        self.assertEqual(done.returncode, 0, done.stderr)
        logs = sorted(Path(self.output).glob("*.rifflelog"))
        self.assertEqual([log.name.split("_")[-2] for log in logs], ["rank0", "rank1"])
        for log in logs:
            rows = json.loads(self.cli("slices", "--json", "--no-store", str(log)).stdout)
            self.assertEqual(len(self.steps(rows)), 5)

    def test_a_program_that_only_imports_paddle_writes_no_log(self):
        self.run_recorded("import paddle; paddle.ones([2]) + 1")
        self.assertEqual(list(Path(self.output).glob("*")), [])

    def test_static_mode_is_not_recorded(self):
        self.assertIn("trained", self.run_recorded(STATIC).stdout)
        self.assertEqual(list(Path(self.output).glob("*")), [])

    def test_exit_and_kill(self):
        for name, end, status in (("_exit", "os._exit(0)", 0), ("kill", "time.sleep(0.5); os.kill(os.getpid(), 9)", -signal.SIGKILL)):
            with self.subTest(name):
                self.setUp()
                done = self.record("--", self.PADDLE, self.script(LOOP + end))
                self.assertIn(done.returncode, (status, 128 - status))
                rows = self.slices()
                self.assertEqual(len([row for row in rows if row["name"] == "adamw_ dygraph"]), 24)

    def test_a_stop_and_a_start_from_outside(self):
        text = MODEL + """
optimizer = paddle.optimizer.SGD(parameters=net.parameters()); begun = time.monotonic()
while time.monotonic() - begun < 60 and not os.path.exists("enough"):
    loss_of(paddle.ones([4, 8]), paddle.ones([4, 1])).backward(); optimizer.step(); optimizer.clear_grad()
    print(int(profiler.utils.in_profiler_mode() not in (False,)), flush=True); time.sleep(0.01)
"""
        self.environment["RIFFLE_SOCKETS"] = os.path.join(self.folder.name, "sockets")
        job = subprocess.Popen([self.CLI, "record", "-q", "-o", self.output, "--", self.PADDLE, self.script(text)],
                               stdout=subprocess.PIPE, text=True, cwd=self.folder.name, env=self.environment)
        try:
            def until(wanted):
                for line in job.stdout:
                    if line.strip() == wanted:
                        return
                self.fail("The job has ended.")

            until("1")
            for action, wanted in (("stop", "0"), ("start", "1")):
                done = self.cli("control", action)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                until(wanted)
            time.sleep(0.3)
        finally:
            Path(self.folder.name, "enough").touch()
            job.stdout.read()
            self.assertEqual(job.wait(30), 0)
        logs = sorted(Path(self.output).glob("*.rifflelog"))
        self.assertEqual(len(logs), 2)
        for log in logs:
            rows = json.loads(self.cli("slices", "--json", "--no-store", str(log)).stdout)
            self.assertTrue(any(row["name"] == "matmul dygraph" for row in rows), log)


def main():
    arguments = [one for one in sys.argv[1:] if one != "--paddle"]
    Paddle.CLI, Paddle.LIBRARY = map(os.path.abspath, arguments[:2])
    Paddle.PADDLE = os.environ.get("RIFFLE_PADDLE_PYTHON")
    if not Paddle.PADDLE:
        print("SKIPPED: RIFFLE_PADDLE_PYTHON does not name an interpreter that has Paddle. Nothing was tested.")
        return 77
    tests = [Paddle(name) for name in arguments[2:]] or unittest.defaultTestLoader.loadTestsFromTestCase(Paddle)
    return 0 if unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(tests)).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
