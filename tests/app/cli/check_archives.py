#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that riffle-cli opens the set in folders, archives and standard input, with archives that Python writes.

    check_archives.py --cli build/release/bin/riffle-cli
"""
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import unittest
import zipfile

import cli_case

CLI = ""
TIMEOUT_SECONDS = 60
SNAPSHOT = "memory_info/snapshot"


def trace(rank):
    """A trace with one slice per rank and one more, so that the files of a set differ."""
    events = [{"ph": "X", "cat": "cpu_op", "name": "op%d" % at, "pid": 1, "tid": 1, "ts": 10 * at, "dur": 5} for at in range(rank + 1)]
    return json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 16}, "traceEvents": events}).encode()


def slices(done):
    """The numbers of slices that `info --json` printed, in order."""
    decoder, text, found = json.JSONDecoder(), done.stdout.decode().lstrip(), []
    while text:
        value, end = decoder.raw_decode(text)
        found.append(value["slices"])
        text = text[end:].lstrip()
    return found


class Sets(cli_case.FolderCase):
    def setUp(self):
        super().setUp()
        self.cache = self.path("cache")
        self.environment = dict(os.environ, RIFFLE_CACHE=self.cache, LC_ALL="C")

    def run_cli(self, *words, **more):
        return subprocess.run([CLI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment,
                              timeout=TIMEOUT_SECONDS, **more)

    def write(self, name, content):
        path = pathlib.Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return str(path)

    def tar(self, name, members, mode="w"):
        with tarfile.open(self.path(name), mode, format=tarfile.PAX_FORMAT) as archive:
            for member, content in members.items():
                info = tarfile.TarInfo(member)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return self.path(name)

    def zip(self, name, members):
        with zipfile.ZipFile(self.path(name), "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members.items():
                archive.writestr(member, content)
        return self.path(name)

    def archives(self, members):
        """The same members in each kind of archive."""
        yield self.zip("run.zip", members)
        yield self.tar("run.tar", members)
        yield self.tar("run.tar.gz", members, "w:gz")
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", "-f", self.path("run.tar"), "-o", self.path("run.tar.zst")], check=True)
            yield self.path("run.tar.zst")

    def unpacked(self):
        cache = pathlib.Path(self.cache)
        return sorted(path.name for path in cache.iterdir() if path.is_dir()) if cache.exists() else []

    def test_archives_open_in_natural_order_and_again_from_the_cache(self):
        members = {"run/rank10.json": trace(10), "run/rank2.json": trace(2), "run/größe/rank0.json": trace(0), "run/notes.txt": b"text\n"}
        for archive in self.archives(members):
            before = len(self.unpacked())
            for _ in range(2):
                done = self.run_cli("info", "--json", archive)
                self.assertEqual(done.returncode, 0, (archive, done.stderr))
                self.assertEqual(slices(done), [1, 3, 11], archive)
                self.assertIn("%s/run/notes.txt: Skipped: It is no trace, memory snapshot, memory timeline or log." % archive,
                              done.stderr.decode("utf-8"))
                self.assertEqual(len(self.unpacked()), before + 1, archive)

    def test_a_folder_ends_at_loops_and_lists_what_is_foreign(self):
        self.write("run/rank1.json", trace(1))
        self.write("run/deep/rank0.json", trace(0))
        self.write("run/config.json", b'{"lr": 1}')
        self.write("run/empty.json", b"")
        self.zip("inner.zip", {"rank5.json": trace(5)})
        shutil.move(self.path("inner.zip"), self.path("run/inner.zip"))
        os.symlink("..", self.path("run/deep/up"))
        os.symlink("nowhere", self.path("run/broken"))
        os.mkfifo(self.path("run/pipe"))
        done = self.run_cli("info", "--json", self.path("run"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(slices(done), [1, 2])
        said = done.stderr.decode()
        for name, why in (("config.json", "It is JSON, but not that of a trace."), ("empty.json", "It is empty."),
                          ("inner.zip", "It is an archive inside a folder or an archive. Open it on its own."),
                          ("deep/up", "It was found under another name."), ("broken", "It is a link that leads nowhere."),
                          ("pipe", "It is no regular file.")):
            self.assertIn("%s/%s: Skipped: %s" % (self.path("run"), name, why), said)
        self.assertEqual(len(said.splitlines()), 6, said)

    def test_every_command_reads_the_set(self):
        two = self.zip("two.zip", {"rank0.json": trace(0), "rank1.json": trace(1)})
        one = self.zip("one.zip", {"rank3.json": trace(3)})
        for words in (["summary", "--view", "overview", two], ["verdict", two], ["sql", two, "select count(*) from slices"],
                      ["report", two, "-o", self.path("report.html")], ["slices", one], ["check", one, "--max", "findings.errors<=9"],
                      ["trim", one, "--range", "0:1", "-o", self.path("part.json")]):
            done = self.run_cli(*words)
            self.assertEqual(done.returncode, 0, (words, done.stderr))
        done = self.run_cli("sql", "--format", "csv", two, "select count(*) from slices")
        self.assertEqual(done.stdout.split()[-1], b"3")
        done = self.run_cli("slices", two)
        self.assertEqual(done.returncode, 2)
        self.assertIn("This command reads one file, and there are 2.", done.stderr.decode())

    def test_one_file_of_an_archive_has_a_path(self):
        archive = self.zip("two.zip", {"run/rank0.json": trace(0), "run/rank1.json": trace(1)})
        self.assertEqual(slices(self.run_cli("info", "--json", archive + "/run/rank1.json")), [2])
        self.assertEqual(slices(self.run_cli("info", "--json", archive + "/run")), [1, 2])
        done = self.run_cli("info", archive + "/run/rank7.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("The archive has no such file, or it was not unpacked.", done.stderr.decode())

    def test_traces_and_snapshots_of_a_set_are_told_apart(self):
        self.write("run/rank0.json", trace(0))
        os.rename(self.snapshot(SNAPSHOT), self.path("run/rank0.pickle"))
        done = self.run_cli("summary", self.path("run"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank0.pickle: Left out: it is a memory snapshot", done.stderr.decode())
        done = self.run_cli("memory", "info", self.path("run"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank0.json: Left out: it is a Chrome JSON", done.stderr.decode())

    def test_standard_input_is_read_to_its_end(self):
        self.assertEqual(slices(self.run_cli("info", "--json", "-", input=trace(4))), [5])
        archive = self.tar("run.tar.gz", {"rank0.json": trace(0), "rank1.json": trace(1)}, "w:gz")
        self.assertEqual(slices(self.run_cli("info", "--json", "-", input=pathlib.Path(archive).read_bytes())), [1, 2])
        done = self.run_cli("info", "-", input=b"")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Standard input: It is empty.", done.stderr.decode())

    def test_no_file_is_written_outside_the_cache(self):
        evil = self.path("evil.tar")
        with tarfile.open(evil, "w") as archive:
            for name in ("../out.json", "/tmp/riffle-archive-test.json", "a/../../out.json"):
                info = tarfile.TarInfo(name)
                info.size = len(trace(0))
                archive.addfile(info, io.BytesIO(trace(0)))
            for kind, target in ((tarfile.SYMTYPE, self.path("")), (tarfile.LNKTYPE, "rank0.json"), (tarfile.CHRTYPE, "")):
                info = tarfile.TarInfo("link%d" % kind[0])
                info.type, info.linkname = kind, target
                archive.addfile(info)
            for name in ("link%d/out.json" % tarfile.SYMTYPE[0], "rank0.json", "rank0.json"):
                info = tarfile.TarInfo(name)
                info.size = len(trace(0))
                archive.addfile(info, io.BytesIO(trace(0)))
        done = self.run_cli("info", "--json", evil)
        self.assertEqual(slices(done), [1, 1], done.stderr)
        said = done.stderr.decode()
        for why in ("Its path leads out of the archive", "Its path is absolute.", "It is a link or a device.",
                    "Another file of the archive has the same name."):
            self.assertIn(why, said)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["cache", "evil.tar"])
        self.assertFalse(os.path.exists("/tmp/riffle-archive-test.json"))

    def test_an_archive_that_is_cut_off_opens_as_far_as_it_goes(self):
        whole = pathlib.Path(self.tar("run.tar", {"rank0.json": trace(0), "rank1.json": trace(1) + b" " * 4000})).read_bytes()
        done = self.run_cli("info", "--json", self.write("cut.tar", whole[:2048]))
        self.assertEqual(done.returncode, 3)
        self.assertEqual(slices(done), [1, 2], done.stderr)
        self.assertIn("rank1.json: Not read: Only its start could be unpacked. The archive is damaged", done.stderr.decode())
        done = self.run_cli("info", self.write("cut.zip", pathlib.Path(self.zip("run.zip", {"a.json": trace(0)})).read_bytes()[:20]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("The archive is damaged", done.stderr.decode())

    def test_a_bomb_ends_at_the_limit(self):
        archive = self.zip("bomb.zip", {"rank0.json": trace(0), "rank1.json": trace(1)[:-1] + b" " * 40_000_000 + b"}", "rank2.json": trace(2)})
        done = self.run_cli("info", "--json", "--inflate-limit", "8M", archive)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(slices(done), [1], done.stderr)
        self.assertIn("rank1.json: Not read: It was left out with everything behind it, because the archive unpacks to more than 8.00\u00a0MiB.",
                      done.stderr.decode("utf-8"))

    def test_long_names_of_what_is_skipped_are_cut(self):
        archive = self.tar("long.tar.gz", {"rank0.json": trace(0), "n/" * 100_000 + "notes.txt": b"text"}, "w:gz")
        done = self.run_cli("info", "--json", archive)
        self.assertEqual(done.returncode, 0, done.stderr[:400])
        self.assertIn(b"Its name is empty, too long or not a name.", done.stderr)
        self.assertLess(len(done.stderr), 1000)

    def test_an_archive_without_a_set_says_what_is_in_it(self):
        archive = self.zip("text.zip", {"a.txt": b"a\n", "b.txt": b"b\n"})
        done = self.run_cli("info", archive)
        self.assertEqual(done.returncode, 1)
        why = "It is no trace, memory snapshot, memory timeline or log."
        self.assertIn("{0}: It contains no trace, memory snapshot, memory timeline or log. 2 files were skipped. {0}/a.txt: {1} "
                      "{0}/b.txt: {1}\n".format(archive, why), done.stderr.decode())

    def test_an_output_never_replaces_the_archive(self):
        archive = self.zip("one.zip", {"rank3.json": trace(3)})
        before = pathlib.Path(archive).read_bytes()
        for words in (["trim", archive, "--range", "0:1", "-o", archive], ["report", archive, "-o", archive]):
            done = self.run_cli(*words)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn("This file is being read: choose another name for the output.", done.stderr.decode())
        self.assertEqual(pathlib.Path(archive).read_bytes(), before)

    def test_the_cache_keeps_what_fits(self):
        blank = b" " * 3_000_000
        first = self.zip("first.zip", {"rank0.json": trace(0) + blank})
        second = self.zip("second.zip", {"rank1.json": trace(1) + blank})
        for archive, count in ((first, 1), (second, 2), (first, 1)):
            self.assertEqual(slices(self.run_cli("info", "--json", "--store-limit", "4M", archive)), [count])
            self.assertEqual(len(self.unpacked()), 1)
        changed = self.zip("first.zip", {"rank5.json": trace(5)})
        self.assertEqual(slices(self.run_cli("info", "--json", changed)), [6])


if __name__ == "__main__":
    CLI, argv = cli_case.arguments()
    unittest.main(argv=argv)
