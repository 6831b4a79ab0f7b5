#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the page that `riffle-cli report` writes as a browser does: every drawn shape must have a colour, the tables must
contain what `summary` prints, and nothing may be loaded from elsewhere.

    check_report.py --cli build/release/bin/riffle-cli
"""
import argparse
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CLI = ""
SAMPLES = [str(path) for path in sorted((pathlib.Path(__file__).resolve().parents[3] / "resources/sample").glob("*.json.gz"))]
VOID = {"meta", "br"}


class Page(html.parser.HTMLParser):
    """Collects the sections with the texts of their cells, the classes inside SVG, and the tags that were never closed."""

    def __init__(self):
        super().__init__()
        self.open, self.classes, self.links, self.sections = [], set(), [], {}
        self.style, self.title, self.text, self.heading, self.cell = "", "", "", None, None
        self.charts, self.tips, self.notes, self.box = [], [], [], None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        self.links += [attributes[key] for key in ("src", "href") if key in attributes]
        if "svg" in self.open and tag == "rect":
            self.classes.add(attributes.get("class"))
            self.box = attributes
        if tag == "svg":
            self.charts.append(attributes.get("aria-label"))
        if tag == "p":
            self.notes.append("")
        if tag == "h2":
            self.heading = ""
        if tag == "td":
            self.cell = ""

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, "</%s> closes %s" % (tag, self.open[-3:])
        self.open.pop()
        if tag == "h2":
            self.sections[self.heading] = []
        if tag == "td":
            self.sections[self.heading].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] == "title":
            if "svg" in self.open:
                self.tips.append((self.box, data))
            else:
                self.title += data
        if self.open and self.open[-1] == "p":
            self.notes[-1] += data
        if self.open and self.open[-1] == "style":
            self.style += data
        if self.open and self.open[-1] == "h2":
            self.heading += data
        if self.cell is not None:
            self.cell += data


def run(*arguments):
    return subprocess.run([CLI, *arguments], stdout=subprocess.PIPE, check=True, timeout=120).stdout


class Report(unittest.TestCase):
    def page(self, *traces):
        with tempfile.TemporaryDirectory(prefix="report-") as folder:
            path = pathlib.Path(folder) / "report.html"
            run("report", *traces, "-o", str(path))
            page = Page()
            page.feed(path.read_text(encoding="utf-8"))
        self.assertEqual(page.open, [])
        return page

    def test_whatever_is_drawn_has_a_colour(self):
        page = self.page(*SAMPLES)
        self.assertGreater(len(page.classes), 5)
        for name in page.classes:
            self.assertRegex(page.style, r"\.%s \{[^}]*fill: var\(" % re.escape(name or "no class"))

    def test_nothing_comes_from_elsewhere(self):
        self.assertEqual(self.page(SAMPLES[0]).links, [])

    def test_every_figure_of_the_overview_is_there(self):
        cells = self.page(SAMPLES[0]).sections["Overview"]
        rows = json.loads(run("summary", SAMPLES[0], "--view", "overview", "--format", "json"))
        self.assertGreater(len(rows), 50)
        for row in rows:
            self.assertIn(row["name"], cells)

    def test_findings_are_told_in_full(self):
        cells = self.page(SAMPLES[0]).sections["Findings"]
        rows = json.loads(run("summary", SAMPLES[0], "--view", "findings", "--format", "json"))
        self.assertTrue(rows)
        for row in rows:
            for key in ("title", "text", "rule", "suggestion"):
                self.assertIn(row[key], cells)

    def test_several_ranks_share_one_chart(self):
        self.assertGreater(len(SAMPLES), 1)
        page = self.page(*SAMPLES)
        self.assertEqual(page.charts.count("Steps"), 1)
        self.assertEqual([name for name in page.sections if name.startswith("Steps of")], [])
        # Every step has a bar of every rank, and bars of equal length are equally high.
        steps = json.loads(run("summary", *SAMPLES, "--view", "steps", "--format", "json"))
        heights = {}
        for box, tip in page.tips:
            match = re.match(r"(Rank \d+), (.*): \w+ [\d.,]+.(ns|µs|ms|s)$", tip)
            if match and box["class"].startswith("r"):
                key = match.group(1), match.group(2)
                heights[key] = heights.get(key, 0) + float(box["height"])
        self.assertEqual(sorted(heights), sorted((row["trace"], row["name"]) for row in steps))
        longest = max(row["duration_ns"] for row in steps)
        for row in steps:
            self.assertAlmostEqual(heights[row["trace"], row["name"]], 180 * row["duration_ns"] / longest, delta=0.2)

    def test_the_title_is_short_and_all_files_are_listed(self):
        page = self.page(*SAMPLES)
        names = [pathlib.Path(path).name for path in SAMPLES]
        self.assertEqual(page.title, "%s and %d more" % (names[0], len(names) - 1))
        for name in names:
            self.assertIn(name, page.text)
        self.assertEqual(self.page(SAMPLES[0]).title, names[0])

    def test_the_summary_comes_first(self):
        page = self.page(*SAMPLES)
        self.assertEqual(list(page.sections)[:3], ["Summary", "Findings", "Where the time of each step went"])
        rows = json.loads(run("summary", *SAMPLES, "--view", "overview", "--format", "json"))
        cells = page.sections["Summary"]
        for row in rows:
            if (row["section"], row["name"]) in (("step", "mean"),):
                self.assertIn("%.2f\u00a0ms" % (row["time_ns"] / 1e6), cells)
            if row["section"] == "device" and row["name"] in ("busy", "exposed_communication") and row["share"] >= 0.1:
                self.assertIn("%.1f\u00a0%%" % (row["share"] * 100), cells)

    def test_no_note_is_repeated_for_every_rank(self):
        notes = [note.partition(": ")[2] for note in self.page(*SAMPLES).notes if ": " in note]
        self.assertEqual(sorted(set(notes)), sorted(notes))

    def test_nothing_is_cut(self):
        self.assertNotIn("text-overflow", self.page(SAMPLES[0]).style)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    known, rest = parser.parse_known_args()
    CLI = known.cli
    unittest.main(argv=[sys.argv[0]] + rest)
