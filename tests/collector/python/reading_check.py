#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks riffle_profiler.open() with the real riffle-cli: its tables must have the numbers of the JSON of the bundled sample.

Usage: reading_check.py RIFFLE_CLI [--pandas] [unittest arguments]

With --pandas it runs under $RIFFLE_TORCH_PYTHON and checks to_pandas() and to_arrow(), too; status 77 (skipped) if that is not set or
lacks pandas or pyarrow. Without --pandas, everything must work in an interpreter that lacks both.
"""

import gzip
import html.parser
import importlib.util
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = [str(ROOT / "resources" / "sample" / f"generated_rank{rank}.pt.trace.json.gz") for rank in (0, 1)]
HAS_PANDAS = "--pandas" in sys.argv
sys.path.insert(0, str(ROOT / "collector" / "python"))

import riffle_profiler as riffle
from riffle_profiler._answers import Table


def events(path):
    """The complete events of a sample, with durations in integer ns."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = json.load(file, parse_float=Decimal)["traceEvents"]
    return [{**event, "ns": int(event["dur"] * 1000)} for event in found if event["ph"] == "X"]


class Cells(html.parser.HTMLParser):
    """What a browser finds in a page: the texts of its cells and paragraphs, and its tags."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.attributes = Counter(), defaultdict(list), {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        self.attributes.update(attributes)
        self.inside = tag
        self.texts[tag].append("")

    def handle_data(self, data):
        self.texts[self.inside][-1] += data


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.trace = riffle.open(SAMPLES[0])

    def written(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb" if isinstance(content, bytes) else "w", **{} if isinstance(content, bytes) else {"encoding": "utf-8"}) as file:
            file.write(content)
        return path

    def warned(self, ask):
        """What `ask` returns, and the warnings that came with it. They must point to this file."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = ask()
        self.assertTrue(all(one.category is riffle.RiffleWarning and one.filename == __file__ for one in caught), caught)
        return answer, [str(one.message) for one in caught]


class Numbers(Case):
    """The numbers of the tables, against the sample's JSON."""

    def sums(self, path, category):
        count, total = Counter(), Counter()
        for event in events(path):
            if event["cat"] == category:
                count[event["name"]] += 1
                total[event["name"]] += event["ns"]
        return count, total

    def test_operators_and_kernels(self):
        operators = self.trace.summary("operators")
        self.assertEqual(dict(zip(operators["name"], operators["calls"])), self.sums(SAMPLES[0], "cpu_op")[0])
        count, total = self.sums(SAMPLES[0], "kernel")
        kernels = self.trace.summary("kernels")
        self.assertEqual({row["name"]: (row["calls"], row["total_ns"]) for row in kernels},
                         {name: (count[name], total[name]) for name in count})
        self.assertEqual({type(value) for value in kernels["total_ns"]}, {int})
        self.assertTrue(any(isinstance(value, float) for value in kernels["share"]))

    def test_steps(self):
        expected = [(event["name"], event["ns"]) for event in events(SAMPLES[0])
                    if event["cat"] == "user_annotation" and event["name"].startswith("ProfilerStep#")]
        steps = self.trace.steps()
        self.assertEqual(list(zip(steps["name"], steps["duration_ns"])), expected)
        self.assertEqual(self.trace.summary("steps").rows, steps.rows)
        self.assertEqual(len(self.trace.steps(steps="1:3")), 2)

    def test_sql_over_two_ranks(self):
        both = riffle.open(SAMPLES)
        table = both.sql("-- a remark first\nselect rank, count(*) as kernels, sum(dur) as dur_ns from kernels group by rank")
        expected = [(rank, *(sum(one.values()) for one in self.sums(path, "kernel"))) for rank, path in enumerate(SAMPLES)]
        self.assertEqual((table.columns, table.rows), (["rank", "kernels", "dur_ns"], expected))
        self.assertEqual(riffle.open(*SAMPLES).paths, both.paths)
        self.assertEqual(set(both.summary("kernels")["trace"]), {"Rank 0", "Rank 1"})
        self.assertEqual([one["rank"] for one in both.info()], [0, 1])

    def test_values_keep_their_types(self):
        table = self.trace.sql("select 9007199254740993 as big, null as missing, 'a' as text, '7' as digits, 0.5 as half")
        self.assertEqual(table.rows, [(9007199254740993, None, "a", "7", 0.5)])
        self.assertEqual(table[0], {"big": 9007199254740993, "missing": None, "text": "a", "digits": "7", "half": 0.5})

    def test_a_memory_snapshot(self):
        sizes = {0x1000: 512, 0x2000: 1024}
        trace = [{"action": "alloc", "addr": address, "size": size, "stream": 0, "time_us": 10, "frames": []}
                 for address, size in sizes.items()]
        segment = {"device": 0, "address": 0x1000, "total_size": 0x2000, "stream": 0, "segment_type": "small", "allocated_size": 1536,
                   "active_size": 1536, "requested_size": 1536, "segment_pool_id": (0, 0), "is_expandable": False, "frames": [],
                   "blocks": [{"address": address, "size": size, "requested_size": size, "state": "active_allocated", "frames": []}
                              for address, size in sizes.items()]}
        snapshot = riffle.open(self.written("snapshot.pickle", pickle.dumps({"segments": [segment], "device_traces": [trace]}, 4)))
        alive = snapshot.memory(by="allocation", at="end")
        self.assertEqual(Counter(alive["bytes"]), Counter(sizes.values()))
        self.assertEqual(sum(snapshot.memory(by="size")["bytes"]), 1536)
        self.assertEqual(snapshot.memory("info")["devices"][0]["end_allocated"], 1536)
        self.assertEqual([row["size"] for row in snapshot.memory("events", limit=1)], [512])


class Answers(Case):
    """What comes with the numbers."""

    def test_several_views_and_options(self):
        found = self.trace.summary("operators", "kernels", limit=2)
        self.assertEqual({view: len(table) for view, table in found.items()}, {"operators": 2, "kernels": 2})
        self.assertIn("utilization", self.trace.summary()["name"])
        longest = self.trace.summary("operators", sort="host_total", limit=1, ascending=False, filter=None)
        self.assertEqual(longest["host_total_ns"][0], max(self.trace.summary("operators")["host_total_ns"]))
        calls = self.trace.summary("operators", ascending=True, sort="calls")["calls"]
        self.assertEqual(calls, sorted(calls))

    def test_an_empty_answer_has_its_columns_and_a_warning(self):
        table, said = self.warned(lambda: self.trace.summary("operators", filter="calls>100000"))
        self.assertEqual((len(table), table.columns), (0, self.trace.summary("operators").columns))
        self.assertEqual(len(said), 1)
        self.assertIn("hides all", said[0])
        self.assertEqual(table.warnings, said)
        self.assertEqual(self.trace.sql('select 1 as "a,b", name from slices where 0').columns, ["a,b", "name"])

    def test_a_limit_is_a_warning(self):
        table, said = self.warned(lambda: self.trace.sql("select id from slices", limit=2))
        self.assertEqual((table["id"], said), ([0, 1], ["There are more rows than the 2 shown."]))

    def test_losses_are_warnings_and_errors_raise(self):
        with gzip.open(SAMPLES[0], "rb") as file:
            whole = file.read()
        cut = riffle.open(self.written("cut.json", whole[:len(whole) // 2]))
        for ask in (cut.steps, cut.verdict, cut.report, cut.info, lambda: cut.sql("select count(*) from slices"), cut.slices):
            answer, said = self.warned(ask)
            self.assertTrue(answer)
            self.assertTrue(said)
        with self.assertRaisesRegex(riffle.RiffleError, "riffle-cli summary: There is no view nosuch"):
            self.trace.summary("nosuch")
        with self.assertRaisesRegex(riffle.RiffleError, "riffle-cli sql: no such column: nosuch"):
            self.trace.sql("select nosuch from slices")
        with self.assertRaisesRegex(riffle.RiffleError, "riffle-cli report: .*--nosuch"):
            self.trace.report(nosuch=True)
        with self.assertRaisesRegex(riffle.RiffleError, "riffle-cli steps|riffle-cli summary"):
            riffle.open(self.written("text.json", "nothing")).steps()
        with self.assertRaisesRegex(TypeError, "The option format has no effect here"):
            self.trace.steps(format="csv")
        with self.assertRaises(FileNotFoundError):
            riffle.open("/nowhere/trace.json")
        with self.assertRaises(TypeError):
            riffle.open()
        with self.assertRaisesRegex(KeyError, "There is no column nosuch"):
            self.trace.steps()["nosuch"]

    def test_arguments_are_never_a_shells_or_options(self):
        path = self.written("--no-store;touch x.json", gzip.open(SAMPLES[0]).read().decode())
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        self.assertEqual(len(riffle.open(os.path.basename(path)).steps()), 3)
        self.assertEqual(self.trace.slices(name="$(touch x)").rows, [])
        self.assertEqual(os.listdir(self.folder), [os.path.basename(path)])

    def test_the_verdict_and_the_report(self):
        verdict = self.trace.verdict()
        self.assertTrue(verdict.startswith("3 steps: "), verdict)
        self.assertEqual(Cells(verdict._repr_html_()).texts["p"][0].strip(), verdict.splitlines()[0])
        path = os.path.join(self.folder, "report.html")
        page = self.trace.report(path, limit=1)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), page.html)
        self.assertIn("<html", page.html)
        frame = Cells(page._repr_html_())
        self.assertEqual((frame.tags["iframe"], frame.tags["script"], frame.attributes["srcdoc"]), (1, 0, page.html))
        self.assertEqual(frame.attributes["sandbox"], "allow-scripts")

    def test_jupyter_shows_a_table(self):
        evil = "<script>alert(1)</script>&amp;\u202e\x07"
        trace = {"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": at, "dur": 1, "cat": "cpu_op", "name": evil if at == 0 else "a" * 300}
                                 for at in range(0, 120, 2)]}
        table = riffle.open(self.written("evil.json", json.dumps(trace))).sql('select name, dur, null as n, 0.25 as "<b>" from slices')
        found = Cells(table._repr_html_())
        self.assertEqual((found.tags["script"], found.tags["b"], found.tags["tr"]), (0, 0, 51))
        self.assertEqual([text.strip() for text in found.texts["th"]], ["name", "dur", "n", "<b>"])
        self.assertEqual(found.texts["bdi"][:2], ["<script>alert(1)</script>&amp;\ufffd\ufffd", "a" * 199 + "…"])
        self.assertEqual([text.strip() for text in found.texts["td"][1:4]], ["1000", "", "0.25"])
        self.assertIn("The first 50 of 60 rows are shown.", found.texts["p"][0])
        self.assertEqual((len(table), table[-1]["name"], len(table[50:])), (60, "a" * 300, 10))

    def test_a_process_that_only_reads_does_not_load_the_collector(self):
        script = ("import sys, riffle_profiler as riffle\n"
                  "assert not {'riffle_profiler._reading', 'riffle_profiler._answers', 'pandas', 'pyarrow'} & set(sys.modules)\n"
                  "riffle.open(sys.argv[1]).steps()\n"
                  "assert not {'pandas', 'pyarrow'} & set(sys.modules)\n"
                  "assert 'libriffle_collector' not in open('/proc/self/maps').read()\n"
                  "from riffle_profiler import *\n"
                  "open(sys.argv[1], 'rb').close()\n")
        environment = {**os.environ, "PYTHONPATH": sys.path[0], "PATH": os.path.dirname(os.environ["RIFFLE_CLI"])}
        for name in ("RIFFLE_CLI", "RIFFLE_COLLECTOR"):
            environment.pop(name, None)
        done = subprocess.run([sys.executable, "-c", script, SAMPLES[0]], env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipIf(importlib.util.find_spec("pandas"), "pandas is installed here")
    def test_without_pandas(self):
        with self.assertRaisesRegex(ImportError, "pandas"):
            self.trace.steps().to_pandas()


@unittest.skipUnless(HAS_PANDAS, "only with --pandas")
class Frames(Case):
    def test_pandas_has_the_same_numbers(self):
        import pandas

        table = self.trace.summary("kernels")
        frame = table.to_pandas()
        self.assertEqual((list(frame.columns), len(frame)), (table.columns, len(table)))
        self.assertEqual(list(frame["total_ns"]), table["total_ns"])
        self.assertEqual((str(frame["calls"].dtype), str(frame["share"].dtype)), ("int64", "float64"))
        self.assertEqual(list(pandas.DataFrame(table)["name"]), table["name"])
        empty = self.trace.sql("select name, dur from slices where 0").to_pandas()
        self.assertEqual((list(empty.columns), len(empty)), (["name", "dur"], 0))

    def test_types(self):
        import pandas
        import pyarrow

        big = 2 ** 53 + 1
        self.assertEqual(list(self.trace.sql(f"select {big} as x union all select null").to_pandas()["x"]), [big, pandas.NA])
        for values, dtype, arrow in (([big, None], "Int64", "int64"), ([1, 2], "int64", "int64"), ([0.5, None], "float64", "double"),
                                     ([1, 0.5], "float64", "double"), ([big, 0.5], "object", "string"), ([2 ** 63], "object", "string"),
                                     (["a", None], "object", "string"), ([1, "a"], "object", "string"), ([None], "object", "null")):
            table = Table(["x"], [(value,) for value in values])
            frame, columns = table.to_pandas(), table.to_arrow()
            self.assertEqual((str(frame["x"].dtype), str(columns.schema.field("x").type)), (dtype, arrow), values)
            self.assertEqual([None if pandas.isna(value) else value for value in frame["x"]], table["x"])
            values = columns.column("x").to_pylist()
            self.assertEqual(values, [value if value is None or arrow != "string" else str(value) for value in table["x"]])
            self.assertEqual(pyarrow.table(table), columns)  # through __arrow_c_stream__


def main():
    os.environ["RIFFLE_CLI"] = os.path.abspath(sys.argv[1])
    if HAS_PANDAS:
        python = os.environ.get("RIFFLE_TORCH_PYTHON")
        if not python:
            print("SKIPPED: RIFFLE_TORCH_PYTHON does not name an interpreter that has pandas and pyarrow. Nothing was tested.")
            return 77
        if subprocess.run([python, "-c", "import pandas, pyarrow"], stderr=subprocess.DEVNULL, check=False).returncode:
            print(f"SKIPPED: {python} does not have both pandas and pyarrow (pip install pandas pyarrow). Nothing was tested.")
            return 77
        if "--inside" not in sys.argv:
            os.execv(python, [python, __file__, *sys.argv[1:], "--inside"])
    cache = tempfile.TemporaryDirectory()
    with cache, mock.patch.dict(os.environ, RIFFLE_CACHE=cache.name):
        unittest.main(argv=[__file__, *(one for one in sys.argv[2:] if one not in ("--pandas", "--inside"))], verbosity=2)


if __name__ == "__main__":
    sys.exit(main())
