# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import os
import re
import sys
from unittest import mock

from riffle_profiler import _extras, _library, _memory, _oom
from riffle_profiler._extras import Extras

from memory_test import FakeTorch, OutOfMemory
from messages_case import MessagesCase
from stub_case import StubCase


class LazyTorch(FakeTorch):
    """A stand-in whose CUDA starts when the program first uses it; queued calls run then, as PyTorch's do."""

    def __init__(self):
        super().__init__()
        self.queued = []
        self.cuda._lazy_call = self.queued.append
        self.cuda.is_initialized = lambda: True

    def use_cuda(self):
        for call in self.queued:
            call()


def train(torch):
    torch.allocate()  # the failing line


class OnOom(MessagesCase, StubCase):
    def setUp(self):
        super().setUp()
        self.torch = LazyTorch()
        for patch in (mock.patch.dict(sys.modules, torch=self.torch), mock.patch.object(_memory, "_observing", False),
                      mock.patch.object(_memory, "_active", []), mock.patch.object(sys, "excepthook", lambda *_: None),
                      mock.patch.dict(os.environ, RANK="3")):
            patch.start()
            self.addCleanup(patch.stop)
        atexit = mock.patch.object(_extras.atexit, "register", lambda *call: self.at_exit.append(call))
        self.at_exit = []
        atexit.start()
        self.addCleanup(atexit.stop)
        self.logs = os.path.join(self.folder, "logs")
        os.mkdir(self.logs)

    def attach(self, **chosen):
        extras = Extras({"dir": self.logs, **chosen})
        extras.attach(self.torch, at_once=True)
        return extras

    def oom_folder(self):
        folders = os.listdir(self.logs)
        self.assertEqual(len(folders), 1, folders)
        self.assertRegex(folders[0], rf"_rank3_{os.getpid()}_oom$")
        return os.path.join(self.logs, folders[0])

    def text(self):
        with open(os.path.join(self.oom_folder(), "out_of_memory.txt"), encoding="utf-8") as file:
            return file.read()

    def test_one_folder_with_snapshot_log_and_failing_line(self):
        library = _library.library()
        library.check(library.start(f"dir={self.logs}".encode()))
        self.addCleanup(library.stop)
        self.attach(on_oom="1")
        self.torch.use_cuda()
        self.assertEqual(self.torch.calls, ["init", ("all", {"stacks": "python", "max_entries": 100_000})])
        self.calls()
        with self.heard(r"rank 3: Out of memory on GPU 1: 3\.0 MiB requested, 2\.0 MiB free\. What is known about it is in .*_oom\."), \
                self.assertRaises(OutOfMemory):
            train(self.torch)
        folder = self.oom_folder()
        self.assertEqual(sorted(re.sub(r".*\.", "", name) for name in os.listdir(folder)), ["pickle", "txt"])
        log = os.path.basename(folder).replace("_oom", ".rifflelog")
        self.assertEqual(self.calls(), [f"dump {folder}/{log}"])
        lines = self.text().splitlines()
        self.assertEqual(lines[0], "Out of memory on GPU 1: 3.0 MiB requested, 2.0 MiB free.")
        self.assertRegex(lines[1], rf"^Rank 3, process {os.getpid()} on ")
        stack = [line for line in lines if line.startswith("  File ") and not line.endswith("in allocate")]
        self.assertRegex(stack[-1], rf'"{re.escape(__file__)}", line \d+, in train$')
        self.assertNotIn("_oom.py", self.text())
        with self.heard(), self.assertRaises(OutOfMemory):
            train(self.torch)  # only the first one is written
        self.assertEqual(self.at_exit, [])

    def test_a_folder_that_cannot_be_written_is_said(self):
        self.attach(on_oom="1", dir=os.path.join(__file__, "below"))
        self.torch.use_cuda()
        with self.heard("is not complete: .*Not a directory"), self.assertRaises(OutOfMemory):
            train(self.torch)

    def test_a_failed_snapshot_leaves_the_rest(self):
        self.attach(on_oom="1")
        self.torch.use_cuda()
        self.torch.failure = OSError("No space left on device")
        with self.heard("was not written: No space left"), self.assertRaises(OutOfMemory):
            train(self.torch)
        self.assertEqual(os.listdir(self.oom_folder()), ["out_of_memory.txt"])

    def test_errors_that_end_the_program(self):
        seen = []
        for error, is_it in ((MemoryError(), True), (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), True),
                             (RuntimeError("CUDA error: out of memory"), True), (RuntimeError("shapes differ"), False), (ValueError("out of memory"), False)):
            self.assertEqual(_oom.is_out_of_memory(error), is_it, error)
        sys.excepthook = lambda *error: seen.append(error)
        self.attach(on_oom="1")
        try:
            raise MemoryError("no room")
        except MemoryError:
            error = sys.exc_info()
        with self.heard("Out of memory: no room"):
            sys.excepthook(*error)
        self.assertEqual(seen, [error])
        self.assertIn("raise MemoryError", self.text())

    def test_a_history_is_written_at_the_end(self):
        extras = self.attach(memory_history="7")
        self.assertEqual(self.torch.calls, [])  # CUDA is the program's to start
        self.torch.use_cuda()
        self.assertEqual(self.torch.calls[-1], ("all", {"stacks": "python", "max_entries": 7}))
        with self.heard():
            extras.stepped()
        self.assertEqual(len(self.at_exit), 1)
        with self.heard(r"Memory snapshot at the end: .*\.pickle"):
            self.at_exit[0][0](*self.at_exit[0][1:])
        self.assertRegex(os.listdir(self.logs)[0], r"_rank3_.*\.pickle$")

    def test_a_history_is_changed_and_ended_while_the_job_runs(self):
        unregistered = []
        mock.patch.object(_extras.atexit, "unregister", unregistered.append).start()
        self.addCleanup(mock.patch.stopall)
        extras = self.attach(memory_history="7")
        self.torch.use_cuda()
        with self.heard():
            self.assertEqual(extras.follow_history(7, lambda: self.fail("nothing has changed")), [])
        calls = len(self.torch.calls)
        with self.heard(r"The memory history ends: .*\.pickle"):
            self.assertEqual(extras.follow_history(9, lambda: self.logs), [])
        self.assertEqual(self.torch.calls[-1], ("all", {"stacks": "python", "max_entries": 9}))
        self.assertGreater(len(self.torch.calls), calls + 1)  # the first one has been ended before
        self.assertEqual(unregistered, [self.at_exit[0][0]])
        self.torch.use_cuda()  # what was queued for the start of CUDA starts nothing again
        self.assertTrue(extras.keeps_history())
        with self.heard(r"The memory history ends: .*\.pickle"):
            self.assertEqual(extras.follow_history(0, lambda: self.logs), [])
        self.assertFalse(extras.keeps_history())
        self.assertEqual(unregistered, [self.at_exit[0][0], self.at_exit[1][0]])

    def test_a_forked_child_keeps_no_history(self):
        waits = self.attach(memory_history="7")
        with mock.patch.object(os, "getpid", lambda: 1):
            self.torch.use_cuda()  # its copy of what waits for CUDA
            self.assertFalse(waits.keeps_history())
        self.assertEqual(self.torch.calls, [])
        self.torch.use_cuda()
        with mock.patch.object(os, "getpid", lambda: 1), self.heard():
            self.at_exit[0][0](*self.at_exit[0][1:])
            self.assertEqual(waits.follow_history(0, lambda: self.logs), [])
        self.assertEqual(os.listdir(self.logs), [])

    def test_after_the_history_an_out_of_memory_error_still_leaves_its_folder(self):
        extras = self.attach(memory_history="7", on_oom="1")
        self.torch.use_cuda()
        with self.heard(r"The memory history ends: .*\.pickle"):
            extras.follow_history(0, lambda: self.logs)
        self.assertEqual(self.torch.calls[-1], ("all", {"stacks": "python", "max_entries": _extras.DEFAULT_ENTRIES}))
        self.assertFalse(extras.keeps_history())

    def test_a_rank_that_is_left_out_keeps_no_history(self):
        self.attach(memory_history="7", on_oom="1", left_out="1")
        self.assertEqual(self.torch.queued, [])

    def test_without_cuda_one_line_says_so(self):
        self.torch.cuda.is_available = lambda: False
        extras = self.attach(memory_history="7", on_oom="1")
        with self.heard("^riffle: rank 3: The history of GPU memory is not recorded: PyTorch has no CUDA device here.\n$"):
            extras.stepped()
        with self.heard():
            self.attach().stepped()
        self.assertEqual(len(self.torch.queued), 1)

    def test_no_error_reaches_the_program(self):
        self.attach(memory_history="7", on_oom="1")
        self.torch.cuda.is_available = None
        with self.heard("Memory is not recorded: "):
            self.torch.use_cuda()


class LateLibrary(StubCase):
    def test_the_library_is_loaded_by_the_first_call(self):
        late = _extras.LateLibrary()
        late.range_push_category(b"a", b"b")
        late.range_pop()
        self.assertEqual(len(self.calls()), 2)

    def test_without_a_library_calls_do_nothing(self):
        with mock.patch.object(_extras._library, "library", side_effect=_library.LibraryError("gone")):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                late = _extras.LateLibrary()
                late.range_push_category(b"a", b"b")
                late.range_push_category(b"a", b"b")
        self.assertEqual(said.getvalue(), "riffle: Modules are not recorded: gone.\n")
