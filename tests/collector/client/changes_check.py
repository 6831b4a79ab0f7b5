#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that the recorder changes in a process what the table in collector/README.md names, and nothing else.

Usage: changes_check.py RIFFLE_CLI LIBRARY --torch [TEST...]

It runs under $RIFFLE_TORCH_PYTHON; status 77 (skipped) if that is not set.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import record_case  # noqa: E402

# Prints the state of the process while it trains and after the recording has ended. The functions are those of other modules that
# have been replaced by ours.
STATE = """
import atexit, gc, glob, json, os, pathlib, re, signal, sys, threading, time, types, warnings, torch
def ours(value):
    value = value.__func__ if type(value) in (staticmethod, classmethod) else value
    return type(value) is types.FunctionType and "riffle_profiler" in value.__code__.co_filename
def replaced():
    for name, module in list(sys.modules.items()):
        if not name.startswith(("riffle", "_riffle", "sitecustomize")):
            for owner in [module, *(found for found in vars(module).values() if type(found) is type)]:
                if not str(vars(owner).get("__module__")).startswith(("riffle", "_riffle")):
                    yield from (f"{owner.__name__}.{key}" for key, value in list(vars(owner).items()) if ours(value))
def classes():
    for name, module in list(sys.modules.items()):
        if not name.startswith(("riffle", "_riffle")):
            yield from (f"{name}.{key}" for key, value in list(vars(module).items())
                        if issubclass(type(value), type) and str(value.__module__).startswith(("riffle", "_riffle")))
def descriptors():
    for path in glob.glob("/proc/self/fd/*"):
        if os.path.islink(path): yield re.sub(r"\\d+", "N", os.path.basename(os.readlink(path)))
def state():
    time.sleep(0.3)
    return {"environment": [f"{name}={value}" for name, value in os.environ.items()], "functions": sorted(set(replaced())), "classes": list(classes()),
            "path": [re.sub("/tmp/tmp[^/]*$", "", one) for one in sys.path], "import hooks": [str(type(one)) for one in sys.meta_path],
            "modules": list(sys.modules), "signals": [f"{number} {signal.getsignal(number)}" for number in signal.valid_signals()],
            "blocked signals": [str(one) for one in signal.pthread_sigmask(signal.SIG_BLOCK, [])],
            "threads": [pathlib.Path(one).read_text().strip() for one in glob.glob("/proc/self/task/*/comm")],
            "Python's threads": [one.name for one in threading.enumerate()], "descriptors": list(descriptors()),
            "atexit": ["handler"] * atexit._ncallbacks(), "warnings": [str(one) for one in warnings.filters],
            "interpreter's hooks": [re.sub(" at 0x.*", ">", str(one)) for one in (sys.excepthook, sys.unraisablehook, sys.gettrace(), sys.getprofile(), gc.callbacks)],
            "observer": [str(torch._C._autograd._profiler_type())], "module hooks": ["hook"] * bool(torch.nn.modules.module._has_any_global_hook()),
            "CUDA's queue": ["call"] * len(torch.cuda._queued_calls),
            "random": [str(torch.get_rng_state().sum())], "folder": [os.getcwd(), *os.listdir()], "processors": [str(os.sched_getaffinity(0))]}
model = torch.nn.Linear(8, 8); optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def train(steps):
    for step in range(steps): model(torch.randn(2, 8)).sum().backward(); optimizer.step(); optimizer.zero_grad()
torch.manual_seed(0); str(torch.ones(1))  # which imports modules, as state() does
if sys.argv[1:] == ["instead"]:
    train(2); states = [state()]
    with torch.profiler.profile(with_modules=True): states.append(state())
    train(3); states.append(state())
elif len(sys.argv) == 1:
    train(2); states = [state()]; train(3); states.append(state())
else:
    sys.path.insert(0, os.environ["PACKAGE"]); import riffle_profiler as riffle; sys.path.pop(0)
    with riffle.profile(dir=sys.argv[1], with_modules=True): train(2); states = [state()]
    train(3); states.append(state())
print(json.dumps(states))
"""

TORCH_PROFILER = [f"torch.autograd.profiler.{name}" for name in ("_disable_profiler", "_enable_profiler", "_prepare_profiler")]
VARIABLES = ["CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "PYTHONPATH", "RIFFLE_AGENT", "RIFFLE_CHANNEL", "RIFFLE_OPTIONS", "RIFFLE_RECORDER", "RIFFLE_YIELDS"]
OURS = ("riffle_profiler", "_riffle_agent")  # the modules of the package

# What is different while a job is recorded, and what remains after the end.
RECORDED = {"environment": VARIABLES, "modules": ["sitecustomize"], "atexit": ["handler"],
            "functions": ["GradScaler.step", "Optimizer.profile_hook_step", "SGD.step", "os._exit", *TORCH_PROFILER],
            "threads": ["riffle", "riffle samples", "riffle-control"], "descriptors": ["N.part", "N.part", "anon_inode:[eventfd]", "socket:[N]"],
            "observer": ["ActiveProfilerType.NVTX"], "import hooks": ["<class '_riffle_agent._import_hook._Finder'>"] * 2}
AFTERWARDS = {"environment": VARIABLES, "modules": ["sitecustomize"], "atexit": ["handler"], "functions": TORCH_PROFILER,
              "threads": ["riffle-control"], "descriptors": ["anon_inode:[eventfd]", "socket:[N]"]}

# The same for a program that uses riffle_profiler.profile; the library tells later modules where NVTX finds it.
PROFILED = {"environment": ["NVTX_INJECTION64_PATH"], "functions": ["Module.__call__", "os._exit", *TORCH_PROFILER],
            "threads": RECORDED["threads"], "descriptors": RECORDED["descriptors"][1:], "observer": RECORDED["observer"],
            "atexit": ["handler"]}
PROFILED_AFTERWARDS = {"environment": ["NVTX_INJECTION64_PATH"], "functions": TORCH_PROFILER,
                       "threads": ["riffle-control"], "descriptors": AFTERWARDS["descriptors"],
                       "atexit": ["handler"]}  # Python's count keeps the place of a handler that was taken back


# The same for a program whose profile of torch.profiler becomes ours: before, in and after that profile.
CLASSES = [f"torch.{name}" for name in ("autograd.profiler.profile", "profiler._KinetoProfile", "profiler.profile", "profiler.profiler._KinetoProfile",
                                        "profiler.profiler.profile")]
REPLACED = {"environment": [name for name in VARIABLES if name not in ("RIFFLE_CHANNEL", "RIFFLE_OPTIONS")], "modules": ["sitecustomize"], "atexit": ["handler"],
            "functions": TORCH_PROFILER, "classes": CLASSES}
REPLACED_RECORDED = {**PROFILED, **REPLACED, "functions": PROFILED["functions"], "atexit": ["handler"] * 2}
REPLACED_AFTERWARDS = {**PROFILED_AFTERWARDS, **REPLACED, "atexit": ["handler"] * 2}


class Changes(record_case.RecordCase):
    maxDiff = None

    def states(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.work, env=self.environment, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def new(self, undisturbed, state):
        """What a state has more than that of an undisturbed process, which itself has nothing more."""
        found = {}
        for what, before in undisturbed.items():
            gone, added = list(before), []
            for one in state[what]:
                gone.remove(one) if one in gone else added.append(one)
            added = [one.split("=")[0] if what == "environment" else one for one in added]
            if what == "modules":  # and what the package needs of the standard library
                added = [one for one in added if not one.startswith(OURS) and one.split(".")[0] not in sys.stdlib_module_names]
            self.assertEqual([one for one in gone if what not in ("observer", "interpreter's hooks")], [], what)
            if added:
                found[what] = sorted(added)
        return found

    def setUp(self):
        super().setUp()
        self.environment["PACKAGE"] = str(HERE.parents[2] / "collector" / "python")
        self.work = os.path.join(self.folder.name, "work")
        os.mkdir(self.work)
        self.job = self.script(STATE)
        self.undisturbed = self.states(self.TORCH, self.job)

    def check(self, states, expected):
        for undisturbed, state, wanted in zip(self.undisturbed, states, expected):
            self.assertEqual(self.new(undisturbed, state), {what: sorted(names) for what, names in wanted.items()})

    def test_a_recorded_job(self):
        self.check(self.states(self.CLI, "record", "-q", "-o", self.output, "--steps", "0:4", "--", self.TORCH, self.job), (RECORDED, AFTERWARDS))

    def test_a_recorded_job_whose_operators_come_through_itt(self):
        self.environment["RIFFLE_TORCH_OBSERVER"] = "itt"
        self.undisturbed = self.states(self.TORCH, self.job)
        added = {"environment": [*VARIABLES, "INTEL_LIBITTNOTIFY64"]}
        self.check(self.states(self.CLI, "record", "-q", "-o", self.output, "--steps", "0:4", "--", self.TORCH, self.job),
                   ({**RECORDED, **added, "observer": ["ActiveProfilerType.ITT"]}, {**AFTERWARDS, **added}))

    def test_a_recorded_job_that_may_run_out_of_memory(self):
        hook = {"interpreter's hooks": ["<function watch_uncaught.<locals>.excepthook>"], "CUDA's queue": ["call"]}
        self.check(self.states(self.CLI, "record", "-q", "-o", self.output, "--steps", "0:4", "--on-oom", "--", self.TORCH, self.job),
                   [{**wanted, **hook, "functions": [*wanted["functions"], "sys.excepthook"]} for wanted in (RECORDED, AFTERWARDS)])

    def test_a_recorded_job_whose_calls_are_recorded(self):
        recorded = {**RECORDED, "interpreter's hooks": ["<built-in method riffle of PyCapsule object>"], "atexit": ["handler"] * 2,
                    "functions": [*RECORDED["functions"], "threading._profile_hook"]}
        self.check(self.states(self.CLI, "record", "-q", "-o", self.output, "--steps", "0:4", "--stacks=calls", "--", self.TORCH, self.job),
                   (recorded, {**AFTERWARDS, "atexit": ["handler"] * 2}))

    def test_a_recorded_job_with_a_compiled_observer(self):
        """PyTorch's own observer is not there then; nor is a child process after a compilation in the job."""
        self.environment["XDG_CACHE_HOME"] = os.path.join(self.folder.name, "cache")
        package = os.path.join(self.environment["PACKAGE"], "riffle_profiler")
        subprocess.run([self.TORCH, os.path.join(package, "_observer_build.py")], check=True, env=self.environment, timeout=300)
        self.undisturbed = self.states(self.TORCH, self.job)
        self.check(self.states(self.CLI, "record", "-q", "-o", self.output, "--steps", "0:4", "--compiled-observer", "--", self.TORCH, self.job),
                   [{**{what: names for what, names in wanted.items() if what != "observer"},
                     "environment": [*VARIABLES, "RIFFLE_COMPILED_OBSERVER"]} for wanted in (RECORDED, AFTERWARDS)])

    def test_a_program_that_records_itself(self):
        self.check(self.states(self.TORCH, self.job, self.output), (PROFILED, PROFILED_AFTERWARDS))

    def test_a_program_whose_profile_is_replaced(self):
        self.undisturbed.insert(0, self.undisturbed[0])
        self.check(self.states(self.CLI, "record", "-q", "-o", self.output, "--instead-of-torch-profiler", "--", self.TORCH, self.job, "instead"),
                   (REPLACED, REPLACED_RECORDED, REPLACED_AFTERWARDS))

    def test_a_rank_that_is_left_out(self):
        recorder = [self.CLI, "record", "-q", "-o", self.output, "--ranks", "0", "--"]
        self.environment["RANK"] = "1"
        self.undisturbed = self.states(self.TORCH, self.job)
        self.check(self.states(*recorder, self.TORCH, self.job), (AFTERWARDS, AFTERWARDS))
        del self.environment["RANK"]  # known only in the process, as with a launcher
        self.check(self.states(*recorder, "env", "RANK=1", self.TORCH, self.job), (AFTERWARDS, AFTERWARDS))

    def test_a_forked_child(self):
        """The child has no thread and no observer of the recorder, and of its descriptors only those of the log's files."""
        job = self.script(STATE + "\nread, write = os.pipe()\nif os.fork() == 0: os.write(write, json.dumps([state()] * 2).encode()); os._exit(0)\n"
                          "os.close(write); text = os.fdopen(read).read(); os.wait(); print('CHILD', text)", "forking.py")
        def child(*command):
            done = subprocess.run([*command, self.TORCH, job], capture_output=True, text=True, cwd=self.work, env=self.environment, timeout=120)
            return json.loads(done.stdout.split("CHILD")[1])
        self.undisturbed = child()
        for wanted, options in (RECORDED, ()), (AFTERWARDS, ("--steps", "0:4")):
            wanted = {what: names for what, names in wanted.items() if what not in ("threads", "descriptors", "observer")}
            if not options:
                wanted["descriptors"] = ["N.part", "N.part"]
            self.check(child(self.CLI, "record", "-q", "-o", self.output, *options, "--"), (wanted, wanted))


if __name__ == "__main__":
    sys.exit(record_case.main(Changes, Changes))
