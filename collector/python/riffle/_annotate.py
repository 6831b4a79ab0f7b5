# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What a script says about itself. Where nothing records, these cost a check and do nothing."""

import functools

from . import _library


class annotate:
    """A named range, as context manager or decorator:

        with riffle.annotate("forward"): ...

        @riffle.annotate("load batch")
        def load(): ...
    """

    def __init__(self, name):
        self._name = str(name).encode("utf-8", "replace")
        self._open = []  # a library for each time that this is entered, or None where there was none

    def __enter__(self):
        library = _library.loaded()
        if library:
            library.range_push(self._name)
        self._open.append(library)
        return self

    def __exit__(self, *exception):
        library = self._open.pop()
        if library:
            library.range_pop()
        return False

    def __call__(self, function):
        name = self._name.decode("utf-8")

        @functools.wraps(function)
        def annotated(*args, **kwargs):
            with annotate(name):
                return function(*args, **kwargs)

        return annotated


def mark(name):
    """A moment."""
    library = _library.loaded()
    if library:
        library.mark(str(name).encode("utf-8", "replace"))


def counter(name, value, series=""):
    """A value that changes, drawn as a curve; several series of one name are drawn together."""
    library = _library.loaded()
    if library:
        library.counter(str(name).encode("utf-8", "replace"), str(series).encode("utf-8", "replace"), float(value))
