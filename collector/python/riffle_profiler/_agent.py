# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The part of riffle-cli record that runs inside an unmodified Python program. The program must not be affected: no error
leaves this module, and nothing is loaded before the program has imported PyTorch."""

import atexit
import functools
import sys
import threading

from . import _calls, _channel, _compiled, _library, _observer, _stacks
from ._exit import ExitWatch
from ._extras import Extras
from ._operators import Busy, Operators, give_way
from ._optimizers import Optimizers
from ._say import once, say

_current = None  # the process's agent


def hand_over():
    """Stops recording steps, operators and modules, because riffle.profile does from now on. Returns True if that should record
    modules, too."""
    modules = bool(_current) and _current.extras.wants_modules()
    if _current:
        _current.hand_over()
    return modules


def stacks_way():
    """The way of Python stacks that riffle-cli record was asked for."""
    return _current.extras.stacks_way() if _current else _stacks.NONE


def quietly(function):
    """Decorates a method so that its first error is reported once and disables the agent instead of being raised."""
    @functools.wraps(function)
    def call(self, *args, **kwargs):
        try:
            if not self.broken:
                function(self, *args, **kwargs)
        except Exception as error:
            self.fail(error)

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
        # What is recorded at once, before the library is loaded.
        self.at_once = "schedule" not in chosen and not chosen.get("left_out")
        self.operators_first = chosen.get("operators") == "1"
        self.shapes_first = chosen.get("shapes") == "1"
        self.left_out = bool(chosen.get("left_out"))
        self.observer = _compiled.chosen(chosen.get("observer"))
        self.extras = Extras(chosen)
        self.channel = _channel.Channel(self)
        self.local = threading.local()
        self.thread = None      # the thread that made the last step
        self.step = -1          # -1 before the first step
        self.optimizer = None   # id of the optimizer whose steps count
        self.exit = self.optimizers = None
        self.watches = False    # functions are replaced, from which steps are known
        self.broken = self.done = False  # done: riffle.profile marks the steps

    def fail(self, error):
        self.broken = True
        _calls.stop()
        say(f"Steps and operators are no longer recorded: {error}")

    @quietly
    def attach(self):
        """Attaches the hooks; called when PyTorch has just been imported."""
        import torch

        global _current
        _current = self
        self.torch = torch
        give_way(torch)
        if self.operators_first and not self.left_out:
            _compiled.ask(torch, self.observer)
        self.extras.attach(torch, self.at_once)
        # If another thread imports PyTorch, operators are recorded on the thread that starts the first step.
        if self.at_once and threading.current_thread() is threading.main_thread():
            self.switch(self.operators_first, self.shapes_first, 0, True, [])
        self.exit = ExitWatch()
        self.optimizers = Optimizers(torch, self.before_first_step, self.after_step)
        self.channel.announce()
        if self.left_out and _is_first_process():
            _library.library()  # so that the rank can be started from outside before its first step
        atexit.register(self.at_exit)
        self.watch()

    @quietly
    def before_first_step(self):
        """Starts the first step when the program makes its first optimizer: earlier work of the program does not belong to it."""
        if self.step < 0 and not self.done and "riffle_profiler" not in sys.modules:  # a riffle.profile may be about to start
            self.begin(0)

    @quietly
    def after_step(self, optimizer):
        if self.optimizer is None:
            self.optimizer = id(optimizer)
        if id(optimizer) == self.optimizer and self.watches:
            if self.step < 0:
                self.begin(0)
            self.begin(self.step + 1)
            # Another thread than the main one keeps the functions: a start from outside might not be noticed while that waits.
            is_main = threading.current_thread() is threading.main_thread()
            if is_main and not self.channel.wants_steps() and not self.operators.enabled:
                self.leave()
                if self.channel.wants_steps():  # asked for from outside meanwhile
                    self.watch()

    @property
    def operators(self):
        """Those of this thread: an observer belongs to a thread, and the thread that trains may not be the one that made the
        optimizer."""
        if not hasattr(self.local, "operators"):
            self.local.operators = operators = Operators(bool(self.observer))
            if threading.current_thread() is not threading.main_thread():
                self.local.end = AtThreadEnd(operators.disable)  # for the same reason as at_exit()
        return self.local.operators

    def begin(self, step):
        self.thread = threading.get_ident()  # before the library is there, which may ask the main thread
        if self.step < 0:
            self.library = _library.library()
            self.channel.open(self.library)
        self.step = step
        depth = self.library.range_depth()  # before step(), which may end the recording
        self.library.step(step)
        self.channel.at_step(depth)
        if step == 1:
            self.extras.stepped()

    def watch(self):
        """Replaces the functions from which steps are known, unless riffle.profile marks the steps."""
        if not self.done and not self.watches:
            self.watches = True
            self.exit.watch()
            self.optimizers.watch()

    def leave(self):
        """Gives back what steps need, because none are marked any more; watch() takes it again."""
        self.watches = False
        self.optimizers.leave()
        self.exit.leave()

    @quietly
    def hand_over(self):
        self.done = True
        self.leave()
        self.extras.switch_modules(False)
        _calls.stop()
        self.operators.disable(_library.library().range_depth())  # the profile has an observer of its own

    def switch(self, on, shapes, depth, is_step, notes):
        """Switches the operators of this thread on or off; `depth` is the number of its open ranges. Returns False if that must
        wait for the end of another profiler, or of a range such as one around the iteration: PyTorch warns of a removal there."""
        operators = self.operators
        if operators.enabled and not (on and shapes == operators.shapes and not operators.is_outdated()):
            # The wishes are followed again at the end of the range: a job without steps would not follow them otherwise.
            operators.disable(depth, _channel.look_up, within_operator=not is_step)
            if operators.enabled:
                return False
        if on:
            _compiled.ask(self.torch, self.observer)  # also in a rank that is started from outside
            try:
                operators.enable(shapes)  # also if it is enabled: its end may have been waiting for the end of a range
                if operators.lacks_shapes():
                    notes.append(_observer.NO_SHAPES)
            except Busy:
                notes.append("torch.profiler runs in the program's thread. The operators follow when it has ended.")
                once("busy", notes[-1])
                return False
            except _library.OptionError as error:
                once(str(error), f"Operators are not recorded: {error}")
                notes.append(f"Operators are not recorded: {error}")
        return True

    def at_exit(self):
        _channel.close()
        self.operators.disable()  # PyTorch warns if an observer outlives its thread
        _library.end_at_exit()


def _is_first_process():
    """False in a process that multiprocessing has started, such as one that loads data."""
    processes = sys.modules.get("multiprocessing.process")
    return processes is None or processes.parent_process() is None
