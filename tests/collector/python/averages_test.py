# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import os
import sys
from unittest import mock

import riffle_profiler as riffle
from stub_case import StubCase

# Category, name, duration in µs, parent, launch, shapes; the id is the index in the list.
SLICES = (
    ("step", "ProfilerStep#0", 100, None, None, None),
    ("step", "ProfilerStep#1", 100, None, None, None),
    ("python_function", "nn.Module: Linear_0", 90, 0, None, None),
    ("cpu_op", "aten::linear", 80, 2, None, [[2, 3]]),
    ("cpu_op", "aten::mm", 60, 3, None, [[2, 3], [3, 4]]),
    ("cpu_op", "aten::sum", 40, 1, None, [[2]]),
    ("cpu_op", "aten::mm", 10, 3, None, [[5, 5], [5, 5]]),
    ("cpu_op", "aten::sum", 30, 5, None, [[2]]),      # its parent does nothing else, so both are one call
    ("cpu_op", "aten::is_leaf", 5, 5, None, None),    # left out, so its time counts for its parent
    ("cuda_runtime", "cudaLaunchKernel", 20, 4, None, None),
    ("kernel", "gemm", 500, None, 9, None),
    ("gpu_memcpy", "Memcpy HtoD", 30, None, None, None),
    ("cpu_op", "aten::open", 99, 1, None, None),
    ("cpu_op", "aten::old", 99, None, None, None),    # from before the start
)
CLI = """#!{python}
import json, sys, time
open({seen!r}, "w").write(" ".join(sys.argv[1:]))
print("[")
for number, (category, name, duration, parent, launch, shapes) in enumerate({slices!r}):
    args = json.dumps({{"Input Dims": shapes}}) if shapes else ""
    print(json.dumps(dict(id=number, category=category, name=name, duration_ns=duration * 1000, parent=parent, launch=launch,
                          start_ns=time.monotonic_ns() - 60_000_000_000 * (name == "aten::old"), lane="thread 7 (main)",
                          args=args, flags="unfinished" if name == "aten::open" else "")) + ",")
print("]")
print("cut.rifflelog: a part is missing", file=sys.stderr)
sys.exit({status})
"""


class KeyAverages(StubCase):
    def setUp(self):
        super().setUp()
        self.cli = os.path.join(self.folder, "riffle-cli")
        self.seen = os.path.join(self.folder, "seen")
        patch = mock.patch.dict(os.environ, RIFFLE_CLI=self.cli)
        patch.start()
        self.addCleanup(patch.stop)
        self.write_cli()

    def write_cli(self, status=0):
        with open(self.cli, "w", encoding="utf-8") as file:
            file.write(CLI.format(python=sys.executable, seen=self.seen, slices=SLICES, status=status))
        os.chmod(self.cli, 0o755)

    def recorded(self, steps=2, schedule=riffle.schedule(wait=0, warmup=0, active=9), **settings):
        with contextlib.redirect_stderr(io.StringIO()):
            prof = riffle.profile(dir=self.folder, schedule=schedule, **settings)
            prof.start()
            for _ in range(steps):
                prof.step()
        self.addCleanup(prof.stop)  # the stand-in for riffle-cli has only events that start now
        return prof

    def asked(self):
        with open(self.seen, encoding="utf-8") as file:
            return file.read()

    def test_counts_and_times(self):
        found = {row.key: row for row in self.recorded().key_averages()}
        numbers = {key: (row.count, row.cpu_time_total, row.self_cpu_time_total, row.device_time_total,
                         row.self_device_time_total) for key, row in found.items()}
        self.assertEqual(numbers, {
            "ProfilerStep*": (2, 200, 80, 500, 0),
            "aten::linear": (1, 80, 10, 500, 0),
            "aten::mm": (2, 70, 50, 500, 500),
            "aten::sum": (1, 40, 40, 0, 0),
            "cudaLaunchKernel": (1, 20, 20, 0, 0),
            "gemm": (1, 0, 0, 500, 500),
            "Memcpy HtoD": (1, 0, 0, 30, 30),
        })
        self.assertEqual(found["aten::mm"].cpu_time, 35)

    def test_by_shapes(self):
        prof = self.recorded()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            prof.key_averages(group_by_input_shape=True)
        self.assertIn("record_shapes was not set", said.getvalue())
        rows = [row for row in prof.key_averages(group_by_input_shape=True) if row.key == "aten::mm"]
        self.assertEqual([(row.count, row.input_shapes) for row in rows], [(1, [[2, 3], [3, 4]]), (1, [[5, 5], [5, 5]])])

    def test_table(self):
        rows = self.recorded().key_averages()
        lines = rows.table(sort_by="self_cpu_time_total", row_limit=2).split("\n")
        self.assertEqual(lines[1].split()[:5], ["Name", "Self", "CPU", "%", "Self"])
        self.assertEqual([line.split()[0] for line in lines[3:5]], ["ProfilerStep*", "aten::mm"])
        self.assertRegex(lines[4], r"^ +aten::mm +25\.00% +50\.000us +35\.00% +70\.000us +35\.000us "
                                   r"+500\.000us +94\.34% +500\.000us +250\.000us +2  $")
        self.assertEqual(lines[-3:], ["Self CPU time total: 200.000us", "Self CUDA time total: 530.000us", ""])
        self.assertEqual(rows.table(sort_by="self_cuda_time_total").split("\n")[3].split()[0], "aten::mm")
        self.assertEqual(len(rows.table().split("\n")), 3 + len(rows) + 4)
        self.assertEqual(rows.table(header="Mine", time_unit="ms").split("\n")[1], "Mine")
        self.assertIn("0.050ms", rows.table(time_unit="ms"))
        tops = [line.split()[0] for line in rows.table(top_level_events_only=True).split("\n")[5:-4]]
        self.assertEqual(tops, ["ProfilerStep*", "gemm", "Memcpy"])
        self.assertEqual((rows.total_average().key, rows.total_average().count), ("Total", 9))
        self.assertEqual(rows.self_cpu_time_total, 200)
        with self.assertRaisesRegex(ValueError, "sort_by='nonsense'.*cpu_time_total"):
            rows.table(sort_by="nonsense")

    def test_events(self):
        prof = self.recorded(with_flops=True)
        found = {event.id: event for event in prof.events()}
        self.assertEqual([(event.name, event.cpu_parent and event.cpu_parent.name) for _, event in sorted(found.items())], [
            ("ProfilerStep*", None), ("ProfilerStep*", None), ("aten::linear", "ProfilerStep*"), ("aten::mm", "aten::linear"),
            ("aten::sum", "ProfilerStep*"), ("aten::mm", "aten::linear"), ("cudaLaunchKernel", "aten::mm"), ("gemm", None),
            ("Memcpy HtoD", None)])
        mm = found[4]
        self.assertEqual(([(kernel.name, kernel.duration) for kernel in mm.kernels], mm.input_shapes, mm.flops, mm.thread),
                         ([("gemm", 500)], [[2, 3], [3, 4]], 2 * 2 * 3 * 4, 7))
        self.assertEqual((mm.time_range.elapsed_us(), mm.cpu_time_total, mm.self_cpu_time_total, mm.cuda_time_total),
                         (60, 60, 40, 500))
        self.assertEqual((found[0].trace_name, found[0].scope, mm.scope), ("ProfilerStep#0", 7, 0))

    def test_the_last_cycle_only(self):
        prof = self.recorded(schedule=None)
        prof.key_averages()
        prof.stop()
        self.assertNotIn("--steps", self.asked())
        prof = self.recorded(7, schedule=riffle.schedule(wait=1, warmup=0, active=2, repeat=2))
        prof.key_averages()
        self.assertIn("--steps 4:5 ", self.asked())

    def test_without_riffle_cli_or_a_recording_it_says_so(self):
        prof = self.recorded()
        os.environ["RIFFLE_CLI"] = "/nowhere/riffle-cli"
        with self.assertRaisesRegex(riffle.LibraryError, "RIFFLE_CLI names /nowhere"):
            prof.key_averages()
        with mock.patch.dict(os.environ, PATH="/nowhere"):
            del os.environ["RIFFLE_CLI"]
            with self.assertRaisesRegex(riffle.LibraryError, "riffle-cli, which reads logs, was not found"):
                prof.key_averages()
        with self.assertRaisesRegex(riffle.RiffleError, "Nothing has been recorded yet"):
            riffle.profile(dir=self.folder).key_averages()

    def test_losses_are_said_and_failures_raise(self):
        prof = self.recorded()
        self.write_cli(status=3)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            self.assertTrue(prof.key_averages())
        self.assertIn("a part is missing", said.getvalue())
        self.write_cli(status=1)
        with self.assertRaisesRegex(riffle.RiffleError, "riffle-cli slices: .*a part is missing"):
            prof.key_averages()
