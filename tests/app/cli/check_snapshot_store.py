#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks how the memory commands use the store of a large snapshot: they print the answer before they write the store, and
work without a store.

    check_snapshot_store.py --cli build/release/bin/riffle-cli
"""
import json
import os
import pathlib
import pickle
import resource
import signal
import subprocess
import tempfile
import unittest

import cli_case

CLI = ""
TIMEOUT_SECONDS = 120
LARGE = 32 << 20  # bytes; larger snapshots are stored


def write_snapshot(path, entries):
    """Writes a snapshot of allocations of growing size, of which eight are alive at a time; each new one frees the oldest."""
    frames = [{"filename": "model.py", "line": line, "name": "forward%d" % line} for line in range(30)]
    history, alive = [], []
    for at in range(entries):
        entry = {"addr": 0x7F0000000000 + at % 9 * (1 << 20), "size": 512 + at, "stream": 0, "time_us": 1_700_000_000_000_000 + at,
                 "frames": [frames[at % 30], frames[(at + 7) % 30]], "compile_context": "N/A", "user_metadata": "step %d" % at}
        history.append({"action": "alloc", **entry})
        alive.append(entry)
        if len(alive) == 8:
            history += [{"action": action, **alive[0]} for action in ("free_requested", "free_completed")]
            del alive[0]
    blocks = [{"address": entry["addr"], "size": 1 << 20, "requested_size": entry["size"], "state": "active_allocated", "frames": entry["frames"]}
              for entry in sorted(alive, key=lambda entry: entry["addr"])]
    taken = {block["address"] for block in blocks}
    blocks += [{"address": address, "size": 1 << 20, "requested_size": 0, "state": "inactive", "frames": []}
               for address in range(0x7F0000000000, 0x7F0000900000, 1 << 20) if address not in taken]
    segment = {"device": 0, "address": 0x7F0000000000, "total_size": 9 << 20, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0),
               "is_expandable": False, "allocated_size": 7 << 20, "active_size": 7 << 20, "requested_size": sum(entry["size"] for entry in alive),
               "frames": [], "blocks": sorted(blocks, key=lambda block: block["address"])}
    with open(path, "wb") as file:
        pickle.dump({"segments": [segment], "device_traces": [history]}, file, protocol=4)


class Stores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory(prefix="cli-store-")
        cls.path = str(pathlib.Path(cls.shared.name) / "snapshot.pickle")
        write_snapshot(cls.path, 200_000)
        assert os.path.getsize(cls.path) > LARGE, os.path.getsize(cls.path)
        cls.queries = {"info": ["memory", "info", cls.path, "--format", "json"], "instant": ["memory", cls.path, "--format", "json"],
                       "state": ["memory", "state", cls.path, "--format", "json"], "oom": ["memory", "oom", cls.path, "--format", "json"],
                       "diff": ["memory", "diff", cls.path, "--from", "begin", "--to", "peak", "--format", "json"],
                       "file": ["info", cls.path, "--json"]}

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="cli-cache-")
        self.cache = pathlib.Path(self.folder.name) / "cache"

    def tearDown(self):
        self.folder.cleanup()

    def run_cli(self, words, **more):
        more.setdefault("stdout", subprocess.PIPE)
        environment = dict(os.environ, RIFFLE_CACHE=str(self.cache), LC_ALL="C.UTF-8")
        return subprocess.run([CLI, *words], stderr=subprocess.PIPE, env=environment, timeout=TIMEOUT_SECONDS, **more)

    def answer(self, words):
        done = self.run_cli(words)
        self.assertEqual((done.returncode, done.stderr), (0, b""), words)
        found = json.loads(done.stdout)
        if isinstance(found, dict):
            found.pop("load_seconds", None)
        return found

    def stored(self):
        return sorted(path.name for path in self.cache.glob("*")) if self.cache.exists() else []

    def test_every_command_leaves_a_store_and_answers_from_it_the_same(self):
        for name, words in self.queries.items():
            with self.subTest(query=name):
                alone = self.answer([*words, "--no-store"])
                self.assertEqual(self.stored(), [], "--no-store must not write a store")
                self.assertEqual(self.answer(words), alone)
                self.assertEqual(len(self.stored()), 1)
                store = self.cache / self.stored()[0]
                before = store.stat()
                self.assertEqual(self.answer(words), alone, "from the store")
                self.assertEqual((store.stat().st_mtime_ns, store.stat().st_ino), (before.st_mtime_ns, before.st_ino), "the store must not be written again")
                os.utime(store, ns=(1, before.st_mtime_ns))
                self.assertEqual(self.answer([*words, "--no-store"]), alone)
                self.assertEqual(store.stat().st_atime_ns, 1, "--no-store must not read the store")
                self.answer(words)
                self.assertGreater(store.stat().st_atime_ns, 1, "the store must be used")
                store.unlink()

    def test_the_option_counts_before_a_subcommand_too(self):
        self.answer(["memory", "--no-store", *self.queries["info"][1:]])
        self.assertEqual(self.stored(), [])

    def test_the_answer_comes_before_the_store(self):
        """If the answer cannot be written, nothing that follows it happens."""
        for name, words in self.queries.items():
            with self.subTest(query=name), open("/dev/full", "wb") as full:
                done = self.run_cli(words, stdout=full)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"No space left on device", done.stderr)
                self.assertEqual(self.stored(), [])

    def test_what_cannot_be_stored_is_no_failure(self):
        self.cache.write_text("a file where the folder should be")
        for name, words in self.queries.items():
            with self.subTest(query=name):
                done = self.run_cli(words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count(b"riffle-cli: The snapshot could not be cached for next time: "), 1)
                json.loads(done.stdout)

    def test_a_full_disk_is_no_failure(self):
        def small_files():
            limit = 4 << 20  # bytes; the store would be larger
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        done = self.run_cli(self.queries["info"], preexec_fn=small_files)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"could not be cached for next time", done.stderr)
        self.assertEqual(self.stored(), [], "no part of the store must be left")

    def test_a_wrong_limit_is_one_of_usage(self):
        for name, words in self.queries.items():
            self.assertEqual(self.run_cli([*words, "--store-limit", "much"]).returncode, 2, name)


if __name__ == "__main__":
    CLI, words = cli_case.arguments()
    unittest.main(argv=words)
