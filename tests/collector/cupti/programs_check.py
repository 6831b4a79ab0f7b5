#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Runs random programs under the collector, with a stand-in for CUPTI that knows the truth, and compares the logs with it:
every record once and with all its fields, so each kernel with its launch; what was dropped, cut off or not returned counted
as loss; nothing invented; and no settled mark after a launch whose kernel is not yet in the log.

Usage: programs_check.py PROGRAM [--seeds FIRST:LAST] [--jobs N] [--keep FOLDER]"""

import argparse
import bisect
import collections
import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import read_log

MEMCPY, MEMSET, DRIVER, RUNTIME, CONTEXT, KERNEL, PEER, SYNC, EXTERNAL, GRAPH = 1, 2, 4, 5, 9, 10, 22, 38, 39, 51
TABLES = {MEMCPY: "Copies", MEMSET: "Copies", PEER: "Copies", DRIVER: "Calls", RUNTIME: "Calls", KERNEL: "Kernels",
          GRAPH: "Kernels", SYNC: "Syncs", EXTERNAL: "Externals"}
CALLS = {41: "cudaMemcpyAsync", 131: "cudaStreamSynchronize", 211: "cudaLaunchKernel", 307: "cuLaunchKernel",
         311: "cudaGraphLaunch", 317: "cudaStreamBeginCapture", 318: "cudaStreamEndCapture"}
CAPTURE = (317, 318)
DELIVERED, DROPPED, TIMELESS, UNFINISHED, KEPT, HELD = range(6)
NAMES = ("void gemm<float>(float)", "void softmax<float>(float)", "layer_norm", "?")
ABSENT = -(1 << 63)
MARGIN = 100_000  # ns between a clock's reading and its use; the machine may be busy
Record = collections.namedtuple("Record", "kind serial correlation thread device context stream graph node start end made "
                                "name result outcome")


def read_truth(path):
    """The records of a program, and its recordings."""
    controls, records, sessions = [], [], []
    for line in path.read_text().splitlines():
        what, *values = line.split("\t")
        if what == "control":
            controls.append((values[0], int(values[1]), int(values[2])))
        elif what == "recorded":
            sessions.append((controls, *map(int, values)))
            controls = []
        elif what == "setup":
            version, device_error = map(int, values)
        else:
            records.append(Record(*map(int, values)))
    return records, [Session(*session, version, MARGIN + device_error) for session in sessions]


class Session:
    """One recording: the times that were certainly recorded, and those that may have been."""

    def __init__(self, controls, is_held, kept, version, margin):
        self.is_held, self.kept, self.version, self.margin = is_held, kept, version, margin
        self.certain, self.possible = [], []
        self.begin, self.stops, self.end = controls[0][1], *controls[-1][1:]
        since = None
        for what, before, after in controls:
            if what in ("start", "resume"):
                since = since or (before, after)
            elif what in ("pause", "stop") and since:
                self.certain.append((since[1], before))
                self.possible.append((since[0], after))
                since = None

    def is_certain(self, record):
        # A call that returns after the stop has no record.
        return record.made < self.stops and any(begin + self.margin <= record.start < end - self.margin
                                                for begin, end in self.certain)

    def is_possible(self, record):
        return any(begin - self.margin <= record.start < end + self.margin for begin, end in self.possible)

    def made(self, records):
        """CUPTI records only while a recording goes on."""
        return [record for record in records if self.begin <= record.made < self.end]


def serial_of(table, row):
    if table == "Kernels":
        return row["GridX"] if row["GridX"] > 0 else ("graph", row["Correlation"])
    return row[{"Copies": "Bytes", "Calls": "Correlation", "Syncs": "Event", "Externals": "ExternalId"}[table]]


def key_of(record):
    table = TABLES[record.kind]
    if record.kind == GRAPH:
        return table, ("graph", record.correlation)
    return table, record.correlation if table == "Calls" else record.serial


def expected_fields(record):
    fields = {"Correlation": record.correlation}
    if record.kind in (RUNTIME, DRIVER):
        fields.update(Name=CALLS[record.name], Result=record.result,
                      Category="cuda_runtime" if record.kind == RUNTIME else "cuda_driver")
    elif record.kind != EXTERNAL:
        fields.update(Device=record.device, Context=record.context, Stream=record.stream)
    if record.kind in (MEMCPY, MEMSET, PEER, KERNEL):
        fields.update(GraphNode=record.node)
    if record.kind in (MEMCPY, MEMSET, PEER, KERNEL, GRAPH):
        fields.update(GraphId=record.graph)
    if record.kind == KERNEL:
        fields.update(Name=NAMES[record.serial % 4])
    return fields


def check_rows(session, rows, records):
    problems = []
    threads = {row["Thread"]: row["OsThread"] for name, row in rows if name == "Threads"}
    found = collections.defaultdict(list)
    for table, row in rows:
        if table in set(TABLES.values()):
            found[table, serial_of(table, row)].append(row)
    lacks_context = any(record.kind == CONTEXT and record.outcome != DELIVERED for record in records)
    compared = 0
    for record in records:
        if record.kind not in TABLES:
            continue
        matching = found.pop(key_of(record), [])
        delivered = record.outcome == DELIVERED
        if not matching:
            if delivered and session.is_certain(record):
                problems.append("missing: %s" % (record,))
            continue
        compared += 1
        if len(matching) > 1:
            problems.append("%d times: %s" % (len(matching), record))
        # External ids are kept during pauses, too: work that starts later may belong to them.
        if not delivered or (record.kind != EXTERNAL and not session.is_possible(record)):
            problems.append("should not be there: %s, %s" % (record, matching[0]))
        row = matching[0]
        wrong = {key: (row[key], value) for key, value in expected_fields(record).items() if row[key] != value}
        if record.kind == SYNC and lacks_context and row["Device"] == ABSENT:
            wrong.pop("Device")  # only the context's record could have said it
        if record.kind in (RUNTIME, DRIVER) and threads.get(row["Thread"]) != record.thread:
            wrong["Thread"] = threads.get(row["Thread"]), record.thread
        if record.kind != EXTERNAL:
            if abs(row["Start"] - record.start) > session.margin:
                wrong["Start"] = row["Start"], record.start
            if abs(row["Duration"] - (record.end - record.start)) > MARGIN:
                wrong["Duration"] = row["Duration"], record.end - record.start
        if wrong:
            problems.append("wrong (found, true): %s in %s" % (wrong, record))
    problems += ["invented: %s %s" % (table, row) for (table, _), many in found.items() for row in many]
    return compared, problems


def launches_of(records):
    """The kernel of each call that launches exactly one, and the captures, as (begin, end)."""
    calls = [record for record in records if record.kind in (RUNTIME, DRIVER)]
    kernels = {record.correlation: record for record in records if record.kind == KERNEL and not record.graph}
    inner = sorted((call for call in calls if call.kind == DRIVER), key=lambda call: call.start)
    outer = sorted((call for call in calls if call.kind == RUNTIME), key=lambda call: call.start)
    same = {}  # both calls of a launch, by thread and time
    for call in inner:
        at = bisect.bisect_right(outer, call.start, key=lambda one: one.start)
        around = next(one for one in reversed(outer[:at]) if one.thread == call.thread)
        if around.end >= call.end:
            same[call.correlation], same[around.correlation] = around.correlation, call.correlation
    kernel_of = {call.correlation: kernels.get(call.correlation) or kernels.get(same.get(call.correlation)) for call in calls}
    captures, begun = [], {}
    for call in outer:
        if call.name == CAPTURE[0]:
            begun[call.thread] = call
        elif call.name == CAPTURE[1] and call.thread in begun:
            captures.append((begun.pop(call.thread), call))
    return {number: kernel for number, kernel in kernel_of.items() if kernel}, captures


def check_settled(session, rows, records):
    """A launch in the log whose kernel is not yet in the log holds the mark back, unless something is being captured."""
    kernel_of, captures = launches_of(records)
    ends = {call.correlation for capture in captures for call in capture}
    truth = {record.correlation: record for record in records if record.kind in (RUNTIME, DRIVER)}
    seen, waiting, problems, checked = set(), {}, [], 0
    for table, row in rows:
        if table == "Calls":
            seen.add(row["Correlation"])
            if row["Correlation"] in kernel_of:
                waiting[row["Correlation"]] = row["Start"]
        elif table == "Kernels":
            seen.add(("kernel", row["GridX"]))
        elif table == "Settled" and row["Category"] == "cuda":
            if any(session.begin <= truth[number].made and number not in seen for number in ends):
                continue
            checked += 1
            for number, start in list(waiting.items()):
                kernel = kernel_of[number]
                if ("kernel", kernel.serial) in seen:
                    del waiting[number]
                elif (start < row["Time"] and kernel.outcome == DELIVERED and session.is_certain(kernel) and
                      not any(begin.start <= truth[number].start <= end.end for begin, end in captures)):
                    problems.append("settled at %d without %s" % (row["Time"], kernel))
    return checked, problems


def check_loss(session, rows, records):
    """Loss is exact, except where a kernel that was cut off may have started in a pause, and where CUPTI's count of
    dropped records and the launches without a kernel are about the same kernels."""
    loss = collections.Counter()
    for name, row in rows:
        if name == "Loss":
            loss[row["Category"]] += row["Count"]
    made = session.made(records)
    dropped = sum(record.outcome == DROPPED for record in made)
    least = most = dropped + sum(record.outcome == TIMELESS for record in made)
    for record in made:
        if record.outcome == UNFINISHED:
            least += session.is_certain(record)
            most += session.is_possible(record)
    problems = []
    if not least <= loss["cupti"] <= most:
        problems.append("%d records are counted as lost, but %d to %d were" % (loss["cupti"], least, most))
    late = loss["cupti: buffers that have not come back"]
    if late != session.kept:
        problems.append("%d buffers are counted as late, but %d were" % (late, session.kept))
    kernel_of, captures = launches_of(records)
    truth = {record.correlation: record for record in records if record.kind in (RUNTIME, DRIVER)}
    alone, captured, halves = set(), set(), set()
    called = {row["Correlation"] for name, row in rows if name == "Calls"}
    for number in called:
        kernel = kernel_of.get(number)
        if kernel and kernel.outcome not in (DROPPED, KEPT) and kernel.correlation not in called:
            halves.add(kernel.serial)  # the other call of the launch is lost, and only that one names the kernel
        if kernel and kernel.outcome in (DROPPED, KEPT):
            near = any(begin.start <= truth[number].start <= end.end for begin, end in captures)
            (captured if near else alone).add(kernel.serial)
    counted = loss["cupti: launched kernels without a record"]
    most = len(alone | captured | halves)
    # While the other end of a capture is missing, nothing counts.
    if any(record.name in CAPTURE and record.outcome != DELIVERED for record in made):
        alone.clear()
    if not max(0, len(alone) - dropped) <= counted <= most:
        problems.append("%d launches are counted as without a kernel, but %d were, %d records dropped" %
                        (counted, len(alone), dropped))
    problems += ["loss outside the recording: %s" % row for name, row in rows if name == "Loss" and
                 (row["Start"] < session.begin or row["Start"] + row["Duration"] > session.end)]
    return sum(loss.values()), problems


def check(program, seed, folder):
    folder.mkdir(parents=True, exist_ok=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RIFFLE_")}
    ran = subprocess.run([program, str(seed), str(folder)], env=environment, stderr=subprocess.PIPE, text=True, timeout=120)
    if ran.returncode != 0:
        return (0, 0, 0), ["the program ended with %d: %s" % (ran.returncode, ran.stderr)]
    records, sessions = read_truth(folder / "truth.tsv")
    counts, problems = [0, 0, 0], []
    for number, session in enumerate(sessions, 1):
        log, = (folder / str(number)).glob("*.rifflelog")
        rows = read_log.read(log)
        if session.is_held:
            said = [row["Value"] for name, row in rows if name == "Process" and row["Key"] == "cupti"][-1]
            holder = " (CUPTI for another)" if session.version >= 130000 else ""
            if said != "another profiler holds CUPTI%s: no kernels are recorded" % holder:
                problems.append("a held CUPTI is not said: %s" % said)
        for at, checks in enumerate((check_rows, check_loss, check_settled)):
            count, wrong = checks(session, rows, [] if session.is_held else records)
            counts[at] += count
            problems += wrong
    return counts, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seeds", default="0:24", help="FIRST:LAST, without LAST itself")
    parser.add_argument("--jobs", type=int, default=4, help="programs at the same time; they mostly wait")
    parser.add_argument("--keep", type=Path, help="a folder for the logs")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    counts, failed = [0, 0, 0], 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        program, folder = os.path.abspath(arguments.program), arguments.keep or Path(scratch)
        seeds = range(first, last)
        for seed, (more, problems) in zip(seeds, pool.map(lambda seed: check(program, seed, folder / str(seed)), seeds)):
            counts, failed = [a + b for a, b in zip(counts, more)], failed + bool(problems)
            for problem in problems[:8]:
                print("seed %d: %s" % (seed, problem))
            if len(problems) > 8:
                print("seed %d: and %d more" % (seed, len(problems) - 8))
    print("%d programs, %d rows compared, %d losses counted, %d settled marks checked, %d programs failed" %
          (last - first, *counts, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
