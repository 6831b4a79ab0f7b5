# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps functions that replace functions of PyTorch out of the sight of torch.compile.

torch.compile may meet such a function in two ways. If it compiles code that calls the function, it follows the call, and a
branch on is_compiling() leaves nothing of ours. If it starts with the function itself, skip() tells it to compile only what
the function calls, and paused() keeps it away from what we do there. So it makes the same graphs as without us.
None of this imports torch.compile, which is large."""

import sys


def is_compiling(torch):
    """PyTorch's function that is true in code that is being compiled."""
    known = getattr(getattr(torch, "compiler", None), "is_compiling", None)
    return known or getattr(torch._utils, "is_compiling", bool)  # before PyTorch 2.0, nothing is compiled


def has_compiled():
    """True if code has been compiled in this process: it may depend on functions that were replaced before."""
    utils = sys.modules.get("torch._dynamo.utils")
    return bool(utils and utils.counters.get("stats"))


def skip(torch, function):
    """Tells torch.compile not to compile this function, but what it calls; returns the function."""
    dynamo = _dynamo(torch)
    if hasattr(dynamo, "set_code_exec_strategy"):  # since PyTorch 2.7
        action = dynamo._FrameAction
        dynamo.set_code_exec_strategy(function.__code__, dynamo._FrameExecStrategy(action.SKIP, action.DEFAULT))
    elif hasattr(dynamo, "skip_code"):
        dynamo.skip_code(function.__code__)
    return function


def paused(torch, function):
    """Returns a function that calls this one without torch.compile looking at what it calls."""
    dynamo = _dynamo(torch)
    if dynamo is None:
        return function
    switch = dynamo.set_eval_frame

    def call(*args):
        callback = switch(None)
        try:
            return function(*args)
        finally:
            switch(callback)

    return skip(torch, call)


def _dynamo(torch):
    """The native part of torch.compile; None before PyTorch 2."""
    return getattr(getattr(torch._C, "_dynamo", None), "eval_frame", None)
