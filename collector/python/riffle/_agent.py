# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What riffle-cli record does inside a Python process that knows nothing of it. The process must never notice: no error
leaves this module, and nothing is loaded before the program has imported PyTorch."""

import atexit
import functools
import importlib
import sys
import threading

from . import _library, _rank
from ._operators import Operators, give_way
from ._schedule import ProfilerAction, always, schedule
from ._startup import options

_current = None  # the process's agent


def hand_over():
    """riffle.profile marks the steps from now on."""
    if _current:
        _current.done = True


def quietly(function):
    """An error is told once and changes nothing."""
    @functools.wraps(function)
    def call(self, *args, **kwargs):
        try:
            if not self.broken:
                function(self, *args, **kwargs)
        except Exception as error:
            self.broken = True
            self.say(f"steps and operators are no longer recorded: {error}")

    return call


class AtThreadEnd:
    """In a threading.local: the thread itself deletes it as it ends."""

    def __init__(self, action):
        self.action = action

    def __del__(self):
        self.action()


class Agent:
    """Steps and operators of the thread that trains."""

    def __init__(self, chosen):
        settings = options(chosen.get("schedule", "").replace(",", "\n"))
        self.schedule = schedule(**{name: int(value) for name, value in settings.items()}) if settings else always
        self.scheduled = bool(settings)
        self.shapes = chosen.get("shapes") == "1"
        self.operators = Operators() if chosen.get("operators") == "1" else None
        self.local = threading.local()
        self.step = -1          # none yet
        self.optimizer = None   # id of the one whose steps count
        self.broken = self.done = False

    def say(self, text):
        rank = _rank.rank()
        print(f"riffle: {'' if rank is None else f'rank {rank}: '}{text}", file=sys.stderr, flush=True)

    @quietly
    def attach(self):
        """PyTorch has just been imported."""
        import torch

        global _current
        _current = self
        self.torch = torch
        give_way(torch)
        # Where another thread imports PyTorch, operators are those of the thread that begins the first step.
        if not self.scheduled and threading.current_thread() is threading.main_thread():
            self.enable()
        self.first_forward = torch.nn.modules.module.register_module_forward_pre_hook(self.before_forward)
        atexit.register(self.at_exit)
        self.hook_optimizers(importlib.import_module("torch.optim.optimizer"))

    def hook_optimizers(self, module):
        # PyTorch's own hook runs within the range of the optimizer's step. A step that ended there would cross that range,
        # and operators cannot be switched off inside it without a warning. So this one is around it.
        original = module.Optimizer.profile_hook_step

        def profile_hook_step(step):
            hooked = original(step)

            @functools.wraps(hooked)
            def call(optimizer, *args, **kwargs):
                result = hooked(optimizer, *args, **kwargs)
                self.after_step(optimizer)
                return result

            return call

        module.Optimizer.profile_hook_step = staticmethod(profile_hook_step)

    @quietly
    def before_forward(self, *_):
        """The first step begins with the first forward pass: what a program does before is none of it."""
        self.first_forward.remove()
        if self.step < 0 and not self.done:
            self.begin(0)

    @quietly
    def after_step(self, optimizer):
        if self.optimizer is None:
            self.optimizer = id(optimizer)
        if id(optimizer) == self.optimizer and not self.done:
            self.begin(max(self.step, 0) + 1)

    def begin(self, step):
        if self.step < 0:
            self.library = _library.library()
            self.library.process_info(b"torch", str(self.torch.__version__).encode())
        self.step = step
        action = self.schedule(step)
        # The collector has the same schedule and records by it; here it only says when operators are worth their cost.
        if action is not ProfilerAction.NONE:
            self.enable()
        depth = self.library.range_depth()  # asked first: this step may end the recording
        self.library.step(step)
        # PyTorch warns of an observer that goes while a range of its thread is open, as one around the whole iteration.
        if action is ProfilerAction.NONE and self.operators and depth == 0:
            self.operators.disable()
        self.done = self.scheduled and self.schedule.end is not None and step >= self.schedule.end

    def enable(self):
        if self.operators and not self.operators.enabled:
            try:
                self.operators.enable(self.shapes)
                if threading.current_thread() is not threading.main_thread():
                    self.local.end = AtThreadEnd(self.operators.disable)  # for the same reason as at_exit()
            except _library.OptionError as error:
                self.say(f"operators are not recorded: {error}")
                if not self.scheduled:
                    self.operators = None

    def at_exit(self):
        if self.operators:
            self.operators.disable()  # PyTorch warns of an observer that outlives its thread
