# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Implements profile(), which records by steps, as torch.profiler.profile does."""

import os
import platform
import sys

from . import _cli, _library, _rank, _say
from ._averages import Averages, averages
from ._exit import ExitWatch
from ._library import OptionError, RiffleError
from ._modules import Modules
from ._operators import Operators, give_way
from ._schedule import ProfilerAction, always, own_action, recording


class profile:
    """Records from start() to stop(), or the steps that `schedule` names.

    schedule        a function from a step number to a ProfilerAction: riffle.schedule(...) or torch.profiler.schedule(...)
    activities      CPU for operators, CUDA for the GPU; by default what is available
    record_shapes   record the shapes of each operator's inputs
    profile_memory  record allocations on the GPU
    with_modules    record the forward calls of torch.nn modules
    ranks           only these ranks record; in others all methods do nothing
    dir             the folder in which the log's folder is created; by default the working directory
    on_trace_ready  called with this object when the steps of a cycle are in the log
    """

    def __init__(self, *, schedule=None, activities=None, record_shapes=False, profile_memory=False, with_stack=False,
                 with_flops=False, with_modules=False, ranks=None, dir=None, on_trace_ready=None):
        self.step_num = 0
        self.on_trace_ready = on_trace_ready
        self._schedule = schedule or always
        self._action = own_action(self._schedule(0))
        self._running = self._owner = self._begun = False
        self._stats = None
        self.error = None  # the first error of the collector after start(), for example because the disk is full
        self._cycle = None  # the first and last step of the current cycle, if there is a schedule
        self._here = _rank.among(ranks)
        if not self._here:
            return
        activities = _activities(activities)
        _check(activities, record_shapes, with_stack, with_flops, profile_memory)
        self._library = _library.library()
        self._operators = Operators() if _wants_operators(activities, record_shapes) else None
        self._must_have_operators = record_shapes or activities is not None
        self._shapes = record_shapes
        self._modules = Modules(self._library) if with_modules else None
        self._exit = ExitWatch()
        self._options = f"paused=1\npreset={'memory' if profile_memory else 'normal'}\ndir={_folder(dir)}"
        if activities == {"CPU"}:
            self._options += "\ncupti=0"

    def start(self):
        if self._running:
            raise RiffleError("This recording has already been started.")
        self._running, self._begun, self.error = True, False, None
        if self._here:
            try:
                self._check_sources()
                self._open()
                self._change(ProfilerAction.NONE, self._action)
                self._begun = True
            except BaseException:
                self._running, self._begun = False, True
                self._sources(False)
                self._exit.leave()
                if self._owner:
                    self._close()
                raise

    def step(self):
        """Ends a step and starts the next one."""
        if not self._running:
            raise RiffleError("step() must be called between start() and stop().")
        before, self.step_num = self._action, self.step_num + 1
        self._action = own_action(self._schedule(self.step_num))
        if self._here:
            self._change(before, self._action)

    def stop(self):
        if not self._running:
            return
        self._running = False
        if not self._here:
            return
        was = recording(self._action)
        try:
            if was:
                self._pause()
            self._sources(False)
        finally:
            self._close()
        if was and self.on_trace_ready:
            self.on_trace_ready(self)

    __enter__ = lambda self: self.start() or self  # noqa: E731

    def __exit__(self, kind, *_):
        try:
            self.stop()
        except Exception as error:
            if kind is None:
                raise
            _say.say(f"The recording did not end properly: {_say.sentence(error)}")  # the program's own exception propagates
        return False

    @property
    def path(self):
        """The folder of the log; empty while there is none."""
        return self.stats.path if self.stats else ""

    @property
    def stats(self):
        """The numbers of recorded and lost events, among others; None in a process that does not record."""
        if self._here and self._running:
            self._stats = self._library.stats()
        return self._stats

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0):
        """Sums by name over the last recorded cycle, or over everything if there is no schedule: a list of Average with a
        table(). riffle-cli reads the log for it."""
        if not self._here:
            return Averages()
        if group_by_stack_n:
            raise OptionError("group_by_stack_n: " + _NO_STACK)
        if group_by_input_shape and not self._shapes:
            raise OptionError("group_by_input_shape: This recording has no shapes, because record_shapes was not set.")
        steps = self._cycle and "{}:{}".format(*self._cycle)
        return averages(self._log(), steps, group_by_input_shape)

    def export_chrome_trace(self, path, use_python_export=None):
        """Exports everything that was recorded as JSON for other viewers; compressed if `path` ends in .gz. The log itself
        is complete without it. riffle-cli writes the file, so `use_python_export`, which PyTorch's handler passes, has no
        effect."""
        if self._here:
            _cli.run("convert", self._log(), "-o", os.fspath(path))

    def _log(self):
        """The path of the log, after everything recorded so far has been written to it."""
        if not self.path:
            raise RiffleError("Nothing has been recorded yet.")
        if self._running and self.stats.state != _library.ENDED:
            self._library.check(self._library.flush())
        return self.path

    # --- Changes of phase ----------------------------------------------------------------------------

    def _open(self):
        if "torch" in sys.modules:
            give_way(sys.modules["torch"])
            self._library.will_yield_cuda()
        if self._library.stats().state not in (1, 2):
            self._library.check(self._library.start(os.fsencode(self._options)))
            self._owner = True
        else:  # riffle-cli record has started it, will stop it, and decides where it writes
            print("riffle: This process is already being recorded; the schedule now pauses and resumes that recording.",
                  file=sys.stderr)
            self._library.pause()
            agent = sys.modules.get("_riffle_agent._agent")  # the agent is loaded from another copy of this package
            if agent:
                agent.hand_over()
        self._library.process_info(b"python", platform.python_version().encode())
        if "torch" in sys.modules:
            self._library.process_info(b"torch", str(sys.modules["torch"].__version__).encode())
        self._exit.watch()

    def _change(self, before, after):
        was, now = recording(before), recording(after)
        if was and (not now or before is ProfilerAction.RECORD_AND_SAVE):
            self._pause()
            self._library.flush()
            if before is ProfilerAction.RECORD_AND_SAVE and self.on_trace_ready:
                self.on_trace_ready(self)
            was = False
        self._sources(after is not ProfilerAction.NONE)
        if now and not was:
            self._attempt(self._library.resume)
        if now:
            self._library.step(self.step_num)
            if self._schedule is not always:
                self._cycle = (self._cycle[0] if was else self.step_num, self.step_num)

    def _pause(self):
        self._library.step(-1)
        self._attempt(self._library.pause)

    def _attempt(self, function):
        """Raises only during start(): later, a problem with the recording must not end the training."""
        try:
            self._library.check(function())
        except RiffleError as error:
            if not self._begun:
                raise
            self._tell(error)

    def _tell(self, error):
        if self.error is None:
            self.error = error
            _say.say(f"The recording is incomplete: {_say.sentence(error)}")

    def _check_sources(self):
        """Raises if a requested source is not available; only reports it for a source that was not requested."""
        if self._operators:
            try:
                self._operators.check()
            except OptionError as error:
                if self._must_have_operators:
                    raise
                print(f"riffle: Operators are not recorded: {error}", file=sys.stderr)
                self._operators = None
        if self._modules:
            self._modules.check()

    def _sources(self, on):
        if self._operators and on:
            try:
                self._operators.enable(self._shapes)
            except OptionError as error:
                if self._must_have_operators and self.step_num == 0:
                    raise
                # Once the training runs, this is not a reason to end it.
                print(f"riffle: Operators are not recorded from step {self.step_num} on: {error}", file=sys.stderr)
        elif self._operators:
            self._operators.disable(self._library.range_depth())
        if self._modules:
            self._modules.enable() if on else self._modules.disable()

    def _close(self):
        self._exit.leave()
        if self._owner:
            self._owner = False
            self._attempt(self._library.stop)
        self._stats = self._library.stats()


def _folder(folder):
    path = os.path.abspath(os.fspath(folder) if folder is not None else ".")
    if ";" in path or "\n" in path:
        raise RiffleError(f"The folder {path!r} cannot be used: its path contains a ';' or a line break.")
    os.makedirs(path, exist_ok=True)
    return path


def _activities(activities):
    """The names of the activities, or None for all that are available."""
    if activities is None:
        return None
    names = {getattr(activity, "name", str(activity)).upper() for activity in activities}
    if not names or not names <= {"CPU", "CUDA"}:
        raise OptionError(f"activities: Only CPU and CUDA can be recorded, not {', '.join(sorted(names)) or 'an empty list'}.")
    return names


def _cuda():
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_available()


_NO_STACK = "No source here records the Python stack of an operator; with_modules shows the modules."


def _check(activities, record_shapes, with_stack, with_flops, profile_memory):
    if with_stack:
        raise OptionError("with_stack: " + _NO_STACK)
    if with_flops:
        raise OptionError("with_flops: The FLOPs of a convolution depend on its stride and padding, which PyTorch reports to no "
                          "source here; record_shapes keeps the shapes, which are enough for matrix products.")
    if profile_memory and not _cuda():
        raise OptionError("profile_memory: Allocations come from CUDA, but PyTorch has no CUDA device here.")
    if activities and "CUDA" in activities and not _cuda():
        raise OptionError("activities: CUDA was requested, but PyTorch has no CUDA device here.")
    if activities == {"CUDA"} and record_shapes:
        raise OptionError("record_shapes: Shapes belong to operators, but activities does not include the CPU.")


def _wants_operators(activities, record_shapes):
    return record_shapes or activities is None or "CPU" in activities
