# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's history of GPU memory, written as a snapshot when asked for and when memory runs out."""

import os
import socket
import sys
import threading
import time

from . import _rank
from ._say import say, sentence

MOST_OOM_DUMPS = 3  # a program that catches the error and tries again would fill the disk

_active = []  # memory objects, the newest last
_observing = False


class memory:
    """From now until stop() PyTorch keeps the last `max_entries` allocations and frees of its CUDA allocator, with stacks.

        with riffle.memory(max_entries=100_000, dir="memory") as memory:
            train()
            memory.dump()

    on_oom   writes a snapshot before an out-of-memory error is raised; the error is raised as without it
    stacks   "python", or "all" with C++ frames
    dir      where snapshots are written, as HOST_rankR_TIME.pickle; by default the working directory

    It never raises: what it cannot do it says on stderr. Without CUDA it does nothing.
    """

    def __init__(self, *, max_entries=100_000, on_oom=True, stacks="python", dir=None):
        self.enabled = False
        self._dir = os.path.abspath(os.fspath(dir) if dir is not None else ".")
        self._on_oom, self._oom_dumps = on_oom, 0
        self._own = False  # whether the history is ours to end
        self._dumping = threading.Lock()
        self._torch = sys.modules.get("torch")
        if self._torch is None or not self._torch.cuda.is_available():
            reason = "PyTorch has no CUDA device here" if self._torch else "PyTorch is not imported"
            say(f"memory is not recorded: {reason}")
            return
        try:
            self._begin(max_entries, stacks)
        except Exception as error:
            say(f"memory is not recorded: {sentence(error)}")

    def _begin(self, max_entries, stacks):
        torch = self._torch
        torch.cuda.init()  # the observer needs it
        self._own = not getattr(torch._C, "_cuda_isHistoryEnabled", bool)()
        if self._own:
            torch.cuda.memory._record_memory_history("all", stacks=stacks, max_entries=max_entries)
        else:
            say("memory history is recorded already: its settings stay")
        self.enabled = True
        _active.append(self)
        if self._on_oom:
            _observe(torch)

    def dump(self, reason="memory snapshot"):
        """Writes what is kept now; the path of the file, or None where there is none."""
        if not self.enabled:
            say("no memory snapshot: memory is not recorded")
            return None
        if not self._dumping.acquire(blocking=False):
            say(f"{reason}: no snapshot, as one is just being written")
            return None
        begun = time.monotonic()
        path = os.path.join(self._dir, _file_name())
        try:
            os.makedirs(self._dir, exist_ok=True)
            self._torch.cuda.memory._dump_snapshot(path + ".part")
            size = os.path.getsize(path + ".part")
            os.replace(path + ".part", path)
        except BaseException as error:  # Ctrl-C ends a dump that lasts too long, and nothing else
            say(f"{reason}: the snapshot {path} was not written: {sentence(error)}")
            _remove(path + ".part")
            return None
        finally:
            self._dumping.release()
        say(f"{reason}: {path}, {size / 1e6:.1f} MB, took {time.monotonic() - begun:.2f} s")
        return path

    def stop(self):
        """Ends the recording; what was written stays."""
        if not self.enabled:
            return
        self.enabled = False
        _active.remove(self)
        if self._own:
            try:
                self._torch.cuda.memory._record_memory_history(None)
            except Exception as error:
                say(f"memory history is still recorded: {sentence(error)}")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()
        return False

    def _out_of_memory(self, device, asked, free):
        if self._oom_dumps >= MOST_OOM_DUMPS:
            return
        self._oom_dumps += 1
        last = "; no more of them will be written" if self._oom_dumps == MOST_OOM_DUMPS else ""
        self.dump(f"out of memory on GPU {device}, {asked / 2**20:.1f} MiB asked for, {free / 2**20:.1f} MiB free{last}")


def _observe(torch):
    """PyTorch calls an observer before it raises; one of them for the process, as it cannot be taken away again."""
    global _observing
    if not _observing:
        torch._C._cuda_attach_out_of_memory_observer(_on_oom)
        _observing = True


def _on_oom(device, asked, allocated, free):
    """An error from here would be raised instead of PyTorch's own."""
    try:
        for one in reversed(_active):
            if one._on_oom:
                one._out_of_memory(device, asked, free)
                break
    except BaseException as error:
        say(f"no memory snapshot: {sentence(error)}")


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
