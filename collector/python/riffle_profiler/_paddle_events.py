# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Records the events that Paddle's own code reports: operators, layers and the stages of a step.

The collector sees them when they happen (collector/src/sources/paddle_events.cpp). Those that Paddle's Python code reports exist
only in what Paddle calls its profiler mode, so this mode is switched on, without Paddle's profiler itself."""

import sys

from . import _library

# The log's category for each type of Paddle's events. The other types are details of an operator, such as its launch, and
# internal ranges that surround one operator each.
_CATEGORIES = {"Operator": "cpu_op", "Dataloader": "Dataloader", "Forward": "Forward", "Backward": "Backward",
               "Optimization": "Optimization", "Communication": "Communication", "PythonOp": "PythonOp",
               "PythonUserDefined": "user_annotation"}

# Paddle's functions that start an event in profiler mode and end it if the mode is still on: it must not start in between.
_CAREFUL = {"__next__", "backward"}


class _On:
    """The value by which we recognise the mode as ours; Paddle's own profiler writes True and False."""


class PaddleEvents:
    def __init__(self, paddle):
        self._paddle = paddle
        self._library = None
        self._on = _On()

    @property
    def enabled(self):
        return self._library is not None

    def enable(self):
        """Raises OptionError if Paddle's events cannot be seen. Called again, it turns the mode on if it had to wait, or if
        Paddle's own profiler has turned it off."""
        if not self.enabled:
            library = _library.library()
            types = self._paddle.base.core.TracerEventType.__members__
            lines = [f"{int(types[name])}={category}" for name, category in _CATEGORIES.items() if name in types]
            library.check(library.paddle_events("\n".join(lines).encode()))
            self._library = library
        utils = self._paddle.profiler.utils
        if not utils._is_profiler_used and not _is_careful(utils):
            utils._is_profiler_used = self._on

    def disable(self):
        if self.enabled:
            self._library.paddle_events(None)
            self._library = None
            utils = self._paddle.profiler.utils
            if utils._is_profiler_used is self._on:  # otherwise Paddle's own profiler is running
                utils._is_profiler_used = False

    def has_stage_of_steps(self):
        return getattr(self._paddle.profiler.utils, "_has_optimizer_wrapped", False)


def _is_careful(utils):
    """True if a thread is in one of the functions in which the mode must not start."""
    for frame in sys._current_frames().values():
        while frame:
            if frame.f_code.co_name in _CAREFUL and frame.f_globals.get("in_profiler_mode") is utils.in_profiler_mode:
                return True
            frame = frame.f_back
    return False
