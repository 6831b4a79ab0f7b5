# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import contextlib
import errno
import io
import os
import re
import sys
import tempfile
import types
import unittest
from unittest import mock

import riffle_profiler as riffle
from riffle_profiler import _memory

from messages_case import MessagesCase

try:
    import torch
except ImportError:
    torch = None


class OutOfMemory(RuntimeError):
    pass


class FakeTorch:
    """A stand-in with the parts of PyTorch that riffle.memory uses; it calls observers as the allocator does."""

    def __init__(self):
        self.calls, self.observers, self.history, self.failure = [], [], False, None
        self.cuda = types.SimpleNamespace(
            is_available=lambda: True, init=lambda: self.calls.append("init"),
            memory=types.SimpleNamespace(_record_memory_history=self.record, _dump_snapshot=self.write))
        self._C = types.SimpleNamespace(_cuda_attach_out_of_memory_observer=self.observers.append,
                                        _cuda_isHistoryEnabled=lambda: self.history)

    def record(self, enabled="all", **settings):
        self.calls.append((enabled, settings))
        self.history = enabled is not None

    def write(self, path):
        with open(path, "wb") as file:
            file.write(b"snapshot")
            if self.failure:
                raise self.failure

    def allocate(self):
        for observer in self.observers:
            observer(1, 3 << 20, 0, 2 << 20)
        raise OutOfMemory("CUDA out of memory")


class Memory(MessagesCase):
    def setUp(self):
        self.torch = FakeTorch()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for patch in (mock.patch.dict(sys.modules, torch=self.torch), mock.patch.object(_memory, "_observing", False),
                      mock.patch.dict(os.environ, RANK="3")):
            patch.start()
            self.addCleanup(patch.stop)

    def test_python_stacks_of_the_last_entries(self):
        with self.heard():
            with riffle.memory(max_entries=7):
                pass
        self.assertEqual(self.torch.calls, ["init", ("all", {"stacks": "python", "max_entries": 7}), (None, {})])

    def test_a_dump(self):
        with self.heard(r"rank 3: Memory snapshot: .*\.pickle, 0\.0 MB, took \d+\.\d\d s\."):
            with riffle.memory(dir=self.folder) as memory:
                path = memory.dump()
        self.assertEqual(os.listdir(self.folder), [os.path.basename(path)])
        self.assertRegex(path, r"_rank3_\d{8}-\d{6}\.\d{3}\.pickle$")
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"snapshot")

    def test_out_of_memory_is_dumped_and_raised(self):
        with riffle.memory(dir=self.folder):
            with self.heard(r"Out of memory on GPU 1, 3\.0 MiB requested, 2\.0 MiB free: .*took"), \
                    self.assertRaises(OutOfMemory):
                self.torch.allocate()
        self.assertEqual(len(os.listdir(self.folder)), 1)
        with self.heard(), self.assertRaises(OutOfMemory):
            self.torch.allocate()  # the recording has been stopped

    def test_without_on_oom_nothing_is_dumped(self):
        with riffle.memory(on_oom=False, dir=self.folder), self.heard(), self.assertRaises(OutOfMemory):
            self.torch.allocate()
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_program_that_tries_again_and_again_does_not_fill_the_disk(self):
        with riffle.memory(dir=self.folder), self.heard("later ones will not be written"):
            for _ in range(5):
                with mock.patch.object(_memory, "_file_name", lambda: f"{len(os.listdir(self.folder))}.pickle"), \
                        self.assertRaises(OutOfMemory):
                    self.torch.allocate()
        self.assertEqual(len(os.listdir(self.folder)), _memory.MOST_OOM_DUMPS)

    def test_a_failed_dump_is_said_and_leaves_nothing(self):
        for failure in (OSError(errno.ENOSPC, "No space left on device"), RuntimeError("no\nsnapshot"), KeyboardInterrupt()):
            self.torch.failure = failure
            with riffle.memory(dir=self.folder), self.heard("was not written"), self.assertRaises(OutOfMemory):
                self.torch.allocate()
            self.assertEqual(os.listdir(self.folder), [])

    def test_an_unwritable_folder_is_said(self):
        with riffle.memory(dir=os.path.join(__file__, "below")) as memory:
            with self.heard("was not written: .*Not a directory"):
                self.assertIsNone(memory.dump())

    def test_nothing_hides_the_error_even_without_stderr(self):
        with riffle.memory(dir=self.folder), mock.patch.object(sys, "stderr", None), self.assertRaises(OutOfMemory):
            self.torch.allocate()

    def test_a_history_that_runs_already_is_left_alone(self):
        self.torch.history = True
        with self.heard("already being recorded"):
            with riffle.memory(dir=self.folder):
                pass
        self.assertEqual(self.torch.calls, ["init"])

    def test_a_pytorch_that_cannot_is_said(self):
        self.torch.cuda.memory._record_memory_history = None
        with self.heard("Memory is not recorded"):
            riffle.memory(dir=self.folder).stop()
        self.assertEqual(self.torch.observers, [])


class WithoutCuda(unittest.TestCase):
    def test_it_does_nothing_and_says_so(self):
        reason = "PyTorch has no CUDA device here" if torch else "PyTorch is not imported"
        if torch and torch.cuda.is_available():
            self.skipTest("there is a CUDA device")
        said = io.StringIO()
        with contextlib.redirect_stderr(said), riffle.memory() as memory:
            self.assertIsNone(memory.dump())
        self.assertEqual(re.findall("riffle: (.*)", said.getvalue()),
                         [f"Memory is not recorded: {reason}.", "There is no memory snapshot: memory is not recorded."])
