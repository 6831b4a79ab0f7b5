# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Implements profile(), which records by steps, as torch.profiler.profile does."""

import atexit
import json
import os
import platform
import sys
import time
import uuid

from . import _calls, _compiled, _library, _observer, _options, _rank, _say, _stacks
from ._exit import ExitWatch
from ._library import OptionError, RiffleError
from ._metadata import Metadata
from ._modules import Modules
from ._operators import Operators, give_way
from ._results import Results
from ._schedule import ProfilerAction, always, own_action, recording

_NEVER = (1 << 63) - 1
_running = []  # the profiles between start() and stop(), the outermost first; they share one recording


class profile(Results):
    """Records from start() to stop(), or the steps that `schedule` names.

    activities      CPU for operators, CUDA for the GPU; by default what is available
    schedule        a function from a step number to a ProfilerAction: riffle.schedule(...) or torch.profiler.schedule(...)
    on_trace_ready  called with this object when the steps of a cycle are in the log
    record_shapes   record the shapes of each operator's inputs
    profile_memory  record allocations on the GPU
    with_flops      compute the FLOPs of operators from their shapes
    with_modules    record the forward calls of torch.nn modules
    with_stack      record Python stacks (CPython 3.10 to 3.13): True, those of each outermost operator; "sampled", those of all
                    threads at regular times; "calls", every Python call
    acc_events      key_averages() and events() cover all cycles and not only the last one
    execution_trace_observer  is started and stopped with each cycle
    ranks           only these ranks record; in others all methods do nothing
    compiled_observer  record operators through an observer that is compiled on this machine ("any": also for a version of
                    PyTorch with which it is not tested); the default is RIFFLE_COMPILED_OBSERVER of the environment
    dir             the folder in which the log's folder is created; by default the working directory

    experimental_config has no effect, which is said on stderr.
    """

    _defaults = "preset=normal"  # the options of the library, unless the profile sets them

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False, experimental_config=None,
                 execution_trace_observer=None, acc_events=False, use_cuda=None, custom_trace_id_callback=None,
                 ranks=None, dir=None, compiled_observer=None):
        self.step_num = 0
        self.schedule, self.on_trace_ready = schedule or always, on_trace_ready
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops, self.with_modules, self.acc_events = with_flops, with_modules, acc_events
        self.experimental_config, self.execution_trace_observer = experimental_config, execution_trace_observer
        self.custom_trace_id_callback = custom_trace_id_callback
        self._action = own_action(self.schedule(0))
        self.error = None  # the first error of the collector after start(), for example because the disk is full
        self._running = self._owner = self._begun = self._records = False
        self._stats = self._trace_id = None
        self._cycle = None  # the first and last step of the current cycle, if there is a schedule
        self._between = None  # the times in ns at which the current cycle started and ended
        self._first = None  # the time at which the first cycle started
        self._is_part = False  # True if the log has more than the current cycle
        self._metadata = Metadata()
        self._here = _rank.among(ranks)
        self._observer = _compiled.chosen(compiled_observer)
        self._names = None
        self._shapes, self._memory, self._stacks = record_shapes, profile_memory, _stacks.way_of(with_stack)
        self.activities = set(activities or ())
        if not self._here:
            return
        self._names = _options.activities(activities, use_cuda)
        _options.check(self)
        self._library = _library.library()
        self._source = "not requested"  # where operators come from, for the log
        if "torch" in sys.modules:
            _observer.offer(sys.modules["torch"])  # before the program's next operators
        self._operators = Operators(bool(self._observer)) if self._names is None or "CPU" in self._names else None
        self._modules = Modules(self._library) if with_modules else None
        self._exit = ExitWatch()
        self._folder = _folder(dir)

    def start(self):
        if self._running:
            raise RiffleError("This recording has already been started.")
        self._running, self._begun, self.error = True, False, None
        self._between = self._first = self._cycle = None
        if self._here:
            if not _running:
                atexit.register(_library.end_at_exit)
            _running.append(self)
            try:
                self._check_sources()
                self._open()
                self._metadata.begin(self._library)
                self._change(ProfilerAction.NONE, self._action)
                self._begun = True
            except BaseException:
                self._running, self._begun, self._records = False, True, False
                self._leave_running()
                self._sources(False)
                self._exit.leave()
                self._close()
                raise

    def step(self):
        """Ends a step and starts the next one."""
        before, self.step_num = self._action, self.step_num + 1
        self._action = own_action(self.schedule(self.step_num))
        if self._running and self._here:
            self._change(before, self._action)
        elif recording(self._action) and not self._running:
            _say.once("step", "step() was called outside start() and stop(). It records nothing there.")

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
            self._leave_running()
            self._metadata.end()
            self._close()
            for other in _running:  # our observer may have recorded the operators of the others, too
                other._sources(other._action is not ProfilerAction.NONE)
        if was and self.on_trace_ready:
            self.on_trace_ready(self)

    def _leave_running(self):
        _running.remove(self)
        if not _running:
            atexit.unregister(_library.end_at_exit)

    start_trace, stop_trace = start, stop

    def prepare_trace(self):
        """Does nothing: start_trace() needs no preparation."""

    __enter__ = lambda self: self.start() or self  # noqa: E731

    def __exit__(self, kind, *_):
        try:
            self.stop()
            if hasattr(self.execution_trace_observer, "cleanup"):
                self.execution_trace_observer.cleanup()
        except Exception as error:
            if kind is None:
                raise
            _say.say(f"The recording did not end properly: {_say.sentence(error)}")  # the program's own exception propagates
        return False

    @property
    def current_action(self):
        """What the schedule says about the current step."""
        return self._action

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

    # --- Metadata ------------------------------------------------------------------------------------

    def add_metadata(self, key, value):
        """Adds a text to the recording, which export_chrome_trace() writes under "process" of the JSON, as "metadata:KEY"."""
        self._metadata.add(key, json.dumps(str(value)))

    def add_metadata_json(self, key, value):
        """The same for a value that is JSON already."""
        self._metadata.add(key, value)

    def preset_metadata_json(self, key, value):
        """The same for each start that follows."""
        self._metadata.preset(key, value)

    def set_custom_trace_id_callback(self, callback):
        self.custom_trace_id_callback = callback

    def get_trace_id(self):
        """The id of the current cycle; None before the first one."""
        return self._trace_id

    def toggle_collection_dynamic(self, enable, activities):
        """Switches the operators of this thread on or off while recording; the GPU cannot be switched alone."""
        names = _options.activities(activities, None) or set()
        if "CUDA" in names:
            _options.said("toggle_collection_dynamic", "The GPU is recorded as long as anything is.")
        if "CPU" in names and self._here and self._running and self._operators:
            self._switch_operators(enable)

    # --- Changes of phase ----------------------------------------------------------------------------

    def _open(self):
        if "torch" in sys.modules:
            give_way(sys.modules["torch"])
            self._library.will_yield_cuda()
        if len(_running) > 1:
            if self._stacks and not _running[0]._stacks:
                _options.said("with_stack", "The profile around this one has started the recording, without stacks.")
            return  # inside another profile, which has started the recording
        if not self._is_recording():
            self._start_library()
            self._owner = True
            _hand_over()  # also in a rank that riffle-cli record leaves out, whose steps would be marked twice
        else:  # riffle-cli record has started it, will stop it, and decides where it writes
            _say.say("This process is already being recorded; the schedule now pauses and resumes that recording.")
            if self._stacks:
                _options.said("with_stack", "The option --stacks of riffle-cli record decides whether stacks are recorded.")
            self._follow_recorded_way()
            self._library.pause()
            if _hand_over() and not self._modules:
                self._modules = Modules(self._library)
        self._library.process_info(b"python", platform.python_version().encode())
        if "torch" in sys.modules:
            self._library.process_info(b"torch", str(sys.modules["torch"].__version__).encode())
            self._library.process_info(b"operators", self._source.encode())
        self._exit.watch()

    def _follow_recorded_way(self):
        """Calls are switched with the phases of this profile if riffle-cli record was asked for them, and only then."""
        agent = sys.modules.get("_riffle_agent._agent")
        if agent and agent.stacks_way() == _stacks.CALLS:
            self._stacks = _stacks.CALLS
        elif self._stacks == _stacks.CALLS:
            self._stacks = _stacks.NONE

    def _is_recording(self):
        return self._library.stats().state in (1, 2)

    def _start_library(self):
        options = f"paused=1\n{self._defaults}\ndir={self._folder}" + "\ncupti=0" * (self._names == {"CPU"})
        options += f"\nstacks={_stacks.NAMES[self._stacks]}" if self._stacks else ""
        try:
            preset = "\npreset=memory" if self._memory else ""
            self._library.check(self._library.start(os.fsencode(options + preset)))
        except OptionError as error:
            if not self._memory:
                raise
            _options.said("profile_memory", _say.sentence(error))
            self._library.check(self._library.start(os.fsencode(options)))

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
            self._resume()
        if now:
            self._mark(self.step_num)
            if self.schedule is not always and _running[0] is self:
                self._cycle = (self._cycle[0] if was else self.step_num, self.step_num)

    def _mark(self, step):
        if _running[0] is self:  # the steps of an inner profile would end those of the outer one
            self._library.step(step)

    def _resume(self):
        callback = self.custom_trace_id_callback
        self._trace_id = callback() if callback else uuid.uuid4().hex.upper()
        self._is_part = not self._owner or self._between is not None
        self._between = (time.monotonic_ns(), _NEVER)
        self._first = self._first or self._between[0]
        if hasattr(self.execution_trace_observer, "start"):
            self.execution_trace_observer.start()
        if not any(other._records for other in _running):
            self._attempt(self._library.resume)
        self._records = True

    def _pause(self):
        self._mark(-1)
        self._records = False
        if not any(other._records for other in _running):
            self._attempt(self._library.pause)
        if hasattr(self.execution_trace_observer, "stop"):
            self.execution_trace_observer.stop()
        self._between = (self._between[0], time.monotonic_ns())

    def _attempt(self, function):
        """Raises only during start(): later, a problem with the recording must not end the training."""
        if _library.ended:
            return
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
        """Leaves out sources that are not available, and says so."""
        if self._operators and "torch" in sys.modules:
            _compiled.ask(sys.modules["torch"], self._observer)
        for name, needs in (("_operators", "Operators are"), ("_modules", "Modules are")):
            source = getattr(self, name)
            try:
                if source:
                    said = source.check()
                    self._source = said or self._source
            except OptionError as error:
                _say.once(name, f"{needs} not recorded: {error}")
                if name != "_operators" or not _compiled.is_pending():
                    setattr(self, name, None)
                self._source = f"not recorded: {error}" if name == "_operators" else self._source
        if self._stacks:
            try:
                _stacks.allow(self._library)
            except OptionError as error:
                _options.said("with_stack", _say.sentence(error))
                self._stacks = _stacks.NONE

    def _sources(self, on):
        if self._operators:
            self._switch_operators(on)
        if self._modules:
            self._modules.enable() if on and (self._modules.enabled or self._is_recording()) else self._modules.disable()

        if self._stacks == _stacks.CALLS:
            self._switch_calls(on)

    def _switch_calls(self, on):
        if not on:
            _calls.stop()
        elif self._is_recording():
            try:
                _calls.start(self._library)
            except OptionError as error:
                _say.once("with_stack", f"Python calls are not recorded: {error}")

    def _switch_operators(self, on):
        if not on:
            self._operators.disable(self._library.range_depth())
            return
        if not self._operators.enabled and not self._is_recording():
            return  # it has ended, for example because the disk is full
        if self._operators.is_outdated():
            self._operators.disable(self._library.range_depth(), lambda: self._switch_operators(self._running))
            if self._operators.enabled:
                return  # at the end of a range that is open now
        try:
            self._operators.enable(self._shapes)
            if self._operators.source and self._operators.source != self._source:
                self._source = self._operators.source
                self._library.process_info(b"operators", self._source.encode())
        except OptionError as error:  # not a reason to end the training
            _say.once("operators from", f"Operators are not recorded from step {self.step_num} on: {error}")

    def _close(self):
        self._exit.leave()
        self._stats = self._library.stats()
        if not self._owner:
            return
        self._owner = False
        if _running:  # an inner profile that has not ended yet
            _running[0]._owner = True
            return
        self._attempt(self._library.stop)
        self._stats = self._library.stats()


def _hand_over():
    """Ends the steps, operators and modules of riffle-cli record's agents, which are loaded from another copy of this package.
    Returns True if they have recorded modules."""
    modules = False
    for name in ("_agent", "_paddle"):
        agent = sys.modules.get(f"_riffle_agent.{name}")
        if agent and agent.hand_over():
            modules = True
    return modules


def _folder(folder):
    path = os.path.abspath(os.fspath(folder) if folder is not None else ".")
    if ";" in path or "\n" in path:
        raise RiffleError(f"The folder {path!r} cannot be used: its path contains a ';' or a line break.")
    os.makedirs(path, exist_ok=True)
    return path


def _in_child():
    """A forked child records nothing until it starts a profile of its own; those of its parent are not its own."""
    for one in _running:
        one._here = False
    _running.clear()


os.register_at_fork(after_in_child=_in_child)
