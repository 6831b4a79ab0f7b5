#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares `riffle-cli summary` with the independent computation for every Kineto file in a folder of real traces.

    check_summaries.py --cli build/release/bin/riffle-cli [--filter REGEX] [--view VIEW,...]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Each view must have the rows of
tests/support/summary_reference.py: integers must be equal, ratios within 1e-9 of each other. The readable table must also show different
names for different kernels. A matrix of files and views is printed: the number of rows that agree, or the sentence that says why there
are none. Exit code 77 if the folder does not exist.
"""
import collections
import json
import math
import multiprocessing
import re
import subprocess
import sys
import time

import real_files  # sets the path for the next import
import reference_facts
import summary_reference

TIMEOUT_SECONDS = 120
SHOWN = 4
RELATIVE = 1e-9

# Traces contain some figures in single precision. Separate tests check which kernel names use tensor cores. The figures of the overview
# that are texts from the trace are not computed here.
SINGLE = {"blocks_per_sm": 1e-6, "occupancy": 1e-6, "sm_efficiency": 1e-6}
NOT_COMPARED = {"tensor_cores"}
EXTRA_ROWS = {"overview"}

# The columns that identify a row, and the options of the command in addition to --view.
VIEWS = {
    "overview": (("section", "name", "device"), []),
    "steps": (("step", "name", "start_ns"), []),
    "run-steps": (("step", "start_ns", "device"), []),
    "operators": (("name",), []),
    "operators by shapes": (("name", "input_shapes"), ["--group-by", "name,shapes"]),
    "operators by stack": (("name", "call_stack", "stack_origin"), ["--group-by", "name,stack"]),
    "operators by module": (("module",), ["--group-by", "module"]),
    "kernels": (("name",), []),
    "modules": (("path",), []),
    "memcpy": (("name",), []),
    "memory": (("name", "device"), []),
    "memory-peak": (("name", "device", "peak_at_ns"), []),
    "memory-events": (("name", "device", "address", "allocated_at_ns", "released_at_ns"), []),
}


def expected_rows(view, facts):
    if view.startswith("operators by"):
        return summary_reference.GROUPED[VIEWS[view][1][1]](facts)
    return summary_reference.VIEWS[view](facts)


def same(want, got, relative):
    if isinstance(want, str) or want is None or got is None or isinstance(got, str):
        return want == got
    if isinstance(want, int) and isinstance(got, int):
        return want == got
    return math.isclose(float(want), float(got), rel_tol=relative, abs_tol=1e-12)


def differences(view, expected, found):
    """Yields the differences between the rows as lines of text."""
    keys = VIEWS[view][0]
    wanted, actual = collections.defaultdict(list), collections.defaultdict(list)
    for rows, by_key in ((expected, wanted), (found, actual)):
        for row in rows:
            by_key[tuple(row[key] for key in keys)].append(row)
    bad = []
    for key in wanted.keys() if view in EXTRA_ROWS else wanted.keys() | actual.keys():
        if len(wanted[key]) != len(actual[key]):
            bad.append("%s: %d rows, found %d" % (str(key)[:120], len(wanted[key]), len(actual[key])))
            continue
        for want, got in zip(wanted[key], actual[key]):
            cells = []
            for column, value in want.items():
                cell = got.get(column, "no such column")
                relative = SINGLE.get(want.get("name"), SINGLE.get(column, RELATIVE))
                if column not in NOT_COMPARED and not same(value, cell, relative):
                    cells.append("%s %s, found %s" % (column, printed(value), printed(cell)))
            if cells:
                bad.append("%s: %s" % (str(key)[:120], "; ".join(cells)))
    if bad:
        yield "%s: %d of %d rows differ" % (view, len(bad), len(wanted))
        for text in sorted(bad)[:SHOWN]:
            yield "  " + text


def alike(command, rows):
    """Yields the problems with the shortened names in the readable table."""
    shown = subprocess.run(command[:command.index("--format")], capture_output=True, timeout=TIMEOUT_SECONDS).stdout.decode()
    names = [match[1] for match in map(re.compile(r"(\S.*?) {2,}[\d,]+  ").match, shown.splitlines()) if match]
    if len(names) != rows or len(set(names)) != rows:
        yield "kernels: the readable table has %d rows with %d names, the JSON has %d rows" % (len(names), len(set(names)), rows)


def printed(value):
    return str(summary_reference.printable(value))[:60]


def check(job):
    """Returns the path, the differences as lines of text, the cells of the matrix, and the time in seconds."""
    path, cli, views = job
    begin, lines, shown = time.monotonic(), [], {}
    try:
        facts = reference_facts.read(path)
        for view in views:
            command = cli + ["summary", "--no-store", str(path), "--view", view.split()[0], "--format", "json"] + VIEWS[view][1]
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_SECONDS)
            message = done.stderr.decode("utf-8", "replace").strip()
            if done.returncode != facts.trace.exit_code():
                lines.append("%s: exit code %d; %s" % (view, done.returncode, message[:200]))
                continue
            found, expected = json.loads(done.stdout), expected_rows(view, facts)
            bad = list(differences(view, expected, found))
            if view == "kernels":
                bad += alike(command, len(found))
            if not expected and not message:
                bad.append("%s: there are no rows, and no message says why" % view)
            lines += bad
            shown[view] = "differs" if bad else str(len(found)) if found else "- " + message.splitlines()[-1]
    except (ValueError, KeyError, TypeError, OSError, subprocess.SubprocessError) as error:
        lines.append("%s: %s" % (type(error).__name__, str(error)[:200]))
    return path, lines, shown, time.monotonic() - begin


def main():
    real = real_files.RealFiles("Compare riffle-cli summary with the independent computation on real traces.",
                                add_options=lambda parser: parser.add_argument("--view", default=",".join(VIEWS),
                                                                               help="views to compare, separated by commas"))
    views = real.options.view.split(",")
    begin, results = time.monotonic(), {}
    jobs = sorted(((path, real.cli, views) for path in real.paths), key=lambda job: -job[0].stat().st_size)
    with multiprocessing.Pool(2, maxtasksperchild=4) as pool:
        for path, lines, shown, seconds in pool.imap_unordered(check, jobs):
            results[path] = lines, shown
            real_files.report(real.name(path), lines, "%5.1f s  " % seconds)
    print_matrix(real, views, results)
    bad = sum(1 for lines, _ in results.values() if lines)
    print("%d files, %d ok, %d differ, %.0f s" % (len(results), len(results) - bad, bad, time.monotonic() - begin))
    return 1 if bad or not results else 0


def print_matrix(real, views, results):
    """Prints the number of rows of each view of each file; messages are numbered and printed below."""
    sentences, widths = {}, [max(8, len(view)) for view in views]
    print("\n%-60s %s" % ("rows", " ".join("%*s" % pair for pair in zip(widths, views))))
    for path in real.paths:
        cells = []
        for view in views:
            text = results[path][1].get(view, "failed")
            cells.append("(%d)" % sentences.setdefault(text, len(sentences) + 1) if text.startswith("- ") else text)
        print("%-60s %s" % (real.name(path)[-60:], " ".join("%*s" % pair for pair in zip(widths, cells))))
    for text, at in sentences.items():
        print("(%d) %s" % (at, text[2:]))
    print()


if __name__ == "__main__":
    sys.exit(main())
