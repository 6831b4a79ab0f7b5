#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks which files each room includes, and the first lines of each source file.

Usage: check_layers.py [ROOT]        check the tree (default: the repository that contains this file)
       check_layers.py --self-test   plant violations in a scratch tree and check that each is found
"""

import re
import sys
import tempfile
from pathlib import Path

ROOTS = ("model", "views", "app", "collector", "tests")
SOURCE_SUFFIXES = {".h", ".hpp", ".cpp", ".cc", ".c"}
HEADER_SUFFIXES = {".h", ".hpp"}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')
QT_HEADER = re.compile(r"^(Q[A-Z0-9]\w*(/.*)?|Qt\w*/.*|q[a-z0-9_]+\.h)$")
GENERATED = re.compile(r"(\.moc|(^|/)moc_\w+\.cpp)$")
SPDX = ("SPDX-FileCopyrightText:", "SPDX-License-Identifier: Apache-2.0")
PREAMBLE_LINES = 6

WIRE = ("riffle/wire.h", "riffle/control.h")
MODEL_ROOMS = {
    "base": ("model/base/",),
    "trace": ("model/base/", "model/trace/"),
    "ingest": ("model/base/", "model/trace/", "model/ingest/"),
    "analysis": ("model/base/", "model/trace/", "model/analysis/"),
    "query": ("model/base/", "model/trace/", "model/analysis/", "model/query/"),
    "layout": ("model/base/", "model/trace/", "model/layout/"),
}


def room_rule(parts):
    """Returns (name of the room, path prefixes that it may include, whether it may use Qt)."""
    top = parts[0]
    if top == "model":
        room = parts[1] if len(parts) > 2 else ""
        return f"model/{room}", MODEL_ROOMS.get(room, ()) + WIRE, False
    if top == "collector":
        if parts[1] == "client":
            return "collector/client", ("collector/client/", "riffle/"), False
        return "collector", ("collector/include/", "collector/src/", "riffle/"), False
    if top == "views":
        folder = parts[1] if len(parts) > 2 else ""
        return f"views/{folder}", ("model/", "views/common/", f"views/{folder}/"), True
    if top == "app":
        if parts[1] == "cli":
            return "app/cli", ("model/", "collector/client/", "riffle/", "app/cli/"), False
        return "app", ("model/", "views/", "app/", "collector/client/", "riffle/"), True
    below = parts[1]
    if below == "model":
        return "tests/model", ("model/", "tests/", "riffle/"), False
    if below == "fuzz":
        return "tests/fuzz", ("model/", "app/session/", "collector/client/", "collector/src/", "tests/", "riffle/"), False
    if below == "support" and parts[2] != "qt":
        return "tests/support", ("model/", "tests/support/", "riffle/"), False
    if below == "views":
        return "tests/views", ("model/", "views/", "tests/"), True
    if below == "collector":
        return "tests/collector", ("collector/", "riffle/", "tests/", "model/"), False
    return f"tests/{below}", ("model/", "views/", "app/", "collector/", "riffle/", "tests/"), True


def includes(text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) or match.group(2), match.group(2) is not None


def check_file(root, path):
    relative = path.relative_to(root)
    text = path.read_text(encoding="utf-8", errors="replace")
    head = text.splitlines()[:PREAMBLE_LINES]
    found = []

    for line in SPDX:
        if not any(line in h for h in head):
            found.append(f"{relative}:1: the first lines lack '{line}'")
    if path.suffix in HEADER_SUFFIXES and not any(h.strip() == "#pragma once" for h in head):
        # A header that is also for C may have it further down.
        if not re.search(r"^#pragma once$", text, re.MULTILINE):
            found.append(f"{relative}:1: the header lacks #pragma once")

    room, allowed, qt = room_rule(relative.parts)
    for number, name, quoted in includes(text):
        where = f"{relative}:{number}"
        if GENERATED.search(name):
            continue
        if QT_HEADER.match(name):
            if not qt:
                found.append(f"{where}: {room} may not use Qt: {name}")
            continue
        ours = name.startswith(tuple(r + "/" for r in ROOTS + ("riffle",)))
        if ours:
            if not name.startswith(allowed):
                found.append(f"{where}: {room} may not include {name}")
            if not quoted and not name.startswith("riffle/"):
                found.append(f"{where}: one of our own headers is in angle brackets: {name}")
            if ".." in Path(name).parts:
                found.append(f"{where}: an include must be written from the repository root: {name}")
        elif quoted:
            found.append(f"{where}: an include must be written from the repository root "
                         f"(or in angle brackets if it is not ours): {name}")
    return found


def check_tree(root):
    found, files = [], 0
    for top in ROOTS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SOURCE_SUFFIXES and path.is_file():
                files += 1
                found += check_file(root, path)
    return found, files


# --- Self-test -----------------------------------------------------------------------------------

PREAMBLE = "// SPDX-FileCopyrightText: The Riffle authors\n// SPDX-License-Identifier: Apache-2.0\n\n"

GOOD = {
    "model/base/a.h": "#pragma once\n#include <vector>\n",
    "model/trace/a.h": '#pragma once\n#include "model/base/a.h"\n',
    "model/ingest/x/a.cpp": '#include "model/trace/a.h"\n#include "riffle/wire.h"\n#include <simdjson.h>\n#include <queue>\n',
    "model/analysis/a.cpp": '#include "model/trace/a.h"\n',
    "model/query/a.cpp": '#include "model/analysis/a.h"\n',
    "model/layout/a.cpp": '#include "model/trace/a.h"\n',
    "views/common/a.cpp": '#include "model/analysis/a.h"\n#include <QObject>\n',
    "views/timeline/a.cpp": '#include "views/common/a.h"\n#include "views/timeline/b.h"\n#include "a.moc"\n',
    "app/a.cpp": '#include "views/timeline/b.h"\n#include "collector/client/a.h"\n#include <QtWidgets/QWidget>\n',
    "app/cli/a.cpp": '#include "model/analysis/a.h"\n#include <CLI/CLI.hpp>\n',
    "collector/src/a.cpp": '#include <riffle/wire.h>\n#include "collector/src/b.h"\n',
    "tests/model/a_test.cpp": '#include "tests/support/a.h"\n#include <gtest/gtest.h>\n',
    "tests/views/a_test.cpp": '#include "views/timeline/b.h"\n#include <QtTest>\n',
}

BAD = {
    "model/base/q.cpp": ("#include <QString>\n", "may not use Qt"),
    "model/layout/q.cpp": ("#include <QtCore/qglobal.h>\n", "may not use Qt"),
    "model/trace/v.cpp": ('#include "views/common/a.h"\n', "may not include"),
    "model/ingest/c.cpp": ('#include "riffle/collector.h"\n', "may not include"),
    "model/base/t.cpp": ('#include "model/trace/a.h"\n', "may not include"),
    "model/trace/i.cpp": ('#include "model/ingest/a.h"\n', "may not include"),
    "model/ingest/an.cpp": ('#include "model/analysis/a.h"\n', "may not include"),
    "model/analysis/l.cpp": ('  #  include "model/layout/a.h"\n', "may not include"),
    "model/analysis/q.cpp": ('#include "model/query/a.h"\n', "may not include"),
    "model/query/l.cpp": ('#include "model/layout/a.h"\n', "may not include"),
    "model/layout/i.cpp": ('#include "model/ingest/a.h"\n', "may not include"),
    "collector/src/q.cpp": ("#include <QObject>\n", "may not use Qt"),
    "collector/src/m.cpp": ('#include "model/base/a.h"\n', "may not include"),
    "views/timeline/d.cpp": ('#include "views/details/a.h"\n', "may not include"),
    "views/common/t.cpp": ('#include "views/timeline/a.h"\n', "may not include"),
    "views/common/p.cpp": ('#include "app/a.h"\n', "may not include"),
    "views/details/c.cpp": ('#include "collector/client/a.h"\n', "may not include"),
    "app/cli/q.cpp": ("#include <QString>\n", "may not use Qt"),
    "app/cli/v.cpp": ('#include "views/common/a.h"\n', "may not include"),
    "app/s.cpp": ('#include "collector/src/a.h"\n', "may not include"),
    "tests/model/q_test.cpp": ("#include <QTest>\n", "may not use Qt"),
    "model/base/r.cpp": ('#include "a.h"\n', "from the repository root"),
    "model/base/u.cpp": ('#include "model/base/../base/a.h"\n', "from the repository root"),
    "model/base/b.cpp": ("#include <model/base/a.h>\n", "angle brackets"),
    "model/base/p.h": ("#include <vector>\n", "#pragma once"),
}


def self_test():
    failures = []

    def plant(root, name, text, preamble=PREAMBLE):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(preamble + text, encoding="utf-8")

    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for name, text in GOOD.items():
            plant(root, name, text)
        found, files = check_tree(root)
        failures += [f"false report: {f}" for f in found]
        if files != len(GOOD):
            failures.append(f"checked {files} of {len(GOOD)} files")

    for name, (text, expected) in BAD.items():
        with tempfile.TemporaryDirectory() as scratch:
            plant(Path(scratch), name, text)
            found, _ = check_tree(Path(scratch))
            if len(found) != 1 or expected not in found[0]:
                failures.append(f"{name}: expected one violation with '{expected}', got {found}")

    with tempfile.TemporaryDirectory() as scratch:
        plant(Path(scratch), "model/base/n.cpp", "int n;\n", preamble="")
        found, _ = check_tree(Path(scratch))
        if len(found) != 2 or not all("SPDX" in f for f in found):
            failures.append(f"missing SPDX lines: got {found}")

    for failure in failures:
        print(failure)
    print(f"self-test: {len(GOOD)} good files, {len(BAD) + 1} violations planted, {len(failures)} failures")
    return 1 if failures else 0


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    found, files = check_tree(root.resolve())
    for line in found:
        print(line)
    print(f"{files} files, {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
