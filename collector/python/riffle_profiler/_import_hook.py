# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs an action after a module has been imported, without importing the module."""

import _thread
import importlib.util
import sys


class _Finder:
    def __init__(self, name, action, before):
        self._name, self._action, self._before = name, action, before
        self._asking = set()  # the threads that ask the other finders

    def find_spec(self, name, path=None, target=None):
        """Also called by programs that only ask whether the module exists, so this changes nothing but the loader."""
        thread = _thread.get_ident()
        if name != self._name or thread in self._asking:
            return None
        self._asking.add(thread)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asking.discard(thread)
        if spec is not None and spec.loader is not None:
            _around(spec.loader, self._before, self._imported)
        return spec

    def _imported(self):
        action = self._action
        self.remove()
        if action:
            action()

    def remove(self):
        self._action = self._before = None
        if self in sys.meta_path:
            sys.meta_path.remove(self)


def _around(loader, before, action):
    """Makes the loader call `before` with the module's spec before it executes the module, and the action afterwards; a loader
    belongs to one module."""
    original = loader.exec_module

    def exec_module(module):
        if before:
            before(module.__spec__)
        original(module)
        del loader.exec_module
        action()

    loader.exec_module = exec_module


def when_imported(name, action, before=None):
    """Calls `action` when the module has been executed for the first time; immediately if it has been imported already. The
    remove() of the result gives up waiting. `before` gets the module's spec before the module is executed."""
    finder = _Finder(name, action, before)
    if name in sys.modules:
        action()
    else:
        sys.meta_path.insert(0, finder)
    return finder
