# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import os
import subprocess
import sys

import riffle_profiler as riffle
from riffle_profiler import _profile
from stub_case import StubCase


class Phases(StubCase):
    def run_steps(self, steps, **settings):
        with riffle.profile(dir=self.folder, **settings) as prof:
            for _ in range(steps):
                prof.step()
        return self.calls()

    def test_each_cycle_is_a_span_of_its_own(self):
        schedule = riffle.schedule(wait=1, warmup=1, active=2, repeat=2)
        calls = self.run_steps(9, schedule=schedule)
        self.assertEqual(calls, [f"start paused=1 preset=normal dir={self.folder}",
                                 "resume", "step 2", "step 3", "step -1", "pause", "flush",
                                 "resume", "step 6", "step 7", "step -1", "pause", "flush", "stop"])

    def test_cycles_without_a_pause_between_are_two_spans(self):
        calls = self.run_steps(2, schedule=riffle.schedule(wait=0, warmup=0, active=1))
        self.assertEqual(calls[1:], ["resume", "step 0", "step -1", "pause", "flush", "resume", "step 1", "step -1",
                                     "pause", "flush", "resume", "step 2", "step -1", "pause", "stop"])

    def test_without_a_schedule_everything_is_recorded(self):
        self.assertEqual(self.run_steps(1)[1:], ["resume", "step 0", "step 1", "step -1", "pause", "stop"])

    def test_on_trace_ready_comes_when_a_cycle_is_in_the_log(self):
        seen = []
        schedule = riffle.schedule(wait=0, warmup=1, active=2, repeat=2)
        self.run_steps(5, schedule=schedule, on_trace_ready=lambda prof: seen.append((prof.step_num, prof.path)))
        self.assertEqual([step for step, _ in seen], [3, 5])
        self.assertTrue(seen[0][1].endswith("stub.rifflelog"))

    def test_an_exception_ends_the_recording_and_goes_on(self):
        with self.assertRaises(ZeroDivisionError):
            with riffle.profile(dir=self.folder):
                1 / 0
        self.assertEqual(self.calls()[-1], "stop")

    def test_a_disk_that_becomes_full_does_not_end_the_training(self):
        for call in ("pause", "resume", "stop"):
            with self.subTest(call), contextlib.redirect_stderr(io.StringIO()) as said:
                os.environ.pop("RIFFLE_STUB_FAIL", None)
                with riffle.profile(dir=self.folder, schedule=riffle.schedule(wait=1, warmup=0, active=1)) as prof:
                    os.environ["RIFFLE_STUB_FAIL"] = call
                    for _ in range(6):
                        prof.step()
                self.assertEqual(self.calls()[-1], "stop")
                self.assertEqual(prof.error.code, 3)
                self.assertEqual(said.getvalue().splitlines()[-1], "riffle: The recording is incomplete: no space left.")
                self.assertEqual(said.getvalue().count("no space"), 1)

    def test_a_start_onto_a_full_disk_raises(self):
        os.environ["RIFFLE_STUB_FAIL"] = "resume"
        with self.assertRaisesRegex(riffle.RiffleError, "no space left"):
            riffle.profile(dir=self.folder).start()
        self.assertEqual(self.calls()[-1], "stop")

    def test_the_programs_exception_is_not_hidden_by_one_at_the_end(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.assertRaises(ZeroDivisionError):
            with riffle.profile(dir=self.folder, on_trace_ready=lambda prof: prof.nothing):
                1 / 0
        self.assertIn("The recording did not end properly: 'profile' object has no", said.getvalue())

    def test_a_wrong_action_is_said_and_ends_the_recording(self):
        with self.assertRaisesRegex(ValueError, "ProfilerAction"):
            riffle.profile(schedule=lambda step: "record")

    def test_other_ranks_do_nothing(self):
        os.environ["RANK"] = "3"
        self.assertEqual(self.run_steps(3, ranks=[0, 1]), [])
        os.environ["RANK"] = "1"
        self.assertEqual(self.run_steps(0, ranks=[0, 1])[-1], "stop")

    def test_misuse_raises(self):
        prof = riffle.profile(dir=self.folder)
        with self.assertRaises(riffle.RiffleError):
            prof.step()
        prof.start()
        with self.assertRaises(riffle.RiffleError):
            prof.start()
        prof.stop()
        prof.stop()

    def test_a_recording_that_runs_already_is_paused_and_resumed_only(self):
        library = riffle._library.library()
        library.check(library.start(b"dir=x"))
        calls = self.run_steps(1)
        self.assertEqual(calls[1:], ["pause", "resume", "step 0", "step 1", "step -1", "pause"])
        library.stop()


class Options(StubCase):
    def test_what_no_source_can_fill_raises(self):
        for option in ("with_stack", "with_flops", "profile_memory"):
            if option == "profile_memory" and _profile._cuda():
                continue
            with self.subTest(option), self.assertRaisesRegex(riffle.OptionError, option):
                riffle.profile(**{option: True})
        for activities in ([], ["XPU"], ["CUDA"]):
            if activities == ["CUDA"] and _profile._cuda():
                continue
            with self.assertRaisesRegex(riffle.OptionError, "activities"):
                riffle.profile(activities=activities)

    def test_the_cpu_alone_leaves_the_gpu_out(self):
        prof = riffle.profile(dir=self.folder, activities=["CPU"])
        prof._operators = None  # they need PyTorch
        prof.start()
        prof.stop()
        self.assertEqual(self.calls()[0], f"start paused=1 preset=normal dir={self.folder} cupti=0")

    def test_what_the_library_refuses_raises(self):
        os.environ["RIFFLE_STUB_REFUSE"] = "preset=normal"
        with self.assertRaisesRegex(riffle.OptionError, "no source can fill that") as caught:
            riffle.profile(dir=self.folder).start()
        self.assertEqual(caught.exception.code, 4)

    def test_a_folder_that_cannot_be_named(self):
        with self.assertRaisesRegex(riffle.RiffleError, "';'"):
            riffle.profile(dir="a;b")


class FindingTheLibrary(StubCase):
    def run_alone(self, code, **environment):
        path = os.pathsep.join(sys.path[:2])
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": path, **environment})

    def test_missing_is_one_sentence(self):
        for wrong, words in (("", "was not found. Set RIFFLE_COLLECTOR"), ("nowhere.so", "which is not a file"),
                             (__file__, "cannot be loaded")):
            done = self.run_alone("import riffle_profiler as riffle\ntry: riffle.profile()\nexcept riffle.LibraryError as e: print(e)",
                                  RIFFLE_COLLECTOR=wrong)
            self.assertIn(words, done.stdout, done.stderr)
            self.assertEqual(done.stdout.count("\n"), 1)

    def test_another_version_is_refused(self):
        done = self.run_alone("import riffle_profiler as riffle; riffle.profile()", RIFFLE_STUB_ABI="1")
        self.assertIn("needs version 1", done.stderr)

    def test_annotations_do_nothing_without_a_recording(self):
        done = self.run_alone("import riffle_profiler as riffle\nwith riffle.annotate('a'): riffle.mark('m'); riffle.counter('c', 1)\n"
                              "print(open('/proc/self/maps').read().count('collector'))")
        self.assertEqual((done.stdout, done.stderr), ("0\n", ""))


class Annotations(StubCase):
    def test_they_reach_the_log(self):
        @riffle.annotate("load")
        def load(value):
            """Loads."""
            return value + 1

        with riffle.profile(dir=self.folder):
            with riffle.annotate("fwd é"):
                self.assertEqual(load(1), 2)
            riffle.mark("here")
            riffle.counter("loss", 2.5, series="train")
        self.assertEqual(load.__doc__, "Loads.")
        self.assertEqual(self.calls()[3:9], ["push fwd é", "push load", "pop", "pop", "mark here",
                                             "counter loss/train 2.5"])
