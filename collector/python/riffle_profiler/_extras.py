# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What riffle-cli record records only on request: modules, Python stacks, the history of GPU memory, and out-of-memory
errors."""

import atexit
import os

from . import _calls, _library, _stacks
from ._library import OptionError
from ._modules import Modules
from ._say import say, sentence

DEFAULT_ENTRIES = 100_000


class LateLibrary:
    """The library, loaded when the first module runs, because a process that only imports PyTorch should write no log.
    Without a library the calls do nothing: they are made by the program's own calls, which must not fail."""

    def __getattr__(self, name):
        try:
            value = getattr(_library.library(), name)
        except _library.LibraryError as error:
            say(f"Modules are not recorded: {sentence(error)}")
            value = _nothing
        setattr(self, name, value)
        return value


def _nothing(*_):
    pass


class Extras:
    """The agent calls it when PyTorch has been imported, after the first step, and when the recording wants something else."""

    def __init__(self, chosen):
        recorded = not chosen.get("left_out")
        self._modules_first = chosen.get("modules") == "1"
        self._history = int(chosen.get("memory_history") or 0) if recorded else 0
        self._on_oom = chosen.get("on_oom") == "1" and recorded
        self._stacks = _stacks.way_of(chosen.get("stacks", ""))
        self._reads_stacks = False
        self._dir = chosen.get("dir") or "."
        self._memory = self._modules = self._torch = None
        self._process = os.getpid()  # forked children record nothing

    def attach(self, torch, at_once):
        self._torch = torch
        if self._stacks:
            _stacks.end_at_exit()
        if self._on_oom:
            from ._oom import OomFolder, watch_uncaught
            self._folder = OomFolder(self._dir)
            watch_uncaught(self._folder)
        if self._history or self._on_oom:
            # Not before the program itself has started CUDA: that would occupy the first GPU in every process.
            torch.cuda._lazy_call(self._begin_memory)
        if at_once and self._modules_first:
            self.switch_modules(True)

    def _begin_memory(self):
        """Called by PyTorch, which would pass an error on to the program."""
        if self._memory or not (self._history or self._on_oom) or os.getpid() != self._process:
            return  # requested from outside meanwhile, or a forked child
        try:
            settings = {"max_entries": self._history or DEFAULT_ENTRIES, "dir": self._dir}
            if self._on_oom:
                from ._oom import JobMemory
                self._memory = JobMemory(folder=self._folder, **settings)
            else:
                from ._memory import memory
                self._memory = memory(**settings)
            if self._history and self._memory.enabled:
                atexit.register(self._dump_at_end)
        except Exception as error:
            say(f"Memory is not recorded: {sentence(error)}")

    def _dump_at_end(self):
        if os.getpid() == self._process:
            self._memory.dump("Memory snapshot at the end")

    def stepped(self):
        """Says after the first step that there is no memory to record if the step has not used CUDA."""
        if (self._history or self._on_oom) and not self._memory:
            say("The history of GPU memory is not recorded: the first step did not use CUDA."
                if self._torch.cuda.is_available() else
                "The history of GPU memory is not recorded: PyTorch has no CUDA device here.")

    def keeps_history(self):
        return bool(self._history and self._memory and self._memory.enabled)

    def follow_history(self, entries, folder):
        """Starts, changes or ends the history of GPU memory; its end writes a snapshot. `folder` returns the folder for
        snapshots. Returns the reason if that is not possible, as a list."""
        if entries == self._history or os.getpid() != self._process:
            return []
        if self._memory:
            if self.keeps_history():
                self._memory.dump("The memory history ends")
                atexit.unregister(self._dump_at_end)
            self._memory.stop()
            self._memory = None
        self._history = 0
        if entries and not self._torch.cuda.is_available():
            return ["memory_history: PyTorch has no CUDA device here."]
        if entries:
            self._history, self._dir = entries, folder()
        if entries or (self._on_oom and self._torch.cuda.is_initialized()):
            self._begin_memory()
        if entries and not self.keeps_history():
            self._history = 0
            return ["memory_history: PyTorch could not start it; the job's standard error says why."]
        return []

    def follow_stacks(self, wanted, library):
        """Lets the library read the Python stacks of operators. Returns the reason if that is not possible, as a list. The
        library allows it itself when it is loaded, but only in the main thread."""
        try:
            _calls.start(library) if wanted == _stacks.CALLS else _calls.stop()
        except OptionError as error:
            return [f"stacks: {error}"]
        self._stacks = wanted or self._stacks
        if wanted and not self._reads_stacks:
            try:
                _stacks.allow(library)
            except OptionError as error:
                return [f"stacks: {error}"]
            self._reads_stacks = True
        return []

    def stacks_way(self):
        """The way of Python stacks that is recorded, or was asked for."""
        return self._stacks

    def wants_modules(self):
        """True if modules are recorded, or were asked for."""
        return self._modules_first or bool(self._modules and self._modules.enabled)

    def switch_modules(self, on):
        if on and not self._modules:
            self._modules = Modules(LateLibrary())
        if self._modules:
            (self._modules.enable if on else self._modules.disable)()
