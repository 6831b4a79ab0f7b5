#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what the memory commands say about snapshots of a simulated allocator (support/simulated_allocator.py) with what the allocator knows:
the figures after every event, the verdict on every failed allocation, and which advice would have served the request.

    check_memory_simulated.py --cli build/release/bin/riffle-cli
"""
import collections
import csv
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import cli_case  # noqa: E402
import simulated_allocator as simulated  # noqa: E402

CLI = ""
TIMEOUT_SECONDS = 60
MIB = simulated.MIB
FIGURES = ("reserved", "allocated", "pending", "in_blocks", "free", "largest_free", "holes", "segments", "blocks")
PRIVATE = (0, 1)


def work(allocator, seed, steps, streams=(0,), pools=((0, 0),), greed=0):
    """Lets a program allocate and free at random. An allocation may fail, the likelier the more greedy the program is."""
    rng, alive, pending = random.Random(seed), [], []
    for at in range(steps):
        action = rng.random()
        if action < 0.5 or not alive:
            kind = rng.random() * (1 + greed)
            size = rng.randrange(1, MIB) if kind < 0.3 else rng.randrange(MIB, 9 * MIB) if kind < 0.8 else rng.randrange(9 * MIB, 60 * MIB)
            size *= 4 if kind > 1 else 1
            try:
                alive.append(allocator.malloc(size, rng.choice(streams), rng.choice(pools)))
            except simulated.OutOfMemory:
                for address in [alive.pop(rng.randrange(len(alive))) for _ in range(len(alive) // 2)]:
                    allocator.free(address)
        elif action < 0.9:
            address = alive.pop(rng.randrange(len(alive)))
            waits = rng.random() < 0.2
            allocator.free(address, waits=waits)
            if waits:
                pending.append(address)
        elif pending:
            allocator.complete(pending.pop(rng.randrange(len(pending))))
        if at % 100 == 50:
            allocator.note_snapshot()
        if at % 250 == 249:
            allocator.release_cached()


def kind_of(segment):
    return segment.stream, segment.pool, segment.small


def holes_of(segments):
    return [block.size for segment in segments for block in segment.blocks if block.state == "inactive"]


def serves(allocator, failure):
    try:
        allocator.malloc(failure["asked"], failure["stream"], failure["pool"])
    except simulated.OutOfMemory:
        return False
    return True


def with_pending_completed(failure):
    then = failure["then"].without_history()
    then.limit = then.capacity  # a snapshot does not say whether there is a limit
    for address in [block.address for segment in then.segments for block in segment.blocks if block.state == "active_pending_free"]:
        then.complete(address)
    return serves(then, failure)


def verdict_on(failure):
    """By the definitions in the output of memory oom."""
    then, asked, left = failure["then"], failure["asked"], failure["device_free"]
    need = 2 * MIB if failure["small"] else 20 * MIB if asked < 10 * MIB else -(-asked // (2 * MIB)) * 2 * MIB
    own = [segment for segment in then.segments if kind_of(segment) == (failure["stream"], failure["pool"], failure["small"])]
    of_stream = [segment for segment in then.segments if segment.stream == failure["stream"]]
    waits = sum(block.size for segment in then.segments for block in segment.blocks if block.state == "active_pending_free")
    free = holes_of(then.segments)
    rules = [("refused", left >= need), ("unexplained", max(holes_of(own), default=0) >= asked), ("segment size", left >= asked),
             ("pending", waits and with_pending_completed(failure)), ("other pool", max(holes_of(of_stream), default=0) >= asked),
             ("other stream", max(free, default=0) >= asked), ("fragmentation", sum(free) >= asked),
             ("divided", sum(free) + waits + left >= asked), ("demand", True)]
    return next(name for name, holds in rules if holds)


class Simulated(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="cli-simulated-")
        self.path = str(pathlib.Path(self.folder.name) / "snapshot.pickle")

    def tearDown(self):
        self.folder.cleanup()

    def run_cli(self, *words):
        environment = dict(os.environ, XDG_CACHE_HOME=self.folder.name, LC_ALL="C.UTF-8")
        done = subprocess.run([*CLI.split(), "memory", *words], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, env=environment,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def series(self):
        rows = csv.DictReader(io.StringIO(self.run_cli("state", self.path, "--table", "series", "--format", "csv")))
        return {int(row["event"]): {key: int(row[key]) for key in FIGURES} for row in rows if row["event"]}

    def allocators(self):
        for seed in range(4):
            for options in ({}, {"expandable": True}, {"divisions": 4}):
                allocator = simulated.Allocator(800 * MIB, **options)
                pools = ((0, 0),) if seed % 2 else ((0, 0), PRIVATE)
                work(allocator, 100 * seed + len(options), 700, streams=(0, 0x77)[:1 + seed // 2], pools=pools)
                yield (seed, options), allocator

    def failing_allocators(self):
        """Without expandable segments: how much they would have grown by is not in a snapshot."""
        for seed in range(12):
            allocator = simulated.Allocator(300 * MIB, divisions=4 * (seed % 2), limit=(300 - 40 * (seed % 3 == 2)) * MIB)
            work(allocator, 1000 + seed, 500, streams=(0, 0x77)[:1 + seed // 6], pools=((0, 0), PRIVATE)[:1 + seed // 2 % 2], greed=0.2)
            yield seed, allocator

    def test_every_figure_after_every_event(self):
        for what, allocator in self.allocators():
            with self.subTest(what):
                allocator.dump(self.path)
                series = self.series()
                self.assertEqual(len(series), len(allocator.events))
                for event, figures in enumerate(allocator.figures):
                    self.assertEqual(series[event], {key: figures[key] for key in FIGURES}, "event %d" % event)
                state = json.loads(self.run_cli("state", self.path, "--format", "json"))
                self.assertEqual(state["remarks"], [])

    def test_a_history_that_lost_its_start(self):
        """Blocks from before it have a size that nobody recorded. The rest is exact, and their sizes are no larger than they were."""
        for what, allocator in self.allocators():
            with self.subTest(what):
                first = len(allocator.events) // 3
                allocator.dump(self.path, first)
                wrong = 0
                for event, found in self.series().items():
                    truth = allocator.figures[first + event]
                    for key in ("reserved", "allocated", "pending", "segments", "blocks"):
                        self.assertEqual(found[key], truth[key], "event %d: %s" % (event, key))
                    self.assertLessEqual(found["in_blocks"], truth["in_blocks"])
                    wrong += found["in_blocks"] != truth["in_blocks"]
                self.assertLess(wrong, len(allocator.events) // 10, "the sizes of blocks from before the history were not found")
                if allocator.expandable:
                    self.assertEqual(wrong, 0)

    def test_sums_that_the_history_records_are_a_check(self):
        allocator = simulated.Allocator(800 * MIB)
        work(allocator, 5, 200)
        odd = next(event for event in allocator.events if event["action"] == "snapshot")
        odd["size"] += MIB
        allocator.dump(self.path)
        remarks = json.loads(self.run_cli("state", self.path, "--format", "json"))["remarks"]
        self.assertEqual(len(remarks), 1)
        self.assertIn("At event %d, the history records" % allocator.events.index(odd), remarks[0])

    def test_every_verdict(self):
        seen = collections.Counter()
        for seed, allocator in self.failing_allocators():
            with self.subTest(seed):
                allocator.dump(self.path)
                rows = {row["event"]: row for row in json.loads(self.run_cli("oom", self.path, "--format", "json"))}
                self.assertEqual(sorted(rows), sorted(allocator.failures))
                for event, failure in allocator.failures.items():
                    row, wanted = rows[event], verdict_on(failure)
                    self.assertEqual(row["verdict"], wanted, "event %d" % event)
                    self.assertEqual(row["pool"], "pool (0, 1)" if failure["pool"] == PRIVATE else "default pool")
                    seen[wanted] += 1
        self.assertGreater(sum(seen.values()), 100, seen)
        self.assertGreaterEqual(len(seen), 7, seen)
        self.assertNotIn("unexplained", seen)

    def test_advice_about_pending_frees_is_true(self):
        answers = collections.Counter()
        for seed, allocator in self.failing_allocators():
            with self.subTest(seed):
                allocator.dump(self.path)
                rows = json.loads(self.run_cli("oom", self.path, "--table", "advice", "--format", "json"))
                self.assertTrue(all(row["bytes"] > 0 for row in rows))
                told = {row["event"]: row for row in rows if row["advice"] == "wait for pending frees"}
                for event, failure in list(allocator.failures.items())[:10]:
                    waits = sum(block.size for segment in failure["then"].segments for block in segment.blocks
                                if block.state == "active_pending_free")
                    self.assertEqual(told[event]["bytes"] if event in told else 0, waits)
                    if waits and verdict_on(failure) != "refused":
                        self.assertEqual(told[event]["enough"], "yes" if with_pending_completed(failure) else "no", "event %d" % event)
                        answers[told[event]["enough"]] += 1
        self.assertGreater(min(answers["yes"], answers["no"]), 5, answers)


if __name__ == "__main__":
    CLI, words = cli_case.arguments()
    unittest.main(argv=words)
