# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Annotations that a script adds to its recording. While nothing is recorded, they cost one check and do nothing."""

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
        self._open = []  # for each time this was entered: the library, or None if there was none

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
    """Marks a point in time."""
    library = _library.loaded()
    if library:
        library.mark(str(name).encode("utf-8", "replace"))


def counter(name, value, series=""):
    """Records the current value of a counter, which is drawn as a curve; several series with one name are drawn together."""
    library = _library.loaded()
    if library:
        library.counter(str(name).encode("utf-8", "replace"), str(series).encode("utf-8", "replace"), float(value))
