#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that building riffle-cli also builds what it needs when it runs.

    check_build.py --cli build/release/bin/riffle-cli
"""
import pathlib
import shutil
import subprocess
import unittest

import cli_case

CLI = pathlib.Path()


class Build(unittest.TestCase):
    def test_building_it_builds_what_record_loads(self):
        build = CLI.parent.parent
        if not (build / "build.ninja").exists() or not shutil.which("ninja"):
            self.skipTest("not built with ninja")
        inputs = subprocess.run(["ninja", "-C", str(build), "-t", "inputs", "bin/riffle-cli"], stdout=subprocess.PIPE, text=True,
                                check=True).stdout
        self.assertIn("lib/libriffle_collector.so", inputs)
        self.assertIn("startup/sitecustomize.py", inputs)


if __name__ == "__main__":
    path, words = cli_case.arguments()
    CLI = pathlib.Path(path).absolute()
    unittest.main(argv=words)
