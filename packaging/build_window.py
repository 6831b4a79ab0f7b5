#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel riffle-profiler-window: the window beside the Qt libraries of the package PyQt6-Qt6.

Usage: build_window.py [--output FOLDER]

Runs in a Python that has ziglang and pyelftools, on a system with Qt's headers and tools; ./dev package window provides both.
Exit status 77 means that something is neither on this machine nor within reach.
"""

import argparse
import sys
from pathlib import Path

import debian
import desktop
import sources
import wheel_file
from zig import CACHE, ROOT, Zig, cache_lock, say

UNREACHABLE = 77
PACKAGE = "riffle_profiler_window"
QT_HEADERS = Path("/usr/include/x86_64-linux-gnu/qt6")
QT_TOOLS = Path("/usr/lib/qt6/libexec")
FREETYPE = {"freetype": "2.12.1+dfsg-5+deb12u4"}
FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf")
OLDEST_GLIBC = (2, 28)  # which PyQt6-Qt6 needs

METADATA = f"""\
Metadata-Version: 2.4
Name: riffle-profiler-window
Version: {{version}}
Summary: The window of Riffle, the viewer of GPU training traces
License-Expression: Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND AFL-2.1 AND Bitstream-Vera AND BSD-2-Clause AND \
BSD-3-Clause AND FTL AND LGPL-2.1-or-later AND MIT AND Zlib
{{licences}}Requires-Python: >=3.8
Requires-Dist: riffle-profiler=={{version}}
Requires-Dist: PyQt6-Qt6=={desktop.QT_VERSION}
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

"""


def check_headers():
    """The window must be compiled with the headers of the Qt that it runs with."""
    header = QT_HEADERS / "QtCore" / "qtcoreversion.h"
    if not header.is_file() or f'"{desktop.QT_VERSION}"' not in header.read_text() or not (QT_TOOLS / "moc").is_file():
        raise debian.Unreachable(f"The window needs the headers of Qt {desktop.QT_VERSION} in {QT_HEADERS} and its tools in "
                                 f"{QT_TOOLS}, as in qt6-base-dev of Debian 12.")


def build(zig, qt):
    """Builds the window; returns the folder with its programs."""
    folder = ROOT / "build" / f"wheel-{zig.arch}" / "window"
    zig.cmake(ROOT, folder, ["window_library", "window_launcher", "freetype"], "-DRIFFLE_GUI=ON", "-DRIFFLE_WINDOW_PACKAGE=ON",
              "-DRIFFLE_TESTS=OFF", "-DRIFFLE_BENCH=OFF", "-DRIFFLE_UNITY=ON", "-DRIFFLE_MOLD=", "-DRIFFLE_CUPTI_INCLUDE=",
              f"-DQt6_DIR={ROOT}/packaging/window/qt", f"-DRIFFLE_QT_HEADERS={QT_HEADERS}", f"-DRIFFLE_QT_TOOLS={QT_TOOLS}",
              f"-DRIFFLE_QT_LIBRARIES={qt}/lib", f"-DRIFFLE_FREETYPE={CACHE}/sources/freetype")
    return folder / "packaging" / "window"


def licences(zig, root):
    yield "LICENSE", (ROOT / "LICENSE").read_bytes()
    yield from zig.licences()
    yield f"freetype-{FREETYPE['freetype']}.txt", (CACHE / "sources" / "freetype" / "debian" / "copyright").read_bytes()
    for name, version in desktop.PINNED.items():
        yield f"{name}-{version.replace(':', '%3a')}.txt", (root / "usr/share/doc" / name / "copyright").read_bytes()
    for name in ("LGPL-2.1", "LGPL-3", "GPL-3"):
        yield f"{name}.txt", Path("/usr/share/common-licenses", name).read_bytes()


def assemble(zig, built, qt, output):
    """Writes the wheel; returns its path."""
    root = CACHE / "desktop" / "root"
    programs = [(f"{PACKAGE}/bin/riffle-window", built / "bin" / "riffle-window"),
                (f"{PACKAGE}/lib/libriffle-window.so", built / "lib" / "libriffle-window.so")]
    freetype = [path for path in (built / "freetype").glob("libfreetype.so.*") if not path.is_symlink()]
    libraries = desktop.libraries(root, freetype, qt)
    programs += [(f"{PACKAGE}/desktop/{library.soname}", library.path) for library in libraries]
    files = [(name, path.read_bytes()) for name, path in programs]
    files.append((f"{PACKAGE}/desktop/order.txt", "".join(f"{library.soname}\n" for library in libraries).encode()))
    files.append((f"{PACKAGE}/fonts/fonts.conf", (ROOT / "packaging" / "window" / "fonts.conf").read_bytes()))
    files += [(f"{PACKAGE}/fonts/{font}", (root / "usr/share/fonts/truetype/dejavu" / font).read_bytes()) for font in FONTS]

    glibc = max([OLDEST_GLIBC, *(desktop.Library(path).glibc for _, path in programs)])
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{zig.arch}"
    readme = (ROOT / "packaging" / "window" / "README.md").read_text()
    return wheel_file.write(output, PACKAGE, tag, files, licences(zig, root), METADATA + readme)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "dist")
    options = parser.parse_args()
    zig = Zig("x86_64", "2.17")  # as the other wheel, so that their libraries and objects are the same
    try:
        check_headers()
        with cache_lock():
            qt = desktop.fetch_qt(CACHE / "qt")
            desktop.fetch_packages(CACHE / "desktop")
            sources.fetch(CACHE / "sources", FREETYPE)
            zig.libraries()
    except debian.Unreachable as reason:
        say(str(reason))
        return UNREACHABLE
    say("Building the window")
    print(assemble(zig, build(zig, qt), qt, options.output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
