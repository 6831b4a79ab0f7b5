# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Lines on stderr from where an error must not reach the training."""

import sys

from . import _rank


def say(text):
    try:
        rank = _rank.rank()
        print(f"riffle: {'' if rank is None else f'rank {rank}: '}{text}", file=sys.stderr, flush=True)
    except Exception:
        pass  # there is nobody to tell


def sentence(error):
    return str(error).split("\n", 1)[0] or type(error).__name__
