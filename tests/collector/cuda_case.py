# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The base of the tests of the collector's CUPTI source, which run against a stand-in for CUPTI, without a GPU."""

import textwrap

import collector_case

LOAD = """
cuda = ctypes.CDLL({folder!r} + "/libcuda.so.1")
cupti = ctypes.CDLL({folder!r} + "/libcupti.so.13")
cupti.stub_memory.argtypes = [ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32]
cupti.stub_pool_memory.argtypes = [ctypes.c_int] + 4 * [ctypes.c_uint64]
cupti.stub_pool.argtypes = [ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64]
cupti.stub_clock.restype = ctypes.c_uint64
cupti.stub_set_clock.argtypes = [ctypes.c_uint64]
"""
LAYOUTS = ("12", "13")


class CudaCase(collector_case.Case):
    def launches(self, code, **options):
        return self.run_code(LOAD.format(folder=self.folder_of_stubs) + textwrap.dedent(code), **options)

    def check_records(self, count, interpolated=False):
        kernels, calls, copies = self.rows("Kernels"), self.rows("Calls"), self.rows("Copies")
        self.assertEqual((len(kernels), len(calls), len(copies)), (count, count, 3 * count))
        threads = {row["Thread"]: row["OsThread"] for row in self.rows("Threads")}
        ranges = self.rows("Ranges")
        for number, (kernel, call) in enumerate(zip(kernels, calls), 1):
            self.assertEqual(kernel["Name"], "void synthetic<float>(float)")
            self.assertEqual((kernel["Stream"], kernel["Correlation"]), (7, number))
            self.assertEqual([kernel[key] for key in ("GridX", "BlockX", "Registers", "SharedMemory")], [10, 128, 32, 1536])
            self.assertEqual((call["Name"], call["Category"], call["Correlation"]), ("cudaLaunchKernel", "cuda_runtime", number))
            # If CUPTI keeps its own clock, as that of CUDA 12 does here, times are interpolated between readings of the two
            # clocks, whose speeds may seem to differ by up to 2 %.
            self.assertAlmostEqual(kernel["Duration"], 250, delta=5 if interpolated else 0)
            self.assertAlmostEqual(kernel["Start"] - call["Start"], 700, delta=14 if interpolated else 0)
            # The call uses the same clock as everything else: it is inside the range around all launches, on its thread.
            self.assertLessEqual(ranges[0]["Start"] - 1_000_000, call["Start"])
            self.assertLessEqual(call["Start"], ranges[0]["Start"] + ranges[0]["Duration"] + 1_000_000)
            self.assertEqual(threads[call["Thread"]], threads[ranges[0]["Thread"]])
        self.assertEqual({row["Name"] for row in copies},
                         {"Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "Memcpy PtoP (Device -> Device)"})
        self.assertEqual(sum(row["Bytes"] for row in copies), count * (4096 + 256 + 64))

    def check_records_came(self, count):
        self.assertEqual([len(self.rows(table)) for table in ("Kernels", "Calls", "Copies")], [count, count, 3 * count])
