# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import os
import threading
import unittest
from unittest import mock

import riffle_profiler as riffle
from riffle_profiler import _compiled, _observer, _observer_build, _operators, _say
from stub_case import KIND, StubCase

try:
    import torch
except ImportError:
    torch = None


def profiler_type():
    return str(torch._C._autograd._profiler_type()).rsplit(".", 1)[-1]


class WithoutPyTorch(StubCase):
    @unittest.skipIf(torch, "PyTorch is installed")
    def test_shapes_and_modules_say_what_is_missing(self):
        for option, what in (("record_shapes", "Operators"), ("with_modules", "Modules")):
            with contextlib.redirect_stderr(io.StringIO()) as said, mock.patch.object(_say, "_said", set()):
                with riffle.profile(dir=self.folder, **{option: True}):
                    pass
            self.assertRegex(said.getvalue(), f"{what} are not recorded: .* not imported")
            self.assertEqual(self.calls()[1:], ["resume", "step 0", "step -1", "pause", "stop"])


@unittest.skipUnless(torch, "PyTorch is not installed")
class Operators(StubCase):
    def test_on_from_warm_up_to_the_end_of_a_cycle(self):
        seen = []
        schedule = riffle.schedule(wait=1, warmup=1, active=1, repeat=1)
        with riffle.profile(dir=self.folder, schedule=schedule, record_shapes=True) as prof:
            for _ in range(4):
                seen.append(profiler_type())
                prof.step()
        self.assertEqual(seen, ["NONE", KIND, KIND, "NONE"])

    def test_the_end_of_the_recording_within_a_range(self):
        library, call = riffle._library.library(), torch.nn.Module.__call__
        schedule = riffle.schedule(wait=1, warmup=0, active=1, repeat=0)
        with contextlib.redirect_stderr(io.StringIO()), riffle.profile(dir=self.folder, schedule=schedule, with_modules=True) as prof:
            prof.step()
            with torch.profiler.record_function("iteration"):
                library.stop()  # because the disk is full, or somebody has asked for it
                with mock.patch.object(library, "range_depth", lambda: -1):  # nobody counts any more
                    prof.step()
                self.assertEqual(profiler_type(), KIND)
            self.assertEqual(profiler_type(), "NONE")
            prof.step()  # another cycle
            self.assertEqual(profiler_type(), "NONE")
            self.assertIs(torch.nn.Module.__call__, call)

    def test_torch_profiler_inside_works_and_ours_comes_back(self):
        x = torch.ones(2)
        with riffle.profile(dir=self.folder):
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as theirs:
                x + 1
            self.assertIn("aten::add", [event.key for event in theirs.key_averages()])
            self.assertEqual(profiler_type(), KIND)
            self.assertEqual([line for line in self.calls() if "gap" in line],
                             ["gap begins: operators, another profiler runs in this thread", "gap ends: operators"])
        self.assertEqual(profiler_type(), "NONE")
        self.assertEqual([line for line in self.calls() if "gap" in line], [])

    def test_a_program_may_remove_the_observer(self):
        """Lightning's profiler removes any profiler that it finds, and starts torch.profiler then."""
        with riffle.profile(dir=self.folder, schedule=riffle.schedule(wait=0, warmup=1, active=1, repeat=2)) as prof:
            torch.autograd._disable_profiler()
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
                torch.ones(2)
            self.assertEqual(profiler_type(), KIND)
            torch.autograd._disable_profiler()
            prof.step()
            self.assertEqual(profiler_type(), KIND)
            torch.autograd._disable_profiler()
        self.assertEqual(profiler_type(), "NONE")

    def test_the_observer_stays_when_an_inner_one_ends(self):
        with riffle.profile(dir=self.folder, schedule=riffle.schedule(wait=1, warmup=0, active=1)) as outer:
            with riffle.profile(dir=self.folder):
                self.assertEqual(profiler_type(), KIND)
                outer.step()
            self.assertEqual(profiler_type(), KIND)
        self.assertEqual(profiler_type(), "NONE")

    def test_torch_profiler_gets_cupti(self):
        def profiled(*activities):
            with torch.profiler.profile(activities=activities):
                torch.ones(2) + 1
            return [line for line in self.calls() if line in ("yield", "resume cuda")]

        cpu, cuda = torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA
        with riffle.profile(dir=self.folder):
            _operators._profiled = False
            self.assertEqual(profiled(cpu), ["yield", "resume cuda"])  # the first profile needs CUPTI even if it records only the CPU
            self.assertEqual(profiled(cpu), [])
            _operators._yield_cuda({cpu, cuda})  # as when there is a GPU
            _operators._resume_cuda()
            self.assertEqual(self.calls(), ["yield", "resume cuda"])

    def test_torch_profiler_around_is_left_alone(self):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as theirs:
            with contextlib.redirect_stderr(io.StringIO()) as said, riffle.profile(dir=self.folder, record_shapes=True):
                torch.ones(2) + 1
            self.assertIn("torch.profiler runs", said.getvalue())
            self.assertEqual(profiler_type(), "KINETO")
        self.assertIn("aten::add", [event.key for event in theirs.key_averages()])

    def test_a_pytorch_without_cuda_has_itt(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, mock.patch.object(_say, "_said", set()), \
                mock.patch.object(torch.version, "cuda", None):
            for _ in range(2):
                with riffle.profile(dir=self.folder, record_shapes=True):
                    self.assertEqual(profiler_type(), "ITT")
        self.assertEqual(said.getvalue().count("\n"), 1, said.getvalue())
        self.assertIn("Shapes are not recorded: ", said.getvalue())
        self.assertEqual(os.environ["INTEL_LIBITTNOTIFY64"], os.environ["RIFFLE_COLLECTOR"])

    def test_a_pytorch_without_both_is_said_and_the_rest_recorded(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, mock.patch.object(_say, "_said", set()), \
                mock.patch.object(torch.version, "cuda", None), mock.patch.object(torch._C, "_itt", None):
            for _ in range(2):
                with riffle.profile(dir=self.folder, record_shapes=True), riffle.annotate("mine"):
                    self.assertEqual(profiler_type(), "NONE")
        self.assertEqual(said.getvalue().count("Operators are not recorded: This PyTorch was built without CUDA and"), 1)
        self.assertEqual(self.calls().count("push mine"), 2)

    def test_another_collector_of_itt_stays(self):
        for variable, why in (("/opt/vtune/collector.so", "another collector receives its ITT ranges: INTEL_LIBITTNOTIFY64=/opt/vtune/collector.so"),
                              (os.environ["RIFFLE_COLLECTOR"], "has started without Riffle")):
            with contextlib.redirect_stderr(io.StringIO()) as said, mock.patch.object(_say, "_said", set()), \
                    mock.patch.object(torch.version, "cuda", None), mock.patch.object(_observer, "_connected", False), \
                    mock.patch.dict(os.environ, INTEL_LIBITTNOTIFY64=variable, RIFFLE_STUB_NO_ITT="1"):
                with riffle.profile(dir=self.folder):
                    self.assertEqual(profiler_type(), "NONE")
                self.assertEqual(os.environ["INTEL_LIBITTNOTIFY64"], variable)
            self.assertRegex(said.getvalue(), f"Operators are not recorded: .* {why}")

    def test_an_observer_is_only_compiled_for_tested_versions(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, mock.patch.object(_say, "_said", set()), \
                mock.patch.object(_observer_build, "TESTED", ("1.0",)), mock.patch.object(_compiled, "_wanted", False), \
                mock.patch.object(_compiled, "_start") as start, mock.patch.object(_compiled, "_path", None), \
                mock.patch.dict("os.environ", XDG_CACHE_HOME=self.folder):
            with riffle.profile(dir=self.folder, compiled_observer=True):
                self.assertEqual(profiler_type(), KIND)
            self.assertRegex(said.getvalue(), r"It is tested with PyTorch 1\.0, and this is .*'any'")
            self.assertFalse(start.called)
            _compiled._wanted = False
            with riffle.profile(dir=self.folder, compiled_observer="any"):
                self.assertEqual(profiler_type(), KIND)
            self.assertTrue(start.called)

    def test_a_stop_in_another_thread(self):
        prof = riffle.profile(dir=self.folder)
        prof.start()
        other = threading.Thread(target=prof.stop)
        other.start()
        other.join()
        self.assertEqual(profiler_type(), KIND)
        torch.autograd._disable_profiler()

    def test_modules(self):
        model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        with riffle.profile(dir=self.folder, with_modules=True):
            model(torch.ones(1, 2))
        model(torch.ones(1, 2))
        kind = "[python_function]"
        self.assertEqual(self.calls()[3:9], [f"push nn.Module: Sequential_0 {kind}", f"push nn.Module: Linear_0 {kind}",
                                             "pop", f"push nn.Module: ReLU_0 {kind}", "pop", "pop"])

    def test_pytorchs_own_schedule_and_activities_do(self):
        schedule = torch.profiler.schedule(wait=0, warmup=1, active=1, repeat=1)
        with riffle.profile(dir=self.folder, schedule=schedule,
                            activities=[torch.profiler.ProfilerActivity.CPU]) as prof:
            prof.step()
            self.assertEqual(profiler_type(), KIND)
            prof.step()
        self.assertIn("step 1", self.calls())
