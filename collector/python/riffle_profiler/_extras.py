# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""What riffle-cli record records only on request: modules, the history of GPU memory, and out-of-memory errors."""

import atexit

from . import _library
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
    """The agent calls it when PyTorch has been imported, when recording goes on or off, and after the first step."""

    def __init__(self, chosen):
        self._modules = Modules(LateLibrary()) if chosen.get("modules") == "1" else None
        self._history = int(chosen.get("memory_history") or 0)
        self._on_oom = chosen.get("on_oom") == "1"
        self._dir = chosen.get("dir") or "."
        self._memory = self._torch = None

    def attach(self, torch):
        self._torch = torch
        if self._on_oom:
            from ._oom import OomFolder, watch_uncaught
            self._folder = OomFolder(self._dir)
            watch_uncaught(self._folder)
        if self._history or self._on_oom:
            # Not before the program itself has started CUDA: that would occupy the first GPU in every process.
            torch.cuda._lazy_call(self._begin_memory)

    def _begin_memory(self):
        """Called by PyTorch, which would pass an error on to the program."""
        try:
            settings = {"max_entries": self._history or DEFAULT_ENTRIES, "dir": self._dir}
            if self._on_oom:
                from ._oom import JobMemory
                self._memory = JobMemory(folder=self._folder, **settings)
            else:
                from ._memory import memory
                self._memory = memory(**settings)
            if self._history and self._memory.enabled:
                atexit.register(self._memory.dump, "Memory snapshot at the end")
        except Exception as error:
            say(f"Memory is not recorded: {sentence(error)}")

    def stepped(self):
        """Says after the first step that there is no memory to record if the step has not used CUDA."""
        if (self._history or self._on_oom) and not self._memory:
            say("The history of GPU memory is not recorded: the first step did not use CUDA."
                if self._torch.cuda.is_available() else
                "The history of GPU memory is not recorded: PyTorch has no CUDA device here.")

    def enable(self):
        if self._modules:
            self._modules.enable()

    def disable(self):
        if self._modules:
            self._modules.disable()
