# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests how the agent follows the library's wishes, with a library that only has wishes."""

import atexit
import contextlib
import ctypes
import io
import os
import sys
import threading
import types
import unittest
from unittest import mock

try:
    import torch
except ImportError:
    torch = None

from riffle_profiler import _agent, _channel, _library
from stub_case import KIND

LOOK = b"__import__('sys').modules['riffle_profiler._channel'].look_up()"


class FakeLibrary:
    path = os.environ["RIFFLE_COLLECTOR"]

    def __init__(self):
        self.wishes = _library.Wishes(size=ctypes.sizeof(_library.Wishes), changes=1, steps=1)
        self.depth, self.said = 0, []

    def wish(self, **wishes):
        for name, value in wishes.items():
            setattr(self.wishes, name, value)
        self.wishes.changes += 1

    agent_wishes = lambda self: ctypes.pointer(self.wishes)  # noqa: E731
    range_depth = lambda self: self.depth  # noqa: E731
    agent_says = lambda self, changes, text: self.said.append((changes, text.decode()))  # noqa: E731
    itt_connected = lambda self: 1  # noqa: E731
    agent_ends = lambda self: self.said.append("ends")  # noqa: E731
    close = lambda self: self.said.append("closed")  # noqa: E731
    process_info = step = lambda self, *_: None  # noqa: E731


@unittest.skipIf(torch is None or torch.version.cuda is None, "needs a PyTorch that can report its operators")
class ChannelTest(unittest.TestCase):
    def setUp(self):
        self.library = FakeLibrary()
        original = _library.library, _library.in_process
        self.addCleanup(lambda: (setattr(_library, "library", original[0]), setattr(_library, "in_process", original[1])))
        _library.library = _library.in_process = lambda: self.library
        self.agent = _agent.Agent({"operators": "1", "schedule": "active=1"})
        self.addCleanup(setattr, _agent, "_current", None)
        self.agent.attach()
        self.addCleanup(atexit.unregister, self.agent.at_exit)
        self.addCleanup(self.agent.leave)
        self.addCleanup(self.agent.operators.disable)

    def kind(self):
        return str(torch._C._autograd._profiler_type()).rsplit(".", 1)[-1]

    def test_wishes_are_followed_at_the_next_step(self):
        self.agent.begin(0)
        self.library.wish(operators=1)
        self.assertEqual(self.kind(), "NONE")
        self.agent.begin(1)
        self.assertEqual(self.kind(), KIND)
        self.library.wish(operators=0)
        self.agent.begin(2)
        self.assertEqual((self.kind(), self.library.said[-1][0]), ("NONE", 3))
        said = len(self.library.said)
        self.agent.begin(3)
        self.assertEqual(len(self.library.said), said)  # there is nothing new

    def test_the_observer_stays_while_a_range_is_open(self):
        self.agent.begin(0)
        self.library.wish(operators=1)
        self.agent.begin(1)
        with torch.profiler.record_function("iteration"):
            self.library.depth = 1
            self.library.wish(operators=0)
            for step in (2, 3):
                self.agent.begin(step)
                self.assertEqual(self.kind(), KIND)
                self.assertIn("operators=later", self.library.said[-1][1])
            self.library.depth = -1  # the recording has ended, so nobody counts any more
            self.agent.begin(4)
            self.assertEqual(self.kind(), KIND)
        self.assertEqual(self.kind(), "NONE")
        self.agent.begin(5)
        self.assertIn("operators=off", self.library.said[-1][1])

    def test_an_end_that_waits_is_taken_back(self):
        self.library.wish(operators=1)
        self.agent.begin(0)
        with torch.profiler.record_function("iteration"):
            self.library.depth = 1
            self.library.wish(operators=0)
            self.agent.begin(1)
            self.library.wish(operators=1)
            self.agent.begin(2)
        self.assertEqual(self.kind(), KIND)

    def test_a_thread_that_trains_has_an_observer_of_its_own(self):
        kinds = []

        def train():
            for step, wanted in enumerate((1, 0, 1, 1, 0, 1), 1):
                self.library.wish(operators=wanted)
                self.agent.begin(step)
                kinds.append(self.kind())

        self.library.wish(operators=1)
        self.agent.begin(0)  # the main thread makes the optimizer
        self.assertEqual(self.kind(), KIND)
        for _ in range(2):  # the second thread may get the number of the first one
            thread = threading.Thread(target=train)
            thread.start()
            thread.join()
        self.assertEqual(kinds, [KIND, "NONE", KIND, KIND, "NONE", KIND] * 2)
        _channel.look_up()
        self.assertEqual(self.kind(), KIND)
        self.library.wish(operators=0)
        _channel.look_up()
        self.assertEqual(self.kind(), "NONE")

    def test_a_thread_that_goes_on_training_follows_what_is_wished_already(self):
        self.library.wish(operators=1)
        self.agent.begin(0)
        kinds = []
        for _ in range(2):
            thread = threading.Thread(target=lambda: kinds.append((self.agent.begin(1), self.kind())[1]))
            thread.start()
            thread.join()
        self.assertEqual(kinds, [KIND] * 2)
        self.agent.begin(2)
        self.assertEqual(self.kind(), KIND)

    def test_a_look_while_a_range_starts_leaves_the_observer(self):
        class Starting(torch.profiler.record_function):
            def __enter__(self):
                handle = torch.ops.profiler._record_function_enter_new(self.name, self.args)
                _channel.look_up()  # the interpreter may call it here
                self.record = handle
                return self

        for depth in (1, -1):  # -1: the recording has ended, so nobody counts
            self.library.depth = 0
            self.library.wish(operators=1)
            self.agent.begin(0)
            self.library.wish(operators=0)
            self.library.depth = depth
            with Starting("range"):
                self.assertEqual(self.kind(), KIND)
            self.library.depth = 0
            self.agent.begin(1)
            self.assertEqual(self.kind(), "NONE")

    def test_operators_follow_when_another_profiler_has_ended(self):
        self.library.wish(operators=1)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
            for step in range(3):
                self.agent.begin(step)
                self.assertIn("operators=later", self.library.said[-1][1])
            self.assertNotEqual(self.kind(), KIND)
        self.agent.begin(3)
        self.assertEqual(self.kind(), KIND)
        self.assertIn("operators=on", self.library.said[-1][1])

    def test_what_steps_need_is_given_back_at_the_end_and_taken_again(self):
        self.agent.leave()
        undisturbed = torch.optim.Optimizer.profile_hook_step
        self.agent.watch()
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
        optimizer.step()
        self.assertEqual(self.agent.step, 1)
        self.assertIsNot(torch.optim.Optimizer.profile_hook_step, undisturbed)
        self.library.wish(steps=0)
        optimizer.step()
        self.assertEqual(self.agent.step, 2)
        self.assertIs(torch.optim.Optimizer.profile_hook_step, undisturbed)
        optimizer.step()
        self.assertEqual(self.agent.step, 2)
        _channel.look_up()
        self.assertIs(torch.optim.Optimizer.profile_hook_step, undisturbed)
        self.library.wish(steps=1, operators=1)
        _channel.look_up()
        self.assertEqual(self.kind(), KIND)
        optimizer.step()
        self.assertEqual(self.agent.step, 3)
        self.agent.done = True  # riffle.profile marks the steps
        self.agent.leave()
        _channel.look_up()
        self.assertIs(torch.optim.Optimizer.profile_hook_step, undisturbed)

    def test_the_interpreter_looks_without_a_step(self):
        call = ctypes.PyDLL(None).Py_AddPendingCall
        call.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        text = ctypes.create_string_buffer(LOOK)
        run = ctypes.cast(ctypes.pythonapi.PyRun_SimpleString, ctypes.c_void_p)
        for wanted, kind in ((1, KIND), (0, "NONE")):
            self.library.wish(operators=wanted)
            self.assertEqual(call(run, ctypes.addressof(text)), 0)
            for _ in range(1000):
                pass
            self.assertEqual(self.kind(), kind)
        self.assertNotIn("text", vars(sys.modules["__main__"]))

    def test_nothing_is_switched_within_a_backward_pass(self):
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(context, value):
                return value * 2

            @staticmethod
            def backward(context, gradient):
                _channel.look_up()
                return gradient * 2

        self.agent.begin(0)
        self.library.wish(operators=1)
        Twice.apply(torch.ones(2, requires_grad=True)).sum().backward()
        self.assertEqual(self.kind(), "NONE")
        _channel.look_up()
        self.assertEqual(self.kind(), KIND)

    def test_modules_follow_at_the_next_look(self):
        call = torch.nn.Module.__call__
        self.agent.begin(0)
        for wanted in (1, 0):
            self.library.wish(modules=wanted)
            _channel.look_up()
            self.assertEqual(torch.nn.Module.__call__ is not call, bool(wanted))

    def test_operators_come_back_after_a_change_within_a_range(self):
        """In a job without steps, whose work runs in a range that is open whenever the interpreter looks."""
        self.library.wish(operators=1)
        _channel.look_up()
        with torch.profiler.record_function("request"):
            self.library.depth = 1
            self.library.wish(shapes=1)
            _channel.look_up()
            self.assertEqual((self.kind(), self.agent.operators.shapes), (KIND, False))
            self.library.depth = 0
        self.assertEqual((self.kind(), self.agent.operators.shapes), (KIND, True))
        self.assertIn("operators=on", self.library.said[-1][1])

    def test_the_observer_stays_until_a_step_while_an_operator_calls_python(self):
        self.library.wish(operators=1)
        _channel.look_up()
        self.library.depth = 1  # of the operator; no range is the program's
        self.library.wish(operators=0)
        _channel.look_up()
        self.assertEqual(self.kind(), KIND)
        self.library.depth = 0
        self.agent.begin(0)
        self.assertEqual(self.kind(), "NONE")

    def test_a_profile_of_the_program_decides(self):
        call = torch.nn.Module.__call__
        self.library.wish(operators=1, modules=1)
        _channel.look_up()
        self.assertTrue(_agent.hand_over())
        self.assertEqual(self.kind(), "NONE")
        self.assertIs(torch.nn.Module.__call__, call)
        self.library.wish(shapes=1)
        _channel.look_up()
        self.assertEqual(self.kind(), "NONE")
        self.assertIs(torch.nn.Module.__call__, call)
        self.assertIn("note=Operators and modules are recorded as the program's riffle.profile decides.", self.library.said[-1][1])

    def test_a_look_within_a_look_waits_for_its_end(self):
        entered = []

        def follow_history(entries, folder):
            entered.append(entries)
            if len(entered) == 1:
                self.library.wish(memory_history=7)
                _channel.look_up()  # as the interpreter does while a snapshot is written
                self.assertEqual(entered, [0])
            return []

        self.agent.extras.follow_history = follow_history
        self.agent.begin(0)
        self.assertEqual((entered, self.library.said[-1][0]), ([0, 7], 2))

    def test_torch_compile_does_not_see_a_look(self):
        dynamo = torch._C._dynamo.eval_frame
        if not hasattr(dynamo, "set_code_exec_strategy"):
            self.skipTest("this PyTorch asks for each frame in another way")
        seen, frames = [], []
        action = dynamo._FrameAction.DEFAULT
        answer = types.SimpleNamespace(frame_exec_strategy=dynamo._FrameExecStrategy(action, action), guarded_code=None, apply_to_code=False)
        self.agent.extras.follow_history = lambda *_: seen.append(dynamo.set_eval_frame(None)) or []
        before = dynamo.set_eval_frame(lambda frame, *_: frames.append(frame.f_code.co_name) or answer)
        try:
            _channel.look_up()
        finally:
            dynamo.set_eval_frame(before)
        self.assertEqual((seen, frames), ([None], []))

    def test_a_memory_history_without_a_gpu_is_refused(self):
        if torch.cuda.is_available():
            self.skipTest("this machine has a GPU")
        self.library.wish(memory_history=100)
        _channel.look_up()
        self.assertIn("\nrefused=memory_history: PyTorch has no CUDA device here.", self.library.said[-1][1])

    def test_an_error_is_said_once_even_without_stderr(self):
        self.agent.begin(0)
        self.library.step = lambda step: 1 // 0
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            said.close()  # so that each line that is written raises
            optimizer.step()
        self.assertTrue(self.agent.broken)

    def test_the_channel_ends_with_the_interpreter(self):
        with mock.patch.object(_library, "ended", False):
            self.agent.at_exit()
            self.assertTrue(_library.ended)
        self.assertEqual(self.library.said, ["ends", "closed"])
        self.library.wish(operators=1)
        _channel.look_up()
        self.assertEqual(self.kind(), "NONE")


if __name__ == "__main__":
    unittest.main()
