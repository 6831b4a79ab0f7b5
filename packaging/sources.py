# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Fetches the sources of the libraries that a wheel contains, as Debian signs them. The system's own package lists stay as
they are: apt gets a configuration of its own."""

import shutil
import subprocess
import sys
from pathlib import Path

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
}
_SUITES = ("http://deb.debian.org/debian bookworm main", "http://deb.debian.org/debian-security bookworm-security main")
_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Unreachable(Exception):
    """The sources are not on this machine, and Debian cannot be reached or has other versions."""


def fetch(folder):
    """Makes sure that `folder` contains the pinned version of every source package, each in a folder with its name."""
    missing = [name for name in PINNED if not _is_there(folder, name)]
    if missing:
        _download(folder, missing)
    for name in missing:
        _generate(name, folder / name)
        (folder / name / ".version").write_text(PINNED[name] + "\n")


def _is_there(folder, name):
    stamp = folder / name / ".version"
    return stamp.is_file() and stamp.read_text().strip() == PINNED[name]


def _download(folder, names):
    work = folder / "apt"
    shutil.rmtree(work, ignore_errors=True)
    (work / "lists" / "partial").mkdir(parents=True)
    (work / "unpacked").mkdir()
    (work / "sources.list").write_text("".join(f"deb-src [signed-by={_KEYS}] {suite}\n" for suite in _SUITES))
    options = ["-q", "-o", f"Dir::Etc::SourceList={work}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null",
               "-o", f"Dir::State::Lists={work}/lists", "-o", f"Dir::Cache={work}", "-o", "APT::Sandbox::User=root",
               "-o", "APT::Update::Error-Mode=any"]
    wanted = [f"{name}={PINNED[name]}" for name in names]
    for command in (["apt-get", *options, "update"], ["apt-get", *options, "source", "--only-source", *wanted]):
        done = subprocess.run(command, cwd=work / "unpacked", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Unreachable(f"The sources could not be fetched: {' '.join(wanted)}.\n{done.stdout}")
    for name in names:
        unpacked = [path for path in (work / "unpacked").glob(f"{name}-*") if path.is_dir()]
        if len(unpacked) != 1:
            raise Unreachable(f"apt-get unpacked {len(unpacked)} folders for {name}, not one.")
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
