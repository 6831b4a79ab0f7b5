# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Records the forward calls of torch.nn modules as ranges, by a function that replaces the call of all modules. PyTorch's
hooks for all modules would do the same, but torch.compile warns about them and compiles again when they come and go."""

import functools
import sys
import threading
import weakref

from ._compiler import is_compiling, paused, skip
from ._library import OptionError

_CATEGORY = b"python_function"


class Modules:
    def __init__(self, library):
        self._library = library
        self._original = None  # the function that ours replaces; None: nothing is replaced
        self._call = None
        self._names = weakref.WeakKeyDictionary()
        self._counts = {}
        self._local = threading.local()  # .open: the number of open ranges; .cycle: the enable() that they belong to
        self._cycle = 0

    @staticmethod
    def check():
        if "torch" not in sys.modules:
            raise OptionError("with_modules: Modules come from PyTorch, which this process has not imported.")

    def enable(self):
        if self._original is not None:
            return
        torch = sys.modules["torch"]
        self._original = torch.nn.Module.__call__
        self._cycle += 1
        self._call = self._watched(torch, self._original)
        torch.nn.Module.__call__ = self._call

    def disable(self):
        if self._original is None:
            return
        module = sys.modules["torch"].nn.Module
        if module.__call__ is self._call:
            module.__call__ = self._original
        self._original = None
        if getattr(self._local, "cycle", 0) == self._cycle:
            for _ in range(self._local.open):
                self._library.range_pop()
        self._cycle += 1  # the ranges of calls that go on are not ours any more

    def _watched(self, torch, original):
        compiling, enter, leave = is_compiling(torch), paused(torch, self._enter), paused(torch, self._leave)
        cycle = self._cycle

        @functools.wraps(original)
        def call(module, *args, **kwargs):
            if compiling():
                return original(module, *args, **kwargs)
            enter(module, cycle)
            try:
                return original(module, *args, **kwargs)
            finally:
                leave(cycle)

        return skip(torch, call)

    def _name(self, module):
        name = self._names.get(module)
        if name is None:
            kind = type(module).__name__
            number = self._counts.get(kind, 0)
            self._counts[kind] = number + 1
            name = self._names[module] = f"nn.Module: {kind}_{number}".encode()
        return name

    def _enter(self, module, cycle):
        if cycle == self._cycle:
            if getattr(self._local, "cycle", 0) != cycle:
                self._local.cycle, self._local.open = cycle, 0
            self._local.open += 1
            self._library.range_push_category(self._name(module), _CATEGORY)

    def _leave(self, cycle):
        if cycle == self._cycle:
            self._local.open -= 1
            self._library.range_pop()
