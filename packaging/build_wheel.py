#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel riffle-profiler: the collector, its Python package and the command line, for old systems.

Usage: build_wheel.py [--arch x86_64|aarch64] [--glibc 2.17] [--output FOLDER]

Runs in a Python that has ziglang and auditwheel; ./dev package wheel provides one. Exit status 77 means that the sources of
the libraries are neither on this machine nor within reach.
"""

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import sources

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "riffle" / "packaging"
PYTHON = ROOT / "collector" / "python"
UNREACHABLE = 77


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(*command, **options):
    """Runs a command, and ends with its output if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        say(done.stdout)
        raise SystemExit(f"Failed: {' '.join(str(word) for word in command)}")
    return done.stdout


class Build:
    def __init__(self, arch, glibc):
        import ziglang

        self.arch, self.glibc = arch, glibc
        self.zig_home = Path(ziglang.__file__).parent
        self.folder = ROOT / "build" / f"wheel-{arch}"
        self.deps = self.folder / "deps"
        self.jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 2))
        os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(CACHE / "zig"))
        os.environ.setdefault("ZIG_LOCAL_CACHE_DIR", str(CACHE / "zig"))

    def cmake(self, source, folder, targets, *settings):
        """Configures `source` into `folder` and builds the targets with Zig."""
        self.folder.mkdir(parents=True, exist_ok=True)
        run("cmake", "-S", source, "-B", folder, "-G", "Ninja", f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/packaging/zig.cmake",
            f"-DRIFFLE_ZIG={self.zig_home}/zig", f"-DRIFFLE_ARCH={self.arch}", f"-DRIFFLE_GLIBC={self.glibc}",
            f"-DRIFFLE_DEPS={self.deps}", "-DCMAKE_BUILD_TYPE=Release", *settings)
        run("cmake", "--build", folder, "-j", self.jobs, *(word for target in targets for word in ("--target", target)))

    def libraries(self):
        self.cmake(ROOT / "packaging" / "deps", self.folder / "deps-build", ["install"],
                   f"-DRIFFLE_SOURCES={CACHE / 'sources'}", f"-DCMAKE_INSTALL_PREFIX={self.deps}")

    def riffle(self):
        """Builds the collector and the command line; returns the folder of the build."""
        folder = self.folder / "riffle"
        # Zig caches what it compiles, and links by itself.
        self.cmake(ROOT, folder, ["riffle-cli", "riffle_collector"], "-DRIFFLE_GUI=OFF", "-DRIFFLE_TESTS=OFF",
                   "-DRIFFLE_BENCH=OFF", "-DRIFFLE_UNITY=ON", "-DRIFFLE_CCACHE=", "-DRIFFLE_MOLD=", "-DRIFFLE_CUPTI_INCLUDE=")
        return folder


def version():
    return re.search(r"project\(riffle VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def licences(zig_home):
    """Yields the name and the text of the licence of everything that is linked into the wheel's files."""
    yield "LICENSE", (ROOT / "LICENSE").read_bytes()
    for name, version in sources.PINNED.items():
        yield f"{name}-{version}.txt", (CACHE / "sources" / name / "debian" / "copyright").read_bytes()
    for name in ("libcxx", "libcxxabi", "libunwind"):
        yield f"{name}.txt", (zig_home / "lib" / name / "LICENSE.TXT").read_bytes()
    yield "zig.txt", (zig_home / "LICENSE").read_bytes()


METADATA = """\
Metadata-Version: 2.4
Name: riffle-profiler
Version: {version}
Summary: Records training jobs and answers questions about traces, for Riffle, the viewer of GPU training traces
License-Expression: Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND BSD-2-Clause AND BSD-3-Clause AND MIT
{licences}Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

{readme}"""

ENTRY_POINTS = """\
[console_scripts]
riffle = riffle_profiler._command:main
riffle-cli = riffle_profiler._command:main
"""


def assemble(build, folder, output):
    """Writes the wheel; returns its path. Its tag is preliminary: retag() asks auditwheel for the right one."""
    name = f"riffle_profiler-{version()}"
    tag = f"py3-none-linux_{build.arch}"
    info = f"{name}.dist-info"
    files = [(f"riffle_profiler/{path.relative_to(PYTHON / 'riffle_profiler')}", path.read_bytes())
             for path in sorted((PYTHON / "riffle_profiler").rglob("*.py"))]
    files.append(("riffle_profiler/lib/libriffle_collector.so", (folder / "lib" / "libriffle_collector.so").read_bytes()))
    files.append(("riffle_profiler/bin/riffle-cli", (folder / "bin" / "riffle-cli").read_bytes()))
    texts = list(licences(build.zig_home))
    files += [(f"{info}/licenses/{title}", text) for title, text in texts]
    files.append((f"{info}/METADATA", METADATA.format(
        version=version(), licences="".join(f"License-File: {title}\n" for title, _ in texts),
        readme=(PYTHON / "README.md").read_text()).encode()))
    files.append((f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: riffle\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()))
    files.append((f"{info}/entry_points.txt", ENTRY_POINTS.encode()))
    record = "".join(f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files) + f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode()))

    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob(f"riffle_profiler-*_{build.arch}.whl"):
        old.unlink()
    wheel = output / f"{name}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files:
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))  # the same inputs give the same file
            entry.external_attr = (0o100755 if "/bin/" in path else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return wheel


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def retag(wheel):
    """Gives the wheel the tag that auditwheel states for its files; ends if that is no manylinux tag."""
    said = run(sys.executable, "-m", "auditwheel", "show", wheel)
    tag = re.search(r'consistent\s+with\s+the\s+following\s+platform\s+tag:\s+"([^"]+)"', said)
    if not tag or not tag.group(1).startswith("manylinux"):
        raise SystemExit(f"auditwheel states no manylinux tag for {wheel}:\n{said}")
    done = run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tag.group(1), wheel,
               env={"SOURCE_DATE_EPOCH": "1577836800", **os.environ})
    return wheel.parent / done.split()[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="x86_64", choices=("x86_64", "aarch64"))
    parser.add_argument("--glibc", default="2.17")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "dist")
    options = parser.parse_args()
    try:
        (CACHE / "sources").mkdir(parents=True, exist_ok=True)
        sources.fetch(CACHE / "sources")
    except sources.Unreachable as reason:
        say(str(reason))
        return UNREACHABLE
    build = Build(options.arch, options.glibc)
    say("Building the libraries")
    build.libraries()
    say("Building Riffle")
    folder = build.riffle()
    print(retag(assemble(build, folder, options.output)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
