# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Puts Riffle's profile in the place of PyTorch's, for riffle-cli record --instead-of-torch-profiler. A program did not ask for
that, so nothing here may end it: what cannot be recorded or written is said, and the program goes on."""

import abc
import atexit
import functools
import inspect
import os
import sys

from . import _options, _say, _stacks
from ._events import Events
from ._extras import Extras
from ._library import RiffleError, library
from ._modules import Modules
from ._operators import Operators, give_way
from ._profile import _running, profile

_ADDED_TO_TRACES = ("record_shapes", "with_flops", "with_modules", "with_stack")  # as PyTorch adds its options, with the value 1
_DEVICES = ("cuda", "xpu", "mtia", "hpu")

_chosen = {}  # the settings of riffle-cli record
_torch = _extras = None


class _AlsoTheirs(abc.ABCMeta):
    """Objects of PyTorch's class count as objects of ours, because PyTorch's own modules still get them."""

    def __instancecheck__(cls, one):
        theirs = vars(cls).get("theirs")
        return super().__instancecheck__(one) or theirs is not None and isinstance(one, theirs)


class TorchProfile(profile, metaclass=_AlsoTheirs):
    """What a program gets for torch.profiler.profile."""

    theirs = None  # PyTorch's class; each class that takes a place has its own

    def __new__(cls, *args, **kwargs):
        theirs = vars(cls).get("theirs")  # None: a class that the program has derived
        if theirs and (_is_pytorch(sys._getframe(1)) or not _can_record()):
            return theirs(*args, **kwargs)
        return super().__new__(cls)

    @functools.wraps(profile.__init__)
    def __init__(self, **options):
        known = inspect.signature(profile.__init__).parameters
        for name in set(options) - set(known) & set(_parameters(self.theirs)):
            _options.said(name, "This option is new in PyTorch and has no effect here.")
            del options[name]
        observer = getattr(_torch.profiler, "ExecutionTraceObserver", None)
        if options.get("execution_trace_observer") is None and hasattr(observer, "build_execution_trace_obs_from_env"):
            options["execution_trace_observer"] = observer.build_execution_trace_obs_from_env()
        self._defaults, self._failed = _chosen["library"], False
        try:
            super().__init__(**{"dir": _chosen["dir"], **options})
        except (RiffleError, OSError) as error:  # in a class that the program has derived: for others, __new__ has tried before
            self._tell_failure(error)
            return
        self.activities = self.activities or set(_torch.profiler.supported_activities())
        self._stacks = _chosen["stacks"] or self._stacks
        self._shapes |= _chosen["shapes"] and self._operators is not None
        if _chosen["modules"] and not self._modules:
            self._modules = Modules(self._library)

    def start(self):
        self._here |= self._failed
        self._failed = False
        for name in _ADDED_TO_TRACES:
            if getattr(self, name):
                self.preset_metadata_json(name, "1")
        was = self._running
        try:
            super().start()
        except (RiffleError, OSError) as error:
            if was:
                raise  # a second start, which PyTorch refuses, too
            self._tell_failure(error)
            self._failed = self._running = True

    def _tell_failure(self, error):
        _say.say(f"This profile of torch.profiler is not recorded: {_say.sentence(error)}")
        self._here = False  # from now on all methods do nothing

    def stop(self):
        super().stop()
        if not _chosen["stopped"]:
            _chosen["stopped"] = True
            _extras.stepped()

    @property
    def current_action(self):
        return _torch.profiler.ProfilerAction[self._action.name]

    def export_chrome_trace(self, path, use_python_export=None):
        try:
            super().export_chrome_trace(path)
            if self._here:
                _tell_recorder(path)
        except (RiffleError, OSError) as error:
            _say.say(f"The trace {os.fspath(path)} was not written: {_say.sentence(error)}")

    def _events(self, with_args):
        try:
            return super()._events(with_args)
        except (RiffleError, OSError) as error:
            _say.say(f"The operators of a profile could not be read: {_say.sentence(error)}")
            return Events()


class AutogradProfile(TorchProfile):
    """What a program gets for torch.autograd.profiler.profile, the older form."""

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, use_cpu=True, use_kineto=False, **options):
        self.enabled = enabled
        device = "cuda" if use_cuda else use_device
        super().__init__(activities=["cpu"] * bool(use_cpu) + [device] * (device in _DEVICES), **options)

    def __enter__(self):
        return super().__enter__() if self.enabled else None

    def __exit__(self, kind, *others):
        return super().__exit__(kind, *others) if self.enabled else None

    def __str__(self):
        return str(self.events()) if self._between and not self._running else "<unfinished torch.autograd.profile>"

    __repr__ = __str__


_PLACES = (("profiler", "profile", TorchProfile), ("profiler", "_KinetoProfile", TorchProfile),
           ("profiler.profiler", "profile", TorchProfile), ("profiler.profiler", "_KinetoProfile", TorchProfile),
           ("autograd.profiler", "profile", AutogradProfile))


def attach(chosen):
    """Takes PyTorch's places; called when PyTorch has just been imported."""
    global _torch, _extras
    try:
        _torch = sys.modules["torch"]
        settings = chosen["instead"].replace(";", "\n")  # those of the library
        folder = [line[len("dir="):] for line in settings.split("\n") if line.startswith("dir=")]
        _chosen.update(library=settings, dir=folder[-1] if folder else ".", shapes=chosen.get("shapes") == "1",
                       modules=chosen.get("modules") == "1", stacks=_stacks.way_of(chosen.get("stacks", "")), stopped=False)
        give_way(_torch)
        _extras = Extras({**chosen, "modules": "0", "stacks": "0"})  # the profile records both
        _extras.attach(_torch, at_once=False)
        TorchProfile.theirs, AutogradProfile.theirs = _torch.profiler.profile, _torch.autograd.profiler.profile
        for module, name, kind in _PLACES:
            setattr(functools.reduce(getattr, module.split("."), _torch), name, kind)
        atexit.register(_at_exit)
    except Exception as error:
        _say.say(f"torch.profiler is not replaced: {_say.sentence(error)}")


def _at_exit():
    """Removes the observers of profiles that were never stopped: PyTorch warns if an observer outlives its thread."""
    for one in _running:
        if one._operators:
            one._operators.disable()


def _is_pytorch(frame):
    """True for code of PyTorch, which reads more from its profile than ours has, for example to compare compiled kernels."""
    return frame.f_globals.get("__name__", "").split(".")[0] == "torch"


def _can_record():
    """False, with a line once, if PyTorch's profile has to stay."""
    try:
        library()
        Operators().check()
        os.makedirs(_chosen["dir"], exist_ok=True)
        return True
    except (RiffleError, OSError) as error:
        _say.once("instead", f"torch.profiler is not replaced: {_say.sentence(error)}")
        return False


def _parameters(kind):
    return inspect.signature(kind.__init__).parameters


def _tell_recorder(path):
    """Tells riffle-cli record which file a program has got, so that it can list it at the end."""
    folder = os.environ.get("RIFFLE_RECORDER")
    name = os.fsencode(os.path.abspath(path))
    if folder and b"\n" not in name:
        try:
            with open(os.path.join(folder, f"{os.getpid()}.exported"), "ab") as file:
                file.write(name + b"\n")
        except OSError:
            pass  # the recorder has ended
