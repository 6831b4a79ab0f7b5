# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Determines which steps are recorded, by the rules of torch.profiler.schedule, without PyTorch."""

from enum import Enum


class ProfilerAction(Enum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class ProfilerActivity(Enum):
    CPU = 0
    XPU = 1
    CUDA = 2
    HPU = 3
    MTIA = 4
    PrivateUse1 = 5


def recording(action):
    return action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """Returns a function from a step number to a ProfilerAction. `skip_first` steps are skipped once; then each cycle has
    `wait` steps with the sources off, `warmup` steps with the sources on but nothing kept, and `active` recorded steps.
    There are `repeat` cycles, or endless ones if it is 0. With `skip_first_wait` the first cycle does not wait."""
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise ValueError(f"A schedule needs active > 0 and no negative numbers, not wait={wait}, warmup={warmup}, "
                         f"active={active}, repeat={repeat}, skip_first={skip_first}.")
    cycle = wait + warmup + active

    def action(step):
        if step < 0:
            raise ValueError(f"There is no step {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        if repeat and step >= repeat * cycle:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    # The first step from which nothing is recorded any more; None if recording never ends.
    action.end = skip_first + repeat * cycle - (wait if skip_first_wait else 0) if repeat else None
    return action


def always(step):
    """The schedule that records everything from start to stop."""
    return ProfilerAction.RECORD


def own_action(action):
    """Converts the result of a schedule to our enum, so that schedules of torch.profiler can be used unchanged."""
    if isinstance(action, ProfilerAction):
        return action
    try:
        return ProfilerAction[action.name]
    except (AttributeError, KeyError):
        raise ValueError(f"A schedule must return a ProfilerAction for a step, not {action!r}.") from None
