# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Sampled Python stacks, in every interpreter that this machine has: samples_check.py LIBRARY [--here [TEST...]]. With --here,
only in this one. Each test records a program of its own and reads its log."""

import collections
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

LIBRARY = os.path.abspath(sys.argv[1])
HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1])]
import read_log  # noqa: E402

PRELUDE = f"""
import ctypes, os, random, sys, threading, time
lib = ctypes.CDLL({LIBRARY!r})
lib.riffle_last_error.restype = ctypes.c_char_p
def ok(code):
    assert code == 0, (code, lib.riffle_last_error())
def start(*options):
    ok(ctypes.PyDLL({LIBRARY!r}).riffle_python_stacks(1))
    options = ("dir=" + sys.argv[1], "sample_ms=0", "cupti=0", "control=0", "stacks=sampled") + options
    ok(lib.riffle_start("\\n".join(options).encode()))
    wait = time.perf_counter() + 5
    while "riffle python" not in threads() and time.perf_counter() < wait:
        time.sleep(0.001)
def threads():
    found = []
    for thread in os.listdir("/proc/self/task"):
        try:
            found.append(open(f"/proc/self/task/{{thread}}/comm").read().strip())
        except OSError:
            pass
    return found
def burn(seconds):
    begin = now = time.perf_counter()
    while now - begin < seconds:
        now = time.perf_counter()
    return now - begin
def clock():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
def measured(function):
    begin = clock()
    function()
    return begin, clock()
"""


class Sampled(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def begin(self, code):
        return subprocess.Popen([sys.executable, "-c", PRELUDE + textwrap.dedent(code), self.folder], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def record(self, code, status=0):
        """Runs the program; returns what it printed."""
        process = self.begin(code)
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, err), (status, ""))
        self.rows = read_log.read(next(Path(self.folder).glob("*.rifflelog")))
        self.lanes = {row["Thread"]: row for kind, row in self.rows if kind == "Threads" and row["SampledEvery"]}
        return out

    def slices(self):
        """(thread, start, end, name) of each slice in a lane of samples, without the file's name before the line."""
        return [(row["Thread"], row["Start"], row["Start"] + row["Duration"], row["Name"].split(": ")[1].split(".")[-1])
                for kind, row in self.rows if kind == "Ranges" and row["Thread"] in self.lanes and ": " in row["Name"]]

    def times(self):
        """The time in ns of each function."""
        found = collections.Counter()
        for _, start, end, name in self.slices():
            found[name] += end - start
        return found

    def check_calls(self, function, calls):
        """Each call, of which the program measured (start, end), is one slice. A machine that is overloaded leaves holes
        without samples, which end slices, so that a call may have several slices with holes between them."""
        slices = [(thread, start, end) for thread, start, end, name in self.slices() if name == function]
        every = next(iter(self.lanes.values()))["SampledEvery"]
        for begin, end in calls:
            parts = sorted(row for row in slices if begin - every <= row[1] <= end)  # the time of a sample is from before the look
            self.assertTrue(parts, (function, begin, end))
            self.assertLessEqual(max(last for _, _, last in parts), end + every)
            for (_, _, before), (_, after, _) in zip(parts, parts[1:]):
                self.assertGreater(after - before, 9 * every)  # a hole has ten intervals; the first of them belongs to a slice
            slices = [row for row in slices if row not in parts]
        self.assertEqual(slices, [])

    def figures(self):
        """The last value of each figure about the samples."""
        return {row["Key"]: row["Number"] for kind, row in self.rows if kind == "Stats" and row["Key"].startswith("python_samples")}

    def check_nesting(self):
        """Slices of a lane contain each other or do not overlap."""
        by_lane = collections.defaultdict(list)
        for thread, start, end, name in self.slices():
            self.assertLess(start, end, name)
            by_lane[thread].append((start, -end, name))
        for found in by_lane.values():
            open_ends = []
            for start, end, name in sorted(found, key=lambda row: row[:2]):
                while open_ends and open_ends[-1] <= start:
                    open_ends.pop()
                self.assertTrue(not open_ends or -end <= open_ends[-1], name)
                open_ends.append(-end)

    def test_shares_are_those_that_the_program_measured(self):
        """Six standard errors of independent samples; those at regular times of work with random lengths are rather better."""
        said = self.record("""
            def apple(): return burn(random.uniform(0.001, 0.012))
            def berry(): return burn(random.uniform(0.001, 0.008))
            def cherry(): return burn(random.uniform(0.0005, 0.002))
            start("stack_sample_ms=2")
            true = dict.fromkeys(("apple", "berry", "cherry"), 0.0)
            begin = time.perf_counter()
            while time.perf_counter() - begin < 3:
                for function in (apple, berry, cherry):
                    true[function.__name__] += function()
            ok(lib.riffle_stop())
            print(true)
            """)
        true, found = eval(said), self.times()
        samples = self.figures()["python_samples"]
        self.assertGreater(samples, 300)
        everything = sum(true.values())
        for name, seconds in true.items():
            share = seconds / everything
            error = 6 * (share * (1 - share) / samples) ** 0.5 + 0.005
            self.assertAlmostEqual(found[name] / sum(found[name] for name in true), share, delta=error, msg=name)
        self.assertLess(self.figures()["python_samples_torn"], 0.02 * samples)
        self.check_nesting()

    def test_a_frame_is_one_slice(self):
        """From its first to its last sample; a function that does nothing but wait, too."""
        said = self.record("""
            def outer():
                span = measured(waits)
                burn(0.15)
                return span
            def waits():
                time.sleep(0.3)
            def all():
                span = clock()
                waited = outer()
                print((waited, (span, clock())))
            start()
            all()
            ok(lib.riffle_stop())
            """)
        waited, around = eval(said)
        self.check_calls("waits", [waited])
        self.check_calls("outer", [around])
        self.assertGreater(self.times()["waits"], 0.1e9)
        self.assertGreater(self.times()["outer"], 0.2e9)
        self.check_nesting()
        (lane,) = {row["SampledEvery"] for row in self.lanes.values()}
        self.assertEqual(lane, 10_000_000)
        names = [row["Name"] for kind, row in self.rows if kind == "Ranges"]
        self.assertIn("<string>(1): <module>", names)
        self.assertTrue({row["Category"] for kind, row in self.rows if kind == "Ranges"} == {"python_function"})
        said = [row["Value"] for kind, row in self.rows if kind == "Process" and row["Key"] == "stacks"]
        self.assertEqual(said[-1], "sampled by a thread of the collector")

    def test_small_functions_are_seldom_mixed(self):
        """Calls that return within nanoseconds: what is found inside which function is possible, but for a few samples."""
        code = """
            def one(): return 1
            def two(): return 2
            def first():
                for _ in range(300): one()
            def second():
                for _ in range(300): two()
            start("stack_sample_ms=1")
            end = time.perf_counter() + SECONDS
            while time.perf_counter() < end:
                first()
                second()
            ok(lib.riffle_stop())
            """
        for seconds in (2, 20):  # Python 3.13 is inside of them in one sample of a hundred, and sometimes in fewer
            with tempfile.TemporaryDirectory() as self.folder:
                self.record(code.replace("SECONDS", str(seconds)))
            if sum(row[3] in ("one", "two") for row in self.slices()) > 30:
                break
        slices, wrong = self.slices(), 0
        around = {name: sorted((start, end) for _, start, end, found in slices if found == name) for name in ("first", "second")}
        inner = [row for row in slices if row[3] in ("one", "two")]
        self.assertGreater(len(inner), 30)
        for _, start, end, name in inner:
            parent = around["first" if name == "one" else "second"]
            wrong += not any(a <= start and end <= b for a, b in parent)
        self.assertLessEqual(wrong, 0.01 * self.figures()["python_samples"], self.figures())
        self.assertLess(self.figures()["python_samples_torn"], 0.05 * self.figures()["python_samples"])
        self.check_nesting()

    def test_deep_recursion(self):
        said = self.record("""
            sys.setrecursionlimit(5000)
            def busy():  # for so much processor time, because a machine that is overloaded may take none of 50 ms
                end = time.thread_time() + 0.05
                while time.thread_time() < end: pass
            def deeper(count):
                if count: deeper(count - 1)
                else: spans.append(measured(busy))
            start()
            spans = []
            for count in (10, 200, 3000, 254, 255, 256, 257):
                deeper(count)
                time.sleep(0.05)  # otherwise, the next call could be the same one
            ok(lib.riffle_stop())
            print(spans)
            """)
        names = collections.Counter(row[3] for row in self.slices())
        self.check_calls("busy", eval(said))
        self.assertGreater(names["deeper"], 1000)
        self.assertIn("(frames that are left out)", {row["Name"] for kind, row in self.rows if kind == "Ranges"})
        self.assertLessEqual(self.figures()["python_samples_torn"], 1)  # four looks while the frames return are possible
        self.check_nesting()

    def test_threads_that_start_and_end_all_the_time(self):
        self.record("""
            def worker(): burn(0.001)
            def waiter(): time.sleep(0.15)
            start("stack_sample_ms=1")
            end = time.perf_counter() + 3
            slow = threading.Thread(target=waiter, name="slow"); slow.start()
            while time.perf_counter() < end:
                some = [threading.Thread(target=worker) for _ in range(5)]
                for thread in some: thread.start()
                for thread in some: thread.join()
            slow.join()
            ok(lib.riffle_stop())
            """)
        times = self.times()
        self.assertGreater(times["worker"], 0.2e9)
        self.assertGreater(times["waiter"], 0.1e9)
        self.assertGreater(len(self.lanes), 10)
        # No thread has frames of another one: the main thread runs no worker, and workers do not run the program.
        lanes = collections.defaultdict(set)
        for thread, _, _, name in self.slices():
            lanes[thread].add(name)
        self.assertFalse([names for names in lanes.values() if "<module>" in names and {"worker", "waiter"} & names])
        self.assertLess(self.figures()["python_samples_torn"], 0.1 * self.figures()["python_samples"])
        self.check_nesting()

    def test_code_that_is_made_and_dropped_all_the_time(self):
        """A frame has the name of the code that it ran, although each dies and its memory is used again."""
        self.record("""
            start("stack_sample_ms=1")
            space = {"burn": burn}
            end, number, ran = time.perf_counter() + 3, 0, []
            while time.perf_counter() < end:
                number += 1
                exec(compile("\\n" * (number % 5) + f"def name{number % 7}():\\n  burn(0.0025)\\nname{number % 7}()",
                             f"<code {number % 11}>", "exec"), space)
            ok(lib.riffle_stop())
            """)
        found = collections.Counter()
        for kind, row in self.rows:
            if kind == "Ranges" and "): name" in row["Name"]:
                found[row["Name"]] += row["Duration"]
        possible = {f"<code {n % 11}>({n % 5 + 1}): name{n % 7}" for n in range(5 * 7 * 11)}
        self.assertEqual(set(found) - possible, set())
        self.assertGreater(len(found), 50)

        # Each piece lasts 2.5 ms: a slice that is much longer would be one that missed another code object's start.
        lengths = sorted(row["Duration"] for kind, row in self.rows if kind == "Ranges" and "): name" in row["Name"])
        self.assertLess(lengths[-20], 40e6)

    def test_pauses_and_the_stop_end_slices(self):
        said = self.record("""
            def work(seconds): burn(seconds)
            start("stack_sample_ms=2")
            def all():
                spans = []
                for _ in range(4):
                    burn(0.1)
                    begin = clock()
                    ok(lib.riffle_pause())
                    paused = clock()
                    burn(0.05)
                    resuming = clock()
                    ok(lib.riffle_resume())
                    spans.append((begin, paused, resuming, clock()))
                for _ in range(5):  # shorter than an interval
                    burn(0.02)
                    begin = clock()
                    ok(lib.riffle_pause())
                    ok(lib.riffle_resume())
                    resumed = clock()  # no time was certainly in the pause, but no slice spans it
                    spans.append((begin, resumed, resumed, resumed))
                return spans
            spans = all()
            ok(lib.riffle_stop())
            print((spans, clock(), [name for name in threads() if name.startswith("riffle") and name != "riffle-control"]))
            """)
        pauses, stopped, threads = eval(said)
        self.assertEqual(threads, [])
        self.assertGreater(self.times()["burn"], 0.2e9)
        for _, start, end, name in self.slices():
            self.assertLessEqual(end, stopped)
            for number, (begin, paused, resuming, resumed) in enumerate(pauses):
                where = f"pause {number} of {resuming - paused} ns; the slice is from {start - paused} to {end - paused} ns in it"
                self.assertFalse(start < begin and end > resumed, f"{name} spans {where}")
                self.assertFalse(paused < start < resuming or paused < end <= resuming, f"{name} was sampled during {where}")

    def test_a_killed_process_keeps_what_was_open(self):
        process = self.begin("""
            def waits():
                print("ready", flush=True)
                time.sleep(60)
            start()
            waits()
            """)
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(1)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        rows = read_log.read(next(Path(self.folder).glob("*.rifflelog")))
        self.assertIn("waits", [row["Name"].split(": ")[-1] for kind, row in rows if kind == "OpenRanges"])

    def test_the_exit_and_forked_children(self):
        """Threads that run while the interpreter ends, and a child in which nothing is sampled."""
        for _ in range(4):
            self.record("""
                def work():
                    while True: burn(0.001)
                start("stack_sample_ms=1")
                if sys.version_info < (3, 11):  # may crash while a destructor waits, so our Python part does this
                    import atexit; atexit.register(lib.riffle_close)
                for _ in range(3):
                    threading.Thread(target=work, daemon=True).start()
                time.sleep(0.1)
                import warnings; warnings.simplefilter("ignore")
                child = os.fork()
                if child == 0:
                    assert "riffle python" not in threads()
                    burn(0.02)
                    sys.exit(0)
                assert os.waitpid(child, 0)[1] == 0
                time.sleep(0.05)
                """)
            self.assertGreater(self.times()["work"], 0)
            for log in Path(self.folder).glob("*.rifflelog/*"):
                log.unlink()
            for log in Path(self.folder).glob("*.rifflelog"):
                log.rmdir()

    def test_another_way_ends_the_thread(self):
        said = self.record("""
            start("stacks=operators")  # the later one counts
            print("riffle python" in threads())
            ok(lib.riffle_stop())
            """)
        self.assertEqual(said, "False\n")


def main():
    sys.path.insert(0, str(HERE.parent))
    from run import KNOWN, interpreters
    failed = []
    for version, path in sorted(interpreters().items()):
        if version[:2] not in KNOWN:
            continue
        done = subprocess.run([path, "-W", "error", str(HERE), LIBRARY, "--here"], capture_output=True, text=True)
        print(".".join(map(str, version)), path, (done.stderr.strip().splitlines() or [""])[-1], flush=True)
        if done.returncode:
            failed.append(version)
            print(done.stderr)
    sys.exit(f"Failed: {failed}" if failed else 0)


if __name__ == "__main__":
    if sys.argv[2:3] == ["--here"]:
        unittest.main(argv=[__file__, *sys.argv[3:]], verbosity=2)
    else:
        main()
