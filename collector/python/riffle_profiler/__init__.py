# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Records a training job for Riffle.

    import riffle_profiler as riffle

    with riffle.profile(schedule=riffle.schedule(wait=1, warmup=1, active=3, repeat=2),
                        record_shapes=True, dir="logs") as prof:
        for batch in data:
            with riffle.annotate("forward"):
                ...
            prof.step()

Options mean what they mean in torch.profiler. An option that no source here can provide raises OptionError with the reason.
"""

from ._annotate import annotate, counter, mark
from ._library import LibraryError, OptionError, RiffleError, Stats
from ._memory import memory
from ._memory_layout import memory_layout
from ._profile import profile
from ._schedule import ProfilerAction, ProfilerActivity, schedule

__all__ = [
    "LibraryError", "OptionError", "ProfilerAction", "ProfilerActivity", "RiffleError", "Stats",
    "annotate", "counter", "mark", "memory", "memory_layout", "profile", "schedule",
]
