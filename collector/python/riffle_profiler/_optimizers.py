# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Notices the steps of PyTorch's optimizers, by functions that replace their step()."""

import functools
import sys

from . import _startup
from ._compiler import has_compiled, is_compiling, paused, skip
from ._import_hook import when_imported
from ._library import OptionError

_NESTED_FRAMES = 16  # between the steps of two optimizers there are PyTorch's decorators and a function or two


class Optimizers:
    """Calls `made()` when the program makes its first optimizer of a class, and `stepped(optimizer)` after each step."""

    def __init__(self, torch, made, stepped):
        self._torch, self._made, self._stepped = torch, made, stepped
        self._replaced = []  # owner, name, original and replacement of each replaced function
        self._ours = set()    # the functions that replace a step()
        self._watching = False
        self._steps = 0
        self._engines = 0     # the number of calls of DeepSpeed's engine that are running
        self._waiting = None  # for the import of DeepSpeed

    def watch(self):
        """Replaces the functions; does nothing if they are replaced already."""
        self._watching = True
        if self._replaced:
            return
        try:
            self._watch()
        except Exception:
            self.leave()
            raise

    def _watch(self):
        # PyTorch wraps step() with this function when a class makes its first optimizer. PyTorch's own hooks for steps run
        # inside the range of the step: a step that ended there would cross that range, and operators cannot be switched off
        # inside it without a warning. So we wrap the whole step instead.
        base = self._torch.optim.Optimizer
        wrap = getattr(base, "profile_hook_step", None)
        if wrap is None:
            raise OptionError(f"PyTorch {self._torch.__version__} is too old to know its steps. Use 2.0 or later.")

        def profile_hook_step(step):
            self._made()
            hooked = wrap(step)
            try:
                return self._watched(hooked)
            except Exception:
                return hooked  # an unknown PyTorch; its steps are not noticed

        self._replace(base, "profile_hook_step", staticmethod(profile_hook_step))
        for kind in _kinds(base):
            step = kind.__dict__.get("step")
            if getattr(step, "hooked", False):
                self._replace(kind, "step", self._watched(step))
        scaler = getattr(getattr(self._torch, "amp", None), "GradScaler", None)
        if scaler is not None:
            self._replace(scaler, "step", self._scaled(scaler.step))
        self._waiting = when_imported("deepspeed.runtime.engine", self._watch_engine)

    def _watch_engine(self):
        """DeepSpeed's engine calls the optimizer once for each group of parameters (ZeRO 1 to 3), also to make its state when the
        engine is made; its own step is the one that counts."""
        engine = getattr(sys.modules["deepspeed.runtime.engine"], "DeepSpeedEngine", None)
        if engine is not None and hasattr(engine, "_take_model_step"):
            self._replace(engine, "__init__", self._covering(engine.__init__, lambda engine: None))
            self._replace(engine, "_take_model_step", self._covering(engine._take_model_step, self._after))

    def leave(self):
        """Restores the functions. They stay if code has been compiled, which might be compiled again without them. Other objects
        may keep them, too, as learning-rate schedulers do; they then only call what they replaced."""
        self._watching = False
        _startup.leave()
        if self._waiting:
            self._waiting.remove()
        if has_compiled():
            return
        for kind in _kinds(self._torch.optim.Optimizer):
            step = kind.__dict__.get("step")
            if step in self._ours:
                step.__wrapped__.hooked = True  # PyTorch's mark of a function that it has wrapped
                kind.step = step.__wrapped__
        for owner, name, original, replacement in self._replaced:
            if owner.__dict__.get(name) is replacement:
                setattr(owner, name, original)
        self._replaced = []

    def _replace(self, owner, name, replacement):
        self._replaced.append((owner, name, owner.__dict__.get(name), replacement))
        setattr(owner, name, replacement)

    def _watched(self, step):
        compiling, after = is_compiling(self._torch), paused(self._torch, self._after)

        @functools.wraps(step)
        def call(optimizer, *args, **kwargs):
            result = step(optimizer, *args, **kwargs)
            if not compiling() and self._watching:
                after(optimizer, call)
            return result

        self._ours.add(call)
        return skip(self._torch, call)

    def _scaled(self, step):
        compiling, after = is_compiling(self._torch), paused(self._torch, self._after)

        @functools.wraps(step)
        def call(scaler, optimizer, *args, **kwargs):
            if compiling() or not self._watching:
                return step(scaler, optimizer, *args, **kwargs)
            before = self._steps
            result = step(scaler, optimizer, *args, **kwargs)
            if self._steps == before:  # gradients were infinite and the optimizer was left out, but the loop made a step
                after(optimizer)
            return result

        return skip(self._torch, call)

    def _covering(self, function, after):
        """The steps of optimizers inside this function do not count."""
        @functools.wraps(function)
        def call(engine, *args, **kwargs):
            self._engines += 1
            try:
                result = function(engine, *args, **kwargs)
            finally:
                self._engines -= 1
            after(engine)
            return result

        return call

    def _after(self, optimizer, step=None):
        if self._engines == 0 and not (step and _is_nested(step.__code__)):
            self._steps += 1
            self._stepped(optimizer)


def _is_nested(code):
    """True if an optimizer calls the step of another one, or of its base class; all replaced functions share their code."""
    frame, found = sys._getframe(2), 0
    for _ in range(_NESTED_FRAMES):
        if frame is None or found > 1:
            break
        found += frame.f_code is code
        frame = frame.f_back
    return found > 1


def _kinds(kind):
    yield kind
    for derived in kind.__subclasses__():
        yield from _kinds(derived)
