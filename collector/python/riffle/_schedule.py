# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Which steps are recorded: the rules of torch.profiler.schedule, without PyTorch."""

from enum import Enum


class ProfilerAction(Enum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class ProfilerActivity(Enum):
    CPU = 0
    CUDA = 2


def recording(action):
    return action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """Step number -> ProfilerAction: `skip_first` steps once, then cycles of `wait` steps off, `warmup` steps with
    the sources on but nothing kept, and `active` recorded ones; `repeat` cycles, or for ever with 0. With
    `skip_first_wait` the first cycle does not wait."""
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise ValueError(f"a schedule needs active > 0 and nothing negative, not wait={wait}, warmup={warmup}, "
                         f"active={active}, repeat={repeat}, skip_first={skip_first}")
    cycle = wait + warmup + active

    def action(step):
        if step < 0:
            raise ValueError(f"there is no step {step}")
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

    # After this step nothing is recorded any more; None: there is no such step.
    action.end = skip_first + repeat * cycle - (wait if skip_first_wait else 0) if repeat else None
    return action


def always(step):
    """Without a schedule everything from start to stop is recorded."""
    return ProfilerAction.RECORD


def own_action(action):
    """Our enum for what a schedule gave: torch.profiler's schedules may be used as they are."""
    if isinstance(action, ProfilerAction):
        return action
    try:
        return ProfilerAction[action.name]
    except (AttributeError, KeyError):
        raise ValueError(f"a schedule gives a ProfilerAction for a step, not {action!r}") from None
