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

Options mean what they mean in torch.profiler, and its other names are here, too, so that a script needs to change only its
import. What an option cannot give here is said once on stderr, and the recording goes on.
"""

from ._annotate import annotate, counter, mark
from ._library import LibraryError, OptionError, RiffleError, RiffleWarning, Stats
from ._memory import memory
from ._memory_layout import memory_layout
from ._profile import profile
from ._schedule import ProfilerAction, ProfilerActivity, schedule
from ._torch_names import is_fbcode, kineto_available, supported_activities, tensorboard_trace_handler
from ._torch_names import theirs as __getattr__


def open(*paths):  # not in __all__, so that `import *` does not hide Python's own
    """Opens traces, logs of several ranks, or memory snapshots for questions: open(path).summary("operators"), .sql(…), .memory(…),
    .steps(), .verdict(), .report() and others. Answers are tables that Jupyter shows, with to_pandas() and to_arrow()."""
    from ._reading import read  # only here, because a job that is recorded does not need it

    return read(paths)


_KinetoProfile = profile  # without a schedule, start_trace() and stop_trace() do what they do there

__all__ = [
    "LibraryError", "OptionError", "ProfilerAction", "ProfilerActivity", "RiffleError", "RiffleWarning",
    "Stats", "annotate", "counter", "is_fbcode", "kineto_available", "mark", "memory", "memory_layout", "profile", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]
