#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the page that `riffle-cli report` writes as a browser does: every drawn shape must have a colour, the tables must
contain what `summary` and `memory` print, and nothing may be loaded from elsewhere.

    check_report.py --cli build/release/bin/riffle-cli
"""
import html.parser
import json
import pathlib
import pickle
import re
import subprocess
import tempfile
import unittest

import cli_case

CLI = ""
GOLDEN = cli_case.GOLDEN
SAMPLES = [str(path) for path in sorted((pathlib.Path(__file__).resolve().parents[3] / "resources/sample").glob("*.json.gz"))]
VOID = {"meta", "br"}


class Page(html.parser.HTMLParser):
    """Collects the sections with the texts of their cells, the classes inside SVG, and the tags that were never closed."""

    def __init__(self):
        super().__init__()
        self.open, self.classes, self.links, self.sections = [], set(), [], {}
        self.style, self.title, self.text, self.heading, self.cell = "", "", "", None, None
        self.labels = [] # inside SVG
        self.charts, self.tips, self.notes, self.names, self.box = [], [], [], set(), None
        self.columns, self.row, self.rows = [], [], {} # per section, the rows of its tables: column to text

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        self.links += [attributes[key] for key in ("src", "href") if key in attributes]
        if "svg" in self.open and (tag == "rect" or (tag == "path" and "stroke" not in attributes)):
            self.classes.add(attributes.get("class"))
            self.box = attributes
        if tag == "svg":
            self.charts.append(attributes.get("aria-label"))
        if tag == "p":
            self.notes.append("")
        if tag == "h2":
            self.heading = ""
        if tag == "thead":
            self.columns = []
        if tag == "th":
            self.columns.append("")
        if tag == "tr":
            self.row = []
        if tag == "td":
            self.cell = ""
            self.names.add(attributes.get("title"))

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
            self.row.append(self.cell)
            self.cell = None
        if tag == "tr" and self.row:
            self.rows.setdefault(self.heading, []).append(dict(zip(self.columns, self.row)))

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] == "title":
            if "svg" in self.open:
                self.tips.append((self.box, data))
            else:
                self.title += data
        if self.open and self.open[-1] == "text":
            self.labels.append(data)
        if self.open and self.open[-1] == "p":
            self.notes[-1] += data
        if self.open and self.open[-1] == "th":
            self.columns[-1] += data
        if self.open and self.open[-1] == "style":
            self.style += data
        if self.open and self.open[-1] == "h2":
            self.heading += data
        if self.cell is not None:
            self.cell += data


def short(place):
    """A place as tables show it: without folders and parameters."""
    return re.sub(r"\(\w*\)$|/.*/", "", place)


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
            self.assertRegex(page.style, r"\.%s \{[^}]*fill: (var|url)\(" % re.escape(name or "no class"))

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

    def test_rows_of_several_ranks_are_merged(self):
        page = self.page(*SAMPLES)
        for section, view, column in (("Copies and memsets", "memcpy", "name"), ("Findings", "findings", "title")):
            rows = json.loads(run("summary", *SAMPLES, "--view", view, "--by", "merged", "--format", "json"))
            self.assertTrue(rows)
            for row in rows:
                times = sum(other[column] == row[column] for other in rows)
                self.assertEqual(page.sections[section].count(row[column]), times, row[column])

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

    def test_a_limit_of_0_shows_all_rows(self):
        shown = {limit: run("report", SAMPLES[0], "-o", "-", "--limit", limit).decode("utf-8") for limit in ("0", "1")}
        self.assertIn("Only 1 of ", shown["1"])
        self.assertNotRegex(shown["0"], r"Only \d+ of")
        self.assertGreater(shown["0"].count("<tr>"), shown["1"].count("<tr>"))


class SnapshotReport(cli_case.FolderCase):
    def recorded(self, name, events, totals=(2 << 20,)):
        """A snapshot of (action, address, size, category) entries. The first segment has whatever is alive at the end."""
        entries, alive = [], {}
        for action, address, size, category in events:
            entries.append({"action": action, "addr": address, "size": size, "stream": 0, "frames": [], **({"category": category} if category else {})})
            alive.pop(address, None)
            if action == "alloc":
                alive[address] = {"address": address, "size": (size + 511) // 512 * 512, "requested_size": size, "state": "active_allocated", "frames": []}
        segments = [{"device": 0, "address": 4096 + (at << 57), "total_size": total, "allocated_size": 0, "active_size": 0, "requested_size": 0,
                     "stream": 0, "segment_type": "small", "frames": [], "blocks": [] if at else [alive[address] for address in sorted(alive)]}
                    for at, total in enumerate(totals)]
        path = self.path(name + ".pickle")
        pathlib.Path(path).write_bytes(pickle.dumps({"device_traces": [entries], "segments": segments}, protocol=4))
        return path

    def report(self, *words):
        return subprocess.run([CLI, "report", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)

    def page(self, *snapshots, code=0):
        done = self.report(*snapshots, "-o", "-")
        self.assertEqual(done.returncode, code, done.stderr)
        page = Page()
        page.feed(done.stdout.decode("utf-8"))
        self.assertEqual(page.open, [])
        self.assertEqual(page.links, [])
        for name in page.classes:
            self.assertRegex(page.style, r"\.%s \{[^}]*fill: var\(" % re.escape(name or "no class"))
        return page

    def test_a_failure_is_explained_first(self):
        snapshot = self.snapshot("memory_oom/advice")
        page = self.page(snapshot)
        self.assertEqual(list(page.sections)[0], "Verdict")
        text = page.text.replace("\u00a0", " ")
        for sentence in ("Device 0 ran out of memory at event 4: 15.0 MiB were requested at forward model.py:14 < loss model.py:30 < train train.py:3.",
                         "Without the wait, a hole of 16.0 MiB could have served the 15.0 MiB.",
                         # of 80 MiB, 20 are in use, 6 pending, and 6 + 10 + 18 + 20 in holes
                         "The allocator held 80.0 MiB: 20.0 MiB allocated, 6.00 MiB pending (freed, but waiting for other streams), 0 B lost to rounding, "
                         "and 54.0 MiB cached (free between blocks). The largest hole was 20.0 MiB, so the fragmentation was 63.0 %.",
                         "activation (18.0 MiB, 69.2 %)"):
            self.assertIn(sentence, text)
        self.assertLess(text.index("ran out of memory"), text.index("Devices"))
        for table in ("failures", "advice"):
            rows = json.loads(run("memory", "oom", snapshot, "--table", table, "--format", "json"))
            self.assertTrue(rows)
            for row in rows:
                for value in row.values():
                    if isinstance(value, str) and "\n" not in value and value not in ("default stream", "default pool"):
                        self.assertIn(value, page.sections["Verdict"])

    def test_sections_show_what_memory_prints(self):
        snapshot = self.snapshot("memory_at/peak")
        page = self.page(snapshot)
        for by in ("category", "place"):
            rows = json.loads(run("memory", snapshot, "--device", "0", "--by", by, "--format", "json"))
            for row in rows:
                self.assertIn(row[by], page.names)
        then = json.loads(run("memory", snapshot, "--device", "0", "--by", "place", "--at", "oom", "--format", "json"))
        for row in then:
            self.assertIn(row["place"], page.names)
            self.assertIn(short(row["place"]), page.sections["device 0: alive at the first failure"])
        self.assertIn("device 1: alive at the end", page.sections) # it has no history
        figures = json.loads(run("memory", "state", snapshot, "--at", "peak", "--device", "0", "--format", "json"))["figures"]
        shown = {row["Of"]: row["Holes"] for row in page.rows["device 0: alive at the peak"] if "Of" in row}
        self.assertEqual(shown, {row["of"]: "%d" % row["holes"] for row in figures})
        # The private pool has a hole on each side of its block; the default one, behind the blocks at 2 and 3 MiB.
        self.assertEqual(shown, {"all": "4", "default pool": "2", "pool (1, 0)": "2"})
        self.assertEqual(page.charts.count("Memory over time"), 1)
        self.assertEqual(page.charts.count("Flame graph"), 3) # the failure and the peak, and the other device
        self.assertIn("at::_ops::mm::call(int)\n4.88\u00a0KiB, 57.1\u00a0% of all bytes, 1 allocation", [tip for _, tip in page.tips])

    def test_the_curve_has_the_categories(self):
        snapshot = self.snapshot("memory_at/peak")
        tips = dict(tip.split(", at most ") for _, tip in self.page(snapshot).tips if ", at most " in tip)
        rows = json.loads(run("memory", snapshot, "--device", "0", "--by", "category", "--format", "json"))
        for row in rows:
            if row["depth"] == 0:
                self.assertIn(row["category"], tips)
        self.assertEqual(tips["unknown"], "64\u00a0B")

    def test_the_curve_adds_up_the_smallest_of_many_categories(self):
        snapshot = self.recorded("many", [("alloc", 4096 * at, 100 * at, "category %d" % at) for at in range(1, 101)])
        names = [tip.split(", at most ")[0] for _, tip in self.page(snapshot).tips if ", at most " in tip]
        self.assertEqual(len(names), 20)
        self.assertIn("other categories", names)

    def test_the_most_of_a_category_is_known_between_columns(self):
        # Each column stands for 6 events. Of each, most memory is active while a has 100 bytes.
        cycle = [(action, address, size, name if action == "alloc" else None) for address, size, name in ((8192, 50, "b"), (12288, 100, "a"))
                 for action in ("alloc", "free_requested", "free_completed")]
        page = self.page(self.recorded("between", [("alloc", 4096, 20, "b")] + cycle * 559))
        tips = dict(tip.split(", at most ") for _, tip in page.tips if ", at most " in tip)
        self.assertEqual(tips, {"a": "100\u00a0B", "b": "70\u00a0B"})
        self.assertIn("Each column stands for 6 events", page.text)

    def test_a_category_has_one_colour_on_a_page(self):
        first = self.recorded("first", [("alloc", 4096, 1000, "a"), ("alloc", 8192, 10, "b")])
        second = self.recorded("second", [("alloc", 4096, 10, "a"), ("alloc", 8192, 1000, "b")])
        colours = {}
        for box, tip in self.page(first, second).tips:
            if ", at most " in tip:
                colours.setdefault(tip.split(", at most ")[0], []).append(box["class"])
        self.assertEqual(sorted(colours), ["a", "b"])
        for name, classes in colours.items():
            self.assertEqual(len(classes), 2)
            self.assertEqual(len(set(classes)), 1, name)
        self.assertNotEqual(colours["a"], colours["b"])

    def test_impossible_sizes_have_an_axis(self):
        snapshot = self.recorded("huge", [("alloc", 4096, 512, None)], [1 << 57] * 63 + [(1 << 57) - 1]) # 2^63 - 1 in all
        levels = [label for label in self.page(snapshot).labels if label.endswith("B")]
        self.assertEqual(levels, ["0\u00a0B", "2.00\u00a0EiB", "4.00\u00a0EiB", "6.00\u00a0EiB"])

    def test_a_limit_of_0_shows_all_rows(self):
        snapshot = self.recorded("many", [("alloc", 4096 * at, 100 * at, "category %d" % at) for at in range(1, 101)])
        self.assertRegex(self.page(snapshot).text, r"Only 50 of \d+ rows are shown")
        page = self.page(snapshot, "--limit", "0")
        self.assertNotRegex(page.text, r"Only \d+ of")
        self.assertEqual([row["Events"] for row in page.rows["Devices"]], ["100"])
        self.assertEqual(self.report(snapshot, "-o", "-", "--limit", "-1").returncode, 2)

    def test_without_a_failure_the_peak_is_told(self):
        text = self.page(self.snapshot("memory/inferred")).text
        self.assertIn("No allocation failed. At the peak, device 0 after event", text)
        self.assertNotIn("Failed allocations", text)

    def test_each_snapshot_has_a_part(self):
        page = self.page(self.snapshot("memory_at/peak"), self.snapshot("memory_oom/advice"))
        self.assertEqual(page.title, "memory_at-peak.pickle and 1 more")
        self.assertEqual(page.text.count("What is missing, and what is a guess"), 2)

    def test_losses_are_said_on_the_page(self):
        page = self.page(self.snapshot("memory_info/cut"), code=3)
        self.assertIn("Only the start of the file could be read", page.text)
        self.assertIn("The final state is unknown", page.text)
        self.assertIn("No failed allocation could be read. At the peak, device 1", page.text)

    def test_names_cannot_break_the_page(self):
        self.assertIn("evil", self.page(self.snapshot("memory/evil_names")).text)
        name = "</text><script>&\""
        page = self.page(self.recorded("markup", [("alloc", 4096, 512, name)], [1024])) # half of it, so that there is room
        self.assertIn(name + ", at most 512\u00a0B", [tip for _, tip in page.tips])
        self.assertIn(name, page.labels)

    def test_a_snapshot_is_spared(self):
        snapshot = self.snapshot("memory_at/peak")
        before = pathlib.Path(snapshot).read_bytes()
        done = self.report(snapshot, "-o", snapshot)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"This file is being read", done.stderr)
        self.assertEqual(pathlib.Path(snapshot).read_bytes(), before)

    def test_what_is_no_report_is_refused(self):
        snapshot, page = self.snapshot("memory_at/peak"), self.path("page.html")
        timeline = str(GOLDEN / "memory_timeline/levels/input.json")
        for words, message in (((snapshot, SAMPLES[0]), b"Give either traces or snapshots."),
                               ((SAMPLES[0], snapshot), b"Give either traces or snapshots."),
                               ((timeline,), b"use riffle-cli memory"),
                               ((snapshot, "--steps", "1"), b"--steps is for traces.")):
            with self.subTest(words=words):
                done = self.report(*words, "-o", page)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)
                self.assertFalse(pathlib.Path(page).exists())


if __name__ == "__main__":
    CLI, words = cli_case.arguments()
    unittest.main(argv=words)
