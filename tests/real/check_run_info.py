#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares `riffle-cli run info` with the distributedInfo of real traces, which Python reads from their whole texts.

    check_run_info.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Each file of a folder must be in the layout once,
or among what was not read. A recorded rank must be that of the file's cell, and the largest recorded world size that of the run.
run info only looks at the ends of a file, so a rank that a text records elsewhere is named and counts as a difference here: the
real files have it at their begin. Exit code 77 if there is no such folder.
"""
import collections
import gzip
import json
import re
import subprocess
import sys

import real_files

TIMEOUT_SECONDS = 300
INFO = re.compile(rb'(?<!\\)"distributedInfo"\s*:\s*\{')


def recorded(path):
    """(rank, world size) of the last distributedInfo of a file."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    rank = world = None
    for match in INFO.finditer(data):
        text = data[match.end() - 1:match.end() + (4 << 20)].decode("utf-8", "replace")
        value, _ = json.JSONDecoder().raw_decode(text)
        rank, world = value.get("rank"), value.get("world_size")
    return rank, world


def differences(cli, folder, paths):
    done = subprocess.run(cli + ["run", "info", "--no-store", "--json", str(folder)], capture_output=True, timeout=TIMEOUT_SECONDS)
    if done.returncode not in (0, 3):
        return ["exit code %d: %s" % (done.returncode, done.stderr.decode()[-500:])]
    layout = json.loads(done.stdout)
    places, sizes, worlds = collections.defaultdict(list), collections.Counter(), {}
    for number, run in enumerate(layout["runs"]):
        worlds[number] = run["world_size"] if run["is_world_size_recorded"] else None
        for cell in run["ranks"]:
            for one in cell["files"]:
                sizes[one["path"]] = len(cell["files"])
                told = cell["rank"] if cell["rank_from"] == "recorded" or len(cell["files"]) > 1 else None
                places[one["path"]].append((number, told))
        for one in run["unplaced"]:
            places[one["path"]].append((number, None))
    unread = {one["path"] for one in layout["not_read"]}
    lines, expected = [], collections.defaultdict(list)
    for path in paths:
        found = places.pop(str(path), [])
        if str(path) in unread:
            continue
        if len(found) != 1:
            lines.append("%s is in the layout %d times" % (path.name, len(found)))
            continue
        rank, world = recorded(path)
        # A cell with several files may have its rank from the others.
        if found[0][1] != rank and (rank is not None or sizes[str(path)] == 1):
            lines.append("%s records rank %s, and its cell %s" % (path.name, rank, found[0][1]))
        if world is not None:
            expected[found[0][0]].append(world)
    lines += ["%s is no file of the folder" % path for path in places]
    for number, found in worlds.items():
        if found != max(expected[number], default=None):
            lines.append("run %d has the world size %s instead of that of %s" % (number, found, expected[number]))
    return lines


def main():
    files = real_files.RealFiles(__doc__.split("\n")[0])
    folders = collections.defaultdict(list)
    for path in files.paths:
        folders[path.parent].append(path)
    failed = False
    for folder, paths in folders.items():
        lines = differences(files.cli, folder, paths)
        real_files.report("%s (%d files)" % (folder.name, len(paths)), lines)
        failed = failed or bool(lines)
    files.finish(failed, "traces of Kineto")


if __name__ == "__main__":
    main()
