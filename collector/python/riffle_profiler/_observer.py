# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Chooses the observer of PyTorch that reports its operators: that for NVTX, or that for Intel's ITT where PyTorch was built
without CUDA. The collector receives the ranges of both (collector/src/sources/nvtx.cpp and itt.cpp)."""

import os

from . import _library
from ._library import LibraryError, OptionError

NVTX, ITT, COMPILED = "NVTX", "ITT", "compiled"
VARIABLE = "INTEL_LIBITTNOTIFY64"
# What the log says.
SAID = {NVTX: "PyTorch's NVTX observer", ITT: "PyTorch's ITT observer, names only", COMPILED: "an observer that was compiled here"}
NO_SHAPES = "Shapes are not recorded: this PyTorch was built without CUDA, and its ITT observer reports only names of operators."

_connected = False


def chosen(torch):
    """Raises OptionError if PyTorch has no observer that reports operators to us."""
    asked = os.environ.get("RIFFLE_TORCH_OBSERVER", "").upper()  # for tests
    if torch.version.cuda is not None and asked != ITT:
        return NVTX
    itt = getattr(torch._C, "_itt", None)
    if itt is None or not itt.is_available():
        raise OptionError("This PyTorch was built without CUDA and without ITT, so that it reports its operators neither through "
                          "NVTX nor through ITT.")
    return ITT


def offer(torch):
    """Tells ITT where the library is, if operators come through it. That of PyTorch 2.9 looks when PyTorch is loaded,
    which only _startup.py precedes; older ones look at the first range, which may also be one of oneDNN. Another collector that
    the program has asked for stays."""
    try:
        if chosen(torch) == ITT:
            os.environ.setdefault(VARIABLE, _library.find())
    except (LibraryError, OptionError):
        pass  # whoever wants operators says it


def connect(torch):
    """Raises OptionError if the ranges of PyTorch's ITT observer go elsewhere. Before the library is loaded, by the first operator
    for example, only another collector is known."""
    global _connected
    if _connected:
        return
    offer(torch)
    path, named = _library.find(), os.environ.get(VARIABLE, "")
    if os.path.realpath(named) != os.path.realpath(path):
        raise OptionError("This PyTorch was built without CUDA, and another collector receives its ITT ranges: "
                          f"{VARIABLE}={named}.")
    library = _library.in_process()
    if library is None:
        return
    if not library.itt_connected():
        torch._C._itt.rangePop()  # the end of no range: PyTorch looks for a collector, if it has not yet
    _connected = bool(library.itt_connected())
    if not _connected:
        raise OptionError("This PyTorch was built without CUDA, and its ITT has started without Riffle. Record the "
                          f"program with riffle-cli record, or set {VARIABLE}={path} before it starts.")
