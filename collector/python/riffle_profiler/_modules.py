# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Records the forward calls of torch.nn modules as ranges, through PyTorch's hooks for all modules."""

import sys
import threading
import weakref

from ._library import OptionError

_CATEGORY = b"python_function"


class Modules:
    def __init__(self, library):
        self._library = library
        self._hooks = []
        self._names = weakref.WeakKeyDictionary()
        self._counts = {}
        self._depth = threading.local()  # a module that was entered before the hooks were attached must not end a range

    @staticmethod
    def check():
        if "torch" not in sys.modules:
            raise OptionError("with_modules: Modules come from PyTorch, which this process has not imported.")

    def enable(self):
        if self._hooks:
            return
        hooks = sys.modules["torch"].nn.modules.module
        self._hooks.append(hooks.register_module_forward_pre_hook(self._enter))
        try:
            self._hooks.append(hooks.register_module_forward_hook(self._leave, always_call=True))
        except TypeError:  # before PyTorch 2.1
            self._hooks.append(hooks.register_module_forward_hook(self._leave))

    def disable(self):
        for hook in self._hooks:
            hook.remove()
        self._hooks = []
        for _ in range(getattr(self._depth, "value", 0)):
            self._library.range_pop()
        self._depth.value = 0

    def _name(self, module):
        name = self._names.get(module)
        if name is None:
            kind = type(module).__name__
            number = self._counts.get(kind, 0)
            self._counts[kind] = number + 1
            name = self._names[module] = f"nn.Module: {kind}_{number}".encode()
        return name

    def _enter(self, module, inputs):
        self._library.range_push_category(self._name(module), _CATEGORY)
        self._depth.value = getattr(self._depth, "value", 0) + 1

    def _leave(self, module, inputs, output):
        if getattr(self._depth, "value", 0):
            self._depth.value -= 1
            self._library.range_pop()
