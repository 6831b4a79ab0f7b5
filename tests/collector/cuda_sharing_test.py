#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that the collector yields CUPTI to others, and notices who takes it over.

Usage: cuda_sharing_test.py LIBRARY FOLDER_OF_STUBS [unittest arguments]"""

import shutil
import textwrap

import collector_case
import cuda_case
import read_log


class CudaSharingTest(cuda_case.CudaCase):
    def test_yielding_leaves_cupti_to_others(self):
        _, err = self.launches("""
            lib.riffle_will_yield_cuda()
            start()
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            ok(lib.riffle_yield_cuda())
            ok(lib.riffle_yield_cuda())
            assert not cupti.stub_is_subscribed()
            assert abs(cupti.stub_clock() - time.time_ns()) < 1e9  # CUPTI's own clock, for other users
            cupti.stub_kineto_start()
            cupti.stub_launch(8)
            ok(lib.riffle_flush())
            assert cupti.stub_calls_after_takeover() == 0
            cupti.stub_kineto_stop()
            assert cupti.stub_kineto_buffers() > 0 and cupti.stub_kineto_unknown() == 0
            ok(lib.riffle_resume_cuda())
            assert not cupti.stub_is_subscribed()
            ok(lib.riffle_resume_cuda())
            assert cupti.stub_is_subscribed()
            cupti.stub_launch(9)
            ok(lib.riffle_stop())
        """)
        kernels = self.rows("Kernels")
        self.assertEqual([row["Stream"] for row in kernels], [7, 9])
        gap, = self.rows("Gaps")
        self.assertEqual((gap["Category"], gap["Name"]), ("cuda", "yielded to another profiler"))
        self.assertLess(kernels[0]["Start"], gap["Start"])
        self.assertLess(gap["Start"] + gap["Duration"], kernels[1]["Start"])
        said = [row["Value"] for row in self.rows("Process") if row["Key"] == "cupti"]
        self.assertTrue(any("yielded to another profiler" in text for text in said), said)
        self.assertIn("is recording", said[-1])
        self.assertEqual(self.rows("Loss"), [])
        self.assertEqual(err, "")

    def test_a_yield_before_the_start_holds(self):
        self.launches("""
            ok(lib.riffle_yield_cuda())
            start()
            ok(lib.riffle_flush())
            assert not cupti.stub_is_subscribed()
            ok(lib.riffle_resume_cuda())
            assert cupti.stub_is_subscribed()
            ok(lib.riffle_stop())
        """)
        self.assertEqual([row["Name"] for row in self.rows("Gaps")], ["yielded to another profiler"])

    def watched(self, code):
        return self.process(cuda_case.LOAD.format(folder=self.folder_of_stubs) + textwrap.dedent("""
            ctypes.CDLL(%r + "/libcudart.so.13")
            def until_it_is_quiet():
                for _ in range(100):
                    calls = cupti.stub_calls_after_takeover()
                    time.sleep(0.5)
                    if calls > 0 and cupti.stub_calls_after_takeover() == calls:
                        return
                raise AssertionError("it still calls CUPTI")
            start()
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            ok(lib.riffle_flush())
            time.sleep(1.5)  # until CUPTI has answered
        """ % self.folder_of_stubs) + textwrap.dedent(code))

    def test_a_takeover_is_noticed(self):
        taken = self.watched("""
            cupti.stub_kineto_start()
            cupti.stub_launch(8)
            until_it_is_quiet()
            calls = cupti.stub_calls_after_takeover()
            ok(lib.riffle_stop())
            assert cupti.stub_calls_after_takeover() == calls
        """)
        folder = self.folder
        self.setUp()
        mistaken = self.watched("""
            cupti.stub_hold(1)
            cupti.stub_count_calls()
            cupti.stub_launch(8)
            until_it_is_quiet()
            cupti.stub_hold(0)
            cupti.cuptiActivityFlushAll(0)  # as if a buffer were full
            ok(lib.riffle_flush())
            cupti.stub_launch(9)
            ok(lib.riffle_stop())
        """)
        _, err = mistaken.communicate(timeout=60)
        self.assertEqual(mistaken.returncode, 0, err)
        self.assertEqual([row["Stream"] for row in self.rows("Kernels")], [7, 8, 9])
        self.assertIn("is recording again", self.info()["cupti"])
        self.assertEqual([row["Duration"] for row in self.rows("Gaps")], [0])  # it was none
        self.folder = folder
        _, err = taken.communicate(timeout=60)
        self.assertEqual(taken.returncode, 0, err)
        self.assertEqual([row["Stream"] for row in self.rows("Kernels")], [7])
        self.assertIn("another profiler has taken over CUPTI", self.info()["cupti"])
        self.assertEqual(err.count("taken over CUPTI"), 1, err)
        gap, = self.rows("Gaps")
        self.assertEqual((gap["Category"], gap["Name"]), ("cuda", "another profiler has taken over CUPTI"))
        kernel, = self.rows("Kernels")
        self.assertGreater(gap["Start"], kernel["Start"])
        self.assertEqual([row["Category"] for row in self.rows("Loss")], ["cupti: buffers that another profiler has taken"])

    def test_it_warns_where_nothing_yields_to_pytorch(self):
        torch = self.folder / "libtorch_cpu.so"
        shutil.copy(self.folder_of_stubs + "/libcuda.so.1", torch)
        by_agent = """
                if "RIFFLE_YIELDS" not in os.environ:
                    os.environ["RIFFLE_YIELDS"] = str(os.getpid())
                    os.execv(sys.executable, sys.orig_argv)"""
        for number, guard in enumerate(("", "lib.riffle_will_yield_cuda()", by_agent)):
            self.folder = self.folder / str(number)
            self.folder.mkdir()
            _, err = self.launches("""
                ctypes.CDLL(%r)
                %s
                for _ in range(2):
                    start()
                    ok(lib.riffle_flush())
                    ok(lib.riffle_yield_cuda())
                    ok(lib.riffle_resume_cuda())
                    ok(lib.riffle_stop())
            """ % (str(torch), guard))
            said = {row["Value"] for log in self.logs() for name, row in read_log.read(log)
                    if name == "Process" and row["Key"] == "cupti"}
            self.assertEqual(err.count("Nothing in this process yields to torch.profiler"), 0 if guard else 1, err)
            self.assertEqual(any("nothing in this process yields" in text for text in said), guard == "", said)


if __name__ == "__main__":
    collector_case.main(with_stubs=True)
