#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of riffle-cli with output that cannot be written, and of other behaviour that golden cases cannot check.

    check_output.py --cli build/release/bin/riffle-cli
"""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import unittest

import cli_case

CLI = ""
TIMEOUT_SECONDS = 60
LOG = pathlib.Path(__file__).resolve().parents[2] / "golden/log/slices/log.part"


def event(name, at, args="{}"):
    head = '{"ph": "X", "cat": "cpu_op", "name": "%s", "pid": 1, "tid": 1, "ts": %d, "dur": 1, "args": ' % (name, at)
    return head.encode() + (args if isinstance(args, bytes) else args.encode()) + b"}"


class Output(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="cli-")
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.folder.name, LC_ALL="C.UTF-8")

    def tearDown(self):
        self.folder.cleanup()

    def trace(self, events):
        path = pathlib.Path(self.folder.name) / "trace.json"
        path.write_bytes(b"[" + b",\n".join(events) + b"]")
        return str(path)

    def run_cli(self, *words, **more):
        more.setdefault("stdout", subprocess.PIPE)
        return subprocess.run([CLI, *words], stderr=subprocess.PIPE, env=self.environment, timeout=TIMEOUT_SECONDS, **more)

    def test_a_full_disk_is_an_error(self):
        path = self.trace(event("k%d" % at, at) for at in range(20_000))
        for words in (["info", path], ["info", "--json", path], ["slices", path], ["slices", "--json", path],
                      ["slices", "--csv", "--limit", "1", path], ["--help"], ["slices", "--help"], ["--version"]):
            with self.subTest(words=words[:-1]), open("/dev/full", "wb") as full:
                done = self.run_cli(*words, stdout=full)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr.decode(), "riffle-cli: The output could not be written: No space left on device.\n")

    def test_kernels_that_differ_are_told_apart_for_people_and_whole_for_programs(self):
        start = "void cutlass::Kernel<cutlass_80_tensorop_s16816gemm_f16_%s" % ("64x64_32x10_nn_align8_" * 5)
        names = [start + tile + ">(Params)" for tile in ("a", "b")]
        kernel = '{"ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": 7, "ts": %d, "dur": 5}'
        path = self.trace((kernel % (name, 10 * at)).encode() for at, name in enumerate(names))
        # The names of several ranks must differ from each other, too.
        other = str(pathlib.Path(self.folder.name) / "other.json")
        pathlib.Path(other).write_text("[" + kernel % (start + "c>(Params)", 0) + "]")
        for paths, all_names in (([path], names), ([path, other], names + [start + "c>(Params)"])):
            shown = self.run_cli("summary", *paths, "--view", "kernels").stdout.decode().splitlines()[2:]
            rows = {line[:line.index("  1  ")].strip() for line in shown if "  1  " in line}
            self.assertEqual(len({row.split("  ")[-1] for row in rows}), len(all_names), shown)
            found = json.loads(self.run_cli("summary", *paths, "--view", "kernels", "--format", "json").stdout)
            self.assertEqual({row["name"] for row in found}, set(all_names))

    def test_markdown_shows_names_as_they_are(self):
        names = ["void gemm<float, (Mode)3>(T*)", "a|b\\\\|c", "_lead_ snake_case __x", "[link](x) `code` ~~gone~~ &lt; <b>"]
        path = self.trace(event(name, 10 * at) for at, name in enumerate(names))
        shown = self.run_cli("summary", path, "--view", "operators", "--format", "md").stdout.decode()
        cells = [re.split(r"(?<!\\)(?:\\\\)*\|", line)[1].strip() for line in shown.splitlines() if line.startswith("|")][2:]
        self.assertEqual({re.sub(r"\\([!-/:-@[-`{-~])", r"\1", cell) for cell in cells}, {name.replace("\\\\", "\\") for name in names})
        for cell in cells:
            self.assertNotRegex(re.sub(r"\\.", "", cell), r"[<>|*`~&\[\]]|(?<![a-z])_|_(?![a-z])")

    def test_views_that_lack_a_column_or_grouping_keep_theirs(self):
        path = self.trace([event("a", 0), event("b", 10), event("b", 20)])
        words = ["summary", path, "--view", "operators,steps", "--format", "csv"]
        done = self.run_cli(*words, "--sort", "calls")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"steps has no column calls", done.stderr)
        self.assertEqual([line[:1] for line in done.stdout.split(b"\n")[1:3]], [b"b", b"a"])
        self.assertEqual(self.run_cli(*words, "--sort", "nothing").returncode, 2)
        done = self.run_cli(*words, "--filter", "calls>1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rb"steps: There is no column calls\. .*\. All its rows are shown")
        self.assertNotIn(b"operators:", done.stderr)
        tables = [part.splitlines()[1:] for part in done.stdout.split(b"\n\n")]
        self.assertEqual([[line.split(b",")[0] for line in table] for table in tables], [[b"b"], [b"0"]])
        self.assertEqual(self.run_cli(*words, "--filter", "nothing>1").returncode, 2)
        self.assertEqual(self.run_cli(*words, "--filter", "calls>1xyz").returncode, 2)
        done = self.run_cli(*words, "--group-by", "module")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"steps cannot be grouped by module", done.stderr)
        self.assertEqual(self.run_cli(*words, "--group-by", "nothing").returncode, 2)

    def test_what_a_limit_leaves_out_is_said_to_people(self):
        path = self.trace(event("k%d" % at, at) for at in range(5))
        words = ["summary", path, "--view", "operators"]
        self.assertIn("… and 3 more rows", self.run_cli(*words, "--limit", "2").stdout.decode())
        self.assertIn("… and 1 more row\n", self.run_cli(*words, "--limit", "4", "--format", "md").stdout.decode())
        for more in (["--limit", "5"], ["--limit", "2", "--format", "csv"], ["--limit", "2", "--format", "json"]):
            self.assertNotIn("more row", self.run_cli(*words, *more).stdout.decode())

    def test_of_several_traces_a_range_counts_from_the_first_event_of_all(self):
        paths = []
        for rank, base in ((0, 1_000_000), (1, 11_000_000)): # ns: the second trace starts 10 ms later
            path = pathlib.Path(self.folder.name) / ("rank%d.json" % rank)
            events = b",".join(event("at%d" % at, at * 1000) for at in range(0, 30, 5)) # ms
            path.write_bytes(b'{"baseTimeNanoseconds": %d, "distributedInfo": {"rank": %d}, "traceEvents": [%s]}' % (base, rank, events))
            paths.append(str(path))
        done = self.run_cli("summary", *paths, "--view", "operators", "--range", "14ms:16ms", "--format", "json", "--no-store")
        rows = [(row["trace"], row["name"]) for row in json.loads(done.stdout)]
        self.assertEqual(sorted(rows), [("Rank 0", "at15"), ("Rank 1", "at5")])

    def test_no_word_is_lost_on_a_full_stderr(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([CLI, "info", self.folder.name + "/missing"], stdout=subprocess.PIPE, stderr=full,
                                  env=self.environment, timeout=TIMEOUT_SECONDS)
        self.assertEqual(done.returncode, 1)

    def into_a_closed_pipe(self, disposition):
        path = self.trace(event("k%d" % at, at) for at in range(20_000))
        process = subprocess.Popen([CLI, "slices", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment,
                                   restore_signals=False, preexec_fn=lambda: signal.signal(signal.SIGPIPE, disposition))
        process.stdout.readline()
        process.stdout.close()
        words = process.stderr.read()
        process.stderr.close()
        return process.wait(TIMEOUT_SECONDS), words

    def test_a_reader_that_leaves_ends_it_quietly(self):
        self.assertEqual(self.into_a_closed_pipe(signal.SIG_DFL), (-signal.SIGPIPE, b""))
        self.assertEqual(self.into_a_closed_pipe(signal.SIG_IGN), (1, b""))

    def test_json_is_utf8_whatever_the_trace_holds(self):
        broken = [b"\xED\xA0\x80", b"\xED\xBF\xBF", b"\xE0\x80\xAF", b"\xE0\x9F\xBF", b"\xF0\x80\x80\xAF", b"\xF0\x8F\xBF\xBF",
                  b"\xF4\x90\x80\x80", b"\xF5\x80\x80\x80", b"\xC0\xAF", b"\xFF", b"\xE2\x82"]
        path = self.trace(event("k", at, b'{"s": "' + text + b'"}') for at, text in enumerate(broken))
        done = self.run_cli("slices", "--json", "--args", path)
        slices = json.loads(done.stdout.decode("utf-8"))
        self.assertEqual(len(slices), len(broken))
        for slice_, text in zip(slices, broken):
            self.assertIn("\ufffd" * len(text), slice_["args"])

    def test_long_names_and_hard_expressions(self):
        path = self.trace([event("a" + "x" * 300_000 + "b", 0), event("a" * 60_000, 2)])
        for expression, count in (("a.*b", 1), ("(a+)+b", 0), ("x$|b$", 1), ("(a|aa)+$", 1)):
            with self.subTest(expression=expression):
                done = self.run_cli("slices", "--json", "--name", expression, path)
                self.assertEqual(done.returncode, 0)
                self.assertEqual(len(json.loads(done.stdout)), count)

    def test_a_thousand_threads(self):
        path = self.trace(event("k%d" % at, at) for at in range(100))
        self.assertEqual(self.run_cli("info", "--threads", "1024", path).returncode, 0)

    def test_convert_writes_what_opens_as_the_log_does(self):
        for name in ("out.json", "out.json.gz"):
            with self.subTest(name=name):
                out = pathlib.Path(self.folder.name) / name
                done = self.run_cli("convert", str(LOG), "-o", str(out))
                self.assertEqual(done.returncode, 3, done.stderr) # the log reports dropped records
                self.assertIn(b"records that the collector could not keep (42)", done.stderr)
                rows = [sorted(line.split(b",", 1)[1] for line in self.run_cli("slices", "--csv", str(path)).stdout.split(b"\n") if b"," in line)
                        for path in (LOG, out)]
                self.assertEqual([len(row) for row in rows], [15, 15]) # one of the names contains a line break
                # Parent ids differ between the log and the JSON file, in which a step is an annotation.
                strip = lambda row: [line.rsplit(b",", 4)[0].replace(b",X,step,", b",X,user_annotation,") for line in row]
                self.assertEqual(strip(rows[0]), strip(rows[1]))
                self.assertEqual(os.listdir(self.folder.name).count(name), 1)

    def test_trim_leaves_nothing_half_written(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        path = self.trace(event("k%x" % (at * 2654435761 % 2**32), at) for at in range(200))
        for name in ("out.json", "out.json.gz", "out.json.zst"):
            with self.subTest(name=name):
                out = pathlib.Path(self.folder.name) / name
                out.write_text("as it was")
                words = ["trim", path, "--range", "0:1", "-o", str(out)]
                done = self.run_cli(*words, preexec_fn=small_files)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr.decode(), "riffle-cli: %s: There is no room left on the disk.\n" % out)
                self.assertEqual(out.read_text(), "as it was")
                self.assertEqual(sorted(os.listdir(self.folder.name)), sorted([name, "trace.json"]))
                self.assertEqual(self.run_cli(*words).stdout.decode(), "%s: 200 events\n" % out)
                out.unlink()

    def test_trim_that_is_killed_leaves_nothing(self):
        try:
            os.close(os.open(self.folder.name, os.O_WRONLY | os.O_TMPFILE))
        except OSError:
            self.skipTest("the file system does not support unnamed files")

        def killed_when_it_writes():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        path = self.trace(event("k%d" % at, at) for at in range(200))
        done = self.run_cli("trim", path, "--range", "0:1", "-o", self.folder.name + "/out.json", preexec_fn=killed_when_it_writes)
        self.assertEqual(done.returncode, -signal.SIGXFSZ)
        self.assertEqual(os.listdir(self.folder.name), ["trace.json"])

    def test_convert_leaves_nothing_half_written(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        out = pathlib.Path(self.folder.name) / "out.json"
        out.write_text("as it was")
        done = self.run_cli("convert", str(LOG), "-o", str(out), preexec_fn=small_files)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.decode(), "riffle-cli: %s: There is no room left on the disk.\n" % out)
        self.assertEqual(out.read_text(), "as it was")
        self.assertEqual(os.listdir(self.folder.name), ["out.json"])

    def test_convert_says_what_it_cannot(self):
        trace = self.trace([event("k", 0)])
        out = self.folder.name + "/out.json"
        for words, sentence in (((trace, "-o", out), "%s: This is not a log of Riffle's collector." % trace),
                                ((self.folder.name, "-o", out), "%s: This is not a log of Riffle's collector." % trace),
                                ((str(LOG), "-o", self.folder.name), "%s: This is a folder." % self.folder.name),
                                ((str(LOG), "-o", "/nowhere/out.json"), "/nowhere/out.json: Cannot write the file: No such file or directory.")):
            with self.subTest(words=words):
                done = self.run_cli("convert", *words)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr.decode(), "riffle-cli: %s\n" % sentence)


if __name__ == "__main__":
    CLI, words = cli_case.arguments()
    unittest.main(argv=words)
