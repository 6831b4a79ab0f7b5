# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The observer of PyTorch's operators that is compiled on this machine (observer/observer.cpp): cheaper than PyTorch's own for
NVTX, with the types, strides and values of inputs. It is used only when asked for. While it is being compiled, by a process of
its own, PyTorch's own observer works."""

import ctypes
import os
import sys
import time
from pathlib import Path

from . import _library
from ._say import once, sentence

_LOOK_EVERY = 0.2  # seconds between two looks whether it has been compiled

_wanted = False    # it was asked for, in this process
_path = None       # of the file that is being compiled
_since = 0         # the time at which that began
_next_look = 0
_observer = None   # the loaded file
_users = {}        # those who record through it, with their wish for inputs


def chosen(asked=None):
    """What is asked for: "" for nothing, "1", or "any" for a version of PyTorch that is not tested, too."""
    if asked is None:
        asked = os.environ.get("RIFFLE_COMPILED_OBSERVER", "")
    return {"0": "", "False": "", "True": "1"}.get(str(asked), str(asked))


def ask(torch, asked):
    """Makes the observer available, now or later; says why if that is not possible. Does nothing if `asked` is empty."""
    global _wanted, _path, _since
    if not asked or _wanted:
        return
    _wanted = True
    from . import _observer_build as build  # what follows is not loaded unless it is asked for

    try:
        version = str(torch.__version__)
        if asked != "any" and not build.is_tested(version):
            raise build.Problem(f"It is tested with PyTorch {' and '.join(build.TESTED)}, and this is {version}. "
                                "Use the value 'any' to try it.")
        folder, abi = Path(torch.__file__).resolve().parent, int(getattr(torch._C, "_GLIBCXX_USE_CXX11_ABI", True))
        path = build.target(folder, abi)
        if path.exists():
            _load(path)
            return
        _path, _since = path, time.time()
        _start([_python(), build.__file__, str(folder), str(abi)])
        once("compiled", "The observer for PyTorch's operators is being compiled; until it is there, PyTorch's own works.")
    except Exception as error:  # whatever a PyTorch that nobody has tested lacks
        _give_up(error)


def is_pending():
    """True if it is being compiled."""
    return _path is not None


def is_ready():
    """True if the observer can be used."""
    global _next_look
    if _path is None:
        return _observer is not None
    now = time.time()
    if now < _next_look:
        return False
    _next_look = now + _LOOK_EVERY
    from . import _observer_build as build

    try:
        failed = build.reason(_path)
        if _path.exists():
            _load(_path)
        elif failed.exists() and failed.stat().st_mtime >= _since - 1:
            raise build.Problem(failed.read_text())
        elif now > _since + 2 * build.PATIENCE:
            raise build.Problem("It has not been compiled in time.")
    except (build.Problem, OSError) as error:
        _give_up(error)
    return _observer is not None


def start(user, shapes):
    """Starts to record on behalf of `user`. Returns False if the observer cannot be used, or not yet."""
    if not is_ready():
        return False
    _users[user] = shapes
    try:
        _follow()
    except _library.RiffleError as error:
        _give_up(error)
    return bool(_users)


def stop(user):
    if _users.pop(user, None) is not None:
        _follow()


def _follow():
    if not _users:
        _observer.riffle_observer_stop()
    elif _observer.riffle_observer_start(os.fsencode(_library.find()), any(_users.values())):
        raise _library.OptionError("PyTorch does not accept it.")


def _load(path):
    global _observer, _path
    from . import _observer_build as build

    if not build.is_ours(path):
        raise build.Problem(f"Others can write to {path} or its folder.")
    loaded = ctypes.PyDLL(str(path.resolve()))  # which keeps the GIL: no other thread forks while the observer has its lock
    loaded.riffle_observer_start.argtypes = (ctypes.c_char_p, ctypes.c_int)
    loaded.riffle_observer_stop.restype = loaded.riffle_observer_forked.restype = None
    _observer, _path = loaded, None


def _give_up(error):
    global _observer, _path
    _observer = _path = None
    _users.clear()
    once("compiled failed", f"PyTorch's own observer records the operators, not the compiled one: {sentence(error)}")


def _in_child():
    """Comes before the other parts' handlers, which would wait for PyTorch's lock: a thread of the parent may have held it."""
    _users.clear()
    if _observer:
        _observer.riffle_observer_forked()


def _python():
    """An interpreter for the compilation: a program that contains Python may give its own path as sys.executable."""
    if sys.executable and os.path.basename(sys.executable).startswith("python"):
        return sys.executable
    return "python3"


def _start(command):
    """Starts a process that is nobody's child: the program may wait for any of its children."""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RIFFLE_", "NVTX_", "CUDA_INJ", "INTEL_LIBITT"))}
    subprocess.run(["/bin/sh", "-c", '"$@" &', "sh", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=environment, start_new_session=True)


os.register_at_fork(after_in_child=_in_child)
