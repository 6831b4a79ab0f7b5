# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import itertools
import os
import subprocess
import sys
import threading
import types
from unittest import mock

import riffle_profiler as riffle
from riffle_profiler import _options, _say, _stacks
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
        prof.start()
        with self.assertRaises(riffle.RiffleError):
            prof.start()
        prof.stop()
        prof.stop()

    def test_a_step_outside_is_counted_and_said_once(self):
        prof = riffle.profile(dir=self.folder)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            prof.step()
            prof.step()
        self.assertEqual((prof.step_num, said.getvalue().count("outside")), (2, 1))
        self.assertEqual(self.calls(), [])

    def test_the_agents_hand_over(self):
        """Also in a rank that is left out, where the profile starts a recording of its own."""
        for modules, starts in itertools.product({False, "torch" in sys.modules}, (True, False)):
            handed = []
            agents = {"_riffle_agent._agent": types.SimpleNamespace(hand_over=lambda: handed.append("torch") or modules, stacks_way=lambda: 0),
                      "_riffle_agent._paddle": types.SimpleNamespace(hand_over=lambda: handed.append("paddle"))}
            if not starts:
                riffle._library.library().start(b"paused=1")
            with mock.patch.dict(sys.modules, agents), contextlib.redirect_stderr(io.StringIO()):
                with riffle.profile(dir=self.folder) as prof:
                    self.assertEqual(handed, ["torch", "paddle"])
                    self.assertEqual(prof._modules is not None, modules and not starts)
            if not starts:
                riffle._library.library().stop()

    def test_an_inner_one_shares_the_recording(self):
        with riffle.profile(dir=self.folder) as outer:
            outer.step()
            with riffle.profile(dir=self.folder) as inner:
                inner.step()
            outer.step()
        self.assertEqual(self.calls()[1:], ["resume", "step 0", "step 1", "step 2", "step -1", "pause", "stop"])

    def test_an_inner_one_records_while_the_outer_one_waits(self):
        with riffle.profile(dir=self.folder, schedule=riffle.schedule(wait=1, warmup=0, active=1, repeat=1)) as outer:
            with riffle.profile(dir=self.folder):
                pass
            outer.step()
            with riffle.profile(dir=self.folder):
                pass
            outer.step()
        self.assertEqual(self.calls()[1:], ["resume", "pause", "resume", "step 1", "step -1", "pause", "flush", "stop"])

    def test_an_inner_one_may_end_last(self):
        outer, inner = riffle.profile(dir=self.folder), riffle.profile(dir=self.folder)
        outer.start()
        inner.start()
        outer.stop()
        inner.stop()
        self.assertEqual(self.calls()[1:], ["resume", "step 0", "step -1", "step -1", "pause", "stop"])

    def test_a_forked_child_leaves_the_recording_alone(self):
        with riffle.profile(dir=self.folder) as prof:
            before = self.calls()
            child = os.fork()
            if child == 0:
                prof.step()
                prof.stop()
                os._exit(len(riffle._profile._running))
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual((before[1:], self.calls()), (["resume", "step 0"], []))
        self.assertEqual(self.calls(), ["step -1", "pause", "stop"])

    def test_a_recording_that_runs_already_is_paused_and_resumed_only(self):
        library = riffle._library.library()
        library.check(library.start(b"dir=x"))
        calls = self.run_steps(1)
        self.assertEqual(calls[1:], ["pause", "resume", "step 0", "step 1", "step -1", "pause"])
        library.stop()


class Options(StubCase):
    def said_by(self, **options):
        """What a profile with these options says in a process that has said nothing yet."""
        with contextlib.redirect_stderr(io.StringIO()) as said, mock.patch.object(_say, "_said", set()):
            riffle.profile(**options)
            riffle.profile(**options)
        return said.getvalue().splitlines()

    def test_what_no_source_can_give_is_said_once(self):
        for option in ("with_flops", "profile_memory", "experimental_config", "use_cuda"):
            if option == "profile_memory" and _options.has_cuda():
                continue
            with self.subTest(option):
                lines = [line for line in self.said_by(**{option: True}) if not line.startswith("riffle: activities")]
                self.assertEqual(len(lines), 1)
                self.assertTrue(lines[0].startswith(f"riffle: {option}: "), lines)

    def test_activities(self):
        self.assertEqual(self.said_by(activities=[]), [])
        self.assertRegex(self.said_by(activities=["CPU", "XPU"])[0], "XPU cannot be recorded")
        if not _options.has_cuda():
            self.assertEqual(self.said_by(activities=[riffle.ProfilerActivity.CPU, riffle.ProfilerActivity.CUDA]),
                             ["riffle: activities: CUDA is not recorded, because PyTorch has no CUDA device here."])
        with self.assertRaisesRegex(riffle.OptionError, "activities: TPU is not an activity"):
            riffle.profile(activities=["TPU"])

    def test_stacks_are_an_option_of_the_library(self):
        with riffle.profile(dir=self.folder, with_stack=True):
            pass
        calls = self.calls()
        self.assertEqual(calls[0], "stacks 1")
        self.assertTrue(calls[1].startswith("start paused=1 ") and calls[1].endswith(" stacks=operators"), calls[1])

    def test_stacks_of_an_interpreter_that_is_not_read_are_said_once(self):
        os.environ["RIFFLE_STUB_REFUSE"] = "stacks"
        with contextlib.redirect_stderr(io.StringIO()) as said, mock.patch.object(_say, "_said", set()):
            for _ in range(2):
                with riffle.profile(dir=self.folder, with_stack=True, activities=["CPU"]):
                    pass
        lines = [line for line in said.getvalue().splitlines() if "with_stack" in line]
        self.assertEqual(lines, ["riffle: with_stack: no frames can be read."])
        self.assertNotIn("stacks=", "".join(self.calls()))

    def test_calls_are_switched_with_the_phases(self):
        with riffle.profile(dir=self.folder, with_stack="calls", schedule=riffle.schedule(wait=1, warmup=1, active=1, repeat=1)) as prof:
            for _ in range(4):
                prof.step()
            self.assertIsNone(threading.getprofile())
        calls = [call for call in self.calls() if call in ("calls", "no calls", "resume", "pause")]
        self.assertEqual([call for call, _ in itertools.groupby(calls)], ["calls", "resume", "pause", "no calls"])

    def test_a_profile_function_of_the_program_is_said(self):
        os.environ["RIFFLE_STUB_REFUSE"] = "other profile"
        with contextlib.redirect_stderr(io.StringIO()) as said, mock.patch.object(_say, "_said", set()):
            for _ in range(2):
                with riffle.profile(dir=self.folder, with_stack="calls"):
                    pass
        self.assertEqual(said.getvalue().count("another profile function"), 1)

    def test_the_ways_of_stacks(self):
        for value, way in ((True, "operators"), (1, "operators"), ("1", "operators"), ("operators", "operators"), ("sampled", "sampled"),
                           ("calls", "calls"), (False, "0"), (None, "0"), ("", "0"), ("0", "0")):
            self.assertEqual(_stacks.NAMES[_stacks.way_of(value)], way, value)
        with self.assertRaisesRegex(riffle.OptionError, "True, 'operators', 'sampled', 'calls', not 'all'"):
            riffle.profile(dir=self.folder, with_stack="all")

    def test_memory_that_the_library_refuses_is_said(self):
        os.environ["RIFFLE_STUB_REFUSE"] = "preset=memory"
        prof = riffle.profile(dir=self.folder)
        prof._memory = True  # without a GPU it cannot be requested
        with contextlib.redirect_stderr(io.StringIO()) as said, mock.patch.object(_say, "_said", set()), prof:
            pass
        self.assertIn("profile_memory: no source can fill that.", said.getvalue())
        self.assertIn("preset=normal", self.calls()[0])

    def test_the_cpu_alone_leaves_the_gpu_out(self):
        prof = riffle.profile(dir=self.folder, activities=["CPU"])
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


class Metadata(StubCase):
    def test_it_is_written_with_each_recording(self):
        prof = riffle.profile(dir=self.folder)
        prof.preset_metadata_json("early", "[1]")
        with prof:
            prof.add_metadata("text", 'a "b"')
            prof.add_metadata_json("json", '{"a": 1}')
            with contextlib.redirect_stderr(io.StringIO()) as said:
                prof.add_metadata("long", 60_001 * "x")
        self.assertIn("'long' is left out", said.getvalue())
        with open(self.log, encoding="utf-8") as file:
            written = [line for line in file.read().splitlines() if line.startswith("info metadata:")]
        self.assertEqual(written, ['info metadata:early=[1]', r'info metadata:text="a \"b\""', 'info metadata:json={"a": 1}'])


class Names(StubCase):
    def test_the_names_of_torch_profiler_are_here(self):
        self.assertEqual(riffle.ProfilerActivity.XPU.name, "XPU")
        self.assertIn(riffle.ProfilerActivity.CPU, riffle.supported_activities())
        self.assertTrue(riffle.kineto_available())
        self.assertFalse(riffle.is_fbcode())
        self.assertFalse(hasattr(riffle, "no_such_name"))

    def test_the_handler_for_tensorboard(self):
        folder = os.path.join(self.folder, "log", "run")
        paths = []
        handler = riffle.tensorboard_trace_handler(folder, "worker", use_gzip=True)
        handler(mock.Mock(export_chrome_trace=paths.append))
        self.assertTrue(os.path.isdir(folder))
        self.assertRegex(paths[0], r"/log/run/worker\.\d+\.pt\.trace\.json\.gz$")
