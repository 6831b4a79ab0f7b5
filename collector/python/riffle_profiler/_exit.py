# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes what is recorded before os._exit() ends the process, which runs no destructor that would do it."""

import functools
import os

from . import _library


class ExitWatch:
    def __init__(self):
        self._original = self._replacement = None

    def watch(self):
        if self._original is not None:
            return
        self._original = original = os._exit

        @functools.wraps(original)
        def exit_now(status):
            try:
                library = _library.in_process()
                if library:
                    library.flush()  # at once in a forked child, which records nothing
            finally:
                original(status)

        self._replacement = os._exit = exit_now

    def leave(self):
        """Restores os._exit, unless somebody else has replaced it since."""
        if self._original is not None and os._exit is self._replacement:
            os._exit = self._original
            self._original = None
