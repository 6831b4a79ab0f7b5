#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the summaries of real runs of PyTorch by its key_averages().table() with those of `riffle-cli summary --like torch`
for the traces that the runs wrote: every line must be the same, in the same order.

    agreement.py --cli build/release/bin/riffle-cli

It runs under $RIFFLE_TORCH_PYTHON, an interpreter that has PyTorch 2.15 or later (a CPU build is enough); status 77 (skipped) if
that is not set, or older. PyTorch adds up microseconds as floating-point numbers, so that a value halfway between two last digits may be rounded the
other way, and rows with equal sums may be in a different order; nothing else may differ.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import other_program
SORT_COLUMNS = {"cpu_time_total": "CPU total", "self_cpu_time_total": "Self CPU", "cpu_time": "CPU time avg", "count": "# of Calls",
                "cpu_memory_usage": "CPU Mem", "self_cpu_memory_usage": "Self CPU Mem"}
COUNTS_AS = (2, 15)  # the version of PyTorch
LAST_DIGIT = {"%": 0.0101, "us": 0.00101, "ms": 0.00101, "s": 0.00101}


def parsed(text, without="nothing"):
    """The titles, the rows as cells, the lines below the table, and the widths. Columns whose title contains `without` are left
    out."""
    lines = [line.rstrip() for line in text.splitlines()]
    rules = [at for at, line in enumerate(lines) if re.fullmatch(r"-+(  -+)+", line)]
    ends = [match.span() for match in re.finditer("-+", lines[rules[0]])]
    titles = re.split("  +", lines[rules[0] + 1].strip())
    ends = [span for span, title in zip(ends, titles) if without not in title]
    rows = [[line[begin:end].strip() for begin, end in ends] for line in lines[rules[1] + 1:rules[2]]]
    # The frames of a stack after the first one are on separate lines, but belong to the same row.
    whole = []
    for row in rows:
        if row[0]:
            whole.append(row)
        elif any(row):
            whole[-1][-1] += "\n" + row[-1]
    rows = whole
    return ([title for title in titles if without not in title], rows,
            [line for line in lines[rules[2] + 1:] if line and not line.startswith("Note: ")], [end - begin for begin, end in ends])


def same(one, other):
    if one == other:
        return True
    values = [re.fullmatch(r"(-?[0-9.]+)(%|us|ms|s)", cell) for cell in (one, other)]
    return all(values) and values[0][2] == values[1][2] and abs(float(values[0][1]) - float(values[1][1])) < LAST_DIGIT[values[0][2]]


def differences(theirs, ours, sort, without="nothing"):
    """The differences between two tables, as lines of text."""
    found = []
    (titles, rows, below, widths), (our_titles, our_rows, our_below, our_widths) = parsed(theirs, without), parsed(ours, without)
    if titles != our_titles or widths != our_widths:
        return ["columns %s, found %s" % (titles, our_titles)]
    if len(rows) != len(our_rows):
        found.append("%d rows, found %d" % (len(rows), len(our_rows)))
    # Compare the order of the rows: rows with equal values in the sort column may have changed places.
    column = titles.index(SORT_COLUMNS[sort]) if SORT_COLUMNS.get(sort) in titles else None
    for one, other in zip(rows, our_rows):
        if one[0] != other[0] and (column is None or one[column] != other[column]):
            found.append("found %s where %s is expected" % (other[0], one[0]))
    names = [at for at, title in enumerate(titles) if title in ("Name", "Input Shapes", "Source Location")]
    expected, actual = collections.defaultdict(list), collections.defaultdict(list)
    for table, by_name in ((rows, expected), (our_rows, actual)):
        for row in table:
            by_name[tuple(row[at] for at in names)].append(row)
    for name in expected.keys() | actual.keys():
        if len(expected[name]) != len(actual[name]):
            found.append("%s: %d rows, found %d" % (name, len(expected[name]), len(actual[name])))
        for one, other in zip(expected[name], actual[name]):
            if not all(same(*cells) for cells in zip(one, other)):
                found.append("%s\n    found %s" % (one, other))
    if len(below) != len(our_below) or not all(same(one.split()[-1], other.split()[-1]) for one, other in zip(below, our_below)):
        found.append("%s, found %s" % (below, our_below))
    return found


def begin(description):
    """The options and the interpreter with PyTorch. Older versions count otherwise, such as Python frames as rows of their own."""
    options, python = other_program.begin(description, "RIFFLE_TORCH_PYTHON", "PyTorch")
    version = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, version.split(".")[:2])) < COUNTS_AS:
        print("SKIPPED: This is PyTorch %s, and `--like torch` counts as %d.%d does. Nothing was compared." % (version.strip(), *COUNTS_AS),
              file=sys.stderr)
        sys.exit(other_program.SKIPPED)
    return options, python


def main():
    options, python = begin(__doc__)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([python, str(HERE / "training_run.py"), folder], capture_output=True, text=True, timeout=600)
        if run.returncode:
            print(run.stderr)
            return 1
        for tables in sorted(pathlib.Path(folder).glob("*.tables")):
            shown, cells, found = json.loads(tables.read_text()), 0, []
            for arguments, theirs in shown:
                ours = subprocess.run([options.cli, "summary", str(tables.with_suffix(".json")), "--like", "torch", "--no-store", *arguments],
                                      capture_output=True, text=True, check=True).stdout
                sort = arguments[arguments.index("--sort") + 1] if "--sort" in arguments else None
                found += [" ".join(arguments) + ": " + each for each in differences(theirs, ours, sort)]
                cells += sum(len(row) for row in parsed(theirs)[1])
            print("%-12s %3d tables, %6d cells, %d differ" % (tables.stem, len(shown), cells, len(found)))
            print(*["  " + each for each in found[:6]], sep="\n", end="\n" if found else "")
            wrong += len(found) + (cells == 0)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
