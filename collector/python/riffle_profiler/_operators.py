# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Records PyTorch's operators through an observer of PyTorch, for NVTX or ITT, whose ranges the collector receives.

torch.autograd.profiler.emit_nvtx does the same, but waits for the GPU when it is entered and left. An observer sees
the thread that enabled it and the autograd threads that work for it. PyTorch allows one profiler per thread, so our
observer leaves when torch.profiler is about to start there, and comes back when torch.profiler has stopped. The collector
does the same with CUPTI, which also supports only one user.
"""

import os
import sys
import threading

from . import _compiled, _library, _observer
from ._library import OptionError
from ._ranges_end import RangesEnd
from ._say import once


class Busy(OptionError):
    """Another profiler runs in this thread; operators can be recorded when it has ended."""


class Operators:
    def __init__(self, may_be_compiled=False):
        self._torch = self._kind = None
        self._may_be_compiled = may_be_compiled
        self.source = ""     # what the log says about where they come from
        self.shapes = False
        self._thread = None  # the thread that enabled the observer; None: off
        self._end = None     # the end of the program's ranges that the observer waits for
        self._aside = False  # True while another profiler runs in its place
        self._is_compiled = False  # True if it is the compiled one, which can be removed anywhere

    @property
    def enabled(self):
        return self._thread is not None

    def check(self):
        """Returns what the log says about their source. Raises OptionError if PyTorch cannot report its operators."""
        return _observer.SAID[self._chosen(_torch())]

    def _chosen(self, torch):
        return _observer.COMPILED if self._may_be_compiled and _compiled.is_ready() else _usable(torch)

    def enable(self, shapes):
        """Starts recording the operators of this thread as ranges. Raises OptionError if PyTorch cannot do that."""
        if self._end:
            self._end = self._end.cancel()
        torch = _torch()
        try:
            observer = self._chosen(torch)
        except OptionError as error:
            self.disable()  # the first operator has shown that nobody receives it
            self.source = f"not recorded: {error}"
            raise
        self.source = _observer.SAID[observer]
        if self.enabled and not self._is_lost():
            return
        kind = _running_kind(torch)
        if kind in (observer, _observer.NVTX):
            return  # riffle-cli record, emit_nvtx or emit_itt was first; its ranges arrive as well
        if kind != "NONE":
            raise Busy("Operators cannot be recorded while torch.profiler runs in the same thread. Stop it first.")
        self._torch, self.shapes, self._kind = torch, shapes, observer
        give_way(torch)
        self._switch_on()
        self._thread = threading.get_ident()
        _active.add(self)
        if self.lacks_shapes():
            once("shapes", _observer.NO_SHAPES)

    def lacks_shapes(self):
        """True if shapes were requested, but this PyTorch's observer does not report them."""
        return self.enabled and self.shapes and self._kind == _observer.ITT

    def is_outdated(self):
        """True if PyTorch's own observer still works although the compiled one is there."""
        return self.enabled and not self._is_compiled and self._may_be_compiled and _compiled.is_ready()

    def disable(self, depth=0, ended=None, within_operator=False):
        """Removes the observer. From another thread it cannot be removed and stays, but its ranges are not recorded then.
        If `depth` ranges of the thread are open, or some may be (-1), the observer is removed at their end, and `ended` is called
        then: PyTorch warns if an end is not observed. If they may be those of an operator that calls Python, whose end does not
        show, it stays."""
        if self._end and depth != 0:
            return  # still waiting; looking for the ranges again would cost a walk through all objects
        if self._end:
            self._end = self._end.cancel()
        if depth != 0 and self._thread == threading.get_ident() and not self._aside and not self._is_compiled:
            def end():
                self.disable()
                if ended:
                    ended()

            self._end = RangesEnd(self._torch, end)
            if self._end.is_needed():
                return
            self._end = None
            # A look may also come while record_function starts its range, before it has kept the range's handle.
            if within_operator:
                return
        is_ours = self._is_compiled or self._thread == threading.get_ident()
        if self.enabled and not self._aside and is_ours and not self._is_lost():
            self._switch_off()
        if self._aside:
            _gap_ends()
        self._thread, self._aside, self._is_compiled = None, False, False
        _active.discard(self)

    def step_aside(self):
        if self._thread == threading.get_ident() and not self._aside:
            if not self._is_lost():
                self._switch_off()
            self._aside = True
            _gap_begins()

    def come_back(self):
        if self._thread == threading.get_ident() and self._aside:
            try:
                self._switch_on()
                self._aside = False
                _gap_ends()
            except RuntimeError:
                pass  # yet another profiler runs; its end calls this again

    def forget(self):
        """Removes the observer in a forked child: nothing is recorded there, so its work should cost nothing either."""
        self.disable()

    def _is_lost(self):
        """True if the program has removed the observer, as Lightning's profiler does with any that it finds when it starts."""
        if self._is_compiled or self._aside:
            return False
        return self._thread == threading.get_ident() and _running_kind(self._torch) == "NONE"

    def _switch_off(self):
        if self._is_compiled:
            _compiled.stop(self)
        else:
            _disable(self._torch)

    def _switch_on(self):
        self._is_compiled = self._may_be_compiled and _compiled.start(self, self.shapes)
        if self._is_compiled:
            self._kind = _observer.COMPILED
            return
        if self._kind == _observer.COMPILED:  # it could not be started
            self._kind = _usable(self._torch)
        from torch.autograd import ProfilerConfig, ProfilerState, _enable_profiler
        from torch._C._profiler import _ExperimentalConfig
        # Only shapes can be requested: the observer refuses memory, stacks, FLOPs and modules.
        shapes = self.shapes and self._kind == _observer.NVTX
        config = ProfilerConfig(getattr(ProfilerState, self._kind), shapes, False, False, False, False, _ExperimentalConfig())
        try:
            _enable(self._torch)(config, set())
        except RuntimeError as error:
            raise OptionError(f"PyTorch {self._torch.__version__} cannot report its operators through {self._kind}: "
                              + str(error).splitlines()[0]) from None


_active = set()
_originals = {}
_yielded = False   # True while CUPTI is yielded to torch.profiler
_profiled = False  # True once torch.profiler has run


def _torch():
    torch = sys.modules.get("torch")
    if torch is None:
        raise OptionError("Operators come from PyTorch, which this process has not imported.")
    if not hasattr(torch._C, "_profiler") or not hasattr(torch._C._autograd, "_profiler_type"):
        raise OptionError(f"PyTorch {torch.__version__} is too old to record its operators. Use 2.0 or later.")
    return torch


def _usable(torch):
    """The kind of PyTorch's observer. Raises OptionError if there is none, or if it reports to another collector."""
    kind = _observer.chosen(torch)
    if kind == _observer.ITT:
        _observer.connect(torch)
    return kind


def _running_kind(torch):
    """The kind of profiler that runs in this thread, such as NVTX; NONE if there is none."""
    return str(torch._C._autograd._profiler_type()).rsplit(".", 1)[-1]


def _enable(torch):
    return _originals.get("_enable_profiler") or torch.autograd._enable_profiler


def _disable(torch):
    (_originals.get("_disable_profiler") or torch.autograd._disable_profiler)()


def give_way(torch):
    """Wraps the functions through which torch.profiler and emit_nvtx start and stop, so that our observer gives way. Also says
    where an observer for ITT reports to, which PyTorch must know before it runs anything."""
    _observer.offer(torch)
    module = torch.autograd.profiler
    if _originals:
        return
    for name, when in (("_prepare_profiler", "before"), ("_enable_profiler", "before"), ("_disable_profiler", "after")):
        original = getattr(module, name, None)
        if original is not None:
            _originals[name] = original
            setattr(module, name, _wrapped(original, when))


def _wrapped(original, when):
    def call(*args, **kwargs):
        if when == "before":
            for operators in list(_active):
                operators.step_aside()
            _yield_cuda(*args[1:2])
        try:
            return original(*args, **kwargs)
        finally:
            if when == "after":
                _resume_cuda()
                for operators in list(_active):
                    operators.come_back()

    return call


def _gap_begins():
    """Says in the log that the operators of this thread are not recorded from now on."""
    library = _library.loaded()
    if library:
        library.gap_begin(b"operators", b"another profiler runs in this thread")


def _gap_ends():
    library = _library.loaded()
    if library:
        library.gap_end(b"operators")


def _yield_cuda(activities=()):
    """Releases CUPTI before torch.profiler starts. If CUPTI were held at its first profile, it would never record the GPU."""
    global _yielded, _profiled
    wanted = activities and (not _profiled or any(activity.name == "CUDA" for activity in activities))
    library = _library.loaded()
    if wanted and library and not _yielded:
        library.yield_cuda()
        _yielded = _profiled = True


def _resume_cuda():
    global _yielded
    if _yielded:
        _yielded = False
        _library.loaded().resume_cuda()


def _in_child():
    for operators in list(_active):
        try:
            operators.forget()
        except Exception:
            pass


os.register_at_fork(after_in_child=_in_child)
