# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The parts that the tests of riffle-cli share: the options of a script, and a folder for each test."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden"


def arguments():
    """Returns the value of --cli, and the arguments for unittest.main()."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    options, rest = parser.parse_known_args()
    return options.cli, [sys.argv[0], *rest]


class FolderCase(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="riffle-cli-")

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return str(pathlib.Path(self.folder.name) / name)

    def snapshot(self, case):
        """Writes the snapshot of a golden case; returns its path."""
        path = self.path(case.replace("/", "-") + ".pickle")
        subprocess.run([sys.executable, str(GOLDEN / case / "make.py"), path], check=True)
        return path
