#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests whether and when the collector uses CUPTI: only if it is there, works, is wanted and free.

Usage: cuda_use_test.py LIBRARY FOLDER_OF_STUBS [unittest arguments]"""

import textwrap

import collector_case
import cuda_case


class CudaUseTest(cuda_case.CudaCase):
    def test_cuda_is_left_out_on_request(self):
        self.launches("""
            start("cupti=0")
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            ok(lib.riffle_stop())
        """)
        self.assertEqual(self.rows("Kernels"), [])
        self.assertIn("not requested", self.info()["cupti"])

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
        self.assertEqual(self.info()["cupti"],
                         "another profiler holds CUPTI (CUPTI for the stub's friend): no kernels are recorded")

    def test_one_that_shares_is_left_alone(self):
        self.launches("start(); ok(lib.riffle_flush()); assert not cupti.stub_is_subscribed(); ok(lib.riffle_stop())",
                      environment={"STUB_CUPTI_REFUSE": "shared"})
        self.assertIn("records nothing here", self.info()["cupti"])

    def test_an_error_of_cupti_is_said(self):
        self.launches("start(); ok(lib.riffle_flush()); ok(lib.riffle_stop())", environment={"STUB_CUPTI_REFUSE": "error"})
        self.assertIn("CUPTI_ERROR_OF_THE_STUB", self.info()["cupti"])

    def test_cuda_that_comes_late_is_recorded(self):
        self.run_code("start(); ok(lib.riffle_flush())\n" + cuda_case.LOAD.format(folder=self.folder_of_stubs) + textwrap.dedent("""
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

    def test_without_a_working_driver_cupti_is_not_called(self):
        for answer, said in (("3", "the process has not started CUDA"), ("100", "CUDA has no device here")):
            self.setUp()
            self.launches("start(); ok(lib.riffle_flush()); assert not cupti.stub_is_subscribed(); ok(lib.riffle_stop())",
                          environment={"STUB_CUDA": answer})
            self.assertEqual(self.info()["cupti"], said + ": no kernels are recorded")


if __name__ == "__main__":
    collector_case.main(with_stubs=True)
