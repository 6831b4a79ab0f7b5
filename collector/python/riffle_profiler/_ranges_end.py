# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Waits for the end of the ranges that a program has opened with torch.profiler.record_function."""

import gc
import threading
import weakref

from ._compiler import has_compiled


class RangesEnd:
    """Calls an action once, when all ranges that are open now have ended. A `with` statement keeps the object of its range until
    it ends and looks up its methods when it starts, so the end of an open range shows only in the end of its object."""

    def __init__(self, torch, action):
        kind = torch.autograd.profiler.record_function
        self._torch = torch
        self._action, self._thread = action, threading.get_ident()
        self._open = [weakref.ref(found, self._ended) for found in gc.get_referrers(kind)
                      if type(found) is kind and getattr(found, "record", found) is not None]  # None: never started

    def is_needed(self):
        """False if no open range is PyTorch's, but for example of NVTX: besides these objects, a backward pass and compiled code
        open ranges, whose end does not show."""
        return bool(self._open) or getattr(self._torch._C, "_current_graph_task_id", lambda: -1)() != -1 or has_compiled()

    def cancel(self):
        self._action = None

    def _ended(self, reference):
        self._open.remove(reference)
        if not self._open and self._action and threading.get_ident() == self._thread:
            self._action()
