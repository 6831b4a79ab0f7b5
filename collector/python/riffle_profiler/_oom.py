# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Leaves one folder when memory runs out in a job under riffle-cli record: a snapshot of the GPU's memory, what the log
keeps, and a text file with the failing line."""

import os
import socket
import sys
import threading
import time
import traceback

from . import _library, _rank
from ._memory import memory
from ._say import say, sentence

TEXT = "out_of_memory.txt"
_WORDS = ("out of memory", "can't allocate memory", "cannot allocate memory")
_PACKAGE = os.path.dirname(os.path.abspath(__file__))


class OomFolder:
    """The folder HOST_rankR_PID_oom, written at the first out-of-memory error of the process. Only the first, because a
    program that catches the error and tries again would fill the disk."""

    def __init__(self, dir):
        rank = _rank.rank()
        self._name = "_".join([socket.gethostname()] + ([] if rank is None else [f"rank{rank}"]) + [str(os.getpid())])
        self.path = os.path.join(os.path.abspath(dir), self._name + "_oom")
        self._process = os.getpid()  # forked children record nothing
        self._writing = threading.Lock()

    def write(self, what, lines, snapshot=None):
        """Writes the folder; `snapshot` writes a snapshot into it. It must not raise, because its error would replace
        that of the program."""
        if os.getpid() != self._process or not self._writing.acquire(blocking=False):
            return  # it has been written, or is being written
        try:
            os.makedirs(self.path)
            with open(os.path.join(self.path, TEXT), "w", encoding="utf-8", errors="backslashreplace") as text:
                rank = _rank.rank()
                text.write(f"{what}\n{'No rank' if rank is None else f'Rank {rank}'}, process {os.getpid()} on "
                           f"{socket.gethostname()}, {time.strftime('%Y-%m-%d %H:%M:%S %z')}\n\n")
                text.writelines(lines)
            if snapshot:
                snapshot()
            self._dump_log()
            say(f"{what} What is known about it is in {self.path}.")
        except BaseException as error:
            say(f"{what} The folder {self.path} is not complete: {sentence(error)}")

    def _dump_log(self):
        library = _library.loaded()
        try:
            if library:
                library.check(library.dump(os.fsencode(os.path.join(self.path, self._name + ".rifflelog"))))
        except _library.RiffleError as error:
            say(f"The log was not saved in {self.path}: {sentence(error)}")


class JobMemory(memory):
    """The history of GPU memory; when memory runs out, the snapshot goes into the folder with everything else."""

    def __init__(self, *, folder, **settings):
        self._folder = folder
        super().__init__(**settings)

    def _out_of_memory(self, device, asked, free):
        what = f"Out of memory on GPU {device}: {asked / 2**20:.1f} MiB requested, {free / 2**20:.1f} MiB free."
        self._dir = self._folder.path
        self._folder.write(what, stack_lines(), lambda: self.dump("Memory snapshot"))


def stack_lines():
    """The Python stack of this thread, innermost last, without the frames of this package."""
    stack = [frame for frame in traceback.extract_stack() if not frame.filename.startswith(_PACKAGE)]
    if not stack:
        return ["A thread without Python frames requested the memory, such as one of PyTorch's backward pass.\n"]
    return ["Traceback (most recent call last):\n", *traceback.format_list(stack)]


def is_out_of_memory(error):
    return (isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
            or isinstance(error, RuntimeError) and any(word in str(error).lower() for word in _WORDS))


def watch_uncaught(folder):
    """Writes the folder for an out-of-memory error that ends the program, as those of the host's memory do. The program's
    own excepthook is called afterwards."""
    original = sys.excepthook

    def excepthook(kind, error, trace):
        try:
            if is_out_of_memory(error):
                folder.write(f"Out of memory: {sentence(error)}", traceback.format_exception(kind, error, trace))
        except BaseException:
            pass
        original(kind, error, trace)

    sys.excepthook = excepthook
