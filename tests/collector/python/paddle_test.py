# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests the recording of Paddle with a small module that has Paddle's names, and with the stub of the library."""

import io
import os
import sys
import threading
import types
import unittest
from contextlib import redirect_stderr
from unittest import mock

from stub_case import StubCase

from riffle_profiler import _paddle, _paddle_events


def small_paddle():
    """A module with the parts of Paddle that the agent uses."""
    paddle, utils = types.ModuleType("paddle"), types.ModuleType("paddle.profiler.utils")
    paddle.__version__, paddle.dynamic = "3.0", True
    paddle.in_dynamic_mode = lambda: paddle.dynamic
    kinds = types.SimpleNamespace(__members__={"Operator": 0, "Forward": 9, "Later": 40})
    paddle.base = types.SimpleNamespace(core=types.SimpleNamespace(TracerEventType=kinds))
    utils._is_profiler_used = False
    exec("def in_profiler_mode(): return _is_profiler_used\n"
         "def backward(inner):\n"
         "    if in_profiler_mode(): event = 1\n"
         "    inner()\n"
         "    if in_profiler_mode(): event += 1\n", utils.__dict__)
    paddle.profiler = types.SimpleNamespace(utils=utils)

    class Optimizer:
        def __init__(self):
            self.log = []

        def step(self):
            self.log.append("step")

        def minimize(self, loss):
            self.log.append("minimize")
            return "result"

    class AdamW(Optimizer):  # as in Paddle, does not call the base class's __init__
        def __init__(self):
            self.log = []

        def step(self):
            super().step()

    class AmpScaler:
        def minimize(self, optimizer, loss):
            return optimizer.minimize(loss) if loss == "finite" else None

    class GradScaler(AmpScaler):
        def step(self, optimizer, finite=True):
            if finite:
                optimizer.step()

    paddle.optimizer = types.SimpleNamespace(Optimizer=Optimizer, AdamW=AdamW)
    paddle.amp = types.SimpleNamespace(GradScaler=GradScaler)
    return paddle


class PaddleTest(StubCase):
    def setUp(self):
        super().setUp()
        self.paddle = small_paddle()
        self.utils = self.paddle.profiler.utils
        # In a job the agent is a copy of the package under another name.
        hidden = mock.patch.dict(sys.modules)
        hidden.start()
        self.addCleanup(hidden.stop)
        sys.modules.pop("riffle_profiler")
        self.exit = os._exit
        self.addCleanup(setattr, os, "_exit", self.exit)

    def attach(self, **chosen):
        self.agent = _paddle.PaddleAgent({"operators": "1", **chosen}, self.paddle)
        self.agent.attach()
        self.addCleanup(self.agent.leave)

    def functions(self):
        kinds = (self.paddle.optimizer.Optimizer, self.paddle.optimizer.AdamW, *self.paddle.amp.GradScaler.__mro__[:2])
        return [dict(vars(kind)) for kind in kinds] + [os._exit, self.utils._is_profiler_used]

    def steps(self):
        return [call for call in self.calls() if call.startswith("step")]

    def test_steps_stages_and_events(self):
        self.attach()
        self.assertEqual(self.calls(), [])  # a process that only imports Paddle writes no log
        optimizer = self.paddle.optimizer.AdamW()
        self.assertEqual(self.calls(), ["paddle events", "step 0"])
        self.assertTrue(self.utils.in_profiler_mode())
        optimizer.step()
        self.assertEqual(self.calls(), ["push Optimization Step [Optimization]", "pop", "step 1"])
        self.assertEqual(optimizer.minimize("loss"), "result")
        self.assertEqual(self.steps(), ["step 2"])
        self.assertEqual(optimizer.log, ["step", "minimize"])

    def test_an_optimizer_that_existed_before(self):
        optimizer = self.paddle.optimizer.AdamW()
        self.attach()
        optimizer.step()
        self.assertEqual(self.steps(), ["step 0", "step 1"])

    def test_the_first_optimizer_counts(self):
        self.attach()
        first, second = self.paddle.optimizer.AdamW(), self.paddle.optimizer.Optimizer()
        for optimizer in (first, second, first, second):
            optimizer.step()
        self.assertEqual(self.steps(), ["step 0", "step 1", "step 2"])

    def test_optimizers_of_the_program(self):
        self.attach()
        inner = self.paddle.optimizer.AdamW()

        class Around(self.paddle.optimizer.Optimizer):
            def step(self):
                inner.step()
                inner.step()

        around = Around()
        around.step()
        around.step()
        self.assertEqual(self.steps(), ["step 0", "step 1", "step 2"])

        class Wrapper:  # as fleet's: no optimizer itself
            _inner_opt = around

            def step(self):
                around.step()

        self.paddle.amp.GradScaler().step(Wrapper())
        self.paddle.amp.GradScaler().step(Wrapper(), finite=False)
        self.assertEqual(self.steps(), ["step 3", "step 4"])

    def test_a_scaler_that_leaves_the_optimizer_out(self):
        self.attach()
        optimizer, scaler = self.paddle.optimizer.AdamW(), self.paddle.amp.GradScaler()
        scaler.step(optimizer)
        scaler.step(optimizer, finite=False)
        scaler.minimize(optimizer, "finite")
        scaler.minimize(optimizer, "infinite")
        self.assertEqual(self.steps(), [f"step {number}" for number in range(5)])

    def test_an_error_of_a_step_is_the_programs(self):
        self.attach()

        class Failing(self.paddle.optimizer.Optimizer):
            def step(self):
                raise KeyError("theirs")

        optimizer = Failing()
        with self.assertRaisesRegex(KeyError, "theirs"):
            optimizer.step()
        self.assertEqual(self.calls()[-2:], ["push Optimization Step [Optimization]", "pop"])
        self.paddle.optimizer.Optimizer.step(optimizer)
        self.assertEqual(self.steps(), ["step 1"])

    def test_static_mode_has_no_steps(self):
        self.attach()
        self.paddle.dynamic = False
        self.assertEqual(self.paddle.optimizer.Optimizer().minimize("loss"), "result")
        self.assertEqual(self.calls(), [])

    def test_nothing_is_left_after_a_schedule(self):
        before = self.functions()
        self.attach(schedule="wait=1,warmup=0,active=1,repeat=1")
        optimizer = self.paddle.optimizer.AdamW()
        self.assertEqual(self.calls(), ["step 0"])
        self.assertFalse(self.utils.in_profiler_mode())
        optimizer.step()
        self.assertEqual(self.calls(), ["paddle events", "step 1"])
        optimizer.step()
        self.assertEqual(self.calls(), ["push Optimization Step [Optimization]", "pop", "step 2", "no paddle events"])
        self.assertEqual(self.functions(), before)
        optimizer.step()
        self.assertEqual(self.calls(), [])

    def test_functions_that_somebody_else_keeps(self):
        self.attach()
        kind = self.paddle.optimizer.Optimizer
        ours = kind.step
        kind.step = theirs = lambda optimizer: ours(optimizer)
        self.agent.leave()
        self.assertIs(kind.step, theirs)
        kind().step()
        self.assertEqual(self.calls(), [])

    def test_paddles_own_profiler(self):
        self.attach()
        optimizer = self.paddle.optimizer.AdamW()
        self.utils._is_profiler_used = True   # it starts
        optimizer.step()
        self.assertIs(self.utils._is_profiler_used, True)
        self.utils._is_profiler_used = False  # it stops
        optimizer.step()
        self.assertTrue(self.utils.in_profiler_mode())
        self.utils._is_profiler_used = True
        self.agent.leave()
        self.assertIs(self.utils._is_profiler_used, True)

    def test_paddles_profiler_has_made_the_optimizers_report_the_stage(self):
        self.attach()
        optimizer = self.paddle.optimizer.AdamW()
        self.utils._has_optimizer_wrapped = True
        self.calls()
        optimizer.step()
        self.assertEqual(self.calls(), ["step 1"])

    def test_the_mode_does_not_start_inside_a_function_that_it_would_break(self):
        self.attach()
        made = []
        self.utils.backward(lambda: made.append(self.paddle.optimizer.AdamW()))
        self.assertEqual(self.calls(), ["paddle events", "step 0"])
        self.assertFalse(self.utils.in_profiler_mode())
        made[0].step()
        self.assertTrue(self.utils.in_profiler_mode())

    def test_nor_while_another_thread_is_in_it(self):
        self.attach()
        entered, go = threading.Event(), threading.Event()
        thread = threading.Thread(target=self.utils.backward, args=(lambda: entered.set() or go.wait(),))
        thread.start()
        entered.wait()
        optimizer = self.paddle.optimizer.AdamW()
        self.assertFalse(self.utils.in_profiler_mode())
        go.set()
        thread.join()
        optimizer.step()
        self.assertTrue(self.utils.in_profiler_mode())

    def test_what_cannot_be_had_is_said(self):
        os.environ["RIFFLE_STUB_NO_PADDLE"] = "1"
        self.addCleanup(os.environ.pop, "RIFFLE_STUB_NO_PADDLE")
        said = io.StringIO()
        with redirect_stderr(said):
            self.attach(shapes="1", memory_history="1000", on_oom="0")
            optimizer = self.paddle.optimizer.AdamW()
            optimizer.step()
        self.assertEqual(said.getvalue(), "riffle: With Paddle, --shapes and --memory-history record nothing.\n"
                                          "riffle: Operators and stages of Paddle 3.0 are not recorded: Paddle does not report its events.\n")
        self.assertEqual(self.calls(), ["step 0", "step 1"])
        self.assertFalse(self.utils.in_profiler_mode())

    def test_without_operators_there_are_steps(self):
        self.attach(operators="0")
        self.paddle.optimizer.AdamW().step()
        self.assertEqual(self.calls(), ["step 0", "step 1"])

    def test_an_error_of_ours_ends_the_recording_and_not_the_program(self):
        self.attach()
        optimizer, said = self.paddle.optimizer.AdamW(), io.StringIO()
        with redirect_stderr(said), mock.patch.object(_paddle_events.PaddleEvents, "enable", side_effect=RuntimeError("ours")):
            optimizer.step()
        self.assertEqual(said.getvalue(), "riffle: Steps and operators of Paddle are no longer recorded: ours.\n")
        optimizer.step()
        self.assertEqual(optimizer.log, ["step", "step"])

    def test_the_steps_of_pytorch_count(self):
        agent = types.ModuleType("riffle_profiler._agent")
        agent._current = types.SimpleNamespace(step=3)
        sys.modules["riffle_profiler._agent"] = agent
        before = self.functions()
        self.attach()
        self.paddle.optimizer.AdamW().step()
        self.assertEqual(self.calls(), [])
        self.assertEqual(self.functions(), before)

    def test_a_profile_of_the_program_takes_over(self):
        self.attach()
        optimizer = self.paddle.optimizer.AdamW()
        self.calls()
        _paddle.hand_over()
        optimizer.step()
        self.assertEqual(self.calls(), ["no paddle events"])


if __name__ == "__main__":
    unittest.main()
