# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The other names of torch.profiler, so that a script needs to change only its import."""

import importlib
import os
import socket
import sys
import time

from . import _say
from ._annotate import annotate
from ._library import RiffleError
from ._schedule import ProfilerActivity

# These are PyTorch's own objects. Whoever asks for one of them uses PyTorch, so it may be imported for that.
_THEIRS = {"record_function", "DeviceType", "ExecutionTraceObserver", "RecordScope", "_ExperimentalConfig", "itt"}


def theirs(name):
    """The object `name` of torch.profiler. Raises AttributeError if there is none."""
    if name not in _THEIRS:
        raise AttributeError(f"module 'riffle_profiler' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module("torch.profiler"), name)
    except ImportError:
        if name == "record_function":
            return annotate  # without PyTorch there are no other ranges that it must nest with
        raise AttributeError(f"riffle_profiler.{name} belongs to PyTorch, which is not installed.") from None


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """Returns a function for on_trace_ready that exports each cycle to a file in `dir_name`, as TensorBoard expects it."""

    def handler(prof):
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        try:
            prof.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' * bool(use_gzip)}"))
        except RiffleError as error:  # not a reason to end the training
            prof.error = prof.error or error
            _say.say(f"A trace was not exported: {_say.sentence(error)}")

    return handler


def supported_activities():
    """The activities that can be recorded here."""
    return {ProfilerActivity.CPU} | ({ProfilerActivity.CUDA} if has_cuda() else set())


def has_cuda():
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_available()


def kineto_available():
    """True, because scripts ask this before they record; Kineto itself is not used."""
    return True


def is_fbcode():
    return False
