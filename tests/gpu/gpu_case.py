# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""A test case whose jobs are separate Python programs with PyTorch, each in a separate folder.

RIFFLE_GPU_DEVICE=cpu tries the scripts themselves: the jobs run on the CPU, and no kernels are expected."""

import os
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

DEVICE = os.environ.get("RIFFLE_GPU_DEVICE", "cuda")
GPU = DEVICE == "cuda"
PRELUDE = f"""
import ctypes, os, sys, time, torch
from torch.profiler import ProfilerActivity
GPU = {GPU}
def sync():
    if GPU: torch.cuda.synchronize()
def kernels(count, what="add_"):
    for _ in range(count): getattr(x, what)(1)
    sync()
x = torch.ones(1000, device={DEVICE!r})
sync()
"""


class GpuCase(unittest.TestCase):
    out = cli = None
    prelude = PRELUDE
    maxDiff = None

    def job(self, code, *command, prelude=None, **environment):
        """Runs the code and returns its output."""
        self.folder = self.out / self.id().split(".")[-1]
        while self.folder.exists():
            self.folder = self.folder.with_name(self.folder.name + "_")
        self.folder.mkdir(parents=True)
        script = self.folder / "job.py"
        script.write_text((self.prelude if prelude is None else prelude) + textwrap.dedent(code))
        done = subprocess.run([*(part.format(self.folder) for part in command), sys.executable, str(script), str(self.folder)],
                              env=os.environ | environment, capture_output=True, text=True, timeout=500)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stderr
        return done.stdout


def main():
    """Runs a check, whose arguments are OUT RIFFLE_CLI [unittest arguments]."""
    GpuCase.out, GpuCase.cli = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
