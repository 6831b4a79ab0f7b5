# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Records the forward calls of torch.nn modules as ranges, by a function that replaces the call of all modules. PyTorch's
hooks for all modules would do the same, but torch.compile warns about them and compiles again when they come and go."""

import functools
import sys
import threading
import weakref

from ._compiler import has_compiled, is_compiling, paused, skip
from ._library import OptionError

_CATEGORY = b"python_function"

_active = []  # the Modules that are enabled; the first one records
_replaced = None  # the function that ours replaces, and ours; None: nothing is replaced


class Modules:
    def __init__(self, library):
        self._library = library
        self._names = weakref.WeakKeyDictionary()
        self._counts = {}
        self._local = threading.local()  # .open: the number of open ranges; .cycle: the enable() that they belong to
        self._cycle = 0

    @staticmethod
    def check():
        if "torch" not in sys.modules:
            raise OptionError("with_modules: Modules come from PyTorch, which this process has not imported.")

    @property
    def enabled(self):
        return self in _active

    def enable(self):
        if self in _active:
            return
        self._cycle += 1
        _replace(sys.modules["torch"])
        _active.append(self)

    def disable(self):
        if self not in _active:
            return
        _active.remove(self)
        if not _active:
            _restore(sys.modules["torch"])
        if getattr(self._local, "cycle", 0) == self._cycle:
            for _ in range(self._local.open):
                self._library.range_pop()
        self._cycle += 1  # the ranges of calls that go on are not ours any more

    def _name(self, module):
        name = self._names.get(module)
        if name is None:
            kind = type(module).__name__
            number = self._counts.get(kind, 0)
            self._counts[kind] = number + 1
            name = self._names[module] = f"nn.Module: {kind}_{number}".encode()
        return name

    def enter(self, module):
        """Starts the range of a call. Returns what leave() needs."""
        cycle = self._cycle
        if getattr(self._local, "cycle", 0) != cycle:
            self._local.cycle, self._local.open = cycle, 0
        self._local.open += 1
        self._library.range_push_category(self._name(module), _CATEGORY)
        return cycle

    def leave(self, cycle):
        if cycle == self._cycle:
            self._local.open -= 1
            self._library.range_pop()


def _replace(torch):
    global _replaced
    if _replaced is None:
        _replaced = torch.nn.Module.__call__, _watched(torch, torch.nn.Module.__call__)
        torch.nn.Module.__call__ = _replaced[1]


def _restore(torch):
    """Restores the call. It stays if code has been compiled, which might be compiled again without it."""
    global _replaced
    if torch.nn.Module.__call__ is _replaced[1] and not has_compiled():
        torch.nn.Module.__call__ = _replaced[0]
        _replaced = None


def _watched(torch, original):
    compiling, enter, leave = is_compiling(torch), paused(torch, _enter), paused(torch, _leave)

    @functools.wraps(original)
    def call(module, *args, **kwargs):
        if compiling() or not _active:
            return original(module, *args, **kwargs)
        entered = enter(module)
        try:
            return original(module, *args, **kwargs)
        finally:
            leave(entered)

    return skip(torch, call)


def _enter(module):
    first = _active[0] if _active else None
    return first and (first, first.enter(module))


def _leave(entered):
    if entered:
        entered[0].leave(entered[1])
