#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Installs the wheel riffle-profiler into an environment of its own, records a loop with it and reads the log back.

    check_wheel.py build/dist/riffle_profiler-….whl [--python PYTHON]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

WHEEL = pathlib.Path()
PYTHON = sys.executable
TIMEOUT_SECONDS = 120
ROUNDS = 100
# Another C++ library is in the process, as in every program that uses PyTorch.
LOOP = f"""
import ctypes, sys, time
try:
    ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)
except OSError:
    pass
import riffle_profiler as riffle
for number in range({ROUNDS}):
    with riffle.annotate("work"):
        time.sleep(0.001)
sys.exit(int(sys.argv[1]))
"""
PROFILE = """
import sys
import riffle_profiler as riffle
from riffle_profiler import _cli, _library
with riffle.profile(dir=sys.argv[1]) as profiled:
    for number in range(3):
        with riffle.annotate("inside"):
            pass
rows = {row.key: row.count for row in profiled.key_averages()}
assert rows["inside"] == 3, rows
profiled.export_chrome_trace(sys.argv[1] + "/trace.json.gz")
print(_library.find())
print(_cli.find())
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="riffle-wheel-")
        cls.home = pathlib.Path(cls.folder.name)
        # Nothing of the build or of this environment may help.
        cls.environment = {name: value for name, value in os.environ.items()
                           if not name.startswith(("RIFFLE_", "PYTHON")) and name != "LD_LIBRARY_PATH"}
        cls.environment.update(PATH="/usr/bin:/bin", RIFFLE_CACHE=str(cls.home / "cache"))
        cls.run_checked(PYTHON, "-m", "venv", cls.home / "venv")
        cls.run_checked(cls.home / "venv/bin/pip", "install", "--no-index", "--no-deps", WHEEL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_words(cls, *words):
        return subprocess.run([str(word) for word in words], env=cls.environment, cwd=cls.home, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_SECONDS)

    @classmethod
    def run_checked(cls, *words, code=0):
        done = cls.run_words(*words)
        if done.returncode != code:
            raise AssertionError(f"{words} ended with {done.returncode}, not {code}:\n{done.stdout}\n{done.stderr}")
        return done

    def bin(self, name):
        return self.home / "venv/bin" / name

    def record(self, name, code):
        """Records the loop with an exit code; returns its log."""
        script = self.home / "loop.py"
        script.write_text(LOOP)
        self.run_checked(self.bin("riffle"), "record", "-o", name, "--", self.bin("python"), script, code, code=code)
        logs = list((self.home / name).glob("*.rifflelog"))
        self.assertEqual(len(logs), 1)
        return logs[0]

    def test_a_loop_is_recorded_and_read(self):
        log = self.record("logs", 0)
        for name in ("riffle", "riffle-cli"):
            facts = json.loads(self.run_checked(self.bin(name), "info", "--json", log).stdout)
            self.assertEqual(facts["slices"], ROUNDS)
        count = self.run_checked(self.bin("riffle"), "sql", log, "--format", "csv",
                                 "select count(*) as n from slices where name = 'work'").stdout
        self.assertEqual(count.split(), ["n", str(ROUNDS)])
        # Through each library that is linked in: gzip written and read, JSON, and regular expressions.
        trace = self.home / "trace.json.gz"
        self.run_checked(self.bin("riffle"), "convert", log, "-o", trace)
        rows = self.run_checked(self.bin("riffle"), "slices", "--csv", "--name", "^w[oO]rk$", trace).stdout.splitlines()
        self.assertEqual(len(rows), ROUNDS + 1)
        with zipfile.ZipFile(self.home / "set.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(trace, "größe/rank0.json.gz")
        with tarfile.open(self.home / "set.tar.gz", "w:gz") as archive:
            archive.add(trace, "größe/rank0.json.gz")
        for archive in ("set.zip", "set.tar.gz"):
            facts = json.loads(self.run_checked(self.bin("riffle"), "info", "--json", self.home / archive).stdout)
            self.assertEqual(facts["slices"], ROUNDS)

    def test_exit_codes_are_the_jobs(self):
        log = self.record("failing", 3)
        self.run_checked(self.bin("riffle"), "info", log)
        self.run_checked(self.bin("riffle"), "info", "missing.json", code=1)
        self.run_checked(self.bin("riffle"), "info", code=2)

    def test_the_package_finds_its_library_and_its_command_line(self):
        script = self.home / "profile.py"
        script.write_text(PROFILE)
        found = self.run_checked(self.bin("python"), script, self.home / "profile").stdout.split()
        for path, name in zip(found, ("lib/libriffle_collector.so", "bin/riffle-cli")):
            self.assertTrue(path.endswith("site-packages/riffle_profiler/" + name), path)
        self.run_checked(self.bin("riffle"), "info", self.home / "profile/trace.json.gz")

    def test_a_path_says_how_to_get_the_window(self):
        done = self.run_checked(self.bin("riffle"), "trace.json", code=1)
        self.assertIn("The window, which opens traces, is not installed.", done.stderr)

    def test_what_it_contains(self):
        with zipfile.ZipFile(WHEEL) as archive:
            names = archive.namelist()
        self.assertIn("riffle_profiler/observer/observer.cpp", names)
        self.assertFalse([name for name in names if "cupti" in name and ".so" in name], "NVIDIA's library is never bundled.")
        for part in ("LICENSE", "libisal", "simdjson", "fmtlib", "libzstd", "re2", "xxhash", "sqlite3", "cli11", "libarchive", "zlib", "libcxx"):
            self.assertTrue([name for name in names if "/licenses/" + part in name], part)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--python", default=PYTHON)
    options, rest = parser.parse_known_args()
    WHEEL, PYTHON = options.wheel.absolute(), options.python
    unittest.main(argv=[sys.argv[0], *rest])
