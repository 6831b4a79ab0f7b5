# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the test of Python stacks in every interpreter that this machine has, and compares the tables of offsets with
each interpreter's own headers: run.py PROBE.so SOURCE_DIR. RIFFLE_PYTHONS names other interpreters (a colon between)."""

import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWN = {(3, 10), (3, 11), (3, 12), (3, 13)}


def interpreters():
    """One interpreter per version."""
    named = os.environ.get("RIFFLE_PYTHONS")
    paths = named.split(":") if named else (
        [sys.executable] + sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3")) + glob.glob("/usr/bin/python3")))
    found = {}
    for path in paths:
        asked = subprocess.run([path, "-c", "import sys; print(*sys.version_info[:3])"], capture_output=True, text=True)
        if asked.returncode == 0:
            found.setdefault(tuple(map(int, asked.stdout.split())), path)
    return found


def table(source, version):
    """The fields of a version's table in python_layout.cpp."""
    text = open(os.path.join(source, "collector/src/sources/python_layout.cpp"), encoding="utf-8").read()
    body = re.search(r"PythonLayout k3%d\{(.*?)\};" % version[1], text, re.S).group(1)
    return {name: int(value) for name, value in re.findall(r"\.(\w+) = (\d+)", body)}


def compare(path, version, source):
    """The differences between our table and the headers; None without headers or a compiler."""
    include = subprocess.run([path, "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                             capture_output=True, text=True).stdout.strip()
    if not os.path.exists(os.path.join(include, "internal/pycore_frame.h" if version[:2] > (3, 10) else "Python.h")):
        return None
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "layout_check")
        built = subprocess.run([os.environ.get("CC", "cc"), "-w", "-I" + include, "-I" + include + "/internal",
                                os.path.join(HERE, "layout_check.c"), "-o", binary], stderr=subprocess.DEVNULL)
        if built.returncode:
            return None
        printed = subprocess.run([binary], capture_output=True, text=True)
    theirs = {name: int(value) for name, value in (line.split() for line in printed.stdout.splitlines())}
    ours = table(source, version)
    return {name for name in ours if ours[name] != theirs.get(name, 0)} | ({"header"} if printed.returncode else set())


def main(probe, source):
    failed = []
    for version, path in sorted(interpreters().items()):
        run = subprocess.run([path, "-W", "error", os.path.join(HERE, "stacks_test.py"), probe], capture_output=True, text=True)
        said = run.stderr.strip().splitlines()[-1:] or [""]
        good = run.returncode == 0 if version[:2] in KNOWN else "Python stacks are not recorded: " in run.stderr
        offsets = compare(path, version, source) if version[:2] in KNOWN else None
        print(".".join(map(str, version)), path, said[0], "" if offsets is None else "offsets " + ("differ: %s" % offsets if offsets else "equal"))
        if not good or offsets:
            failed.append(version)
            print(run.stderr)
    sys.exit(f"Failed: {failed}" if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
