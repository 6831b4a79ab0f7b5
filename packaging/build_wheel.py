#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel riffle-profiler: the collector, its Python package and the command line, for old systems.

Usage: build_wheel.py [--arch x86_64|aarch64] [--glibc 2.17] [--output FOLDER]

Runs in a Python that has ziglang and auditwheel; ./dev package wheel provides one. Exit status 77 means that the sources of
the libraries are neither on this machine nor within reach.
"""

import argparse
import os
import re
import sys
from pathlib import Path

import debian
import wheel_file
from zig import ROOT, Zig, cache_lock, run, say

PYTHON = ROOT / "collector" / "python"
UNREACHABLE = 77

METADATA = """\
Metadata-Version: 2.4
Name: riffle-profiler
Version: {version}
Summary: Records training jobs and answers questions about traces, for Riffle, the viewer of GPU training traces
License-Expression: Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND BSD-2-Clause AND BSD-3-Clause AND MIT AND Zlib
{licences}Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

"""

ENTRY_POINTS = """\
[console_scripts]
riffle = riffle_profiler._command:main
riffle-cli = riffle_profiler._command:main
"""


def build(zig):
    """Builds the collector and the command line; returns the folder of the build."""
    folder = ROOT / "build" / f"wheel-{zig.arch}" / "riffle"
    zig.cmake(ROOT, folder, ["riffle-cli", "riffle_collector"], "-DRIFFLE_GUI=OFF", "-DRIFFLE_TESTS=OFF", "-DRIFFLE_BENCH=OFF",
              "-DRIFFLE_UNITY=ON", "-DRIFFLE_MOLD=", "-DRIFFLE_CUPTI_INCLUDE=")
    return folder


def assemble(zig, folder, output):
    """Writes the wheel; returns its path. Its tag is preliminary: retag() asks auditwheel for the right one."""
    files = [(f"riffle_profiler/{path.relative_to(PYTHON / 'riffle_profiler')}", path.read_bytes())
             for path in sorted((PYTHON / "riffle_profiler").rglob("*")) if path.suffix in (".py", ".cpp", ".h")]
    files.append(("riffle_profiler/lib/libriffle_collector.so", (folder / "lib" / "libriffle_collector.so").read_bytes()))
    files.append(("riffle_profiler/bin/riffle-cli", (folder / "bin" / "riffle-cli").read_bytes()))
    licences = [("LICENSE", (ROOT / "LICENSE").read_bytes()), *zig.licences()]
    readme = (PYTHON / "README.md").read_text().replace("{", "{{").replace("}", "}}")
    return wheel_file.write(output, "riffle_profiler", f"py3-none-linux_{zig.arch}", files, licences, METADATA + readme,
                            ENTRY_POINTS)


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
    zig = Zig(options.arch, options.glibc)
    try:
        with cache_lock():
            zig.libraries()
    except debian.Unreachable as reason:
        say(str(reason))
        return UNREACHABLE
    say("Building Riffle")
    print(retag(assemble(zig, build(zig), options.output)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
