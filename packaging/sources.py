# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Fetches the sources of the libraries that a wheel contains, as Debian signs them."""

import shutil
import subprocess
import sys

import debian

# The source packages of Debian 12. Their names are those of the folders that deps/CMakeLists.txt reads.
PINNED = {
    "libisal": "2.30.0-5",
    "simdjson": "3.0.1-1",
    "fmtlib": "9.1.0+ds1-2",
    "libzstd": "1.5.4+dfsg2-5",
    "re2": "20220601+dfsg-1",
    "xxhash": "0.8.1-1",
    "sqlite3": "3.40.1-2+deb12u2",
    "cli11": "2.1.2+ds-1",
    "libarchive": "3.6.2-1+deb12u5",
    "zlib": "1:1.2.13.dfsg-1",
}


def fetch(folder, pinned):
    """Makes sure that `folder` contains these versions of the source packages, each in a folder with its name."""
    missing = [name for name, version in pinned.items() if not _is_there(folder / name / ".version", version)]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        _download(folder, {name: pinned[name] for name in missing})
    for name in missing:
        _generate(name, folder / name)
        (folder / name / ".version").write_text(pinned[name] + "\n")


def _is_there(stamp, version):
    return stamp.is_file() and stamp.read_text().strip() == version


def _download(folder, names):
    work = folder / "apt"
    wanted = [f"{name}={version}" for name, version in names.items()]
    fetched = debian.fetch(work, "bookworm", "deb-src", ["source", "--only-source"], wanted)
    for name in names:
        unpacked = [path for path in fetched.glob(f"{name}-*") if path.is_dir()]
        if len(unpacked) != 1:
            raise debian.Unreachable(f"apt-get unpacked {len(unpacked)} folders for {name}, not one.")
        shutil.rmtree(folder / name, ignore_errors=True)
        unpacked[0].rename(folder / name)
    shutil.rmtree(work)


def _generate(name, folder):
    """Makes the sources that Debian's packages generate, as their makefiles do."""
    if name == "sqlite3":  # one file of all sources; needs tclsh
        for command in (["./configure", "--disable-tcl", "--disable-readline"], ["make", "sqlite3.c"]):
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    if name == "re2":  # tables of characters; need the Debian package unicode-data and the Python package six
        for table, command in (("perl_groups", ["perl", "make_perl_groups.pl"]),
                               ("unicode_groups", [sys.executable, "make_unicode_groups.py"]),
                               ("unicode_casefold", [sys.executable, "make_unicode_casefold.py"])):
            text = subprocess.run(command, cwd=folder / "re2", check=True, stdout=subprocess.PIPE).stdout
            (folder / "re2" / f"{table}.cc").write_bytes(text)
