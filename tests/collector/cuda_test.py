#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests the collector's CUPTI source against a stand-in for CUPTI, without a GPU.

Usage: cuda_test.py LIBRARY FOLDER_OF_STUBS [unittest arguments]"""

import os
import shutil
import sys

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


class CudaTest(collector_case.Case):
    folder_of_stubs = ""

    def launches(self, code, **options):
        return self.run_code(LOAD.format(folder=self.folder_of_stubs) + collector_case.textwrap.dedent(code), **options)

    def info(self):
        return {row["Key"]: row["Value"] for row in self.rows("Process")}

    def check_records(self, count):
        kernels, calls, copies = self.rows("Kernels"), self.rows("Calls"), self.rows("Copies")
        self.assertEqual((len(kernels), len(calls), len(copies)), (count, count, 3 * count))
        threads = {row["Thread"]: row["OsThread"] for row in self.rows("Threads")}
        ranges = self.rows("Ranges")
        for number, (kernel, call) in enumerate(zip(kernels, calls), 1):
            self.assertEqual(kernel["Name"], "void synthetic<float>(float)")
            self.assertEqual((kernel["Duration"], kernel["Stream"], kernel["Correlation"]), (250, 7, number))
            self.assertEqual([kernel[key] for key in ("GridX", "BlockX", "Registers", "SharedMemory")], [10, 128, 32, 1536])
            self.assertEqual((call["Name"], call["Category"], call["Correlation"]), ("cudaLaunchKernel", "cuda_runtime", number))
            self.assertEqual(kernel["Start"] - call["Start"], 700)
            # The call uses the same clock as everything else: it is inside the range around all launches, on its thread.
            self.assertLessEqual(ranges[0]["Start"] - 1_000_000, call["Start"])
            self.assertLessEqual(call["Start"], ranges[0]["Start"] + ranges[0]["Duration"] + 1_000_000)
            self.assertEqual(threads[call["Thread"]], threads[ranges[0]["Thread"]])
        self.assertEqual({row["Name"] for row in copies},
                         {"Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "Memcpy PtoP (Device -> Device)"})
        self.assertEqual(sum(row["Bytes"] for row in copies), count * (4096 + 256 + 64))

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
        self.check_records(1000)
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
            rows = collector_case.read_log.read(log)
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

    def check_records_came(self, count):
        self.assertEqual([len(self.rows(table)) for table in ("Kernels", "Calls", "Copies")], [count, count, 3 * count])

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
        self.run_code("start(); ok(lib.riffle_flush())\n" + LOAD.format(folder=self.folder_of_stubs) + collector_case.textwrap.dedent("""
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


    # --- Memory ------------------------------------------------------------------------------------

    def test_memory(self):
        for layout in LAYOUTS:
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

    # --- Graphs ------------------------------------------------------------------------------------

    def check_graphs(self, layout, *options):
        self.setUp()
        self.launches("start(*%r); ok(lib.riffle_flush()); cupti.stub_graph(7); ok(lib.riffle_stop())" % (options,),
                      environment={"STUB_CUPTI": layout})
        return self.rows("Kernels")

    def test_graphs_as_their_kernels(self):
        for layout in LAYOUTS:
            rows = self.check_graphs(layout)
            self.assertEqual([(row["GraphId"], row["GraphNode"]) for row in rows], [(77, 770), (77, 771)])

    def test_graphs_as_a_whole(self):
        for layout in LAYOUTS:
            rows = self.check_graphs(layout, "graphs=whole")
            self.assertEqual([(row["Name"], row["Duration"], row["Device"], row["Stream"], row["GraphId"]) for row in rows],
                             [("CUDA graph 77", 1000, 1, 7, 77)])

    # --- Other users of CUPTI ------------------------------------------------------------------------

    def settled(self, source):
        return [row["Time"] for row in self.rows("Settled") if row["Category"] == source]

    def test_the_log_is_settled_up_to_the_oldest_launch_without_a_kernel(self):
        out, _ = self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_launch(7)
            before = time.monotonic_ns()
            ok(lib.riffle_flush())
            correlation = cupti.stub_lone_launch()
            cupti.stub_launch(8)
            after = time.monotonic_ns()
            for _ in range(3):
                ok(lib.riffle_flush())
            late = time.monotonic_ns()
            cupti.stub_lone_kernel(9, correlation)
            ok(lib.riffle_flush())
            print(before, after, late, correlation, flush=True)
            os.kill(os.getpid(), 9)
        """, status=-9)
        before, after, late, correlation = map(int, out.split())
        launch, = [row for row in self.rows("Calls") if row["Correlation"] == correlation]
        self.assertTrue(before <= launch["Start"] <= after)
        cuda, threads = self.settled("cuda"), self.settled("threads")
        self.assertEqual(cuda, sorted(cuda))
        self.assertGreaterEqual(cuda.count(launch["Start"]), 3)  # until its kernel was reported
        self.assertGreaterEqual(cuda[-1], late)
        self.assertGreaterEqual(threads[-1], late)
        self.assertEqual(self.rows("Loss"), [])
        # Against the log's own rows: each mark is before every launch whose kernel is not in an earlier row.
        seen, open_launches = set(), {}
        calls = {row["Correlation"]: row["Start"] for row in self.rows("Calls")}
        for name, row in collector_case.read_log.read(self.logs()[0]):
            if name == "Kernels":
                seen.add(row["Correlation"])
            if name == "Settled" and row["Category"] == "cuda":
                missing = [start for number, start in calls.items() if number not in seen]
                self.assertTrue(all(row["Time"] <= start for start in missing), (row, missing))

    def test_a_kernel_that_never_comes_is_lost_after_some_seconds(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            cupti.stub_lone_launch()
            time.sleep(11)
            ok(lib.riffle_flush())
            ok(lib.riffle_stop())
        """)
        call, = self.rows("Calls")
        loss, = self.rows("Loss")
        self.assertEqual((loss["Category"], loss["Count"], loss["Start"]),
                         ("cupti: launched kernels without a record", 1, call["Start"]))
        self.assertIn(call["Start"], self.settled("cuda"))
        self.assertGreater(self.settled("cuda")[-1], call["Start"] + 10_000_000_000)

    def summaries(self):
        return [row for _, row in collector_case.read_log.read_part(self.logs()[0] / "000000.part")]

    def check_summaries(self, names):
        """Computes the figures of each step from the log's own rows."""
        steps = {row["Start"]: row for row in self.rows("Ranges") if row["Category"] == "step"}
        self.assertEqual([row["Name"] for _, row in sorted(steps.items())], names)
        works = [(row, "kernel") for row in self.rows("Kernels")] + [(row, "copy") for row in self.rows("Copies")]
        devices = sorted({row["Device"] for row, _ in works})
        summaries = self.summaries()
        self.assertEqual(sorted((row["Start"], row["Device"]) for row in summaries),
                         sorted((start, device) for start in steps for device in devices))
        gaps = [(row["Start"], row["Start"] + row["Duration"]) for row in self.rows("Gaps") if row["Category"] in ("recording", "cuda")]
        for row in summaries:
            step = steps[row["Start"]]
            begin, end = step["Start"], step["Start"] + step["Duration"]
            self.assertEqual((row["Duration"], "ProfilerStep#%d" % row["Id"]), (step["Duration"], step["Name"]))

            def covered(spans):
                total, last = 0, begin
                for first, behind in sorted(spans):
                    first, behind = max(first, last), min(behind, end)
                    total += max(0, behind - first)
                    last = max(last, behind)
                return total

            def spans(rows):
                return [(one["Start"], one["Start"] + one["Duration"]) for one in rows]

            here = [(one, kind) for one, kind in works if one["Device"] == row["Device"]]
            kernels = spans(one for one, kind in here if kind == "kernel")
            busy = spans(one for one, kind in here)
            waits = spans(one for one in self.rows("Calls") if "Synchronize" in one["Name"] and one["Thread"] == step["Thread"])
            operators = spans(one for one in self.rows("Ranges") if one["Category"] == "cpu_op" and one["Thread"] == step["Thread"])
            self.assertEqual(row["KernelTime"], covered(kernels))
            self.assertEqual(row["BusyTime"], covered(busy))
            self.assertEqual(row["MissingTime"], covered(gaps))
            self.assertEqual(row["IdleTime"], end - begin - covered(busy + gaps))
            self.assertEqual(row["ExposedTime"], 0)
            self.assertEqual(row["WaitTime"], covered(waits))
            self.assertEqual(row["OperatorTime"], covered(operators) if operators else -1 << 63)
            used = [one["Allocated"] for one in self.rows("Allocations") if one["Device"] == row["Device"] and begin <= one["Time"] < end]
            if used:
                self.assertGreaterEqual(row["MemoryPeak"], max(used))
        return summaries

    def test_summaries_of_steps_agree_with_the_rows(self):
        self.launches("""
            start()
            ok(lib.riffle_flush())
            for number in range(6):
                lib.riffle_step(number)
                lib.riffle_range_push_category(b"aten::mm", b"cpu_op")
                lib.riffle_range_push_category(b"aten::inner", b"cpu_op")
                for _ in range(20):
                    cupti.stub_launch(7)
                lib.riffle_range_pop(); lib.riffle_range_pop()
                lib.riffle_range_push_category(b"aten::add", b"cpu_op"); lib.riffle_range_pop()
                time.sleep(0.01)
                if number == 3:
                    ok(lib.riffle_yield_cuda())
                    time.sleep(0.02)
                    ok(lib.riffle_resume_cuda())
            lib.riffle_step(-1)
            ok(lib.riffle_stop())
        """)
        summaries = self.check_summaries(["ProfilerStep#%d" % number for number in range(6)])
        self.assertTrue(all((row["MissingTime"] > 0) == (row["Id"] == 3) for row in summaries))
        self.assertTrue(any(row["KernelTime"] > 0 for row in summaries))
        self.assertTrue(all(row["OperatorTime"] > 0 for row in summaries))
        self.assertLess((self.logs()[0] / "000000.part").stat().st_size, 6 * 1024)

    def test_summaries_outlive_their_files(self):
        self.launches("""
            start("keep_seconds=1", "quiet=1")
            ok(lib.riffle_flush())
            for number in range(40):
                lib.riffle_step(number)
                cupti.stub_launch(7)
                time.sleep(0.1)
            lib.riffle_step(-1)
            ok(lib.riffle_flush())
            os.kill(os.getpid(), 9)
        """, status=-9)
        details = {row["Name"] for row in self.rows("Ranges") if row["Category"] == "step"}
        self.assertNotIn("ProfilerStep#0", details)
        numbers = [row["Id"] for row in self.summaries()]
        self.assertEqual(sorted(set(numbers)), list(range(40)))

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
        return self.process(LOAD.format(folder=self.folder_of_stubs) + collector_case.textwrap.dedent("""
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
        """ % self.folder_of_stubs) + collector_case.textwrap.dedent(code))

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
            said = {row["Value"] for log in self.logs() for name, row in collector_case.read_log.read(log)
                    if name == "Process" and row["Key"] == "cupti"}
            self.assertEqual(err.count("Nothing in this process yields to torch.profiler"), 0 if guard else 1, err)
            self.assertEqual(any("nothing in this process yields" in text for text in said), guard == "", said)


if __name__ == "__main__":
    CudaTest.folder_of_stubs = os.path.abspath(sys.argv.pop(2))
    collector_case.main()
