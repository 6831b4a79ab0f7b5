# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The collector's C interface (riffle/collector.h) through ctypes."""

import ctypes
import os
from pathlib import Path

NAME = "libriffle_collector.so"
ABI_VERSION = 1
EINVAL, ESTATE, EIO, EOPTION = 1, 2, 3, 4
ENDED = 3  # the state of a recording that was ended by a limit, an error or from outside


class RiffleError(RuntimeError):
    """The collector could not do something; the message says what and why."""

    code = 0


class LibraryError(RiffleError):
    """The collector's library or riffle-cli is missing, or the library has the wrong version."""


class OptionError(RiffleError):
    """No source can provide what an option requests."""

    code = EOPTION


class RiffleWarning(UserWarning):
    """What riffle-cli says about an answer of open(): a loss in a file, a limit, or why a table is empty."""


class Stats(ctypes.Structure):
    """struct riffle_stats."""

    _fields_ = [
        ("size", ctypes.c_uint32), ("state", ctypes.c_int32), ("events", ctypes.c_uint64),
        ("dropped", ctypes.c_uint64), ("bytes_written", ctypes.c_uint64), ("bytes_kept", ctypes.c_uint64),
        ("buffer_bytes", ctypes.c_uint64), ("threads", ctypes.c_uint64), ("_path", ctypes.c_char * 1024),
    ]

    @property
    def path(self):
        return os.fsdecode(self._path)


class Wishes(ctypes.Structure):
    """struct riffle_wishes, in the library's memory."""

    _fields_ = [(name, ctypes.c_uint32) for name in ("size", "changes", "operators", "shapes", "memory_history", "steps",
                                                "modules", "stacks")]


# The name, result type and argument types of each function.
_PROTOTYPES = (
    ("riffle_abi_version", ctypes.c_int, ()),
    ("riffle_last_error", ctypes.c_char_p, ()),
    ("riffle_start", ctypes.c_int, (ctypes.c_char_p,)),
    ("riffle_stop", ctypes.c_int, ()),
    ("riffle_close", None, ()),
    ("riffle_pause", ctypes.c_int, ()),
    ("riffle_resume", ctypes.c_int, ()),
    ("riffle_flush", ctypes.c_int, ()),
    ("riffle_dump", ctypes.c_int, (ctypes.c_char_p,)),
    ("riffle_yield_cuda", ctypes.c_int, ()),
    ("riffle_resume_cuda", ctypes.c_int, ()),
    ("riffle_will_yield_cuda", None, ()),
    ("riffle_range_push", None, (ctypes.c_char_p,)),
    ("riffle_range_push_category", None, (ctypes.c_char_p, ctypes.c_char_p)),
    ("riffle_range_pop", None, ()),
    ("riffle_range_depth", ctypes.c_int, ()),
    ("riffle_mark", None, (ctypes.c_char_p,)),
    ("riffle_counter", None, (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_double)),
    ("riffle_step", None, (ctypes.c_int64,)),
    ("riffle_gap_begin", None, (ctypes.c_char_p, ctypes.c_char_p)),
    ("riffle_gap_end", None, (ctypes.c_char_p,)),
    ("riffle_paddle_events", ctypes.c_int, (ctypes.c_char_p,)),
    ("riffle_itt_connected", ctypes.c_int, ()),
    ("riffle_process_info", None, (ctypes.c_char_p, ctypes.c_char_p)),
    ("riffle_agent_wishes", ctypes.POINTER(Wishes), ()),
    ("riffle_agent_says", None, (ctypes.c_uint32, ctypes.c_char_p)),
    ("riffle_agent_ends", None, ()),
    ("riffle_observer_functions", ctypes.c_void_p, ()),
    ("riffle_get_stats", ctypes.c_int, (ctypes.POINTER(Stats),)),
)


class Library:
    """The loaded library. Its functions are attributes without the prefix; `check` takes the results of those that can fail."""

    def __init__(self, path):
        try:
            loaded = ctypes.CDLL(path)
            for name, result, arguments in _PROTOTYPES:
                function = getattr(loaded, name)
                function.restype, function.argtypes = result, arguments
                setattr(self, name[len("riffle_"):], function)
            with_gil = ctypes.PyDLL(path)  # keeps the GIL during a call
            self.python_stacks, self.python_calls = with_gil.riffle_python_stacks, with_gil.riffle_python_calls
            self.python_calls.argtypes = (ctypes.c_char_p,)
            self.python_calls_join = with_gil.riffle_python_calls_join
        except (OSError, AttributeError) as error:
            raise LibraryError(f"The collector's library {path} cannot be loaded: {error}") from None
        if self.abi_version() != ABI_VERSION:
            raise LibraryError(f"{path} has version {self.abi_version()} of the collector's interface, "
                               f"but this package needs version {ABI_VERSION}.")
        self.path = path

    def check(self, code):
        """Raises an error with the library's message if `code` is not RIFFLE_OK."""
        if code:
            text = self.last_error().decode("utf-8", "replace") or f"The collector failed with code {code}."
            error = (OptionError if code == EOPTION else RiffleError)(text)
            error.code = code
            raise error

    def stats(self):
        stats = Stats(size=ctypes.sizeof(Stats))
        self.check(self.get_stats(ctypes.byref(stats)))
        return stats


def _mapped():
    """The path of the library that this process has already mapped, or None: there must not be a second copy."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            for line in maps:
                path = line.rstrip("\n").split(maxsplit=5)[-1]
                if path.startswith("/") and path.endswith("/" + NAME):
                    return path
    except OSError:
        pass
    return None


def find():
    """The path of the library. Raises LibraryError if it is not found."""
    mapped = _mapped()
    if mapped:
        return mapped
    asked = os.environ.get("RIFFLE_COLLECTOR")
    if asked:
        if os.path.isfile(asked):
            return os.path.abspath(asked)
        raise LibraryError(f"RIFFLE_COLLECTOR names {asked}, which is not a file.")
    package = Path(__file__).resolve().parent
    # In the package, or in lib/ if the package is in share/riffle/python of the same installation or build.
    for folder in (package, package / "lib", package.parents[3] / "lib" if len(package.parents) > 3 else package):
        if (folder / NAME).is_file():
            return str(folder / NAME)
    raise LibraryError(f"{NAME} was not found. Set RIFFLE_COLLECTOR to its path, put it into the folder of the "
                       "package riffle_profiler, or start the job with riffle-cli record.")


_library = None
_missing = False


def library():
    """The library; the first call loads it."""
    global _library
    if _library is None:
        _library = Library(find())
        # Modules that make their first NVTX call from now on will find the collector, too.
        os.environ.setdefault("NVTX_INJECTION64_PATH", _library.path)
    return _library


def in_process():
    """The library if this process has loaded it, for whatever purpose; otherwise None."""
    return library() if _library or _mapped() else None


ended = False  # True when Python ends, and the recording with it


def end_at_exit():
    """Ends the recording before the interpreter ends: Python 3.10 may crash in threads that still run Python while a library's
    destructor closes a log."""
    global ended
    ended = True
    try:
        library = in_process()
        if library:
            library.close()
    except LibraryError:
        pass  # nothing is recorded


def loaded():
    """The library if this process records with it or may soon do so; otherwise None. Never raises."""
    global _library, _missing
    if _library is None and not _missing and "RIFFLE_OPTIONS" in os.environ:
        try:
            return library()
        except LibraryError:
            _missing = True
    return _library
