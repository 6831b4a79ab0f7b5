# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from riffle_profiler import _compiled, _observer_build as build


class ObserverBuild(unittest.TestCase):
    """What keeps the observer from being compiled, with a PyTorch of which only some files are there."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.torch = Path(folder.name, "torch")
        (self.torch / "include" / "ATen").mkdir(parents=True)
        self.version("")
        environment = mock.patch.dict(os.environ, XDG_CACHE_HOME=os.path.join(folder.name, "cache"))
        environment.start()
        self.addCleanup(environment.stop)

    def version(self, more, number="__version__ = '2.9.1+cpu'\n"):
        (self.torch / "version.py").write_text(f"{number}debug = False\ngit_version = '0123456789abcdef'\n{more}")

    def built(self, **environment):
        """The file, or why it is missing."""
        with mock.patch.dict(os.environ, **environment):
            build.build(self.torch, 1)
        path = build.target(self.torch, 1)
        return path if path.exists() else build.reason(path).read_text()

    def test_the_name_has_what_the_file_depends_on(self):
        self.assertRegex(build.target(self.torch, 0).name, r"^2\.9\.1\+cpu-0123456789ab-abi0-\w+-[\d.]*-[0-9a-f]{16}\.so$")
        self.assertTrue(build.is_tested("2.9.1+cu128"))
        self.assertTrue(build.is_tested("2.15.0+cu132"))
        self.assertFalse(build.is_tested("2.9.10"))

    def test_the_standard_is_that_of_the_headers(self):
        (self.torch / "include" / "ATen" / "record_function.h").touch()
        compiler = Path(self.torch, "compiler")
        compiler.write_text('#!/bin/sh\nall="$*"; while [ "$1" != -o ]; do shift; done; echo "$all" > "$2"\n')
        compiler.chmod(0o755)
        for version, standard in ("2.9.1+cpu", "c++17"), ("1.13.1", "c++17"), ("2.15.0a0+git1", "c++20"), ("3.0", "c++20"):
            self.version(f"__version__ = '{version}'\n", "")
            self.assertIn(f"-std={standard} ", self.built(CXX=str(compiler)).read_text())

    def test_no_headers(self):
        self.assertIn("This PyTorch has no headers", self.built())

    def test_a_debug_build(self):
        self.version("debug = True\n")
        self.assertEqual(self.built(), "This PyTorch is a debug build.")

    def test_no_compiler(self):
        (self.torch / "include" / "ATen" / "record_function.h").touch()
        self.assertEqual(self.built(PATH="/nonexistent", CXX=""), "No C++ compiler was found. Install one, or set CXX to its path.")

    def test_a_compiler_with_options(self):
        (self.torch / "include" / "ATen" / "record_function.h").touch()
        compiler = Path(self.torch, "compiler")
        compiler.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done; echo made > "$2"\n')
        compiler.chmod(0o755)
        self.assertIn("failed", self.built(CXX="false -m64"))
        path = self.built(CXX=f"{compiler} -m64")  # a failure is not remembered
        self.assertEqual(path.read_text(), "made\n")
        self.assertTrue(build.is_ours(path))
        self.assertFalse(build.reason(path).exists())

    def test_no_version(self):
        (self.torch / "version.py").unlink()
        with self.assertRaisesRegex(build.Problem, "does not say which version"):
            build.target(self.torch, 1)

    def test_a_program_that_contains_python_is_not_started(self):
        with mock.patch.object(sys, "executable", "/opt/trainer"):
            self.assertEqual(_compiled._python(), "python3")
        self.assertEqual(_compiled._python(), sys.executable)


if __name__ == "__main__":
    unittest.main()
