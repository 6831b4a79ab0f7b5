# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs an action after a module has been imported, without importing the module."""

import _thread
import importlib.util
import sys


class _Finder:
    def __init__(self, name, action):
        self._name, self._action = name, action
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
            _after(spec.loader, self._imported)
        return spec

    def _imported(self):
        action = self._action
        self.remove()
        if action:
            action()

    def remove(self):
        self._action = None
        if self in sys.meta_path:
            sys.meta_path.remove(self)


def _after(loader, action):
    """Makes the loader run the action after it has executed its module; a loader belongs to one module."""
    original = loader.exec_module

    def exec_module(module):
        original(module)
        del loader.exec_module
        action()

    loader.exec_module = exec_module


def when_imported(name, action):
    """Calls `action` when the module has been executed for the first time; immediately if it has been imported already. The
    remove() of the result gives up waiting."""
    finder = _Finder(name, action)
    if name in sys.modules:
        action()
    else:
        sys.meta_path.insert(0, finder)
    return finder
