# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""apt-get with a configuration of its own, so that the system's package lists stay as they are. Debian's signatures are
checked."""

import shutil
import subprocess

_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Unreachable(Exception):
    """Something is not on this machine, and its server cannot be reached or has other versions."""


def fetch(work, suite, kind, words, wanted):
    """Runs `apt-get WORDS WANTED` for a suite in the new folder `work`; returns the folder with what it fetched. `kind` is deb
    or deb-src."""
    shutil.rmtree(work, ignore_errors=True)
    (work / "lists" / "partial").mkdir(parents=True)
    (work / "fetched").mkdir()
    places = (f"http://deb.debian.org/debian {suite} main", f"http://deb.debian.org/debian-security {suite}-security main")
    (work / "sources.list").write_text("".join(f"{kind} [signed-by={_KEYS}] {place}\n" for place in places))
    options = ["-q", "-o", f"Dir::Etc::SourceList={work}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null",
               "-o", f"Dir::State::Lists={work}/lists", "-o", "Dir::State::status=/dev/null", "-o", f"Dir::Cache={work}",
               "-o", "APT::Sandbox::User=root", "-o", "APT::Update::Error-Mode=any"]
    for command in (["apt-get", *options, "update"], ["apt-get", *options, *words, *wanted]):
        try:
            done = subprocess.run(command, cwd=work / "fetched", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        except FileNotFoundError:
            raise Unreachable("This system has no apt-get.") from None
        if done.returncode:
            raise Unreachable(f"Debian's archive did not give {' '.join(wanted)}.\n{done.stdout}")
    return work / "fetched"
