#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests buffers of CUPTI that come back late or never, and records that a pause or a stop cuts off.

Usage: cuda_buffers_test.py LIBRARY FOLDER_OF_STUBS [unittest arguments]"""

import collector_case
import cuda_case
import read_log


class CudaBuffersTest(cuda_case.CudaCase):
    def test_what_happens_while_paused_is_left_out(self):
        self.launches("""
            start("paused=1")
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            time.sleep(0.01)
            ok(lib.riffle_resume())
            cupti.stub_launch(9)
            time.sleep(0.01)
            ok(lib.riffle_pause())  # the records arrive later
            cupti.stub_launch(8)
            ok(lib.riffle_flush())
            cupti.stub_launch(8)
            ok(lib.riffle_stop())
        """)
        self.assertEqual([row["Stream"] for row in self.rows("Kernels")], [9])

    def test_many_pauses_while_a_kernel_holds_the_records_back(self):
        self.launches("""
            start("paused=1")
            ok(lib.riffle_flush())
            cupti.stub_hold(1)
            for number in range(300):
                ok(lib.riffle_resume())
                cupti.stub_launch(9)
                time.sleep(0.0001)
                ok(lib.riffle_pause())
                cupti.stub_launch(8)
            cupti.stub_hold(0)
            ok(lib.riffle_stop())
        """)
        # A kernel starts 700 ns after its launch, so the first one during a pause may be later than the next resume.
        self.assertEqual(sum(row["Stream"] == 9 for row in self.rows("Kernels")), 300)

    def test_a_new_recording_counts_from_0(self):
        self.launches("""
            for number in range(2):
                if number > 0:
                    cupti.stub_launch(7)  # CUPTI drops a record while nobody records
                folder = sys.argv[1] + "/%d" % number
                os.mkdir(folder)
                ok(lib.riffle_start(("dir=%s\\nsample_ms=0" % folder).encode()))
                lib.riffle_mark(b"begin")
                ok(lib.riffle_flush())
                for _ in range(5):
                    cupti.stub_launch(7)
                ok(lib.riffle_stop())
                assert stats().dropped == 10, stats().dropped
                assert stats().events < 100, stats().events
                time.sleep(0.05)
        """, environment={"STUB_CUPTI_ODD": "1"})
        for number in "01":
            log, = (self.folder / number).glob("*.rifflelog")
            rows = read_log.read(log)
            begin = next(row["Time"] for name, row in rows if name == "Marks")
            loss = [row for name, row in rows if name == "Loss"]
            self.assertEqual(sum(row["Count"] for row in loss), 10)  # 5 kernels without a time and 5 dropped records
            self.assertGreaterEqual(min(row["Start"] for row in loss), begin)

    def test_buffers_that_come_back_after_the_last_flush(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_late(150)
            cupti.stub_launch(7)
            ok(lib.riffle_stop())
        """)
        self.check_records_came(1)
        self.assertEqual(self.rows("Loss"), [])

    def test_buffers_that_come_back_after_yielding(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_late(800)  # longer than anybody waits
            cupti.stub_launch(7)
            ok(lib.riffle_yield_cuda())
            time.sleep(1)
            ok(lib.riffle_stop())
        """)
        self.check_records_came(1)

    def test_buffers_that_never_come_back_are_lost(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            ok(lib.riffle_flush())
            cupti.stub_late(-1)
            cupti.stub_launch(7)
            ok(lib.riffle_stop())
            assert stats().dropped == 1, stats().dropped
        """)
        self.check_records_came(1)
        loss, = self.rows("Loss")
        self.assertEqual((loss["Category"], loss["Count"]), ("cupti: buffers that have not come back", 1))

    def test_a_launch_whose_kernel_has_not_come_is_lost_at_the_stop(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_lone_launch()
            ok(lib.riffle_stop())
            assert stats().dropped == 1, stats().dropped
        """)
        loss, = self.rows("Loss")
        self.assertEqual((loss["Category"], loss["Count"]), ("cupti: launched kernels without a record", 1))

    def test_a_kernel_that_starts_in_a_pause_is_no_loss_if_it_is_cut_off(self):
        for paused, lost in ((True, 0), (False, 1)):
            self.launches("""
                start("paused=%d")
                ok(lib.riffle_flush())
                cupti.stub_unfinished_kernel(7)
                ok(lib.riffle_stop())
                assert stats().dropped == %d, stats().dropped
            """ % (paused, lost))

    def test_recording_again_after_a_stop(self):
        self.launches("""
            for number in range(3):
                start()
                ok(lib.riffle_flush())
                cupti.stub_launch(7)
                ok(lib.riffle_stop())
                cupti.stub_launch(8)
        """)
        streams = [row["Stream"] for log in self.logs() for name, row in read_log.read(log) if name == "Kernels"]
        self.assertEqual(streams, [7, 7, 7])


if __name__ == "__main__":
    collector_case.main(with_stubs=True)
