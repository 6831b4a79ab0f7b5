#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares `riffle-cli summary --by merged` and `--by columns` with an independent computation for sets of real traces.

    check_merged.py --cli build/release/bin/riffle-cli [--filter REGEX]

The folder is $RIFFLE_TRACES, by default ../shared/traces beside the repository. Sets are the folders multirank_*, and pairs of other Kineto
files that follow one another, which have rows of all kinds. The rows of each trace are those of tests/support/summary_reference.py; calls of
collectives are those of check_collectives.py, put together over all traces. Integers must be equal, ratios within 1e-9 of each other.
Exit code 77 if the folder does not exist.
"""
import collections
import fractions
import json
import multiprocessing
import subprocess
import sys

import check_collectives
import real_files
import reference_facts
import summary_reference
from check_summaries import NOT_COMPARED, SINGLE, RELATIVE, same

TIMEOUT_SECONDS = 300
LARGEST_OF_PAIRS = 2 << 20 # bytes of text, about
SHOWN = 4

# The columns that identify a row, the column that is compared without --sort, another one for --sort, and more options.
VIEWS = {
    "overview": (("section", "name", "device"), "time_ns", "count", []),
    "operators": (("name",), None, "host_total_ns", []),
    "operators by shapes": (("name", "input_shapes"), None, "calls", ["--group-by", "name,shapes"]),
    "kernels": (("name",), "total_ns", "mean_ns", []),
    "modules": (("path",), "host_total_ns", "operators", []),
    "memcpy": (("name",), "total_ns", "bytes", []),
    "memory": (("name", "device"), "allocated_bytes", "allocations", []),
}
AGREED = {"module_id", "device", "peak_at_ns"} # numbers of which there is no median


def rows_of(view, facts):
    if view == "operators by shapes":
        return summary_reference.GROUPED["name,shapes"](facts)
    return summary_reference.VIEWS[view](facts)


def median(values):
    values = sorted(values)
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    if isinstance(low, int) and isinstance(high, int):
        return round(fractions.Fraction(low + high, 2)) # halves to even
    return (low + high) / 2


def key_with(column, word):
    return column[:-3] + "_" + word + "_ns" if column.endswith("_ns") else column + "_" + word


def unified(ranks):
    """The rows of the traces without the numbers of their only devices, if these differ."""
    used = [{row["device"] for row in rows if row["section"] == "device" and row["name"] == "busy"} for rows in ranks]
    if all(len(devices) == 1 for devices in used) and len(set(map(tuple, used))) > 1:
        return [[dict(row, device=None) if row["device"] in devices else row for row in rows] for rows, devices in zip(ranks, used)]
    return ranks


def by_key(ranks, keys):
    """Per key, the row of each trace. The second row with a key is another row."""
    merged = {}
    for number, rows in enumerate(ranks):
        seen = collections.Counter()
        for row in rows:
            key = tuple(row[key] for key in keys)
            merged.setdefault(key + (seen[key],), [None] * len(ranks))[number] = row
            seen[key] += 1
    return merged


def expected(ranks, keys, spread, labels):
    """Per key, the cells of the merged row, and those of the row with a column per trace."""
    for key, members in by_key(ranks, keys).items():
        cells = {"traces": sum(row is not None for row in members)}
        rows = [row for row in members if row is not None]
        for column in rows[0]:
            values = [row.get(column) for row in rows if row.get(column) is not None]
            if column in keys or column in AGREED:
                continue
            if not values:
                cells[column] = None
            elif isinstance(values[0], str):
                cells[column] = values[0] if len(set(values)) == 1 else "…"
            else:
                cells[column] = median(values)
        own = [row.get(spread) if row is not None else None for row in members]
        known = [value for value in own if value is not None]
        cells[key_with(spread, "min")] = min(known, default=None)
        cells[key_with(spread, "max")] = max(known, default=None)
        cells[key_with(spread, "spread")] = max(known) - min(known) if known else None
        where = spread[:-3] if spread.endswith("_ns") else spread
        cells[where + "_max_trace"] = labels[own.index(max(known))] if known else None
        yield key, cells, own


def ask(cli, paths, options):
    done = subprocess.run(cli + ["summary", "--no-store", "--format", "json"] + [str(path) for path in paths] + options,
                          capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode not in (0, 3):
        raise ValueError("exit %d: %s" % (done.returncode, done.stderr.decode("utf-8", "replace")[:300]))
    return json.loads(done.stdout)


def differences(wanted, got, what):
    for column, value in wanted.items():
        relative = SINGLE.get(got.get("name"), SINGLE.get(column, RELATIVE))
        cell = got.get(column, "no such column")
        if column not in NOT_COMPARED and not same(value, cell, relative):
            yield "%s: %s %s, found %s" % (what, column, str(value)[:60], str(cell)[:60])


def check_view(cli, paths, view, facts, labels):
    """Yields the differences of one view, then the number of rows."""
    keys, usual, other, options = VIEWS[view]
    ranks = [rows_of(view, one) for one in facts]
    if view == "overview":
        ranks = unified(ranks)
    for spread in (usual, other):
        sort = ["--sort", spread] if spread == other else []
        options_of = lambda layout: ["--view", view.split()[0], "--by", layout] + options + sort
        found = by_key([ask(cli, paths, options_of("merged"))], keys)
        side = ask(cli, paths, options_of("columns"))
        side = by_key([side], keys) if side and set(keys) <= side[0].keys() else found # the path of a module is no key
        if spread is None: # the column by which the rows are sorted
            first = next(iter(found.values()), [{}])[0]
            spread = next((column for column in ("host_self_ns", "device_self_ns") if key_with(column, "min") in first), "host_self_ns")
        wanted = list(expected(ranks, keys, spread, labels))
        if view != "overview" and found.keys() != {key for key, _, _ in wanted}:
            yield "%s: expected %d rows, found %d" % (view, len(wanted), len(found))
            continue
        for key, cells, own in wanted:
            if key not in found or key not in side:
                yield "%s: there is no row %s" % (view, str(key)[:100])
                continue
            yield from differences(cells, found[key][0], "%s %s" % (view, str(key)[:80]))
            if side is found:
                continue
            names = [name for name in side[key][0] if name.startswith("rank_")] or list(side[key][0])[-len(labels):]
            yield from differences(dict(zip(names, own)), side[key][0], "%s by columns %s" % (view, str(key)[:80]))
        yield len(wanted)


def check_calls(cli, paths, labels):
    """The same for collectives, whose calls are put together."""
    ranks = [check_collectives.groups_of(check_collectives.read(path) or []) for path in paths]
    found = collections.Counter(
        check_collectives.comparable(row) + (row["traces"], row["trace_min_ns"], row["trace_median_ns"], row["trace_max_ns"],
                                             row["trace_max_trace"], row["trace_spread_ns"])
        for row in ask(cli, paths, ["--view", "collectives", "--by", "merged"])
        if row["known_from"] != "kernel's name" or "nccl" in row["operation"].lower() or row["operation"] in
        {kind for _, kind in check_collectives.KINDS})
    wanted = collections.Counter()
    for key in dict.fromkeys(key for groups, _ in ranks for key in groups):
        rows = [check_collectives.row(key, groups[key], compute) if key in groups else None for groups, compute in ranks]
        there = [row for row in rows if row]
        times = [row and (row["device_total_ns"] if row["with_kernels"] else row["host_total_ns"]) for row in rows]
        known = [time for time in times if time is not None]
        total = lambda column: sum(row[column] for row in there if row[column] is not None) if any(
            row[column] is not None for row in there) else None
        members = [member for groups, _ in ranks for member in groups.get(key, [])]
        whole = check_collectives.row(key, members, {})
        whole["overlapped_ns"] = total("overlapped_ns")
        wanted[check_collectives.comparable(whole) +
               (len(there), min(known, default=None), median(known) if known else None, max(known, default=None),
                labels[times.index(max(known))] if known else None, max(known) - min(known) if known else None)] += 1
    yield from ("collectives: expected %s" % (row,) for row in wanted - found)
    yield from ("collectives: found    %s" % (row,) for row in found - wanted)
    yield sum(wanted.values())


def check(job):
    paths, cli = job
    lines, rows = [], 0
    try:
        labels = list(dict.fromkeys(row["trace"] for row in ask(cli, paths, ["--view", "overview"])))
        facts = [reference_facts.read(path) for path in paths]
        for view in VIEWS:
            for found in check_view(cli, paths, view, facts, labels):
                if isinstance(found, int):
                    rows += found
                else:
                    lines.append(found)
        for found in check_calls(cli, paths, labels):
            if isinstance(found, int):
                rows += found
            else:
                lines.append(found)
    except (ValueError, KeyError, TypeError, OSError, subprocess.SubprocessError) as error:
        lines.append("%s: %s" % (type(error).__name__, str(error)[:300]))
    return paths, lines, rows


def sets_of(real):
    folders = collections.defaultdict(list)
    for path in real.paths:
        if path.parent.name.startswith("multirank_"):
            folders[path.parent].append(path)
    size = lambda path: path.stat().st_size * (12 if path.suffix == ".gz" else 1)
    small = [path for path in real.paths if path.parent not in folders and size(path) < LARGEST_OF_PAIRS and whole(path, real.cli)]
    return list(folders.values()) + list(zip(small[::2], small[1::2]))


def whole(path, cli):
    """True if the file is a trace without damage, of which the reference knows all."""
    return subprocess.run(cli + ["info", "--no-store", str(path)], capture_output=True, timeout=TIMEOUT_SECONDS, check=False).returncode == 0


def main():
    real = real_files.RealFiles(__doc__.splitlines()[0])
    failed = all_rows = 0
    with multiprocessing.Pool(2) as pool:
        for paths, lines, rows in pool.imap(check, [(paths, real.cli) for paths in sets_of(real)]):
            failed, all_rows = failed + bool(lines), all_rows + rows
            real_files.report("%s and %d more" % (real.name(paths[0]), len(paths) - 1), lines[:SHOWN], "%5d rows " % rows)
    print("%d rows, %d sets differ" % (all_rows, failed))
    real.finish(failed or not all_rows, "traces")


if __name__ == "__main__":
    sys.exit(main())
