# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What the options of profile() can give here. What they cannot give is said once, and the recording goes on."""

from . import _say, _stacks
from ._library import OptionError
from ._torch_names import has_cuda

_KNOWN = {"CPU", "CUDA", "XPU", "MTIA", "HPU", "PRIVATEUSE1"}


def said(option, text):
    _say.once(option, f"{option}: {text}")


def activities(given, use_cuda):
    """The names of the requested activities that exist here, and whether the CPU is one of them by request."""
    names = {getattr(activity, "name", str(activity)).upper() for activity in given or ()}
    if not names <= _KNOWN:
        raise OptionError(f"activities: {', '.join(sorted(names - _KNOWN))} is not an activity.")
    if use_cuda is not None:
        said("use_cuda", "This option is old. Use activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA].")
        names = (names or {"CPU"}) | {"CUDA"} if use_cuda else (names or {"CPU"}) - {"CUDA"}
    if others := names - {"CPU", "CUDA"}:
        said("activities", f"{', '.join(sorted(others))} cannot be recorded, only CPU and CUDA.")
    if not names:
        return None
    if "CUDA" in names and not has_cuda():  # only asked for it: the question may start CUDA in a process that will fork
        said("activities", "CUDA is not recorded, because PyTorch has no CUDA device here.")
        names = names - {"CUDA"}
    return names & {"CPU", "CUDA"}


def check(prof):
    """Says which options of a profile have no effect, and changes them to what the recording will have."""
    if prof._names == {"CUDA"} and prof._stacks == _stacks.OPERATORS:
        prof._stacks = _stacks.NONE
        said("with_stack", "Stacks belong to operators, but activities does not include the CPU.")
    if prof.with_flops:
        prof._shapes = True
        said("with_flops", "The FLOPs of matrix products, additions and multiplications are computed from their shapes. Those of "
                           "convolutions are unknown, because PyTorch reports their stride and padding to no source here.")
    if prof._memory and not has_cuda():
        prof._memory = False
        said("profile_memory", "Allocations are recorded on CUDA devices only, and PyTorch has none here.")
    if prof._names == {"CUDA"} and prof._shapes:
        prof._shapes = False
        said("record_shapes", "Shapes belong to operators, but activities does not include the CPU.")
    if prof.experimental_config is not None:
        said("experimental_config", "These settings are for Kineto and have no effect.")
