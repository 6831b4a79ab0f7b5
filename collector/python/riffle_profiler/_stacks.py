# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The ways of recording Python stacks. Lets the collector read those of operators from the interpreter's memory."""

import atexit

from . import _library
from ._library import OptionError

NONE, OPERATORS, SAMPLED, CALLS = range(4)  # the numbers of riffle_wishes
NAMES = ("0", "operators", "sampled", "calls")

_ended_at_exit = False


def way_of(value):
    """The way that an option names: a text, or what a program gives for with_stack. Raises OptionError if there is none."""
    if isinstance(value, str):
        if value not in NAMES + ("", "1"):
            raise OptionError(f"Python stacks can be True, {', '.join(map(repr, NAMES[1:]))}, not {value!r}.")
        return NAMES.index(value) if value in NAMES else int(value or NONE)
    return OPERATORS if value else NONE


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
