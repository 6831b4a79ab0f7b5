# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Every Python call as a range: the interpreter's threads get the library's profile function, and lose it again. Threads that
start meanwhile get it by threading.setprofile()."""

import os
import site
import sys
import threading

from . import _stacks
from ._library import EOPTION, OptionError
from ._say import once

_library = None  # while calls are recorded
_watches_forks = False


def start(library):
    """Raises OptionError if this interpreter's calls cannot be recorded. Does nothing if they are."""
    global _library, _watches_forks
    if _library:
        look()
        return
    if not _watches_forks:
        _watches_forks = True
        os.register_at_fork(after_in_child=_in_child)
    _stacks.end_at_exit()
    if threading.getprofile() is None:
        threading.setprofile(_join)  # before the threads that run get it, so that none is left out between
    try:
        _install(library)
    except BaseException:
        _leave_threads()
        raise
    _library = library


def stop():
    global _library
    if _library:
        library, _library = _library, None
        library.python_calls(None)
        _leave_threads()


def look():
    """Records this thread's calls again after the program's own profile function has ended."""
    if _library and sys.getprofile() is None:
        _install(_library)


def _install(library):
    code = library.python_calls(os.fsencode("\n".join(_prefixes())))
    if code:
        text = library.last_error().decode("utf-8", "replace")
        if code == EOPTION:
            raise OptionError(text)
        once("calls", text)


def _prefixes():
    """Beginnings of paths that names leave out, as torch.profiler does it."""
    torch = sys.modules.get("torch")
    paths = [*site.getsitepackages(), *sys.path, site.getuserbase(), site.getusersitepackages()]
    paths += [os.path.dirname(os.path.dirname(torch.__file__))] if getattr(torch, "__file__", None) else []
    known = {os.path.abspath(path) for path in paths if isinstance(path, str) and "\n" not in path}
    return [os.path.join(path, "") for path in sorted(known, reverse=True)]


def _join(*_):
    """The profile function with which a thread of the program starts: gives it that of the library."""
    library = _library
    if not library or library.python_calls_join():
        sys.setprofile(None)


def _leave_threads():
    if threading.getprofile() is _join:
        threading.setprofile(None)


def _in_child():
    """A forked child records nothing."""
    global _library
    _library = None
    _leave_threads()
