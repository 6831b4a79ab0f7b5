# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes PyTorch's history of GPU memory as a snapshot, on request and when memory runs out."""

import os
import socket
import sys
import threading
import time

from . import _rank
from ._say import say, sentence

MOST_OOM_DUMPS = 3  # a limit, because a program that catches the error and tries again would fill the disk

_active = []  # the active memory objects, the newest last
_observing = False


class memory:
    """Makes PyTorch keep the last `max_entries` allocations and frees of its CUDA allocator, with stacks, until stop().

        with riffle.memory(max_entries=100_000, dir="memory") as memory:
            train()
            memory.dump()

    on_oom   writes a snapshot before an out-of-memory error is raised; the error is still raised
    stacks   "python", or "all" to include C++ frames
    dir      the folder for snapshots, named HOST_rankR_TIME.pickle; by default the working directory

    It never raises, but reports problems on stderr. Without CUDA it does nothing.
    """

    def __init__(self, *, max_entries=100_000, on_oom=True, stacks="python", dir=None):
        self.enabled = False
        self._dir = os.path.abspath(os.fspath(dir) if dir is not None else ".")
        self._on_oom, self._oom_dumps = on_oom, 0
        self._own = False  # True if we have started the history and must end it
        self._dumping = threading.Lock()
        self._torch = sys.modules.get("torch")
        if self._torch is None or not self._torch.cuda.is_available():
            reason = "PyTorch has no CUDA device here" if self._torch else "PyTorch is not imported"
            say(f"Memory is not recorded: {reason}.")
            return
        try:
            self._begin(max_entries, stacks)
        except Exception as error:
            say(f"Memory is not recorded: {sentence(error)}")

    def _begin(self, max_entries, stacks):
        torch = self._torch
        torch.cuda.init()  # the observer needs it
        self._own = not getattr(torch._C, "_cuda_isHistoryEnabled", bool)()
        if self._own:
            torch.cuda.memory._record_memory_history("all", stacks=stacks, max_entries=max_entries)
        else:
            say("The memory history is already being recorded; its settings stay.")
        self.enabled = True
        _active.append(self)
        if self._on_oom:
            _observe(torch)

    def dump(self, reason="Memory snapshot"):
        """Writes a snapshot of what is kept now. Returns the path of the file, or None if there is none."""
        if not self.enabled:
            say("There is no memory snapshot: memory is not recorded.")
            return None
        if not self._dumping.acquire(blocking=False):
            say(f"{reason}: There is no snapshot, because another one is being written.")
            return None
        begun = time.monotonic()
        path = os.path.join(self._dir, _file_name())
        try:
            os.makedirs(self._dir, exist_ok=True)
            self._torch.cuda.memory._dump_snapshot(path + ".part")
            size = os.path.getsize(path + ".part")
            os.replace(path + ".part", path)
        except BaseException as error:  # Ctrl-C ends only a dump that takes too long, not the program
            say(f"{reason}: The snapshot {path} was not written: {sentence(error)}")
            _remove(path + ".part")
            return None
        finally:
            self._dumping.release()
        say(f"{reason}: {path}, {size / 1e6:.1f} MB, took {time.monotonic() - begun:.2f} s.")
        return path

    def stop(self):
        """Ends the recording; snapshots that were written stay."""
        if not self.enabled:
            return
        self.enabled = False
        _active.remove(self)
        if self._own:
            try:
                self._torch.cuda.memory._record_memory_history(None)
            except Exception as error:
                say(f"The memory history could not be stopped: {sentence(error)}")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()
        return False

    def _out_of_memory(self, device, asked, free):
        if self._oom_dumps >= MOST_OOM_DUMPS:
            return
        self._oom_dumps += 1
        last = " (later ones will not be written)" if self._oom_dumps == MOST_OOM_DUMPS else ""
        self.dump(f"Out of memory on GPU {device}, {asked / 2**20:.1f} MiB requested, {free / 2**20:.1f} MiB free{last}")


def _observe(torch):
    """Attaches an observer, which PyTorch calls before it raises. One per process, because it cannot be removed again."""
    global _observing
    if not _observing:
        torch._C._cuda_attach_out_of_memory_observer(_on_oom)
        _observing = True


def _on_oom(device, asked, allocated, free):
    """Writes the snapshot. It must not raise, because its error would replace PyTorch's own."""
    try:
        for one in reversed(_active):
            if one._on_oom:
                one._out_of_memory(device, asked, free)
                break
    except BaseException as error:
        say(f"There is no memory snapshot: {sentence(error)}")


def _file_name():
    rank = _rank.rank()
    now = time.time()
    return (f"{socket.gethostname()}_{f'pid{os.getpid()}' if rank is None else f'rank{rank}'}_"
            f"{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}.{int(now * 1000) % 1000:03}.pickle")


def _remove(path):
    try:
        os.remove(path)
    except OSError:
        pass
