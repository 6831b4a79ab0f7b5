# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The part of riffle-cli record that runs inside an unmodified Python program. The program must not be affected: no error
leaves this module, and nothing is loaded before the program has imported PyTorch."""

import atexit
import functools
import sys
import threading

from . import _library, _rank
from ._exit import ExitWatch
from ._extras import Extras
from ._operators import Operators, give_way
from ._optimizers import Optimizers
from ._schedule import ProfilerAction, always, schedule
from ._startup import options

NOT_FOLLOWING = -1  # the depth of ranges where nothing is recorded or may be

_current = None  # the process's agent


def hand_over():
    """Stops marking steps, because riffle.profile marks them from now on."""
    if _current:
        _current.hand_over()


def quietly(function):
    """Decorates a method so that its first error is reported once and disables the agent instead of being raised."""
    @functools.wraps(function)
    def call(self, *args, **kwargs):
        try:
            if not self.broken:
                function(self, *args, **kwargs)
        except Exception as error:
            self.broken = True
            self.say(f"Steps and operators are no longer recorded: {error}")

    return call


class AtThreadEnd:
    """Runs an action when a thread ends: stored in a threading.local, it is deleted by the ending thread itself."""

    def __init__(self, action):
        self.action = action

    def __del__(self):
        self.action()


class Agent:
    """Records steps and operators of the training thread."""

    def __init__(self, chosen):
        settings = options(chosen.get("schedule", "").replace(",", "\n"))
        self.schedule = schedule(**{name: int(value) for name, value in settings.items()}) if settings else always
        self.scheduled = bool(settings)
        self.shapes = chosen.get("shapes") == "1"
        self.operators = Operators() if chosen.get("operators") == "1" else None
        self.extras = Extras(chosen)
        self.local = threading.local()
        self.step = -1          # -1 before the first step
        self.depth = 0          # the number of the program's ranges that were open at the start of the last step
        self.optimizer = None   # id of the optimizer whose steps count
        self.exit = self.optimizers = None
        self.broken = self.done = False

    def say(self, text):
        rank = _rank.rank()
        print(f"riffle: {'' if rank is None else f'rank {rank}: '}{text}", file=sys.stderr, flush=True)

    @quietly
    def attach(self):
        """Attaches the hooks; called when PyTorch has just been imported."""
        import torch

        global _current
        _current = self
        self.torch = torch
        give_way(torch)
        self.extras.attach(torch)
        # If another thread imports PyTorch, operators are recorded on the thread that starts the first step.
        if not self.scheduled and threading.current_thread() is threading.main_thread():
            self.enable()
        atexit.register(self.at_exit)
        self.exit = ExitWatch()
        self.exit.watch()
        self.optimizers = Optimizers(torch, self.before_first_step, self.after_step)
        self.optimizers.watch()

    @quietly
    def before_first_step(self):
        """Starts the first step when the program makes its first optimizer: earlier work of the program does not belong to it."""
        if self.step < 0 and not self.done and "riffle_profiler" not in sys.modules:  # a riffle.profile may be about to start
            self.begin(0)

    @quietly
    def after_step(self, optimizer):
        if self.optimizer is None:
            self.optimizer = id(optimizer)
        if id(optimizer) == self.optimizer and not self.done:
            if self.step < 0:
                self.begin(0)
            self.begin(self.step + 1)

    def begin(self, step):
        if self.step < 0:
            self.library = _library.library()
            self.library.process_info(b"torch", str(self.torch.__version__).encode())
        self.step = step
        action = self.schedule(step)
        depth = self.library.range_depth()  # before step(), which may end the recording
        # The collector records by its own copy of the schedule; this copy only decides when operators are worth their cost.
        # They are not if the recording has ended, for example from outside; it may be started again.
        wanted = action is not ProfilerAction.NONE and depth != NOT_FOLLOWING
        if wanted:
            self.enable()
        self.library.step(step)
        if not wanted:
            self.extras.disable()
            if self.operators:
                self.operators.disable(self.depth if depth == NOT_FOLLOWING else depth)
        if depth != NOT_FOLLOWING:
            self.depth = depth
        if step == 1:
            self.extras.stepped()
        self.done = self.scheduled and self.schedule.end is not None and step >= self.schedule.end
        if self.done:
            self.leave()

    def leave(self):
        """Gives back what steps need, because none are marked any more."""
        for source in (self.optimizers, self.exit):
            if source:
                source.leave()

    @quietly
    def hand_over(self):
        self.done = True
        self.leave()
        if self.operators:  # the profile has an observer of its own
            self.operators.disable(_library.library().range_depth())

    def enable(self):
        self.extras.enable()
        if self.operators and not self.operators.enabled:
            try:
                self.operators.enable(self.shapes)
                if threading.current_thread() is not threading.main_thread():
                    self.local.end = AtThreadEnd(self.operators.disable)  # for the same reason as at_exit()
            except _library.OptionError as error:
                self.say(f"Operators are not recorded: {error}")
                if not self.scheduled:
                    self.operators = None

    def at_exit(self):
        if self.operators:
            self.operators.disable()  # PyTorch warns if an observer outlives its thread
