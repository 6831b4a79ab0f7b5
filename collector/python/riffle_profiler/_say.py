# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Prints lines on stderr from code whose errors must not reach the training."""

import sys

from . import _rank


def say(text):
    try:
        rank = _rank.rank()
        print(f"riffle: {'' if rank is None else f'rank {rank}: '}{text}", file=sys.stderr, flush=True)
    except Exception:
        pass  # there is no stderr to print to


def once(key, text):
    """Says a line the first time that this process has one for `key`."""
    if key not in _said:
        _said.add(key)
        say(text)


_said = set()


def sentence(error):
    """The first line of an error's message, with a full stop."""
    text = str(error).split("\n", 1)[0] or type(error).__name__
    return text if text.endswith(".") else text + "."
