#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the flame graphs that `riffle-cli memory --picture` writes, as an XML parser does: each frame must be as wide as its
bytes in the table of the same instant, inside its parent, and say what it is.

    check_memory_pictures.py --cli build/release/bin/riffle-cli
"""
import json
import pathlib
import re
import subprocess
import unittest
import xml.etree.ElementTree

import cli_case

CLI = ""
GOLDEN = cli_case.GOLDEN
SVG = "{http://www.w3.org/2000/svg}"
WIDTH = 1200


def run(*words):
    return subprocess.run([CLI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)


class Pictures(cli_case.FolderCase):
    def picture(self, *words, code=0):
        done = run("memory", *words, "--picture", "-")
        self.assertEqual(done.returncode, code, done.stderr)
        return xml.etree.ElementTree.fromstring(done.stdout)

    def boxes(self, picture):
        """(left, width, top, lines of the tool tip) of each frame, without the background."""
        found = []
        for box in picture.iter(SVG + "rect"):
            if box.get("class") == "back":
                continue
            tip = box.find(SVG + "title").text.split("\n")
            found.append((float(box.get("x")), float(box.get("width")), float(box.get("y")), tip))
        return found

    def agrees(self, path, *words):
        boxes = self.boxes(self.picture(path, *words))
        column = words[words.index("--by") + 1] if "--by" in words else "stack"
        rows = json.loads(run("memory", path, *words, *(() if "--by" in words else ("--by", column)), "--format", "json").stdout)
        total = sum(row["bytes"] for row in rows if row["depth"] == 0)
        wide = [row for row in rows if row["bytes"] / total * WIDTH >= 3]
        self.assertTrue(wide)
        expected = sorted((row["depth"], row[column], round(row["bytes"] / total * WIDTH - 1, 1)) for row in wide)
        top = min(box[2] for box in boxes)
        found = sorted(((y - top) / 17, tip[0], round(width, 1)) for x, width, y, tip in boxes if width >= 2)
        self.assertEqual([one[:2] for one in found], [one[:2] for one in expected])
        for one, other in zip(found, expected):
            self.assertAlmostEqual(one[2], other[2], delta=0.11)
        for x, width, y, tip in boxes:
            self.assertGreaterEqual(x, 0)
            self.assertLessEqual(x + width, WIDTH + 0.01)
            above = [other for other in boxes if other[2] == y - 17 and other[0] <= x + 0.02 and x + width <= other[0] + other[1] + 0.02]
            self.assertTrue(y == top or above, tip)
            self.assertRegex(tip[1], r"^[\d.,]+.[KMG]?i?B, [\d.]+.% of all bytes, [\d,]+ allocations?$")

    def test_frames_are_as_wide_as_their_bytes(self):
        for case in ("memory_at/peak", "memory/inferred", "memory/inference_server"):
            for words in ((), ("--by", "category"), ("--by", "place", "--at", "end")):
                with self.subTest(case=case, words=words):
                    self.agrees(self.snapshot(case), "--device", "0", *words)

    def test_a_tool_tip_is_complete(self):
        tips = [tip for *_, tip in self.boxes(self.picture(self.snapshot("memory_at/peak")))]
        # 5,000 of 8,764 bytes; 1,000 of 3,700 bytes are of the linear layer itself; 30 bytes on the other device wait
        self.assertIn(["at::_ops::mm::call(int)", "4.88\u00a0KiB, 57.1\u00a0% of all bytes, 1 allocation"], tips)
        self.assertIn(["forward /lib/torch/nn/modules/linear.py:114", "3.61\u00a0KiB, 42.2\u00a0% of all bytes, 3 allocations",
                       "1000\u00a0B not in any frame below"], tips)
        self.assertIn(["(no stack recorded)", "30\u00a0B, 100\u00a0% of all bytes, 1 allocation",
                       "30\u00a0B freed, but still waiting for other streams"], tips)

    def test_every_device_and_snapshot_has_a_graph(self):
        first, second = self.snapshot("memory_at/peak"), self.snapshot("memory_oom/advice")
        texts = [text.text for text in self.picture(first, second).iter(SVG + "text")]
        for start in (first + ": device 0 after event 3", first + ": device 1, which has no history", second + ": device 0 after event"):
            self.assertEqual(len([text for text in texts if text.startswith(start)]), 1, start)

    def test_names_cannot_break_the_file(self):
        tips = "\n".join(tip[0] for *_, tip in self.boxes(self.picture(self.snapshot("memory/evil_names"), "--at", "end")))
        self.assertIn("evil\\x1b[31mred", tips)

    def test_every_class_has_a_colour(self):
        picture = self.picture(self.snapshot("memory_at/peak"))
        style = picture.find(SVG + "style").text
        for shape in list(picture.iter(SVG + "rect")) + list(picture.iter(SVG + "text")):
            for name in (shape.get("class") or "").split():
                self.assertEqual(len(re.findall(r"\.%s \{" % name, style)), 1 if name == "label" else 2, name)

    def test_a_file_is_written_as_stdout_is(self):
        snapshot, file = self.snapshot("memory_at/peak"), self.path("alive.svg")
        done = run("memory", snapshot, "--picture", file)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        self.assertEqual(pathlib.Path(file).read_bytes(), run("memory", snapshot, "--picture", "-").stdout)

    def test_a_damaged_snapshot_gives_what_is_left(self):
        self.assertTrue(self.boxes(self.picture(self.snapshot("memory_info/cut"), code=3)))

    def test_an_input_is_spared(self):
        snapshot = self.snapshot("memory_at/peak")
        link = pathlib.Path(self.path("link.svg"))
        link.symlink_to(snapshot)
        before = pathlib.Path(snapshot).read_bytes()
        done = run("memory", snapshot, "--picture", str(link))
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"This file is being read", done.stderr)
        self.assertEqual(pathlib.Path(snapshot).read_bytes(), before)

    def test_what_is_no_flame_graph_is_refused(self):
        snapshot = self.snapshot("memory_at/peak")
        timeline = str(GOLDEN / "memory_timeline/levels/input.json")
        for words, message in (
                ((snapshot, "--picture", self.path("alive.png")), b"Use a name that ends with .svg"),
                ((snapshot, "--by", "allocation", "--picture", "-"), b"A flame graph cannot be grouped by allocation"),
                ((snapshot, "--at", "often", "--picture", "-"), b"is not an instant"),
                ((snapshot, timeline, "--picture", "-"), b"One picture cannot show snapshots and other memory files"),
                ((snapshot, "--picture", "-", "--format", "json"), b"--format, --limit and --unit are for tables, not for pictures."),
                ((snapshot, "--picture", "-", "--limit", "1"), b"--format, --limit and --unit are for tables, not for pictures."),
                ((snapshot, "--picture", "-", "--unit", "MiB"), b"--format, --limit and --unit are for tables, not for pictures."),
                (("--picture", self.path("alive.svg"), "oom", snapshot), b"--picture before a subcommand has no effect."),
                (("--by", "category", "oom", snapshot), b"--by before a subcommand has no effect."),
                ((str(GOLDEN / "memory_log/sample/input.json"), "--picture", "-"), b"A memory log has no picture.")):
            with self.subTest(words=words):
                done = run("memory", *words)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    CLI, words = cli_case.arguments()
    unittest.main(argv=words)
