#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that riffle-cli spares the files that it reads, and says so when they change under it.

    check_inputs.py --cli build/release/bin/riffle-cli
"""
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import cli_case

CLI = ""
TIMEOUT_SECONDS = 60
GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden"
LOG = GOLDEN / "log/slices/log.part"
EVENT = '{"ph": "X", "cat": "cpu_op", "name": "k%d", "pid": 1, "tid": 1, "ts": %d, "dur": 1, "args": {"n": %d}}'


class Folder(unittest.TestCase):
    """Each test has a folder of its own, with the stores in `cache`."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="cli-inputs-")
        self.environment = dict(os.environ, RIFFLE_CACHE=self.folder.name + "/cache", LC_ALL="C.UTF-8")

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name, content=None):
        path = pathlib.Path(self.folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            path.write_bytes(content)
        return str(path)

    def trace(self, name="trace.json", count=3):
        return self.path(name, ("[" + ",\n".join(EVENT % (at, at, at) for at in range(count)) + "]").encode())

    def run_cli(self, *words):
        return subprocess.run([CLI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment, timeout=TIMEOUT_SECONDS)


class Outputs(Folder):
    def refuses(self, output, *words, status=1):
        """The command must fail and leave every file as it was."""
        before = self.contents()
        done = self.run_cli(*words)
        self.assertEqual(done.returncode, status, (words, done.stdout, done.stderr))
        self.assertIn("riffle-cli: %s: This file is being read: choose another name for the output.\n" % output, done.stderr.decode())
        self.assertEqual(self.contents(), before)

    def contents(self):
        return {path: path.read_bytes() for path in sorted(pathlib.Path(self.folder.name).rglob("*")) if path.is_file()}

    def test_a_report_spares_each_of_its_traces(self):
        first, second = self.trace("rank0.json"), self.trace("rank1.json")
        os.symlink(second, self.path("link.html"))
        os.link(first, self.path("hard.html"))
        for output in (first, second, self.path("link.html"), self.path("hard.html"), self.path("cache/../rank1.json")):
            pathlib.Path(self.path("cache/x")).touch()
            self.refuses(output, "report", first, second, "-o", output)
        self.assertEqual(self.run_cli("report", first, second, "-o", self.path("new.html")).returncode, 0)
        self.assertEqual(self.run_cli("report", first, second, "-o", self.path("new.html")).returncode, 0)

    def test_what_is_made_of_a_log_spares_all_its_files(self):
        for name in ("log/0.part", "log/1.part"):
            self.path(name)
            shutil.copy(LOG, self.path(name))
        folder, part, other = self.path("log"), self.path("log/0.part"), self.path("log/1.part")
        for source in (folder, part):
            for output in (part, other):
                self.refuses(output, "convert", source, "-o", output)
                self.refuses(output, "trim", source, "--range", "0:1", "-o", output)
                self.refuses(output, "report", source, "-o", output)
        for _ in range(2): # the second time, the file is already in the folder
            self.assertEqual(self.run_cli("convert", folder, "-o", self.path("log/trace.json")).returncode, 3)

    def test_a_part_spares_its_trace(self):
        trace = self.trace()
        self.refuses(trace, "trim", trace, "--range", "0:1", "-o", trace)

    def test_a_picture_spares_all_files_of_the_command(self):
        page = self.path("page.html", b"<html><title>GPU Memory Timeline HTML</title>"
                                      b"<img src='data:image/png;base64,iVBORw0KGgoAAAAASUVORK5CYII='>")
        log = self.path("run/dp0_tp0/memory.log", b"as it was")
        self.refuses(page, "memory", page, "--picture", page)
        self.refuses(page, "memory", "info", page, "--picture", page)
        self.refuses(log, "memory", page, self.path("run"), "--picture", log, status=2)  # a memory log has no picture
        self.refuses(log, "memory", page, "--rules", log, "--picture", log)
        self.assertEqual(self.run_cli("memory", page, "--picture", self.path("new.png")).returncode, 0)


class Messages(Folder):
    def test_an_archive_that_is_no_trace_is_explained(self):
        text = pathlib.Path(self.trace("plain.json")).read_bytes()
        once = gzip.compress(text, mtime=0)
        stored = gzip.compress(text, compresslevel=0, mtime=0) # the length of the text, twice, is in front of it
        damaged = stored[:12] + b"\xff" * 18 + stored[30:]
        tarred = b"trace.json".ljust(257, b"\0") + b"ustar\x0000" + bytes(1000)
        for name, content, sentences in (
                ("cut in its header", once[:5], ["The gzip data ends early: the file is truncated."]),
                ("cut behind its header", stored[:12], ["The gzip data ends early: the file is truncated."]),
                ("damaged", damaged, ["The gzip data is damaged."]),
                ("gzip in gzip", gzip.compress(once), ["This archive contains another gzip archive: unpack it once and open the result."]),
                ("zstd in gzip", gzip.compress(b"\x28\xb5\x2f\xfd" + bytes(50)), ["contains another zstd archive"]),
                ("tar in gzip", gzip.compress(tarred), ["This is a tar archive: unpack it and open the trace inside."]),
                ("nothing", gzip.compress(b""), ["The archive is empty."]),
                ("text", gzip.compress(b"a text"), ["This is not JSON"])):
            path = self.path(name, content)
            for words in (["info"], ["slices"], ["summary"], ["memory", "info"], ["memory"]):
                with self.subTest(name=name, words=words):
                    done = self.run_cli(*words, path)
                    self.assertEqual(done.returncode, 1)
                    message = done.stderr.decode()
                    self.assertNotIn("The file is empty", message)
                    if words[0] != "memory" or name not in ("text", "damaged"):
                        for sentence in sentences:
                            self.assertIn(sentence, message)


    def test_rules_in_a_pipe_are_refused(self):
        pipe, snapshot = self.path("rules.json"), self.path("snapshot.pickle")
        os.mkfifo(pipe)
        subprocess.run([sys.executable, str(GOLDEN / "memory_at/peak/make.py"), snapshot], check=True)
        for words in (["memory", snapshot], ["memory", "diff", snapshot, snapshot]):
            done = self.run_cli(*words, "--by", "category", "--rules", pipe)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.decode(), "riffle-cli: %s: The rules must be in a regular file.\n" % pipe)


class Changes(Folder):
    """Files that shrink while a command prints: it waits for the reader of its output."""

    def cut_while_it_prints(self, cut, *words):
        """Returns the exit code, the lines and the messages of a command whose input is cut after its first line."""
        with subprocess.Popen([CLI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment, bufsize=0) as process:
            first = process.stdout.readline()
            os.truncate(cut, os.path.getsize(cut) // 3)
            try:
                out, messages = process.communicate(timeout=TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            return process.returncode, (first + out).decode().splitlines(), messages.decode()

    def large_trace(self, count=200_000):
        return self.trace("large.json", count)

    def test_arguments_that_are_gone_are_an_error(self):
        plain = self.large_trace()
        packed = self.path("large.json.gz", gzip.compress(pathlib.Path(plain).read_bytes(), 1))
        for path in (packed, plain):
            with self.subTest(path=path):
                code, lines, messages = self.cut_while_it_prints(path, "slices", "--csv", "--args", "--no-store", path)
                self.assertEqual(len(lines), 200_001)
                self.assertTrue(lines[-1].endswith(","), lines[-1]) # the arguments are missing
                self.assertEqual(code, 1, messages)
                self.assertEqual(messages, "riffle-cli: The answer is incomplete. %s: The file changed while it was being read.\n" % path)

    def test_a_stored_copy_that_is_cut_is_an_error(self):
        path = self.large_trace(400_000)
        self.assertGreater(os.path.getsize(path), 32 << 20)
        words = ["slices", "--csv", path]
        self.assertEqual(self.run_cli(*words).returncode, 0)
        stored, = [str(file) for file in pathlib.Path(self.path("cache")).rglob("*") if file.is_file() and file.stat().st_size > 1 << 20]
        code, lines, messages = self.cut_while_it_prints(stored, *words)
        self.assertEqual(code, 1, messages)
        self.assertIn("%s: Its copy in the cache was cut while it was in use" % path, messages)
        self.assertEqual(self.run_cli("info", path).returncode, 0) # it is read again
        self.assertEqual(len(self.run_cli(*words).stdout.splitlines()), 400_001)


if __name__ == "__main__":
    CLI, words = cli_case.arguments()
    unittest.main(argv=words)
