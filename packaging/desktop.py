# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Fetches what the window needs beside itself: Qt's libraries from PyPI, and from Debian 11 the libraries and fonts that Qt
expects of a desktop and that a small system lacks."""

import hashlib
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

import debian

QT_VERSION = "6.4.2"  # of the headers in Debian 12
_QT_WHEEL = f"PyQt6_Qt6-{QT_VERSION}-py3-none-manylinux_2_28_x86_64.whl"
_QT_SHA256 = "c0e91d0275d428496cacff717a9b719c52bfa52b21f124d638b79cc2217bc81e"

# The binary packages of Debian 11, whose libraries need no glibc that is newer than Qt's. Debian 11 no longer changes.
PINNED = {
    "fonts-dejavu-core": "2.37-2",
    "libbsd0": "0.11.3-1+deb11u1",
    "libdbus-1-3": "1.12.28-0+deb11u1",
    "libegl1": "1.3.2-1",
    "libexpat1": "2.2.10-2+deb11u7",
    "libffi7": "3.3-6",
    "libfontconfig1": "2.13.1-4.2",
    "libgl1": "1.3.2-1",
    "libglib2.0-0": "2.66.8-1+deb11u8",
    "libglvnd0": "1.3.2-1",
    "libglx0": "1.3.2-1",
    "libmd0": "1.0.3-3",
    "libpcre3": "2:8.39-13",
    "libuuid1": "2.36.1-8+deb11u2",
    "libwayland-client0": "1.18.0-2~exp1.1",
    "libwayland-cursor0": "1.18.0-2~exp1.1",
    "libwayland-egl1": "1.18.0-2~exp1.1",
    "libx11-6": "2:1.7.2-1+deb11u2",
    "libx11-xcb1": "2:1.7.2-1+deb11u2",
    "libxau6": "1:1.0.9-1",
    "libxcb-glx0": "1.14-3",
    "libxcb-icccm4": "0.4.1-1.1",
    "libxcb-image0": "0.4.0-1+b3",
    "libxcb-keysyms1": "0.4.0-1+b2",
    "libxcb-randr0": "1.14-3",
    "libxcb-render-util0": "0.3.9-1+b1",
    "libxcb-render0": "1.14-3",
    "libxcb-shape0": "1.14-3",
    "libxcb-shm0": "1.14-3",
    "libxcb-sync1": "1.14-3",
    "libxcb-util1": "0.4.0-1+b1",
    "libxcb-xfixes0": "1.14-3",
    "libxcb-xkb1": "1.14-3",
    "libxcb1": "1.14-3",
    "libxdmcp6": "1:1.1.2-3",
    "libxkbcommon-x11-0": "1.0.3-2",
    "libxkbcommon0": "1.0.3-2",
}
# In every system with glibc, or (libsystemd, which libdbus needs) in every one that has no other copy of what needs it.
_EVERYWHERE = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libresolv.so", "ld-linux", "libgcc_s.so",
               "libstdc++.so", "libz.so", "libsystemd.so")
# What the window loads of Qt. Its plugins for printers, databases and such need more, and the window does not use them.
_QT_FILES = ("lib/libQt6Widgets.so.6", "lib/libQt6Gui.so.6", "lib/libQt6Core.so.6", "lib/libQt6DBus.so.6",
             "lib/libQt6XcbQpa.so.6", "lib/libQt6OpenGL.so.6", "lib/libQt6WaylandClient.so.6", "lib/libQt6Svg.so.6",
             "plugins/platforms/libqxcb.so", "plugins/platforms/libqoffscreen.so", "plugins/platforms/libqwayland-generic.so",
             "plugins/platforms/libqwayland-egl.so",
             "plugins/xcbglintegrations/libqxcb-glx-integration.so", "plugins/imageformats/libqsvg.so",
             "plugins/iconengines/libqsvgicon.so")


def fetch_qt(folder):
    """Makes sure that PyQt6-Qt6 is unpacked below `folder`; returns Qt's folder in it."""
    home = folder / _QT_WHEEL[:-len(".whl")]
    if not home.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--platform",
                               "manylinux_2_28_x86_64", "-d", str(folder), f"PyQt6-Qt6=={QT_VERSION}"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wheel = folder / _QT_WHEEL
        if done.returncode or not wheel.is_file():
            raise debian.Unreachable(f"PyPI did not give PyQt6-Qt6 {QT_VERSION}.\n{done.stdout}")
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != _QT_SHA256:
            raise debian.Unreachable(f"{wheel} is not the file that was tested: its SHA-256 differs.")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(home.with_suffix(".part"))
        home.with_suffix(".part").rename(home)
        wheel.unlink()
    return home / "PyQt6" / "Qt6"


def fetch_packages(folder):
    """Makes sure that the packages of Debian 11 are unpacked in `folder`/root."""
    stamp = folder / ".versions"
    text = "".join(f"{name} {version}\n" for name, version in PINNED.items())
    if stamp.is_file() and stamp.read_text() == text:
        return
    folder.mkdir(parents=True, exist_ok=True)
    fetched = debian.fetch(folder / "apt", "bullseye", "deb", ["download"], [f"{name}={v}" for name, v in PINNED.items()])
    shutil.rmtree(folder / "root", ignore_errors=True)
    for package in fetched.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, folder / "root"], check=True)
    shutil.rmtree(folder / "apt")
    stamp.write_text(text)


class Library:
    """A shared library: its soname, the sonames that it needs, and the newest glibc that it needs."""

    def __init__(self, path):
        self.path, self.soname, self.needed, self.glibc = Path(path), "", [], (0,)
        with open(path, "rb") as file:
            for section in ELFFile(file).iter_sections():
                if isinstance(section, DynamicSection):
                    for tag in section.iter_tags():
                        if tag.entry.d_tag == "DT_SONAME":
                            self.soname = tag.soname
                        elif tag.entry.d_tag == "DT_NEEDED":
                            self.needed.append(tag.needed)
                elif isinstance(section, GNUVerNeedSection):
                    for _, versions in section.iter_versions():
                        for version in versions:
                            name, _, number = version.name.partition("_")
                            if name == "GLIBC" and number[:1].isdigit():
                                self.glibc = max(self.glibc, tuple(map(int, number.split("."))))


def libraries(root, more, qt):
    """Returns the libraries that Qt needs of a desktop, each one behind those that it needs. They are below `root`, or in
    `more`. Ends if one is missing."""
    known = {}
    for path in [*root.rglob("*.so*"), *more]:
        if path.is_file() and not path.is_symlink():
            library = Library(path)
            known[library.soname] = library
    ours = {path.name for path in (qt / "lib").iterdir()}
    ordered = {}

    def add(soname, wanted_by):
        if soname in ordered or soname in ours or soname.startswith(_EVERYWHERE):
            return
        if soname not in known:
            raise SystemExit(f"{soname}, which {wanted_by} needs, is in none of the packages in packaging/desktop.py.")
        for needed in known[soname].needed:
            add(needed, soname)
        ordered[soname] = known[soname]

    for file in _QT_FILES:
        for needed in Library(qt / file).needed:
            add(needed, file)
    return list(ordered.values())
