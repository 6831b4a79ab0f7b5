#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests the command riffle: which calls open the window, and which run a command.

    check_command.py --cli build/release/bin/riffle-cli
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import cli_case

CLI = pathlib.Path()
TIMEOUT_SECONDS = 60
WINDOW = f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\nsys.exit(7)\n"


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="cli-command-")
        self.home = pathlib.Path(self.folder.name)
        self.window = self.program("elsewhere/riffle-window", WINDOW)
        self.trace = self.home / "trace"
        self.trace.write_text('[{"ph": "X", "name": "k", "pid": 1, "tid": 1, "ts": 0, "dur": 1}]')
        self.addCleanup(self.folder.cleanup)

    def program(self, name, text):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def run_as(self, name, *words, program=None, **environment):
        """Runs the program under a name, without a window in PATH unless `environment` says where one is."""
        variables = {**os.environ, "RIFFLE_CACHE": str(self.home / "cache"), "PATH": "/usr/bin:/bin", **environment}
        return subprocess.run([name, *map(str, words)], executable=program or CLI, env=variables, cwd=self.home,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_SECONDS)

    def opens(self, name, *words):
        """The window must get exactly these words, and its exit code must be ours."""
        done = self.run_as(name, *words, RIFFLE_WINDOW=str(self.window))
        self.assertEqual(done.returncode, 7, (words, done.stdout, done.stderr))
        self.assertEqual(json.loads(done.stdout), [str(word) for word in words])

    def runs(self, code, name, *words):
        """The window must not be opened."""
        done = self.run_as(name, *words, RIFFLE_WINDOW=str(self.window))
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done

    def test_paths_and_addresses_open_the_window(self):
        for name in ("riffle", "riffle-cli", "/somewhere/riffle"):
            self.opens(name, "trace")
            self.opens(name, self.trace, "--view", "1ms:2ms")
            self.opens(name, "missing.json")
            self.opens(name, "missing/file")
            self.opens(name, "ssh://host/trace")

    def test_options_and_no_word_open_it_under_the_name_riffle(self):
        self.opens("riffle")
        self.opens("riffle", "--screenshot", "a b.png", "trace")
        self.runs(2, "riffle-cli")
        self.runs(2, "riffle-cli", "--screenshot", "a.png", "trace")

    def test_words_are_commands(self):
        (self.home / "info").write_text("a file with the name of a command")
        for name in ("riffle", "riffle-cli"):
            self.assertIn("slices", self.runs(0, name, "info", "trace").stdout)
            self.runs(2, name, "info")
            self.runs(2, name, "no-such-command")
            self.assertRegex(self.runs(0, name, "--version").stdout, r"^\d+\.\d+\.\d+\n$")
        self.opens("riffle", "./info")

    def test_the_help_lists_both(self):
        for name in ("riffle", "riffle-cli"):
            for option in ("--help", "-h"):
                text = self.runs(0, name, option).stdout
                self.assertIn(f"Usage: {name} ", text)
                for part in ("riffle PATH", "riffle-window --help", "record", "summary", "memory", "info"):
                    self.assertIn(part, text)

    def copy(self, place):
        path = self.home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CLI, path)
        return path

    def test_where_the_window_is_found(self):
        program = self.copy("site-packages/riffle_profiler/bin/riffle-cli")
        path = f"/usr/bin::{self.window.parent}"
        done = self.run_as("riffle", "trace", program=program, PATH=path)
        self.assertEqual((done.returncode, done.stdout), (7, '["trace"]\n'), done.stderr)
        for number, place in enumerate(("riffle_profiler_window/bin", "riffle_profiler/bin"), start=20):
            self.program(f"site-packages/{place}/riffle-window", f"#!/bin/sh\nexit {number}\n")
            self.assertEqual(self.run_as("riffle", "trace", program=program, PATH=path).returncode, number)

    def test_without_a_window_a_sentence_says_how_to_get_it(self):
        done = self.run_as("riffle", "trace", program=self.copy("bin/riffle-cli"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^riffle: The window, .*is not installed.*\n$")
        done = self.run_as("riffle", "trace", RIFFLE_WINDOW="/gone")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "riffle: RIFFLE_WINDOW names /gone, which is not the window's program.\n")


if __name__ == "__main__":
    path, words = cli_case.arguments()
    CLI = pathlib.Path(path).absolute()
    unittest.main(argv=words)
