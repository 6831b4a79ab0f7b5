#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests the collector's CUPTI source against a stand-in for CUPTI, with no GPU.

Usage: cuda_test.py LIBRARY STUB_CUPTI STUB_CUDA [unittest arguments]"""

import os
import sys

import collector_case

LOAD = """
cuda = ctypes.CDLL({cuda!r})
cupti = ctypes.CDLL({cupti!r})
"""


class CudaTest(collector_case.Case):
    stubs = {}

    def launches(self, code, **options):
        return self.run_code(LOAD.format(**self.stubs) + collector_case.textwrap.dedent(code), **options)

    def info(self):
        return {row["Key"]: row["Value"] for row in self.rows("Process")}

    def check_records(self, count):
        kernels, calls, copies = self.rows("Kernels"), self.rows("Calls"), self.rows("Copies")
        self.assertEqual((len(kernels), len(calls), len(copies)), (count, count, 2 * count))
        threads = {row["Thread"]: row["OsThread"] for row in self.rows("Threads")}
        ranges = self.rows("Ranges")
        for number, (kernel, call) in enumerate(zip(kernels, calls), 1):
            self.assertEqual(kernel["Name"], "void synthetic<float>(float)")
            self.assertEqual((kernel["Duration"], kernel["Stream"], kernel["Correlation"]), (250, 7, number))
            self.assertEqual([kernel[key] for key in ("GridX", "BlockX", "Registers", "SharedMemory")], [10, 128, 32, 1536])
            self.assertEqual((call["Name"], call["Category"], call["Correlation"]), ("cudaLaunchKernel", "cuda_runtime", number))
            self.assertEqual(kernel["Start"] - call["Start"], 700)
            # On the clock of everything else: inside the range around all launches, and on its thread.
            self.assertLessEqual(ranges[0]["Start"] - 1_000_000, call["Start"])
            self.assertLessEqual(call["Start"], ranges[0]["Start"] + ranges[0]["Duration"] + 1_000_000)
            self.assertEqual(threads[call["Thread"]], threads[ranges[0]["Thread"]])
        self.assertEqual({row["Name"] for row in copies}, {"Memcpy HtoD (Pageable -> Device)", "Memset (Device)"})
        self.assertEqual(sum(row["Bytes"] for row in copies), count * (4096 + 256))

    def check_layout(self, version):
        self.launches("""
            start()
            ok(lib.riffle_flush())  # it looks for CUPTI at each flush
            lib.riffle_range_push(b"around")
            for _ in range(1000):
                cupti.stub_launch(7)
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """, environment={"STUB_CUPTI": version})
        self.check_records(1000)
        self.assertEqual({row["Name"] for row in self.rows("Syncs")}, {"Stream Sync"})
        self.assertIn("records", self.info()["cupti"])
        self.assertEqual(self.rows("Loss"), [])

    def test_records_of_cuda_12(self):
        self.check_layout("12")

    def test_records_of_cuda_13(self):
        self.check_layout("13")

    def test_light_leaves_synchronisation_out(self):
        self.launches("""
            start("preset=light")
            ok(lib.riffle_flush())
            lib.riffle_range_push(b"around")
            cupti.stub_launch(7)
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """)
        self.check_records(1)
        self.assertEqual(self.rows("Syncs"), [])

    def test_what_arrives_while_paused_is_left_out(self):
        self.launches("""
            start("paused=1")
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            ok(lib.riffle_flush())
            ok(lib.riffle_resume())
            cupti.stub_launch(9)
            ok(lib.riffle_stop())
        """)
        self.assertEqual([row["Stream"] for row in self.rows("Kernels")], [9])

    def test_odd_records_are_counted(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            lib.riffle_range_push(b"around")
            for _ in range(10):
                cupti.stub_launch(7)
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """, environment={"STUB_CUPTI_ODD": "1"})
        self.check_records(10)
        loss = self.rows("Loss")
        self.assertEqual({row["Category"] for row in loss}, {"cupti"})
        self.assertEqual(sum(row["Count"] for row in loss), 20)  # 10 kernels without a time, 10 that CUPTI dropped

    def test_cuda_is_left_out_on_request(self):
        self.launches("""
            start("cupti=0")
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            ok(lib.riffle_stop())
        """)
        self.assertEqual(self.rows("Kernels"), [])
        self.assertIn("not asked for", self.info()["cupti"])

    def test_another_profiler_is_left_alone(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            lib.riffle_mark(b"still here")
            ok(lib.riffle_stop())
        """, environment={"STUB_CUPTI_REFUSE": "1"})
        self.assertEqual(self.rows("Kernels"), [])
        self.assertEqual(self.names("Marks"), ["still here"])
        self.assertIn("another profiler holds CUPTI", self.info()["cupti"])

    def test_an_error_of_cupti_is_said(self):
        self.launches("start(); ok(lib.riffle_flush()); ok(lib.riffle_stop())", environment={"STUB_CUPTI_REFUSE": "error"})
        self.assertIn("CUPTI_ERROR_OF_THE_STUB", self.info()["cupti"])

    def test_cuda_that_comes_late_is_recorded(self):
        self.run_code("start(); ok(lib.riffle_flush())\n" + LOAD.format(**self.stubs) + collector_case.textwrap.dedent("""
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            ok(lib.riffle_stop())
        """))
        self.assertEqual(len(self.rows("Kernels")), 1)

    def test_the_drivers_call_starts_and_arms(self):
        self.launches("""
            assert lib.InitializeInjection() == 1
            cupti.stub_launch(7)
            ok(lib.riffle_stop())
        """, environment={"RIFFLE_OPTIONS": "dir=%s" % self.folder})
        self.assertEqual(len(self.rows("Kernels")), 1)

    def test_without_cuda_it_says_so(self):
        self.run_code("start(); ok(lib.riffle_flush()); ok(lib.riffle_stop())")
        self.assertIn("no CUDA driver", self.info()["cupti"])

    def test_recording_again_after_a_stop(self):
        self.launches("""
            for number in range(3):
                start()
                ok(lib.riffle_flush())
                cupti.stub_launch(7)
                ok(lib.riffle_stop())
                cupti.stub_launch(8)
        """)
        streams = [row["Stream"] for log in self.logs() for name, row in collector_case.read_log.read(log) if name == "Kernels"]
        self.assertEqual(streams, [7, 7, 7])


if __name__ == "__main__":
    CudaTest.stubs = {"cupti": os.path.abspath(sys.argv.pop(2)), "cuda": os.path.abspath(sys.argv.pop(2))}
    collector_case.main()
