# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Lets the collector read the Python stacks of operators from the interpreter's memory."""

import atexit

from . import _library
from ._library import OptionError

_ended_at_exit = False


def allow(library):
    """Raises OptionError if the frames of this interpreter cannot be read."""
    end_at_exit()
    code = library.python_stacks(1)
    if code:
        raise OptionError(library.last_error().decode("utf-8", "replace"))


def end_at_exit():
    """Frames are not read any more when the interpreter ends, because it frees what belongs to other threads."""
    global _ended_at_exit
    if not _ended_at_exit:
        _ended_at_exit = True
        atexit.register(_forbid)


def _forbid():
    library = _library.in_process()
    if library:
        library.python_stacks(0)
