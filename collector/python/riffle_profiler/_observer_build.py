# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles observer/observer.cpp against the headers of a PyTorch that is installed, into a cache. It is a program of its own,
which imports neither PyTorch nor the package, and a module that says where the result is.

Usage: _observer_build.py [TORCH_FOLDER [ABI]]

Without a folder, it is that of the PyTorch that this Python would import, if it is a tested version. If the compilation fails, a
file beside the result says why."""

import fcntl
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

TESTED = ("2.9.1", "2.15.0")  # the versions of PyTorch that Riffle's tests run
PATIENCE = 180  # seconds for another process that compiles the same, and for the compiler
SOURCE = Path(__file__).resolve().parent / "observer" / "observer.cpp"


class Problem(Exception):
    """Why there is no observer, as a sentence."""


def version_of(torch):
    """The version and the commit of the PyTorch in this folder."""
    try:
        text = (torch / "version.py").read_text()
        return tuple(re.search(rf"^{name} = '([^']+)'", text, re.M)[1] for name in ("__version__", "git_version"))
    except (OSError, TypeError):
        raise Problem(f"{torch} does not say which version of PyTorch it is.") from None


def is_tested(version):
    return version.split("+")[0] in TESTED


def _standard(version):
    """The C++ of the headers of this PyTorch. Old compilers know only the older one, which suffices up to 2.9."""
    number = re.match(r"(\d+)\.(\d+)", version)
    return "c++17" if number and (int(number[1]), int(number[2])) <= (2, 9) else "c++20"


def target(torch, abi):
    """The path of the compiled observer for the PyTorch in this folder. Its name has everything that it depends on."""
    version, commit = version_of(torch)
    source = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(SOURCE.parent.glob("*.[ch]*")))).hexdigest()[:16]
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(root, "riffle", "observers", f"{version}-{commit[:12]}-abi{abi}-{platform.machine()}-{platform.libc_ver()[1]}-{source}.so")


def reason(path):
    """The file that says why the observer at this path could not be compiled."""
    return path.with_suffix(".failed")


def is_ours(path):
    """True if nobody but this user could have written the file: it will run in the user's process."""
    path = path.resolve()
    for one in (path, *path.parents):
        status = os.stat(one)
        is_near = one in (path, path.parent)
        if status.st_uid not in ((os.geteuid(),) if is_near else (0, os.geteuid())):
            return False
        if status.st_mode & 0o022 and (is_near or not status.st_mode & 0o1000):  # a sticky folder keeps what others own
            return False
    return True


def _compiler():
    chosen = os.environ.get("CXX")
    if chosen:
        return shlex.split(chosen)
    for name in ("c++", "g++", "clang++"):
        if shutil.which(name):
            return [name]
    raise Problem("No C++ compiler was found. Install one, or set CXX to its path.")


def _compile(torch, abi, path):
    include = torch / "include"
    if re.search(r"^debug = True", (torch / "version.py").read_text(), re.M):
        raise Problem("This PyTorch is a debug build.")
    if not (include / "ATen" / "record_function.h").is_file():
        raise Problem(f"This PyTorch has no headers: {include}/ATen/record_function.h is missing.")
    made = path.with_suffix(f".{platform.node()}.{os.getpid()}.tmp")
    command = [*_compiler(), f"-std={_standard(version_of(torch)[0])}", "-O2", "-DNDEBUG", "-w", "-fPIC", "-shared", "-fvisibility=hidden",
               f"-D_GLIBCXX_USE_CXX11_ABI={abi}", f"-I{include}", f"-I{include}/torch/csrc/api/include",
               f"-I{SOURCE.parent}", str(SOURCE), "-o", str(made), f"-L{torch}/lib", "-Wl,-z,defs", "-ltorch_cpu", "-lc10", "-ldl",
               "-pthread"]
    try:
        for more in [], ["-DRIFFLE_NO_COLLECTIVES"]:  # the latter for a PyTorch without process groups
            done = subprocess.run(command + more, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=PATIENCE)
            if not done.returncode:
                break
        if done.returncode:
            errors = [line for line in done.stdout.splitlines() if "error" in line] or done.stdout.splitlines() or ["no message"]
            raise Problem(f"The compiler {command[0]} failed: {errors[0].strip()}")
        os.chmod(made, 0o700)  # whatever the umask: it is not loaded if others can write to it
        os.rename(made, path)
    except OSError as error:
        raise Problem(f"The compiler {command[0]} could not be started: {error.strerror}.") from None
    except subprocess.TimeoutExpired:
        raise Problem(f"The compiler {command[0]} took more than {PATIENCE} s.") from None
    finally:
        made.unlink(missing_ok=True)


def build(torch, abi):
    """Compiles the observer, unless it is there; one process at a time does so."""
    path, begin = target(torch, abi), time.time()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.time() > begin + PATIENCE:
                    return
                time.sleep(0.1)
            except OSError:
                break  # no locks here: two may compile, since a file appears by its renaming
        failed = reason(path)
        if path.exists() or (failed.exists() and failed.stat().st_mtime > begin):
            return
        try:
            _compile(torch, abi, path)
            failed.unlink(missing_ok=True)
        except Exception as problem:
            failed.write_text(str(problem) or type(problem).__name__)


def main():
    if len(sys.argv) > 1:
        build(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
        return
    import importlib.util

    spec = importlib.util.find_spec("torch")
    if spec and spec.origin:
        torch = Path(spec.origin).parent
        if is_tested(version_of(torch)[0]):
            build(torch, 1)


if __name__ == "__main__":
    main()
