# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Waits for the end of the ranges that a program has opened with torch.profiler.record_function."""

import gc
import threading
import weakref


class RangesEnd:
    """Calls an action once, when all ranges that are open now have ended. A `with` statement keeps the object of its range until
    it ends and looks up its methods when it starts, so the end of an open range shows only in the end of its object."""

    def __init__(self, torch, action):
        kind = torch.autograd.profiler.record_function
        self._action, self._thread = action, threading.get_ident()
        self._open = [weakref.ref(found, self._ended) for found in gc.get_referrers(kind) if type(found) is kind]

    def cancel(self):
        self._action = None

    def _ended(self, reference):
        self._open.remove(reference)
        if not self._open and self._action and threading.get_ident() == self._thread:
            self._action()
