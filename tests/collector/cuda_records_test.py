#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests what the collector records of CUPTI's records: kernels, calls, copies, synchronisation and graphs.

Usage: cuda_records_test.py LIBRARY FOLDER_OF_STUBS [unittest arguments]"""

import collector_case
import cuda_case


class CudaRecordsTest(cuda_case.CudaCase):
    def check_layout(self, version):
        self.launches("""
            start()
            ok(lib.riffle_flush())  # each flush looks for CUPTI
            lib.riffle_range_push(b"around")
            for _ in range(1000):
                cupti.stub_launch(7)
            lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """, environment={"STUB_CUPTI": version})
        self.check_records(1000, interpolated=version == "12")
        self.assertEqual({(row["Name"], row["Device"], row["Stream"]) for row in self.rows("Syncs")}, {("Stream Sync", 1, 7)})
        self.assertEqual({row["Name"] for row in self.rows("Overheads")}, {"Buffer Flush"})
        self.assertEqual([row["ExternalId"] - row["Correlation"] for row in self.rows("Externals")], [1_000_000] * 1000)
        properties = {(row["Device"], row["Key"]): row["Value"] for row in self.rows("Devices")}
        self.assertEqual(properties[0, "name"], "Stub H1")
        self.assertEqual([properties[1, key] for key in ("totalGlobalMem", "numSms", "computeMajor", "maxThreadsPerMultiprocessor")],
                         [str(80 << 30), "132", "9", "2048"])
        self.assertEqual((properties[1, "context 1"], properties[1, "stream 13"]), ("null stream 7", "context 1, priority -5"))
        self.assertIn("is recording", self.info()["cupti"])
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

    def test_a_synchronisation_before_its_context_has_its_device(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_synchronize(3)
            cupti.stub_synchronize(4)
            ok(lib.riffle_flush())
            cupti.stub_context(3, 0)
            ok(lib.riffle_stop())
        """)
        self.assertEqual([(row["Context"], row["Device"]) for row in self.rows("Syncs")], [(3, 0), (4, -(1 << 63))])

    def test_a_clock_that_is_set_while_it_is_not_ours(self):
        out, _ = self.launches("""
            start()
            ok(lib.riffle_flush())
            for forward in (0, 3600_000_000_000):
                cupti.stub_set_clock(forward)
                before = time.monotonic_ns()
                cupti.stub_launch(7)
                print(before, time.monotonic_ns())
                ok(lib.riffle_flush())
                time.sleep(0.1)
                ok(lib.riffle_flush())
                before = time.monotonic_ns()
                cupti.stub_launch(7)
                print(before, time.monotonic_ns())
                ok(lib.riffle_flush())
            ok(lib.riffle_stop())
        """, environment={"STUB_CUPTI": "12"})
        spans = [tuple(map(int, line.split())) for line in out.splitlines()]
        starts = [row["Start"] for row in self.rows("Calls")]
        self.assertEqual(len(starts), len(spans))
        for start, (before, after) in zip(starts, spans):
            self.assertTrue(before - 200_000 <= start <= after + 200_000, (start - before, after - start))

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
        self.assertEqual(sum(row["Count"] for row in loss), 20)  # 10 kernels without a time and 10 records that CUPTI dropped

    def check_graphs(self, layout, *options):
        self.setUp()
        self.launches("start(*%r); ok(lib.riffle_flush()); cupti.stub_graph(7); ok(lib.riffle_stop())" % (options,),
                      environment={"STUB_CUPTI": layout})
        return self.rows("Kernels")

    def test_graphs_as_their_kernels(self):
        for layout in cuda_case.LAYOUTS:
            rows = self.check_graphs(layout)
            self.assertEqual([(row["GraphId"], row["GraphNode"]) for row in rows], [(77, 770), (77, 771)])

    def test_graphs_as_a_whole(self):
        for layout in cuda_case.LAYOUTS:
            rows = self.check_graphs(layout, "graphs=whole")
            self.assertEqual([(row["Name"], row["Duration"], row["Device"], row["Stream"], row["GraphId"]) for row in rows],
                             [("CUDA graph 77", 1000, 1, 7, 77)])


if __name__ == "__main__":
    collector_case.main(with_stubs=True)
