#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks how `summary --view run-steps` uses the cached facts about ranks: a second question reads no trace, and everything works
without them.

    check_rank_store.py --cli build/release/bin/riffle-cli
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import cli_case

CLI = ""
TIMEOUT_SECONDS = 120
END, SAMPLE, SAMPLES = 64 << 10, 4 << 10, 64  # bytes at both ends of a file and in its middle that tell whether it changed


def write_rank(path, rank, steps=40, operators=60):
    """Writes a trace with steps of operators, each with a kernel that is a little longer on higher ranks."""
    events, correlation = [], 0
    for step in range(steps):
        begin = step * 1000
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": 1, "tid": 1, "ts": begin, "dur": 1000})
        for at in range(operators):
            time = begin + at * 16
            correlation += 1
            events += [
                {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": time, "dur": 10},
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": time + 1, "dur": 2,
                 "args": {"correlation": correlation}},
                {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": time + 4, "dur": 3 + rank,
                 "args": {"device": 0, "stream": 7, "correlation": correlation}}]
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"distributedInfo": {"rank": %d, "world_size": 4}, "traceEvents": [\n' % rank)
        file.write(",\n".join(json.dumps(event) for event in events))
        file.write("\n]}\n")


class RankStores(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="cli-ranks-")
        self.cache = pathlib.Path(self.folder.name) / "cache"
        self.run_folder = pathlib.Path(self.folder.name) / "run"
        self.run_folder.mkdir()
        self.ranks = [self.run_folder / ("rank%d.json" % rank) for rank in range(3)]
        for rank, path in enumerate(self.ranks):
            write_rank(path, rank)

    def tearDown(self):
        self.folder.cleanup()

    def run_cli(self, *words):
        environment = dict(os.environ, RIFFLE_CACHE=str(self.cache), LC_ALL="C.UTF-8")
        return subprocess.run([CLI, "summary", *map(str, words)], capture_output=True, env=environment, timeout=TIMEOUT_SECONDS)

    def answer(self, *words, view="run-steps", code=0):
        done = self.run_cli("--view", view, "--format", "json", *words)
        self.assertEqual((done.returncode, done.stderr), (code, b""), words)
        return json.loads(done.stdout)

    def stored(self):
        return sorted(self.cache.glob("*")) if self.cache.exists() else []

    def spoil(self, path):
        """Overwrites a piece of a file of which no sample is taken, and keeps its size and time."""
        before = path.stat()
        stride = (before.st_size - 2 * END - SAMPLE) // (SAMPLES - 1)
        self.assertGreater(stride, 2 * SAMPLE)
        with open(path, "r+b") as file:
            file.seek(END + 30 * stride + SAMPLE + 1000)
            file.write(b"x" * 1000)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def test_a_second_question_reads_no_trace(self):
        alone = self.answer(self.run_folder, "--no-store")
        self.assertEqual(self.stored(), [], "--no-store must not write anything")
        self.assertEqual(self.answer(self.run_folder), alone)
        self.assertEqual([path.suffix for path in self.stored()], [".rank"] * 3)
        written = [path.stat().st_ino for path in self.stored()]
        text = self.run_cli("--view", "run-steps", self.run_folder)
        for path in self.ranks:
            self.spoil(path)
        self.assertEqual(self.answer(self.run_folder), alone, "what is inside the traces must not matter")
        self.assertEqual(self.run_cli("--view", "run-steps", self.run_folder).stdout, text.stdout)
        self.assertEqual([path.stat().st_ino for path in self.stored()], written, "nothing must be written again")
        self.assertNotEqual(json.loads(self.run_cli("--view", "run-steps", "--format", "json", "--no-store", self.run_folder).stdout),
                            alone, "without the cache, the traces must be read")

    def test_other_questions_and_limits_read_the_trace(self):
        whole = self.answer(self.run_folder)
        kernels = 60 * 4_000  # of a step of rank 1
        for words, steps in ((["--steps", "3:5"], [3, 4, 5]), (["--range", "3ms:6ms"], [3, 4, 5]),
                             (["--step-mark", "ProfilerStep"], list(range(40)))):
            part = self.answer(self.ranks[1], *words)
            self.assertEqual([(row["step"], row["busy_ns"]) for row in part], [(step, kernels) for step in steps], words)
        both = self.answer(self.run_folder, view="run-steps,steps")
        self.assertEqual(both["run-steps"], whole)

    def test_several_views_leave_the_facts_too(self):
        self.answer(self.run_folder, view="kernels,run-steps")
        self.assertEqual([path.suffix for path in self.stored()], [".rank"] * 3)

    def test_only_missing_ranks_are_read(self):
        whole = self.answer(self.run_folder)
        self.spoil(self.ranks[0])
        self.ranks[2].touch()  # another time is another version
        self.assertEqual(self.answer(self.run_folder), whole)
        self.assertEqual(len(self.stored()), 3)

    def test_damaged_facts_are_made_again(self):
        whole = self.answer(self.run_folder)
        for change in (lambda data: data[:len(data) // 2], lambda data: data[:5000] + b"?" + data[5001:], lambda data: b""):
            for path in self.stored():
                path.write_bytes(change(path.read_bytes()))
            self.assertEqual(self.answer(self.run_folder), whole)
        self.assertEqual(len(self.stored()), 3)

    def test_losses_are_told_again(self):
        with open(self.ranks[0], "r+b") as file:
            file.truncate(self.ranks[0].stat().st_size - 400)
        for _ in range(2):
            self.answer(self.run_folder, code=3)

    def test_what_cannot_be_cached_is_no_failure(self):
        self.cache.write_text("a file where the folder should be")
        done = self.run_cli("--view", "run-steps", self.ranks[0])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count(b"could not be cached for next time: "), 1, done.stderr)
        self.assertIn(b"Ranks and steps", done.stdout)

    def test_wrong_options_are_found_with_and_without_the_cache(self):
        for _ in range(2):
            for words in (["--store-limit", "much"], ["--memory-limit", "much"], ["--sort", "nothing"]):
                self.assertEqual(self.run_cli("--view", "run-steps", self.ranks[0], *words).returncode, 2, words)
            self.answer(self.ranks[0])

    def test_several_at_once_agree(self):
        alone = self.answer(self.run_folder, "--no-store")
        environment = dict(os.environ, RIFFLE_CACHE=str(self.cache), LC_ALL="C.UTF-8")
        command = [CLI, "summary", "--view", "run-steps", "--format", "json", str(self.run_folder)]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) for _ in range(4)]
        for one in running:
            out, errors = one.communicate(timeout=TIMEOUT_SECONDS)
            self.assertEqual((one.returncode, errors), (0, b""))
            self.assertEqual(json.loads(out), alone)
        self.assertEqual([path.suffix for path in self.stored()], [".rank"] * 3)


if __name__ == "__main__":
    CLI, words = cli_case.arguments()
    unittest.main(argv=words)
