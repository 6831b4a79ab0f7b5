#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Tests how the library handles steps, times and signals: schedules, limits and dumps, with one process per case.

Usage: steps_test.py LIBRARY [unittest arguments]"""


import collector_case
import read_log


class StepsTest(collector_case.Case):
    def said(self, err):
        return [line.replace(str(self.folder), "DIR") for line in err.splitlines()]

    def steps(self):
        return [row["Name"] for row in self.rows("Ranges") if row["Category"] == "step"]

    def dumps(self):
        return sorted(log.name.rsplit("_", 1)[1] for log in self.logs() if "_dump" in log.name)

    def test_a_schedule(self):
        out, err = self.run_code("""
            start("rank=4", "schedule=wait=1,warmup=1,active=2,repeat=2,skip_first=1")
            states = ""
            for number in range(20, 32):
                lib.riffle_step(number)
                lib.riffle_range_push(b"in%d" % number); lib.riffle_range_pop()
                states += str(stats().state)
                time.sleep(0.002)
            ok(lib.riffle_stop())
            print(states[:9], stats().path.decode())
        """)
        states, path = out.split()
        self.assertEqual(states, "222112211")
        self.assertEqual(self.steps(), [f"ProfilerStep#{number}" for number in (23, 24, 27, 28)])
        self.assertEqual([name for name in self.names() if name.startswith("in")], ["in23", "in24", "in27", "in28"])
        self.assertEqual([(row["Name"], row["Category"]) for row in self.rows("Marks")], [("cycle#1", "cycle"), ("cycle#2", "cycle")])
        # Everything between the recorded steps is a gap, from the start of the log on; nothing follows the last cycle.
        starts = {row["Name"]: row["Start"] for row in self.rows("Ranges") if row["Category"] == "step"}
        ends = {row["Name"]: row["Start"] + row["Duration"] for row in self.rows("Ranges") if row["Category"] == "step"}
        first, second = self.rows("Gaps")
        self.assertEqual({(gap["Category"], gap["Name"], gap["Thread"]) for gap in (first, second)},
                         {("recording", "not selected by the schedule", -1 << 63)})
        self.assertLessEqual(first["Start"] + first["Duration"], starts["ProfilerStep#23"])
        self.assertLess(0, first["Duration"])
        self.assertLessEqual(ends["ProfilerStep#24"], second["Start"])
        self.assertLessEqual(second["Start"] + second["Duration"], starts["ProfilerStep#27"])
        self.assertGreater(second["Duration"], 2_000_000)  # two steps
        self.assertEqual([line.split(": ")[2] for line in self.said(err)],
                         ["Warm-up starts at step 2.", "Recording starts at step 3.", "Cycle 1 was written",
                          "Warm-up starts at step 6.", "Recording starts at step 7.", "Cycle 2 was written"])
        self.assertRegex(err.splitlines()[2], r"^riffle: rank 4: Cycle 1 was written: %s, [0-9.]+ kB, 0 dropped\.$" % path)

    def test_without_cuda_a_summary_has_what_is_known(self):
        self.run_code("""
            start()
            for number in range(3): lib.riffle_step(number)
            lib.riffle_step(-1)
            ok(lib.riffle_stop())
        """)
        steps = [row for row in self.rows("Ranges") if row["Category"] == "step"]
        rows = [row for _, row in read_log.read_part(self.logs()[0] / "000000.part")]
        self.assertEqual([(row["Id"], row["Start"], row["Duration"], row["Thread"]) for row in rows],
                         [(number, row["Start"], row["Duration"], row["Thread"]) for number, row in enumerate(steps)])
        unknown = ("OperatorTime", "WaitTime", "Device", "KernelTime", "BusyTime", "ExposedTime", "IdleTime", "MissingTime", "MemoryPeak", "CommunicationTime")
        self.assertEqual({row[field] for row in rows for field in unknown}, {-1 << 63})

    def test_a_schedule_that_is_done_closes_the_log(self):
        out, _ = self.run_code("""
            start("schedule=active=1,repeat=1", "quiet=1")
            lib.riffle_step(0)
            lib.riffle_step(1)
            end = time.monotonic() + 30
            while stats().state != 3 and time.monotonic() < end: time.sleep(0.005)
            print(stats().state, lib.riffle_pause(), lib.riffle_resume(), lib.riffle_flush(), lib.riffle_stop(), lib.riffle_stop())
        """)
        self.assertEqual(out, "3 0 0 2 0 2\n")
        self.assertEqual(self.steps(), ["ProfilerStep#0"])
        self.assertEqual([name for name, _ in read_log.read(self.logs()[0])][-1], "End")

    def test_cycles_without_a_pause_between_them(self):
        _, err = self.run_code("""
            start("schedule=active=2")
            for number in range(5): lib.riffle_step(number)
            ok(lib.riffle_stop())
        """)
        self.assertEqual(self.names("Marks"), ["cycle#1", "cycle#2", "cycle#3"])
        self.assertEqual(len(self.steps()), 4)  # the fifth is still open
        self.assertEqual(err.count("was written"), 3)

    def test_who_pauses_or_resumes_decides_from_then_on(self):
        self.run_code("""
            start("schedule=wait=1,active=1", "quiet=1")
            lib.riffle_step(0)
            ok(lib.riffle_resume())
            for number in range(1, 5): lib.riffle_step(number)
            lib.riffle_step(-1)
            ok(lib.riffle_stop())
        """)
        self.assertEqual(self.steps(), [f"ProfilerStep#{number}" for number in range(1, 5)])

    def test_ranges_that_mark_steps(self):
        _, err = self.run_code("""
            start("schedule=wait=1,warmup=1,active=2,repeat=1", "step_mark=train step", "quiet=1")
            for number in range(6):
                lib.riffle_step(77)
                lib.riffle_range_push([b"train step", b"train step#%d" % number, b"train step, op_id = 9"][number % 3])
                lib.riffle_range_push(b"train steps are others"); lib.riffle_range_pop()
                lib.riffle_range_pop()
            ok(lib.riffle_stop())
        """)
        self.assertEqual(err, "")
        self.assertEqual(self.steps(), ["ProfilerStep#2", "ProfilerStep#3"])
        self.assertEqual([name for name in self.names() if name.startswith("train")],
                         ["train steps are others", "train step, op_id = 9", "train steps are others", "train step"])

    def test_time_limits(self):
        out, err = self.run_code("""
            start("start_after=1", "max_seconds=1")
            seen = []
            end = time.monotonic() + 30
            while stats().state != 3 and time.monotonic() < end:
                lib.riffle_mark(b"m"); time.sleep(0.01)
                if stats().state not in seen: seen.append(stats().state)
            print(seen)
            ok(lib.riffle_stop())
        """)
        self.assertIn(out, ("[2, 1, 3]\n", "[2, 1]\n"))
        times = [row["Time"] for row in self.rows("Marks")]
        self.assertGreater(len(times), 5)
        self.assertLess(times[-1] - times[0], 1_900_000_000)
        self.assertEqual([line.split(":")[1] for line in self.said(err)], [" Recording starts.", " The recording was written"])

    def test_other_ranks_are_left_out(self):
        out, _ = self.run_code("""
            start("ranks=0,2-3")
            lib.riffle_range_push(b"x"); lib.riffle_step(0); lib.riffle_range_pop()
            print(stats().state, lib.riffle_pause(), lib.riffle_flush(), lib.riffle_stop(), stats().state, lib.riffle_stop())
        """, environment={"RANK": "1"})
        self.assertEqual(out, "4 0 0 0 0 2\n")
        self.assertEqual(self.logs(), [])
        self.run_code("start('ranks=0,2-3'); ok(lib.riffle_stop())", environment={"RANK": "3"})
        self.assertEqual(len(self.logs()), 1)

    def test_a_signal_dumps_and_the_programs_handler_runs(self):
        out, err = self.run_code("""
            import signal
            got = []
            signal.signal(signal.SIGUSR2, lambda *_: got.append(1))
            start("dump_signal=USR2", "keep_seconds=60", "max_dumps=2")
            for number in range(3):
                lib.riffle_mark(b"before%d" % number)
                os.kill(os.getpid(), signal.SIGUSR2)
                end = time.monotonic() + 30
                while len(os.listdir(sys.argv[1])) < min(number, 1) + 2 and time.monotonic() < end: time.sleep(0.005)
                time.sleep(0.1)
            print(len(got))
            ok(lib.riffle_stop())
            os.kill(os.getpid(), signal.SIGUSR2)
            print(len(got), lib.riffle_start(b"dump_signal=KILL"))
        """)
        self.assertEqual(out, "3\n4 1\n")
        self.assertEqual(self.dumps(), ["dump1.rifflelog", "dump2.rifflelog"])
        first = [row["Name"] for kind, row in read_log.read(next(self.folder.glob("*_dump1.rifflelog"))) if kind == "Marks"]
        self.assertEqual(first, ["before0"])
        self.assertEqual(len([line for line in self.said(err) if "the signal was received" in line]), 2)

    def test_without_an_option_signals_do_what_they_did(self):
        self.run_code("""
            start()
            os.kill(os.getpid(), 12)
            time.sleep(10)
        """, status=-12)

    def test_a_handler_that_calls_ours_is_not_called_in_a_circle(self):
        out, _ = self.run_code("""
            import signal
            start("dump_signal=USR2", "quiet=1")
            signal.signal(signal.SIGUSR2, lambda *_: None)
            ok(lib.riffle_stop())
            print(lib.riffle_start(("dump_signal=USR2;dir=" + sys.argv[1]).encode()), lib.riffle_last_error().decode())
        """)
        self.assertEqual(out, "2 dump_signal: The program has installed its own handler over the collector's.\n")

    def test_slow_steps_are_dumped(self):
        out, err = self.run_code("""
            start("dump_slow_step_ms=1000", "dump_slow_step_factor=50", "keep_seconds=60")
            for number in range(30):
                if number == 20: begun = time.monotonic()
                lib.riffle_step(number)
                time.sleep(1.5 if number in (0, 20) else 0.002)
                if number == 21: print((time.monotonic() - begun) * 1000)
            lib.riffle_step(-1)
            ok(lib.riffle_stop())
        """)
        self.assertEqual(self.dumps(), ["dump1.rifflelog"])
        self.assertRegex(self.said(err)[0], "^riffle: Dump 1 was written because a step took [0-9]+ ms: DIR/.*_dump1.rifflelog$")
        self.assertTrue(1500 <= int(err.split("took ")[1].split()[0]) <= float(out))
        names = [row["Name"] for kind, row in read_log.read(next(self.folder.glob("*_dump1.rifflelog"))) if kind == "Ranges"]
        self.assertIn("ProfilerStep#20", names)

    def test_a_full_stderr_does_not_hold_the_job_up(self):
        process = self.process("""
            start("schedule=active=1")
            for number in range(3000): lib.riffle_step(number); time.sleep(0.0005)
            ok(lib.riffle_stop())
            print("done", flush=True)
        """)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), "done\n")  # nobody reads stderr, whose buffer is 64 KiB
        process.wait(timeout=30)

    def test_it_tells_the_recorder(self):
        self.run_code("""
            start("schedule=active=1,repeat=1", "quiet=1")
            lib.riffle_step(0); lib.riffle_step(1)
            ok(lib.riffle_stop())
            assert open(sys.argv[1] + "/%d" % os.getpid()).read() == "state=done\\nsteps=1\\n"
        """, environment={"RIFFLE_RECORDER": str(self.folder)})


if __name__ == "__main__":
    collector_case.main()
