#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs every golden case of this folder through riffle-cli and compares. README.md says what a case is made of.

    run.py --cli build/release/bin/riffle-cli [--case FAMILY/NAME] [--filter REGEX] [--list]

`--cli "python3 tests/support/reference.py"` runs them through the reference reader instead.
"""
import argparse
import collections
import csv
import difflib
import gzip
import io
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEADER = "id,lane,depth,phase,category,name,start_ns,duration_ns,self_ns,parent,correlation,external_id,flags"
COLUMNS = HEADER.split(",")[1:]
TIMEOUT_SECONDS = 60


def zstd_frame(data):
    """One zstd frame of stored blocks (RFC 8878): no window, content size of 8 bytes, no checksum."""
    out = [b"\x28\xb5\x2f\xfd", b"\xe0", len(data).to_bytes(8, "little")]
    block = 100_000
    pieces = [data[at:at + block] for at in range(0, len(data), block)] or [b""]
    for number, piece in enumerate(pieces):
        out += [(len(piece) << 3 | (number == len(pieces) - 1)).to_bytes(3, "little"), piece]
    return b"".join(out)


def in_thirds(data):
    return [data[:len(data) // 3], data[len(data) // 3:2 * len(data) // 3], data[2 * len(data) // 3:]]


WRAPPERS = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".members.gz": lambda data: b"".join(gzip.compress(part, mtime=0) for part in in_thirds(data)),
    ".cut.gz": lambda data: gzip.compress(data, compresslevel=0, mtime=0)[:-len(data) // 4],
    ".zst": zstd_frame,
    ".frames.zst": lambda data: b"".join(
        zstd_frame(part) + b"\x50\x2a\x4d\x18\x04\x00\x00\x00skip" for part in in_thirds(data)),
    ".bom": lambda data: b"\xef\xbb\xbf" + data,
}


class Mismatch(Exception):
    pass


# ------------------------------------------------------------------------------------------------------------------- CSV

def actual_rows(text):
    if text.split("\n", 1)[0].rstrip("\r") != HEADER:
        raise Mismatch("header line is %r\n     should be %r" % (text.split("\n", 1)[0], HEADER))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    by_id = {}
    for row in rows:
        if None in row or None in row.values():
            raise Mismatch("wrong number of fields in %r" % row)
        if row["id"] in by_id:
            raise Mismatch("id %s twice" % row["id"])
        by_id[row["id"]] = row
    parents = {}
    for row in rows:
        if row["parent"] and row["parent"] not in by_id:
            raise Mismatch("parent %s of %r is no id" % (row["parent"], row["name"]))
        parent = by_id.get(row["parent"])
        parents[row["id"]] = "%s@%s" % (parent["name"], parent["start_ns"]) if parent else ""
    for row in rows:
        row["parent"] = parents[row.pop("id")]
    return rows


def flags_agree(expected, actual):
    """Every flag listed is there, every flag listed with "!" is not; others are free."""
    have = set(filter(None, actual.split("|")))
    return all((flag[1:] not in have) if flag.startswith("!") else flag in have for flag in filter(None, expected.split("|")))


def row_agrees(expected, actual):
    for column in COLUMNS:
        want = expected[column]
        if want == "*" or column == "lane":
            continue
        if column == "flags":
            if not flags_agree(want, actual[column]):
                return False
        elif want != actual[column]:
            return False
    return True


def line(row, lane):
    return ",".join(lane if column == "lane" else row[column].replace("\n", "\\n") for column in COLUMNS)


def compare_csv(expected_text, actual_text):
    expected = list(csv.DictReader(io.StringIO(expected_text, newline="")))
    actual = actual_rows(actual_text)
    unmatched, lanes = list(actual), collections.defaultdict(set)
    left = []
    for row in expected:
        # If several rows agree, the one in the lane that is already known for this label comes first.
        agreeing = [other for other in unmatched if row_agrees(row, other)]
        if not agreeing:
            left.append(row)
            continue
        best = next((other for other in agreeing if other["lane"] in lanes[row["lane"]]), agreeing[0])
        lanes[row["lane"]].add(best["lane"])
        unmatched.remove(best)
    if left or unmatched:
        raise Mismatch("\n".join(["rows (expected -, found +; lanes not shown):"]
                                 + sorted(["-" + line(row, "") for row in left] + ["+" + line(row, "") for row in unmatched],
                                          key=lambda text: text[1:])))
    for label, names in lanes.items():
        if len(names) != 1:
            raise Mismatch("slices of one lane (%s) are in several: %s" % (label, sorted(names)))
    distinct = [next(iter(names)) for label, names in lanes.items() if not label.startswith("?")]
    if len(set(distinct)) != len(distinct):
        raise Mismatch("slices of several lanes are in one: %s" % {label: sorted(names) for label, names in lanes.items()})


# ------------------------------------------------------------------------------------------------------------------ JSON

EXACT = {"events_by_phase", "slices_by_category"}


def subset(expected, actual, where):
    if where.endswith(".import") and isinstance(expected, str):
        bad = [entry for entry in actual if entry["severity"] not in ("note",)]
        if expected == "clean" and bad:
            raise Mismatch("%s should report nothing but notes: %s" % (where, bad))
        if expected == "reported" and not actual:
            raise Mismatch("%s should report something" % where)
        for entry in actual:
            if not {"kind", "severity", "count", "examples"} <= entry.keys() or entry["count"] < 1:
                raise Mismatch("%s: malformed entry %s" % (where, entry))
    elif isinstance(expected, dict):
        if not isinstance(actual, dict):
            raise Mismatch("%s: %r instead of an object" % (where, actual))
        for key, value in expected.items():
            if key not in actual:
                raise Mismatch("%s.%s is missing" % (where, key))
            if key in EXACT and value != actual[key]:
                raise Mismatch("%s.%s: expected %s\n%s  found %s" % (where, key, json.dumps(value, sort_keys=True),
                                                                     " " * len(where + key), json.dumps(actual[key], sort_keys=True)))
            subset(value, actual[key], where + "." + key)
    elif isinstance(expected, list):
        if not isinstance(actual, list):
            raise Mismatch("%s: %r instead of a list" % (where, actual))
        rest = list(actual)
        for value in expected:
            for other in rest:
                try:
                    subset(value, other, where)
                    rest.remove(other)
                    break
                except Mismatch:
                    pass
            else:
                raise Mismatch("%s: nothing agrees with %s in\n%s" % (where, json.dumps(value), json.dumps(actual, indent=1)))
    elif isinstance(expected, float) and isinstance(actual, (int, float)):
        if abs(expected - actual) > 1e-9 * max(abs(expected), abs(actual)):
            raise Mismatch("%s: expected %r, found %r" % (where, expected, actual))
    elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        raise Mismatch("%s: expected %r, found %r" % (where, expected, actual))


def compare_summary(words, expected, found):
    """A table, or tables by view: the rows that are expected and, but for the overview, no others; other columns are free."""
    if isinstance(expected, list):
        view = words[words.index("--view") + 1]
        expected, found = {view: expected}, {view: found}
    for view, rows in expected.items():
        if view != "overview" and len(found[view]) != len(rows):
            raise Mismatch("%s: %d rows instead of %d\n%s" % (view, len(found[view]), len(rows), json.dumps(found[view], indent=1)))
        subset(rows, found[view], view)


def parse_json(text):
    """A document, or one document a line; {"slices": [...]} is the list in it."""
    try:
        value = json.loads(text)
    except ValueError:
        value = [json.loads(part) for part in text.splitlines() if part.strip()]
    if isinstance(value, dict) and isinstance(value.get("slices"), list):
        value = value["slices"]
    return value


# ----------------------------------------------------------------------------------------------------------------- cases

def prepare_input(case, folder, words):
    """Writes what the command names and returns the command with the paths in place."""
    source = case
    if (case / "input_of").exists():
        source = HERE / (case / "input_of").read_text(encoding="utf-8").strip()
    plain = source / "input.json"
    if (source / "make.py").exists():
        plain = folder / "input.json"
        subprocess.run([sys.executable, str(source / "make.py"), str(plain)], check=True, timeout=TIMEOUT_SECONDS)
    out = []
    for word in words:
        if not word.startswith("$INPUT"):
            out.append(word.replace("$CASE", str(case)))
            continue
        suffix = word[len("$INPUT"):]
        path = plain
        if suffix == ".missing":
            path = folder / "missing.json"
        elif suffix.startswith("/"):
            path = str(plain) + suffix
        elif suffix:
            # The name says nothing of the wrapping: it is found by content.
            path = folder / "input"
            path.write_bytes(WRAPPERS[suffix](plain.read_bytes()))
        out.append(str(path))
    return out


def run_case(case, cli):
    words = shlex.split((case / "cmd").read_text())
    with tempfile.TemporaryDirectory(prefix="golden-") as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ, XDG_CACHE_HOME=name, LC_ALL="C.UTF-8")
        command = cli + prepare_input(case, folder, words)
        done = subprocess.run(command, capture_output=True, env=environment, timeout=TIMEOUT_SECONDS)
    output = done.stdout.decode("utf-8", "replace").replace(name + "/", "")
    messages = done.stderr.decode("utf-8", "replace")
    code = int((case / "exit").read_text())
    if done.returncode != code:
        raise Mismatch("exit code %d instead of %d\n%s" % (done.returncode, code, messages[-2000:]))
    if code in (1, 2) and not messages.strip():
        raise Mismatch("failed without a word on stderr")
    expected_path = case / "expected"
    if not expected_path.exists():
        return
    with open(expected_path, encoding="utf-8", newline="") as file:
        expected = file.read()
    if words[0] == "summary" and expected[:1] in "[{":
        compare_summary(words, json.loads(expected), json.loads(output))
    elif "--csv" in words:
        compare_csv(expected, output)
    elif "--json" in words or (words[0] == "memory" and "json" in words):
        try:
            found = parse_json(output)
        except ValueError as error:
            raise Mismatch("output is no JSON: %s\n%s" % (error, output[:500]))
        subset(json.loads(expected), found, "info" if "info" in words else "slices")
    elif expected != output:
        raise Mismatch("".join(difflib.unified_diff(expected.splitlines(True), output.splitlines(True), "expected", "found")))


def name_of(case):
    """FAMILY/NAME"""
    return "%s/%s" % (case.parent.name, case.name)


def main():
    parser = argparse.ArgumentParser(description="Run the golden cases.")
    parser.add_argument("--cli", help="riffle-cli, or a command line in its place")
    parser.add_argument("--filter", default="", help="regular expression on the case's name")
    parser.add_argument("--case", help="run this one case: FAMILY/NAME")
    parser.add_argument("--list", action="store_true", help="name the cases and do nothing")
    options = parser.parse_args()
    cases = sorted(path.parent for path in HERE.glob("*/*/cmd"))
    if options.case:
        cases = [case for case in cases if name_of(case) == options.case]
    cases = [case for case in cases if re.search(options.filter, name_of(case))]
    if options.list:
        print("\n".join(map(name_of, cases)))
        return 0
    if not options.cli:
        parser.error("--cli is needed")
    cli = [options.cli] if os.path.exists(options.cli) else shlex.split(options.cli)
    passed = failed = 0
    for case in cases:
        try:
            run_case(case, cli)
            passed += 1
        except (Mismatch, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            failed += 1
            print("FAILED %s: %s" % (name_of(case), error))
            print("  " + " ".join(cli) + " " + (case / "cmd").read_text().strip())
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
