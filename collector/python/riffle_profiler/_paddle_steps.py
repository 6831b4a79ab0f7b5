# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Notices the steps of Paddle's optimizers, by functions that replace their step() and minimize()."""

import functools


class PaddleSteps:
    """Calls `made()` when the program makes an optimizer, and `stepped(optimizer)` after each step; `around` returns the context
    in which a step runs. In static mode none of them is called: a call of minimize() then only builds the program."""

    def __init__(self, paddle, made, stepped, around):
        self._paddle, self._made, self._stepped, self._around = paddle, made, stepped, around
        self._replaced = []  # owner, name, original and replacement of each replaced function
        self._ours = set()
        self._watching = False
        self._inside = 0     # the number of steps that are running: an optimizer may call another one, or its base class
        self._steps = 0

    def watch(self):
        self._watching = True
        for kind in _kinds(self._paddle.optimizer.Optimizer):
            self._watch_class(kind)
        scaler = getattr(getattr(self._paddle, "amp", None), "GradScaler", None)
        for kind in scaler.__mro__ if scaler else ():
            for name in ("step", "minimize"):
                if name in kind.__dict__:
                    self._replace(kind, name, self._scaled(kind.__dict__[name]))

    def leave(self):
        """Restores the functions. Where somebody else keeps one of ours, it only calls what it replaced."""
        self._watching = False
        for owner, name, original, replacement in reversed(self._replaced):
            if owner.__dict__.get(name) is replacement:
                setattr(owner, name, original)
        self._replaced = []

    def _is_dynamic(self):
        return self._paddle.in_dynamic_mode()

    def _replace(self, owner, name, replacement):
        self._replaced.append((owner, name, owner.__dict__.get(name), replacement))
        self._ours.add(replacement)
        setattr(owner, name, replacement)

    def _watch_class(self, kind):
        for name, around in (("__init__", self._made_by), ("step", self._watched), ("minimize", self._watched)):
            function = kind.__dict__.get(name)
            if callable(function) and function not in self._ours:
                self._replace(kind, name, around(function))

    def _made_by(self, make):
        @functools.wraps(make)
        def init(optimizer, *args, **kwargs):
            make(optimizer, *args, **kwargs)
            if self._watching:
                base = self._paddle.optimizer.Optimizer
                for kind in type(optimizer).__mro__:  # the program's own classes
                    if issubclass(kind, base):
                        self._watch_class(kind)
                if self._is_dynamic():
                    self._made()

        return init

    def _watched(self, function):
        @functools.wraps(function)
        def call(optimizer, *args, **kwargs):
            if self._inside or not self._watching or not self._is_dynamic():
                return function(optimizer, *args, **kwargs)
            self._inside += 1
            try:
                with self._around():
                    result = function(optimizer, *args, **kwargs)
            finally:
                self._inside -= 1
            self._after(optimizer)
            return result

        return call

    def _scaled(self, function):
        @functools.wraps(function)
        def call(scaler, optimizer, *args, **kwargs):
            before = self._steps
            result = function(scaler, optimizer, *args, **kwargs)
            # The gradients were infinite and the optimizer was left out, but the loop made a step.
            if self._watching and self._steps == before and not self._inside and self._is_dynamic():
                self._after(optimizer)
            return result

        return call

    def _after(self, optimizer):
        self._steps += 1
        self._stepped(optimizer)


def _kinds(kind):
    yield kind
    for derived in kind.__subclasses__():
        yield from _kinds(derived)
