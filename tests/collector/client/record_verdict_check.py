#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests what riffle-cli record says at the end about the recording, and how it opens it.

Usage: record_verdict_check.py RIFFLE_CLI LIBRARY [--torch] [TEST...]

With --torch real training loops run under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import record_case

# Six steps whose lengths depend on the rank; the fourth of rank 1 is the longest.
STEPPING = """
import ctypes, os, time
library = ctypes.CDLL(os.environ["RIFFLE_COLLECTOR"])
rank = int(os.environ["RANK"])
for step in range(6):
    library.riffle_step(ctypes.c_int64(step))
    time.sleep(0.3 if (rank, step) == (1, 3) else 0.02 * (rank + 1))
library.riffle_step(ctypes.c_int64(-1))
"""


class WithoutPyTorch(record_case.LogCase):
    def verdict_of(self, done):
        """The lines below the table of logs."""
        return done.stderr.split("LOG\n")[1].split("\n\n")[1].splitlines()

    def test_the_verdict_on_two_ranks(self):
        job = self.script(STEPPING)
        done = self.record("--", "sh", "-c", f"RANK=0 '{sys.executable}' '{job}' & RANK=1 '{sys.executable}' '{job}'; code=$?; wait; exit $code")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.verdict_of(done)
        self.assertLessEqual(len(lines), 10)
        self.assertRegex(lines[0], r"^6 steps in each of 2 traces: the median is [2-9]\d\.\d+\xa0ms, and the slowest is step 3 of Rank 1 with 3\d\d\.\d\xa0ms\.$")
        self.assertRegex(lines[1], r"^The median step takes from 2\d\.\d+\xa0ms \(Rank 0\) to 4\d\.\d+\xa0ms \(Rank 1\), ")
        self.assertIn("No device work was recorded. No operators were recorded, either.", lines[2])
        self.assertRegex(lines[-1], rf"^To open it: riffle( summary)? .*_rank0_.* .*_rank1_.*\.rifflelog$")
        again = self.cli("verdict", "--no-store", *map(str, self.rows()[1]))
        self.assertEqual((again.stdout.splitlines(), again.returncode), (lines[:-1], 0))

    def test_the_verdict_leaves_the_exit_code_alone(self):
        job = self.script(STEPPING + "os._exit(7)")
        self.assertEqual(self.record("--", sys.executable, job, RANK="0").returncode, 7)
        quiet = self.record("-q", "--", sys.executable, job, RANK="0")
        self.assertEqual((quiet.returncode, quiet.stderr), (7, ""))
        # Nobody reads stderr when the job has ended.
        process = subprocess.Popen([self.CLI, "record", "-o", self.output, "--", sys.executable, job], env={**self.environment, "RANK": "0"},
                                   stderr=subprocess.PIPE, text=True)
        self.assertIn("Recording everything", process.stderr.readline())
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 7)

    def test_a_large_recording_gets_a_command_instead_of_a_verdict(self):
        marks = record_case.MARKING + "for number in range(300_000): library.riffle_mark(b'x')\n"
        copies = f"for i in $(seq 100); do cp -r '{self.output}'/*_rank0_*.rifflelog '{self.output}'/copy$i.rifflelog; done; rm -r '{self.output}'/*_rank0_*"
        done = self.record("--", "sh", "-c", f"'{sys.executable}' '{self.script(marks)}'; {copies}", RANK="0")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.verdict_of(done)
        self.assertEqual(len(lines), 2, lines)
        self.assertIn(f"so its verdict was not made here. To get it: riffle verdict {self.output}/*.rifflelog", lines[0])

    def opened(self, window, **environment):
        """What record --open says about opening, and what the window got; its program is installed as `window`."""
        program = os.path.join(self.folder.name, "bin")
        os.makedirs(program, exist_ok=True)
        shutil.copy(self.CLI, program)
        if window:
            Path(program, "riffle-window").write_text(window)
            os.chmod(os.path.join(program, "riffle-window"), 0o755)
        done = subprocess.run([os.path.join(program, "riffle-cli"), "record", "-o", self.output, "--open", "--", sys.executable,
                               self.script(record_case.MARKING)], capture_output=True, text=True, timeout=60,
                              env={**self.environment, "DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": "", "RIFFLE_WINDOW": "", **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_open(self):
        self.assertIn("Riffle's window is not installed, so", self.opened(""))
        got = os.path.join(self.folder.name, "got")
        window = f"#!/bin/sh\necho \"$@\" > '{got}.part'; mv '{got}.part' '{got}'; exec sleep 60\n"
        self.assertIn("There is no display here", self.opened(window))
        shutil.rmtree(self.output)
        begun = time.monotonic()
        self.assertIn("To open it: riffle ", self.opened(window, DISPLAY=":77"))
        self.assertLess(time.monotonic() - begun, 40)  # the window outlives record
        while not os.path.exists(got) and time.monotonic() < begun + 60:
            time.sleep(0.02)
        self.assertEqual(Path(got).read_text().split(), [str(log) for log in self.rows()[1]])


class WithPyTorch(record_case.LogCase):
    def test_the_verdict(self):
        done = self.train()
        self.assertRegex(done.stderr, r"\n6 steps: the median is .*, and the slowest is step \d with ")
        self.assertRegex(done.stderr, r"\nNo device work was recorded\. Operators and Python took \d+(\.\d+)?\xa0% of the time\.")
        self.assertRegex(done.stderr, r"\nTo open it: riffle")


if __name__ == "__main__":
    sys.exit(record_case.main(WithoutPyTorch, WithPyTorch))
