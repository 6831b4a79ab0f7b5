# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What a profile returns and exports from its log."""

import os

from . import _cli, _options, _stacks
from ._averages import Averages
from ._events import Events, events
from ._library import OptionError, RiffleError
from ._schedule import always


class Results:
    """The part of profile that reads the log; its members belong to profile."""

    def events(self):
        """The operators and kernels of the last recorded cycle, or of everything if there is no schedule: a list of Event.
        riffle-cli reads the log for it."""
        return self._events(with_args=True)

    function_events = property(events)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """Sums by name over the last recorded cycle, or over everything if there is no schedule: a list of Average with a
        table(). With `group_by_stack_n`, also by the innermost frames of the stack. riffle-cli reads the log for it."""
        if group_by_stack_n and self._here and self._stacks in (_stacks.NONE, _stacks.SAMPLED):
            _options.said("group_by_stack_n", "Operators have no stacks here: with_stack was not set, not possible, or sampled.")
        if group_by_overload_name:
            _options.said("group_by_overload_name", "PyTorch reports the overload of an operator to no source here.")
        if group_by_input_shape and self._here and not self._shapes:
            _options.said("group_by_input_shape", "This recording has no shapes, because record_shapes was not set.")
        if not self._here:
            return Averages()
        with_args = group_by_input_shape or group_by_stack_n > 0 or self.with_flops
        return self._events(with_args=with_args).key_averages(group_by_input_shape, group_by_stack_n)

    def table(self, *args, **kwargs):
        return self.events().table(*args, **kwargs)

    def total_average(self):
        return self.events().total_average()

    @property
    def self_cpu_time_total(self):
        return self.events().self_cpu_time_total

    @property
    def profiler(self):
        """What scripts read from torch.profiler's inner object: this one has the same methods. None before start()."""
        return self if self._between or self._running else None

    def _events(self, with_args):
        if not self._here:
            return Events()
        steps = self._cycle and not self.acc_events and "{}:{}".format(*self._cycle)
        between = self._between and (self._first if self.acc_events else self._between[0], self._between[1])
        return events(self._log(), steps=steps, between=between, with_args=with_args,
                      with_steps=self.schedule is not always, with_flops=self.with_flops)

    def export_chrome_trace(self, path, use_python_export=None):
        """Exports the last recorded cycle, or everything if there is no schedule, as JSON for other viewers; compressed if
        `path` ends in .gz. The log itself is complete without it. riffle-cli writes the file, so `use_python_export`, which
        PyTorch's handler passes, has no effect."""
        if not self._here:
            return
        log, path = self._log(), os.fspath(path)
        if self._is_part:
            _cli.run("trim", "--no-store", "--range", _cli.range_of(log, self._between), log, "-o", path)
        else:
            _cli.run("convert", log, "-o", path)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes a line per operator with a stack, for flame graphs: the frames, the outermost first, and the microseconds."""
        if metric not in ("self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"):
            raise ValueError(f"export_stacks: {metric!r} is not self_cpu_time_total or self_cuda_time_total.")
        if not self.with_stack:
            raise OptionError("export_stacks: with_stack=True is required.")
        if self._stacks in (_stacks.NONE, _stacks.SAMPLED):
            _options.said("export_stacks", "The file is empty, because this recording has no stacks.")
        clean = str.maketrans(" ;\t\n", "____")
        metric = metric.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        with open(path, "w", encoding="utf-8") as file:
            for event in self.events():
                us = int(getattr(event, metric))
                if event.stack and us > 0:
                    file.write(";".join(frame.translate(clean) for frame in reversed(event.stack)) + f" {us}\n")

    def export_memory_timeline(self, path, device=None):
        """Writes nothing, because allocations are not recorded with their owners."""
        missing = [f"{name}=True" for name in ("record_shapes", "profile_memory", "with_stack") if not getattr(self, name)]
        if missing:
            raise ValueError(f"export_memory_timeline: {', '.join(missing)} is required.")
        _options.said("export_memory_timeline", "There is no file, because no source here records which tensor an allocation "
                                                "belongs to. riffle.memory and riffle.memory_layout record memory.")

    def _log(self):
        """The path of the log, after everything recorded so far has been written to it."""
        if not self.path:
            raise RiffleError("Nothing has been recorded yet.")
        now = self._library.stats()
        if now.path == self.path and now.state in (1, 2):
            self._library.check(self._library.flush())
        return self.path
