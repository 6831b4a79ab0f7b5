# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The base of the tests of riffle-cli record: a folder, jobs in it, and an environment without other recordings."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import read_log  # noqa: E402

WARNING = r"\wWarning|\[W\d"  # of Python and of PyTorch; the verdict has warnings of its own

MARKING = """
import ctypes, os, time
library = ctypes.CDLL(os.environ["RIFFLE_COLLECTOR"])
for step in range(3):
    library.riffle_step(ctypes.c_int64(step))
    library.riffle_range_push(b"work"); library.riffle_range_pop()
library.riffle_step(ctypes.c_int64(-1))
"""

TRAINING = """
import sys, torch
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
other = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(int(sys.argv[1])):
    loss = model(torch.randn(2, 8)).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step(); other.step()
print("trained")
"""


class RecordCase(unittest.TestCase):
    CLI = LIBRARY = ""
    TORCH = None  # an interpreter that has PyTorch
    OBSERVER = "NVTX"  # the observer of PyTorch's that is tried
    OPTIONS = ()  # the options of every recording
    PATIENCE = 120  # time limit of a recording in seconds

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.output = os.path.join(self.folder.name, "recorded")
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("KINETO_", "RIFFLE_OPTIONS", "RIFFLE_AGENT", "CUDA_INJECTION", "NVTX_INJECTION",
                                                    "INTEL_LIBITT"))
                            and name not in ("RANK", "PYTHONPATH")}
        self.environment.update(RIFFLE_COLLECTOR=self.LIBRARY, PYTHONDONTWRITEBYTECODE="1")
        if self.OBSERVER == "ITT":  # a program that records itself must have the library's name
            self.environment.update(RIFFLE_TORCH_OBSERVER="itt", INTEL_LIBITTNOTIFY64=self.LIBRARY)

    def script(self, text, name="job.py"):
        path = os.path.join(self.folder.name, name)
        Path(path).write_text(text)
        return path

    def record(self, *arguments, **environment):
        return subprocess.run([self.CLI, "record", *self.OPTIONS, "-o", self.output, *arguments], capture_output=True, text=True,
                              cwd=self.folder.name, env={**self.environment, **environment}, timeout=self.PATIENCE)

    def cli(self, *arguments):
        return subprocess.run([self.CLI, *arguments], capture_output=True, text=True, env=self.environment, timeout=60)


class LogCase(RecordCase):
    def rows(self):
        """All rows of the logs, and the paths of the logs."""
        logs = sorted(Path(self.output).glob("*.rifflelog"))
        return [row for log in logs for row in read_log.read(log)], logs

    def ranges(self):
        return [row for kind, row in self.rows()[0] if kind == "Ranges"]

    def control(self, *arguments):
        return self.cli("control", *arguments)

    def steps(self):
        return [row["Name"] for row in self.ranges() if row["Category"] == "step"]

    def train(self, *arguments, steps=6, launcher=(), **environment):
        done = self.record(*arguments, "--", self.TORCH, *launcher, self.script(TRAINING), str(steps), **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done


def main(plain, with_torch):
    """Runs the tests of one class; the arguments are RIFFLE_CLI LIBRARY [--torch] [--itt] [TEST...]."""
    arguments = sys.argv[1:]
    RecordCase.CLI, RecordCase.LIBRARY = map(os.path.abspath, arguments[:2])
    chosen = plain
    if "--itt" in arguments:
        arguments.remove("--itt")
        RecordCase.OBSERVER = "ITT"
    if "--torch" in arguments:
        arguments.remove("--torch")
        RecordCase.TORCH, chosen = os.environ.get("RIFFLE_TORCH_PYTHON"), with_torch
        if not RecordCase.TORCH:
            print("SKIPPED: RIFFLE_TORCH_PYTHON does not name an interpreter that has PyTorch. Nothing was tested.")
            return 77
    loader = unittest.defaultTestLoader
    tests = [chosen(name) for name in arguments[2:]] or loader.loadTestsFromTestCase(chosen)
    return 0 if unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(tests)).wasSuccessful() else 1
