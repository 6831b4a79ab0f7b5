# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What riffle-cli record does inside a Python process that knows nothing of it. The process must never notice: no error
leaves this module, and nothing is loaded before the program has imported PyTorch."""

import atexit
import functools
import importlib
import os
import sys
import threading

from . import _library, _rank
from ._operators import Operators, give_way
from ._schedule import ProfilerAction, always, recording, schedule
from ._startup import options

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


class Agent:
    """Steps and operators of the process's main thread."""

    def __init__(self, chosen):
        settings = options(chosen.get("schedule", "").replace(",", "\n"))
        self.schedule = schedule(**{name: int(value) for name, value in settings.items()}) if settings else always
        self.scheduled = bool(settings)
        self.shapes = chosen.get("shapes") == "1"
        self.quiet = chosen.get("quiet") == "1"
        self.operators = Operators() if chosen.get("operators") == "1" else None
        self.action = ProfilerAction.NONE
        self.step = -1          # none yet
        self.cycle = 0
        self.optimizer = None   # id of the one whose steps count
        self.broken = self.done = False

    def say(self, text):
        rank = _rank.rank()
        print(f"riffle: {'' if rank is None else f'rank {rank}: '}{text}", file=sys.stderr, flush=True)

    def tell(self, text):
        """What is good to know; `say` is for what went wrong."""
        if not self.quiet:
            self.say(text)

    @quietly
    def attach(self):
        """PyTorch has just been imported."""
        import torch

        if threading.current_thread() is not threading.main_thread():
            return
        self.torch = torch
        give_way(torch)
        if not self.scheduled:
            self.enable()
        self.first_forward = torch.nn.modules.module.register_module_forward_pre_hook(self.before_forward)
        atexit.register(self.at_exit)
        self.hook_optimizers(importlib.import_module("torch.optim.optimizer"))

    def hook_optimizers(self, module):
        if not self.scheduled:
            module.register_optimizer_step_post_hook(lambda optimizer, *rest: self.after_step(optimizer))
            return
        # PyTorch's hook runs within the range of the optimizer's step, and operators cannot be switched off inside a
        # range without a warning. So this one is around it.
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
        if self.step < 0:
            self.begin(0)

    @quietly
    def after_step(self, optimizer):
        if self.optimizer is None:
            self.optimizer = id(optimizer)
        if id(optimizer) == self.optimizer and not self.done:
            self.begin(max(self.step, 0) + 1)

    def begin(self, step):
        if step == 0 or self.step < 0:
            self.library = _library.library()
            self.library.process_info(b"torch", str(self.torch.__version__).encode())
        before, self.step = self.action, step
        self.action = self.schedule(step)
        if self.scheduled:
            self.change(before)
        if not self.done and recording(self.action):
            self.library.step(step)
        self.report()

    def change(self, before):
        ended = before is ProfilerAction.RECORD_AND_SAVE
        if ended:
            self.library.step(-1)
            self.library.pause()
            self.library.flush()
            stats = self.library.stats()
            self.tell(f"cycle {self.cycle} is written: {stats.path}, {stats.bytes_kept / 1e6:.1f} MB, "
                      f"{stats.dropped} dropped")
        if self.action is not ProfilerAction.NONE:
            self.enable()
        elif self.operators:
            self.operators.disable()
        if recording(self.action) and (ended or not recording(before)):
            self.cycle += 1
            self.tell(f"recording begins at step {self.step}")
            self.library.check(self.library.resume())
        elif self.action is ProfilerAction.WARMUP and before is not ProfilerAction.WARMUP:
            self.tell(f"warm-up at step {self.step}")
        if self.schedule.end is not None and self.step >= self.schedule.end:
            self.done = True
            self.library.stop()

    def enable(self):
        if self.operators and not self.operators.enabled:
            try:
                self.operators.enable(self.shapes)
            except _library.OptionError as error:
                self.say(f"operators are not recorded: {error}")
                if not self.scheduled:
                    self.operators = None

    def report(self):
        """Tells the recorder; rarely, and whole: it reads at any time."""
        if self.step & (self.step - 1) and not self.done and self.step != 3:
            return
        self.write()

    def write(self):
        folder = os.environ.get("RIFFLE_RECORDER")
        if folder and os.path.isdir(folder):
            path = os.path.join(folder, str(os.getpid()))
            with open(path + ".new", "w", encoding="ascii") as file:
                file.write(f"state={'done' if self.done else 'recording'}\nsteps={max(self.step, 0)}\n")
            os.replace(path + ".new", path)

    def at_exit(self):
        if self.operators:
            self.operators.disable()  # PyTorch warns of an observer that outlives its thread
        if self.step >= 0 and not self.broken:
            self.write()  # the step that is open never had its optimizer step: it stays open in the log
