#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests the measurements of the process, and those of GPUs with stand-ins for NVML and the CUDA driver.

Usage: samples_test.py LIBRARY FOLDER_OF_STUBS [unittest arguments]"""

import collector_case

BUSY = """
start("sample_ms=10")
memory = bytearray(64 << 20)
end = time.monotonic() + 1
while time.monotonic() < end:
    pass
ok(lib.riffle_stop())
"""


class SamplesTest(collector_case.Case):
    def counters(self):
        found = {}
        for row in self.rows("Counters"):
            found.setdefault((row["Name"], row["Series"]), []).append(row["Number"])
        return found

    def gpus(self, code, nvml="", **options):
        load = "".join("ctypes.CDLL(%r)\n" % (self.folder_of_stubs + name) for name in ("/libnvidia-ml.so.1", "/libcuda.so.1"))
        return self.run_code(load + collector_case.textwrap.dedent(code), environment={"STUB_NVML": nvml}, **options)

    def test_memory_and_cpu_of_the_process(self):
        self.run_code(BUSY)
        counters = self.counters()
        self.assertEqual(set(counters), {("Host memory (bytes)", "resident"), ("CPU (%)", "process")})
        resident, used = counters["Host memory (bytes)", "resident"], counters["CPU (%)", "process"]
        self.assertGreater(len(resident), 20)
        self.assertGreater(max(resident), 64 << 20)
        self.assertLess(max(resident), 2 << 30)
        self.assertGreater(max(used), 30)  # not 100, because other programs also use the processors
        times = [row["Time"] for row in self.rows("Counters")]
        self.assertEqual(times, sorted(times))

    def test_by_the_preset(self):
        for option, interval, least in (("preset=light", 1, 2), ("preset=normal", 0.1, 5), ("sample_ms=0", 0, 0)):
            with self.subTest(option):
                self.setUp()
                out, _ = self.run_code("begun = time.monotonic(); ok(lib.riffle_start(('dir=' + sys.argv[1] + '\\n' + %r).encode()))\n"
                                       "time.sleep(1.6); ok(lib.riffle_stop()); print(time.monotonic() - begun)" % option)
                count = len([row for row in self.rows("Counters") if row["Name"] == "Host memory (bytes)"])
                most = int(float(out) / interval) + 1 if interval else 0
                self.assertTrue(least <= count <= most, count)

    def test_nothing_while_paused(self):
        self.run_code("start('sample_ms=10', 'paused=1'); time.sleep(0.5); ok(lib.riffle_stop())")
        self.assertEqual(self.rows("Counters"), [])

    def test_gpus_that_the_process_uses(self):
        self.gpus("start('sample_ms=10'); time.sleep(0.5); ok(lib.riffle_stop())")
        counters = {key: values[0] for key, values in self.counters().items() if key[0].startswith("GPU")}
        self.assertEqual(counters, {("GPU 1 memory (bytes)", "used"): 1 << 30, ("GPU 1 utilisation (%)", "kernels"): 75,
                                    ("GPU 1 power (W)", "drawn"): 300.5})
        self.assertEqual(self.info()["nvml"], "NVML measures the GPUs")

    def test_without_nvml(self):
        self.run_code("ctypes.CDLL(%r); start('sample_ms=10'); time.sleep(0.5); ok(lib.riffle_stop())"
                      % (self.folder_of_stubs + "/libcuda.so.1"))
        self.assertEqual(self.info()["nvml"], "libnvidia-ml.so.1 was not found: GPUs are not measured")

    def test_nvml_that_refuses(self):
        self.gpus("start('sample_ms=10'); time.sleep(0.5); ok(lib.riffle_stop())", nvml="refuse")
        self.assertEqual(self.info()["nvml"], "NVML cannot be used (Driver Not Loaded): GPUs are not measured")

    def test_slow_nvml_is_asked_rarely(self):
        self.gpus("start('sample_ms=10'); time.sleep(1.5); ok(lib.riffle_stop())", nvml="slow")
        counters = self.counters()
        self.assertEqual(len(counters["GPU 1 power (W)", "drawn"]), 1)  # it takes 60 ms, so the next measurement is 3 s later
        self.assertGreater(len(counters["CPU (%)", "process"]), 20)

    def test_nvml_that_hangs_holds_nothing_up(self):
        out, _ = self.gpus("""
            start("sample_ms=10")
            time.sleep(0.3)
            lib.riffle_mark(b"still here")
            begin = time.monotonic()
            ok(lib.riffle_flush())
            ok(lib.riffle_stop())
            print(time.monotonic() - begin)
        """, nvml="hang")
        self.assertLess(float(out), 1)
        self.assertEqual(self.names("Marks"), ["still here"])
        self.assertIn(("Host memory (bytes)", "resident"), self.counters())


if __name__ == "__main__":
    collector_case.main(with_stubs=True)
