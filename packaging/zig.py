# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Builds CMake projects with Zig for an architecture and an old glibc, and the libraries that a wheel contains."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import sources

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "riffle" / "packaging"


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(*command, **options):
    """Runs a command, and ends with its output if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        say(done.stdout)
        raise SystemExit(f"Failed: {' '.join(str(word) for word in command)}")
    return done.stdout


@contextlib.contextmanager
def cache_lock():
    """Held while something is put into the cache, which builds of several clones share."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def digest(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:12]


class Zig:
    """The compiler for an architecture and a glibc."""

    def __init__(self, arch, glibc):
        import importlib.metadata

        import ziglang

        self.arch, self.glibc = arch, glibc
        self.home = Path(ziglang.__file__).parent
        self.name = f"{arch}-linux-gnu.{glibc}"
        version = importlib.metadata.version("ziglang")
        self.key = digest(version, self.name, *(path.read_text() for path in sorted((ROOT / "packaging" / "deps").iterdir())),
                          (ROOT / "packaging" / "zig.cmake").read_text(), sorted(sources.PINNED.items()))
        self.deps = CACHE / "libraries" / f"{self.name}-{self.key}"
        self.programs = CACHE / "programs" / f"{self.name}-{digest(version, self.home)}"
        self.jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 2))
        os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(CACHE / "zig"))
        os.environ.setdefault("ZIG_LOCAL_CACHE_DIR", str(CACHE / "zig"))
        # ccache sees only a script, so it is told what the script runs.
        os.environ.update(CCACHE_COMPILERCHECK=f"string:zig {version} {self.name}", CCACHE_COMPILERTYPE="clang")
        self._write_programs()

    def _write_programs(self):
        """CMake and ccache expect programs of one word."""
        self.programs.mkdir(parents=True, exist_ok=True)
        for program in ("cc", "c++", "ar", "ranlib"):
            target = f" -target {self.name}" if program in ("cc", "c++") else ""
            path = self.programs / f"zig-{program}"
            text = f'#!/bin/sh\nexec "{self.home}/zig" {program}{target} "$@"\n'
            if not path.is_file() or path.read_text() != text:
                path.write_text(text)
                path.chmod(0o755)

    def cmake(self, source, folder, targets, *settings):
        """Configures `source` into `folder` and builds the targets."""
        folder.mkdir(parents=True, exist_ok=True)
        ccache = shutil.which("ccache")
        launchers = [f"-DCMAKE_{language}_COMPILER_LAUNCHER={ccache}" for language in ("C", "CXX") if ccache]
        run("cmake", "-S", source, "-B", folder, "-G", "Ninja", f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/packaging/zig.cmake",
            f"-DRIFFLE_ZIG={self.programs}", f"-DRIFFLE_ARCH={self.arch}", f"-DRIFFLE_DEPS={self.deps}",
            "-DCMAKE_BUILD_TYPE=Release", *launchers, *settings)
        run("cmake", "--build", folder, "-j", self.jobs, *(word for target in targets for word in ("--target", target)))

    def libraries(self):
        """Builds the static libraries, once for all clones."""
        sources.fetch(CACHE / "sources", sources.PINNED)
        if (self.deps / "complete").exists():
            return
        say("Building the libraries")
        folder = CACHE / "libraries" / f"build-{self.name}"
        shutil.rmtree(folder, ignore_errors=True)
        self.cmake(ROOT / "packaging" / "deps", folder, ["install"], f"-DRIFFLE_SOURCES={CACHE / 'sources'}",
                   f"-DCMAKE_INSTALL_PREFIX={self.deps}")
        shutil.rmtree(folder)
        (self.deps / "complete").touch()

    def licences(self):
        """Yields the name and the text of the licence of everything that these libraries and Zig put into a program."""
        for name, version in sources.PINNED.items():
            yield f"{name}-{version.replace(':', '%3a')}.txt", (CACHE / "sources" / name / "debian" / "copyright").read_bytes()
        for name in ("libcxx", "libcxxabi", "libunwind"):
            yield f"{name}.txt", (self.home / "lib" / name / "LICENSE.TXT").read_bytes()
        yield "zig.txt", (self.home / "LICENSE").read_bytes()
