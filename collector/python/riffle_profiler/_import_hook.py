# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs an action after a module has been imported, without importing the module."""

import importlib.util
import sys


class _Finder:
    def __init__(self, name, action):
        self._name, self._action = name, action

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        self.remove()
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            _after(spec.loader, self._action)
        return spec

    def remove(self):
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
