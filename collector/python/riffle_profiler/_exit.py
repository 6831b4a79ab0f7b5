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
        process = os.getpid()

        @functools.wraps(original)
        def exit_now(status):
            try:
                library = os.getpid() == process and _library.in_process()  # a forked child records nothing
                if library:
                    library.flush()
            finally:
                original(status)

        self._replacement = os._exit = exit_now

    def leave(self):
        """Restores os._exit, unless somebody else has replaced it since."""
        if self._original is not None and os._exit is self._replacement:
            os._exit = self._original
            self._original = None
