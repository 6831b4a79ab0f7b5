# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The part of riffle-cli record for programs that use Paddle. As with PyTorch, the program must not be affected, and Paddle is
never imported by us."""

import atexit
import contextlib
import sys

from . import _library
from ._exit import ExitWatch
from ._paddle_events import PaddleEvents
from ._paddle_steps import PaddleSteps
from ._say import say, sentence
from ._schedule import ProfilerAction, always, schedule
from ._startup import options

NOT_FOLLOWING = -1  # the depth of ranges where nothing is recorded or may be
_STAGE = (b"Optimization Step", b"Optimization")  # the name that Paddle's profiler gives to the stage, and its category

_current = None  # the process's agent for Paddle


def hand_over():
    """Stops recording Paddle, because riffle.profile marks the steps from now on."""
    if _current:
        _current.leave()


class PaddleAgent:
    """Records steps, operators and stages. The steps are those of the optimizer that steps first."""

    def __init__(self, chosen, paddle):
        global _current
        _current = self
        settings = options(chosen.get("schedule", "").replace(",", "\n"))
        self.schedule = schedule(**{name: int(value) for name, value in settings.items()}) if settings else always
        self.paddle = paddle
        self.events = PaddleEvents(paddle) if chosen.get("operators") == "1" else None
        self.missing = [option for option, key in (("--shapes", "shapes"), ("--memory-history", "memory_history"),
                                                   ("--on-oom", "on_oom")) if chosen.get(key, "0") != "0"]
        self.step, self.optimizer = -1, None
        self.library = None
        self.done = False
        self.exit = ExitWatch()
        self.steps = PaddleSteps(paddle, self.before_first_step, self.after_step, self.around)

    def attach(self):
        self.guarded(self.steps.watch)

    def guarded(self, action, *args):
        """Runs an action, whose error is reported and ends the recording instead of reaching the program."""
        try:
            if not self.done:
                action(*args)
        except Exception as error:
            say(f"Steps and operators of Paddle are no longer recorded: {sentence(error)}")
            with contextlib.suppress(Exception):
                self.leave()

    def before_first_step(self):
        """Starts the first step when the program makes its first optimizer: earlier work of the program does not belong to it."""
        if self.step < 0 and "riffle_profiler" not in sys.modules:  # a riffle.profile may be about to start
            self.guarded(self.begin, 0)

    def after_step(self, optimizer):
        optimizer = getattr(optimizer, "_inner_opt", optimizer)  # what fleet's optimizers are wrapped around
        if self.optimizer is None:
            self.optimizer = id(optimizer)
        if id(optimizer) == self.optimizer:
            if self.step < 0:
                self.guarded(self.begin, 0)
            self.guarded(self.begin, self.step + 1)

    @contextlib.contextmanager
    def around(self):
        # Once Paddle's own profiler has run, Paddle's optimizers report the stage themselves.
        library = self.library if self.events and self.events.enabled and not self.events.has_stage_of_steps() else None
        if library:
            library.range_push_category(*_STAGE)
        try:
            yield
        finally:
            if library:
                library.range_pop()

    def begin(self, step):
        if _torch_steps():
            self.leave()
            return
        if self.step < 0:
            self.library = _library.library()
            self.library.process_info(b"paddle", str(self.paddle.__version__).encode())
            self.exit.watch()
            atexit.register(_library.end_at_exit)
            if self.missing:
                say(f"With Paddle, {' and '.join(self.missing)} record{'s' * (len(self.missing) == 1)} nothing.")
        self.step = step
        # The collector records by its own copy of the schedule; this copy only decides when events are worth their cost.
        # They are not if the recording has ended, for example from outside; it may be started again.
        wanted = self.schedule(step) is not ProfilerAction.NONE and self.library.range_depth() != NOT_FOLLOWING
        if wanted:
            self.enable()
        self.library.step(step)
        if not wanted and self.events:
            self.events.disable()
        if self.schedule is not always and self.schedule.end is not None and step >= self.schedule.end:
            self.leave()

    def enable(self):
        try:
            if self.events:
                self.events.enable()
        except _library.OptionError as error:
            say(f"Operators and stages of Paddle {self.paddle.__version__} are not recorded: {sentence(error)}")
            self.events = None

    def leave(self):
        """Gives back everything, because no steps are marked any more."""
        self.done = True
        self.steps.leave()
        self.exit.leave()
        if self.events:
            self.events.disable()


def _torch_steps():
    """True if the agent for PyTorch marks steps in this process; those count."""
    agent = sys.modules.get(__package__ + "._agent")
    return bool(agent and agent._current and agent._current.step >= 0)
