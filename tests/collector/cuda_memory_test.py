#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests what the collector records of memory that a program allocates through CUDA.

Usage: cuda_memory_test.py LIBRARY FOLDER_OF_STUBS [unittest arguments]"""

import collector_case
import cuda_case


class CudaMemoryTest(cuda_case.CudaCase):
    def test_memory(self):
        for layout in cuda_case.LAYOUTS:
            with self.subTest(layout):
                self.setUp()
                self.check_memory(layout)

    def check_memory(self, layout):
        self.launches("""
            start("preset=memory")
            ok(lib.riffle_flush())
            lib.riffle_mark(b"here")
            cupti.stub_memory(0, 0x1000, 500, 3)   # device
            cupti.stub_memory(0, 0x2000, 200, 2)   # pinned, so host memory
            cupti.stub_pool(1, 0, 0)
            cupti.stub_pool_memory(0, 0x9000, 64, 1024, 64)
            ok(lib.riffle_flush())
            ok(lib.riffle_pause())
            time.sleep(0.01)
            cupti.stub_memory(0, 0x3000, 40, 3)    # counts in the later totals
            time.sleep(0.01)
            ok(lib.riffle_resume())
            cupti.stub_memory(1, 0x1000, 0, 3)
            cupti.stub_memory(1, 0x7000, 0, 3)     # was allocated before the recording
            cupti.stub_pool_memory(1, 0x9000, 64, 1024, 0)
            cupti.stub_pool(3, 256, 0)
            cupti.stub_pool(2, 0, 0)
            ok(lib.riffle_stop())
        """, environment={"STUB_CUPTI": layout})
        absent = -(1 << 63)
        rows = self.rows("Allocations")
        self.assertEqual([(row["Name"], row["Address"], row["Bytes"], row["Device"], row["Allocated"], row["Reserved"]) for row in rows], [
            ("Device", 0x1000, 500, 1, 500, 500),
            ("Pinned", 0x2000, 200, absent, 200, 200),
            ("Pool created", 0xB000, 0, 1, 500, 500),
            ("Device", 0x9000, 64, 1, 564, 1524),
            ("Device", 0x1000, -500, 1, 104, 1064),
            ("Device", 0x7000, 0, 1, 104, 1064),
            ("Device", 0x9000, -64, 1, 40, 1064),
            ("Pool trimmed", 0xB000, 0, 1, 40, 296),
            ("Pool destroyed", 0xB000, 0, 1, 40, 40),
        ])
        here = self.rows("Marks")[0]["Thread"]
        calls = {row["Correlation"]: row["Name"] for row in self.rows("Calls")}
        self.assertEqual([row["Thread"] for row in rows[:2] + rows[4:5]], [here] * 3)
        self.assertEqual([calls[rows[at]["Correlation"]] for at in (0, 4)], ["cudaMalloc", "cudaFree"])
        self.assertEqual((rows[3]["Thread"], rows[3]["Pool"], rows[3]["Stream"]), (absent, 0xB000, 7))

    def test_without_memory_nothing_of_it_is_recorded(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_memory(0, 0x1000, 500, 3)
            ok(lib.riffle_stop())
        """)
        self.assertEqual(self.rows("Allocations"), [])

    def test_memory_that_cannot_be_recorded_is_named(self):
        self.launches("start('preset=memory'); ok(lib.riffle_flush()); ok(lib.riffle_stop())",
                      environment={"STUB_CUPTI_REFUSE": "memory"})
        self.assertEqual(self.info()["cupti"], "CUPTI 130001 is recording, but not memory (CUPTI_ERROR_OF_THE_STUB)")

    def test_memory_without_cuda(self):
        self.run_code("start('preset=memory'); ok(lib.riffle_flush()); ok(lib.riffle_stop())")
        self.assertEqual(self.info()["cupti"], "no CUDA driver in the process: no kernels and no GPU memory are recorded")


if __name__ == "__main__":
    collector_case.main(with_stubs=True)
