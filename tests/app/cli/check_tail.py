#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests riffle-cli tail with logs that grow while it follows them: copies of closed ones that are written piece by piece.

Figures are compared with those that follow from the rows of the logs, which read_log.py reads.

    check_tail.py --cli build/release/bin/riffle-cli
"""
import json
import os
import pathlib
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
import unicodedata
import unittest

import cli_case

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/collector"))
import read_log  # noqa: E402

CLI = ""
PATIENCE = 60  # seconds
SAMPLE = ROOT / "resources/sample/log/000001.part"
EVERYTHING = ROOT / "tests/golden/log/slices/log.part"
FILE_HEADER, SESSION_AT, CHUNK_HEADER, STORED_BYTES_AT = 64, 16, 48, 12


def pieces(data):
    """The header of a log's file, and its chunks."""
    ends = [FILE_HEADER]
    while ends[-1] < len(data):
        ends.append(ends[-1] + CHUNK_HEADER + struct.unpack_from("<I", data, ends[-1] + STORED_BYTES_AT)[0])
    return [data[begin:end] for begin, end in zip([0] + ends, ends)]


def header_checksum(header):
    """XXH3-64 of the 64 bytes of a file's header."""
    mask = (1 << 64) - 1
    secret = struct.unpack("<8Q", bytes.fromhex("b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                                                "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"))
    words = struct.unpack("<8Q", header)
    total = FILE_HEADER * 0x9E3779B185EBCA87
    for word, key in ((0, 0), (6, 2), (2, 4), (4, 6)):
        product = (words[word] ^ secret[key]) * (words[word + 1] ^ secret[key + 1])
        total += (product & mask) ^ (product >> 64)
    total &= mask
    total ^= total >> 37
    total = total * 0x165667919E3779F9 & mask
    return total ^ (total >> 32)


def of_another_session(data):
    """The bytes of a log's file as if they were of another recording."""
    header = bytearray(data[:FILE_HEADER])
    header[SESSION_AT] ^= 0xFF
    header[-8:] = bytes(8)
    header[-8:] = struct.pack("<Q", header_checksum(bytes(header)))
    return bytes(header) + data[FILE_HEADER:]


def rows_of(file):
    """The rows of a log with one file, by their kind."""
    found = {}
    for kind, row in read_log.read(file.parent):
        found.setdefault(kind, []).append(row)
    return found


def length(spans):
    """The length of the union of spans."""
    total, reached = 0, None
    for begin, end in sorted(spans):
        if reached is None or end > reached:
            total += end - (begin if reached is None else max(begin, reached))
            reached = end
    return total


def figures(rows, number):
    """Duration of a step, and the share of it in which devices were busy, on average over the devices."""
    step = next(row for row in rows["Ranges"] if row["Category"] == "step" and row["Name"].endswith("#%d" % number))
    begin, end = step["Start"], step["Start"] + step["Duration"]
    work = rows.get("Kernels", []) + rows.get("Copies", [])
    devices = {row["Device"] for row in work}
    busy = sum(length((max(begin, row["Start"]), min(end, row["Start"] + row["Duration"]))
                      for row in work if row["Device"] == device and row["Start"] < end and row["Start"] + row["Duration"] > begin)
               for device in devices)
    return step["Duration"], busy / (step["Duration"] * len(devices)) if devices else None


def columns(text):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


class Follower:
    """riffle-cli tail in the background. Its lines can be awaited."""

    def __init__(self, *words):
        self.process = subprocess.Popen([CLI, "tail", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines, self.messages = queue.Queue(), queue.Queue()
        for stream, into in ((self.process.stdout, self.lines), (self.process.stderr, self.messages)):
            threading.Thread(target=self.read, args=(stream, into), daemon=True).start()

    @staticmethod
    def read(stream, into):
        for line in stream:
            into.put(line.rstrip("\n"))
        into.put(None)

    def until(self, condition):
        """The first line that fulfils the condition."""
        while True:
            line = self.lines.get(timeout=PATIENCE)
            if line is None:
                raise AssertionError("the command ended: %s" % list(self.messages.queue))
            if condition(line):
                return line

    def end(self):
        """All lines that are left, and the exit code."""
        left = list(iter(lambda: self.lines.get(timeout=PATIENCE), None))
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return left, code


class Tail(cli_case.FolderCase):
    def log(self, name, data):
        """Writes the file of a log, or adds to it."""
        folder = pathlib.Path(self.path(name))
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "000001.part", "ab") as file:
            file.write(data)
        return str(folder)

    def run_tail(self, *words):
        return subprocess.run([CLI, "tail", *words], capture_output=True, text=True, timeout=PATIENCE)

    def one(self, *words):
        done = self.run_tail("--format", "json", *words)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), 1, done.stderr)
        return lines[0], done.returncode

    def test_the_figures_of_a_closed_log_follow_from_its_rows(self):
        for file, step, lost, code in ((SAMPLE, 7, 0, 0), (EVERYTHING, 4, 42, 3)):
            rows = rows_of(file)
            line, ended = self.one("--once", str(file))
            duration, busy = figures(rows, step)
            self.assertEqual((line["step"], line["duration_ns"], line["dropped"], ended), (step, duration, lost, code))
            self.assertAlmostEqual(line["busy_share"], busy, places=6)
            self.assertEqual(sum(row["Count"] for row in rows.get("Loss", [])), lost)
            clock = rows["Clocks"][0]
            ends = [row["Start"] + row["Duration"] for kind in ("Ranges", "Kernels", "Copies", "Calls") for row in rows.get(kind, [])]
            self.assertEqual(line["state"], "ended")
            self.assertGreaterEqual(line["time_unix_ns"], clock["Realtime"] + max(ends) - clock["Time"])
            self.assertIsNone(line["lag_ns"])

    def test_a_log_is_followed_to_its_end(self):
        whole = pieces(SAMPLE.read_bytes())
        path = self.log("a.rifflelog", b"".join(whole[:2]))
        follower = Follower("--interval", "0.1", "--format", "json", path)
        for piece in whole[2:-1]:
            cut = len(piece) // 2
            self.log("a.rifflelog", piece[:cut])
            follower.until(lambda line: True)
            self.log("a.rifflelog", piece[cut:])
        follower.until(lambda line: json.loads(line)["rank"] == 0)
        self.log("a.rifflelog", whole[-1])
        lines, code = follower.end()
        last = json.loads(lines[-1])
        self.assertEqual((last["state"], last["step"], last["duration_ns"], code), ("ended", 7, figures(rows_of(SAMPLE), 7)[0], 0))

    def test_what_is_not_settled_is_in_no_figure(self):
        whole = pieces(SAMPLE.read_bytes())
        path = self.log("a.rifflelog", b"".join(whole[:-1]))  # no chunk says that anything is complete, but for the end
        line, _ = self.one("--once", path)
        self.assertEqual((line["step"], line["duration_ns"], line["busy_share"], line["lag_ns"]), (None, None, None, None))
        self.assertNotEqual(line["state"], "ended")

    def test_logs_that_appear_later_join(self):
        job = self.path("job")
        os.mkdir(job)
        follower = Follower("--interval", "0.1", job)
        self.assertIn("Waiting for one", follower.messages.get(timeout=PATIENCE))
        whole, other = SAMPLE.read_bytes(), of_another_session(EVERYTHING.read_bytes())
        os.makedirs(self.path("job/first.rifflelog"))
        self.log("job/first.rifflelog", whole[:30])  # a part of the header
        self.log("job/first.rifflelog", whole[30:-CHUNK_HEADER])
        follower.until(lambda line: line.split()[1] == "0")
        self.log("job/deeper/第二のログ.rifflelog", other)
        last = follower.until(lambda line: line.split()[1] == "3")
        self.assertTrue(last.endswith("ended"), last)
        self.log("job/first.rifflelog", whole[-CHUNK_HEADER:])
        lines, code = follower.end()
        self.assertTrue(lines[-1].endswith(" ended"), lines)
        self.assertEqual(code, 3)  # the second one has lost events

    def test_a_copy_of_a_log_is_not_a_second_one(self):
        self.log("job/a.rifflelog", SAMPLE.read_bytes())
        self.log("job/a_dump1.rifflelog", SAMPLE.read_bytes())
        line, _ = self.one(self.path("job"))
        self.assertTrue(line["log"].endswith("/a.rifflelog"), line)
        done = self.run_tail("--once", self.path("job/a.rifflelog"), self.path("job/a_dump1.rifflelog"))
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 2))
        self.assertIn("Left out: it repeats a log", done.stderr)

    def test_columns_stay_aligned(self):
        nameless = (ROOT / "tests/golden/log/stacks/log.part").read_bytes()
        self.log("job/データ並列ランク.rifflelog", nameless)
        self.log("job/a_very_long_name_of_a_log_4711.rifflelog", nameless)
        self.log("job/b.rifflelog", EVERYTHING.read_bytes())
        names = set()
        for name in ("データ並列ランク", "a_very_long_name_of_a_log_4711", "b"):
            done = self.run_tail("--once", self.path("job/%s.rifflelog" % name))
            header, line = done.stdout.splitlines()
            names.add(line.split()[1])
            drops = header.index("DROPS") + len("DROPS")
            self.assertEqual(columns(header), columns(line[:line.index(" ended")]), line)
            self.assertLessEqual(columns(line), 100)
            self.assertEqual(header[:drops].split()[-1], "DROPS")
        self.assertEqual(names, {"…ランク", "…og_4711", "3"})

    def test_wrong_paths_are_errors(self):
        os.mkdir(self.path("empty"))
        trace = self.path("trace.json")
        pathlib.Path(trace).write_text('[{"ph": "X", "name": "k", "pid": 1, "tid": 1, "ts": 0, "dur": 1}]')
        for words, what in ((["missing"], "There is no such file or folder"), ([trace], "trace.json"),
                            (["--once", self.path("empty")], "No log of Riffle's recorder"),
                            (["--for", "0.3", "--interval", "0.1", self.path("empty")], "No log of Riffle's recorder")):
            done = self.run_tail(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done)
            self.assertIn(what, done.stderr)
        for words in ([], ["--interval", "0", "x"], ["--format", "csv", "x"]):
            self.assertEqual(self.run_tail(*words).returncode, 2)

    def test_a_file_that_becomes_another_one_is_read_anew(self):
        whole = pieces(SAMPLE.read_bytes())
        path = self.log("a.rifflelog", b"".join(whole[:-1]))
        follower = Follower("--interval", "0.1", "--format", "json", path)
        follower.until(lambda line: json.loads(line)["rank"] == 0)
        other = self.path("other.part")
        pathlib.Path(other).write_bytes(EVERYTHING.read_bytes())
        os.replace(other, path + "/000001.part")
        lines, code = follower.end()
        last = json.loads(lines[-1])
        self.assertEqual((last["rank"], last["state"], last["step"], code), (3, "ended", 4, 3))
        self.assertIn("It is read anew", follower.messages.get(timeout=PATIENCE))

    def test_an_interrupt_ends_it(self):
        path = self.log("a.rifflelog", b"".join(pieces(SAMPLE.read_bytes())[:-1]))
        for number in (signal.SIGINT, signal.SIGTERM):
            follower = Follower(path)
            follower.until(lambda line: "UTC" in line)
            follower.process.send_signal(number)
            self.assertEqual(follower.end()[1], 0)
            self.assertIsNone(follower.messages.get(timeout=PATIENCE))

    def test_a_reader_that_goes_away_ends_it(self):
        path = self.log("a.rifflelog", b"".join(pieces(SAMPLE.read_bytes())[:-1]))
        for ignored in (signal.SIG_DFL, signal.SIG_IGN):
            process = subprocess.Popen([CLI, "tail", "--interval", "0.1", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       restore_signals=False, preexec_fn=lambda: signal.signal(signal.SIGPIPE, ignored))
            process.stdout.readline()
            process.stdout.close()
            process.wait(PATIENCE)
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()

    def test_a_log_whose_process_is_gone_is_over(self):
        path = self.log("a.rifflelog", b"".join(pieces(SAMPLE.read_bytes())[:-1]))
        os.utime(path + "/000001.part", (time.time() - 3600, time.time() - 3600))
        for words in (["--interval", "0.1"], ["--once"]):
            done = self.run_tail(*words, path)  # its host is unknown, so that it was killed is a guess
            self.assertEqual(done.returncode, 0)
            self.assertIn("was probably killed", done.stderr)
            self.assertIn("killed?", done.stdout.splitlines()[-1])


if __name__ == "__main__":
    CLI, words = cli_case.arguments()
    unittest.main(argv=words)
