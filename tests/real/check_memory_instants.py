#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what is alive according to `riffle-cli memory --at …` with a replay in Python, for every memory snapshot in a folder of real
files.

    check_memory_instants.py --cli build/release/bin/riffle-cli [--filter REGEX] [--instants N] [--seed N]

The instants for every device are the peak, the first oom, the start, the end, and random events. Compared are the sets of allocations that
are alive (address, bytes, state, start, end, stream); the trees by stack, module, operator, category, stream, pool and size, with bytes,
pending bytes and counts; and `memory diff` between consecutive instants. The replay here goes forward, as PyTorch's viewer does, whereas
the model goes back. Frames are folded and named here independently, and so are the rules that `memory rules` prints applied. Exit code 77
if the folder does not exist.
"""
import collections
import concurrent.futures
import io
import json
import random
import re
import subprocess
import sys

import real_files
from check_memory_snapshots import PlainData, pickle_of

TIMEOUT_SECONDS = 120
FOLDED_NAMES = ("unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "__libc_start_main", "PyEval_", "PyObject_", "PyFunction_")
FOLDED_FILES = ("core/boxing", "/Register", "/Redispatch", "pythonrun.c", "Modules/main.c", "Objects/call.c", "Objects/methodobject.c",
                "pycore_ceval.h", "ceval.c", "cpython/abstract.h")
FOLDED_BEGINS = ("c10::impl::wrap_kernel_functor", "c10::impl::make_boxed_from", "method_vectorcall", "slot_tp_", "slot_nb_", "slot_mp_", "slot_sq_",
                 "cfunction_", "vectorcall_", "_PyVectorcall", "PyVectorcall", "PyCFunction_", "_PyCFunction", "run_eval_code_obj", "run_mod", "pyrun_",
                 "Py_RunMain", "Py_BytesMain", "_PyRun_", "PyRun_", "pymain_", "__libc_", "execute_native_thread_routine", "start_thread", "__clone",
                 "pthread_")
GIVEN_BACK = "(from before the history, freed at)"
FOLDED_WHOLE = ("_start", "clone", "clone3", "PyCode_NewWithPosOnlyArgs", "__xmknodat")


class Allocation:
    def __init__(self, address, size, begin, stack, stream):
        self.address, self.size, self.begin, self.stack, self.stream = address, size, begin, stack, stream
        self.freed = self.end = self.block = None
        self.waits = False  # the block was already pending when the history started
        self.metadata = None
        self.given_back = []  # the stack that freed it, if it is unknown what allocated it

    def alive(self, event):
        return (self.begin is None or self.begin <= event) and (self.end is None or self.end > event)

    def pending(self, event):
        return self.freed <= event if self.freed is not None else self.waits


def from_before(entry):
    """An allocation whose first known entry is the one that frees it; that stack is not the one that allocated it."""
    one = Allocation(entry["addr"], entry["size"], None, [], entry["stream"])
    one.given_back = entry.get("frames") or []
    return one


def stream_name(pointer):
    return "stream %#x" % (pointer & 0xFFFF_FFFF_FFFF_FFFF) if pointer else "default stream"


def replay(trace, segments):
    """Every allocation that occurs in the history or in the final state."""
    known, open_at = [], {}
    for at, entry in enumerate(trace):
        action, address = entry["action"], entry.get("addr")
        if action == "alloc":
            open_at[address] = Allocation(address, entry["size"], at, entry.get("frames") or [], entry["stream"])
            open_at[address].metadata = entry.get("user_metadata")
            known.append(open_at[address])
        elif action == "free_requested":
            if address not in open_at:
                open_at[address] = from_before(entry)
                known.append(open_at[address])
            open_at[address].freed = at
        elif action == "free_completed":
            if address not in open_at:
                known.append(from_before(entry))
                known[-1].waits = True
                open_at[address] = known[-1]
            open_at.pop(address).end = at
    for segment in segments:
        for block in segment["blocks"]:
            if not block["state"].startswith("active"):
                continue
            one = open_at.pop(block["address"], None)
            if one is None:
                one = Allocation(block["address"], block["requested_size"], None, block.get("frames") or [], segment["stream"])
                one.waits = block["state"] != "active_allocated"
                known.append(one)
            elif one.begin is None:
                one.stack = block.get("frames") or []
                one.given_back = [] if one.stack else one.given_back
            one.block, one.size = segment, block["requested_size"]
    return [one for one in known if one not in open_at.values()]  # leave out allocations that are neither freed nor in the final state


def is_python(frame):
    name = frame["filename"]
    return name.endswith(".py") or (name.startswith("<") and name.endswith(">"))


def is_folded(frame):
    name, file = frame["name"], frame["filename"]
    return not is_python(frame) and (any(part in name for part in FOLDED_NAMES) or any(part in file for part in FOLDED_FILES)
                                     or name.startswith(FOLDED_BEGINS) or name in FOLDED_WHOLE)


def frame_text(frame):
    text = frame["name"] or "(no name)"
    if frame["filename"] not in ("", "??"):
        text += " " + frame["filename"] + (":%d" % frame["line"] if frame["line"] > 0 else "")
    return text


def titled(path_of):
    """A path function that puts allocations of unknown origin below a row that says so, by the stack that freed them."""
    def path(one):
        if not one.given_back:
            return path_of(one.stack)
        below = path_of(one.given_back)
        return [GIVEN_BACK] + ([] if len(below) == 1 and below[0].startswith("(") else below)
    return path


def by_stack(stack):
    if not stack:
        return ["(no stack recorded)"]
    frames = [(frame["name"], frame["filename"], frame["line"]) for frame in reversed(stack) if not is_folded(frame)]
    texts = [frame_text(frame) for frame in reversed(stack) if not is_folded(frame)]
    path, at = [], 0
    while at < len(frames):
        run = 1
        while at + run < len(frames) and frames[at + run] == frames[at]:
            run += 1
        path += [texts[at]] * run if run < 3 else [texts[at], "<repeats %d times>" % (run - 1)]
        at += run
    return path or ["(runtime frames only)"]


def by_module(stack):
    path, caller = [], ""
    for frame in reversed(stack):
        if not is_python(frame):
            continue
        file = frame["filename"].replace("\\", "/")
        if frame["name"] == "forward" and not caller.endswith("torch/autograd/function.py"):
            base = file.rsplit("/", 1)[-1]
            path.append("torch.nn " + base.rsplit(".", 1)[0] if "torch/nn/modules/" in file else "%s:%d" % (base, frame["line"]))
        caller = file
    return path or ["(in no module)" if stack else "(no stack recorded)"]


def operator_of(frame):
    head = frame["name"]
    for stop in "(<":
        head = head.split(stop, 1)[0]
    parts = head.split("::")
    if is_python(frame) or len(parts) < 4:
        return None
    if parts[:2] == ["at", "_ops"] and parts[-1] in ("call", "redispatch"):
        return "aten::" + parts[-2]
    return parts[-2] if parts[:2] == ["torch", "autograd"] and parts[-1] == "apply" else None


def by_operator(stack):
    path = []
    for frame in reversed(stack):
        name = operator_of(frame)
        if name and path[-1:] != [name]:
            path.append(name)
    if path or not stack:
        return path or ["(no stack recorded)"]
    innermost = next((frame for frame in stack if not is_folded(frame)), None)
    file = innermost["filename"].replace("\\", "/") if innermost else ""
    if innermost and is_python(innermost) and ("/torch/" in file or file.startswith("torch/")):
        module = file if file.startswith("torch/") else "torch/" + file.rsplit("/torch/", 1)[1]
        return [module[:-3].replace("/", ".") + "." + innermost["name"]]
    return ["(in no operator)"]


def by_size(one):
    shift = max(9, (max(one.size, 1) - 1).bit_length())
    return ["up to %d %s" % (1 << shift % 10, ("B", "KiB", "MiB", "GiB", "TiB")[shift // 10])]


def pool_name(pool):
    return "default pool" if pool == (0, 0) else "pool (%d, %d)" % pool


def by_pool(segments, has_pools):
    def path(one):
        if one.block is not None:
            return [pool_name(one.block.get("segment_pool_id", (0, 0)))]
        assert not has_pools
        for segment in segments:
            if segment["address"] <= one.address < segment["address"] + segment["total_size"]:
                return [pool_name(segment.get("segment_pool_id", (0, 0)))]
        return ["unknown"]
    return path


def module_files(stacks):
    """The files in which a module's forward ran."""
    files = set()
    for stack in stacks:
        caller = ""
        for frame in filter(is_python, reversed(stack)):
            file = frame["filename"].replace("\\", "/")
            if frame["name"] == "forward" and not caller.endswith("torch/autograd/function.py"):
                files.add(file)
            caller = file
    return files


def stacks_of(segments, traces):
    for entries in [*traces, segments, *(segment["blocks"] for segment in segments)]:
        for entry in entries:
            yield entry.get("frames") or []


def wildcards(pattern):
    return re.escape(pattern.strip()).replace("\\*", "[^\n]*")


class Rules:
    """Determines the category of allocations of one device by the rules that the program prints."""

    KEYS = {"name", "category", "comment", "allocated_in", "also_allocated_in", "not_allocated_in", "freed_in", "not_freed_in", "replaced_in", "lives_through",
            "lives_through_oom", "freed", "begun", "same_call", "continued", "at_most_events", "at_least_bytes", "at_most_bytes", "inferred", "sized_like", "not_sized_like",
            "at_most_each"}

    def __init__(self, text, trace, allocations, modules=frozenset(), annotations=()):
        rules = json.loads(text)
        self.rules, self.sets, self.known, self.trace, self.modules = rules["rules"], {}, {}, trace, modules
        assert all(set(rule) <= self.KEYS for rule in self.rules)
        self.alloc_stacks, self.free_stacks = (any(entry.get("frames") for entry in trace if (entry["action"] == "alloc") == wanted) for wanted in (True, False))
        named = {}
        for name, patterns in rules["sets"].items():
            named[name] = [re.compile(wildcards(pattern[7:-1])) for pattern in patterns if pattern.startswith("<range ")]
            frames = [pattern for pattern in patterns if not pattern.startswith("<")]
            self.sets[name] = ("<no frames>" in patterns, self.compiled(pattern for pattern in frames if not pattern.startswith("! ")),
                               self.compiled(pattern[2:] for pattern in frames if pattern.startswith("! ")))
        self.ranges = self.marked(annotations, named)
        self.allocs = {name: [at for at, entry in enumerate(trace) if entry["action"] == "alloc" and name in self.sets_at(at)]
                       for name in {name for rule in self.rules for name in rule.get("lives_through", ())}}
        self.replaced = {names: self.replaced_in(set(names), allocations) for names in {tuple(rule["replaced_in"]) for rule in self.rules if "replaced_in" in rule}}
        self.ooms = [at for at, entry in enumerate(trace) if entry["action"] == "oom"]
        self.starts = {name: [next((at for at, entry in enumerate(trace) if entry.get("time_us", -1) >= begin), None) for begin, _, names in self.ranges if name in names]
                       for name in self.sets}
        self.infer(allocations)

    @staticmethod
    def compiled(patterns):
        """A pair of expressions for "function\\nfile": for any file, and for files of modules."""
        parts = [[], []]
        for pattern in patterns:
            function, _, file = pattern.partition(" @ ")
            of_modules = file.strip() == "<module file>"
            parts[of_modules].append("(?:%s\n%s)" % (wildcards(function), wildcards("*" if of_modules else file or "*")))
        return [re.compile("|".join(part) or "(?!)") for part in parts]

    @staticmethod
    def marked(annotations, named):
        """(begin, end, names of sets) of the ranges that the program marked, in µs, without those in which another kind starts."""
        ranges, open_at = [], collections.defaultdict(list)
        for mark in annotations:
            names = {name for name, patterns in named.items() if any(pattern.fullmatch(mark["name"]) for pattern in patterns)}
            if names and mark["stage"] == "START":
                ranges.append([mark["time_us"], float("inf"), names])
                open_at[mark["device"], mark["name"]].append(ranges[-1])
            elif names and mark["stage"] == "END" and open_at[mark["device"], mark["name"]]:
                open_at[mark["device"], mark["name"]].pop()[1] = mark["time_us"]
        return [one for one in ranges if not any(other[2] != one[2] and one[0] < other[0] < one[1] for other in ranges)]

    def infer(self, allocations):
        """Applies the rules that know nothing but sizes, after all others."""
        blank = [one for one in allocations if self.path(one)[1] == "from before the history, without a stack" and one.freed is None and one.end is None]
        by_size = collections.defaultdict(list)
        for one in blank:
            by_size[one.size].append(one)

        def at_once(category):
            changes, most = collections.defaultdict(list), {}
            for one in allocations:
                if one.category[0] == category:
                    gone = one.freed if one.freed is not None else one.end
                    changes[one.size] += [(-1 if one.begin is None else one.begin, 1)] + ([(gone, -1)] if gone is not None else [])
            for size, of_size in changes.items():
                now = most[size] = 0
                for _, change in sorted(of_size):
                    now += change
                    most[size] = max(most[size], now)
            return most

        found = []
        for rule in self.rules:
            if "sized_like" not in rule:
                continue
            like, own, never = at_once(rule["sized_like"]), at_once(rule["category"]), at_once(rule.get("not_sized_like"))
            total = sum(size * count for size, count in like.items())
            covered = sum(size * min(count, len(by_size.get(size, ())) + own.get(size, 0)) for size, count in like.items())
            if not total or covered / total < 0.9:
                continue
            text = "%s (fits %d %% of the %s bytes)" % (rule["name"], int(covered / total * 100), rule["sized_like"])
            for size, those in by_size.items():
                if size > 0 and len(those) <= rule.get("at_most_each", 1) * like.get(size, 0) - own.get(size, 0) and not never.get(size) and size not in dict(found):
                    found.append((size, [rule["category"] + " (inferred)", text]))
        for size, category in found:
            for one in by_size[size]:
                one.category = category

    def sets_at(self, at):
        """The sets of an event."""
        entry = self.trace[at]
        if entry.get("frames"):
            return self.sets_of(entry["frames"])
        marked = {name for begin, end, names in self.ranges for name in names if begin <= entry.get("time_us", -1) <= end}
        if marked:
            return marked
        any_stack = self.alloc_stacks if entry["action"] == "alloc" else self.free_stacks
        return {name for name, parts in self.sets.items() if parts[0]} if any_stack else set()

    def sets_of(self, frames):
        found, without = set(), set()
        for frame in frames:
            file = frame["filename"].replace("\\", "/")
            key = frame["name"] + "\n" + file
            if key not in self.known:
                pairs = [(name, [any(pattern.fullmatch(key) for pattern in pair[:1 + (file in self.modules)]) for pair in parts[1:]]) for name, parts in self.sets.items()]
                self.known[key] = [{name for name, matches in pairs if matches[kind]} for kind in (0, 1)]
            found |= self.known[key][0]
            without |= self.known[key][1]
        return found - without

    def replaced_in(self, names, allocations):
        """The ids of allocations from before the history that were freed by a call which also allocated as many of the same size that
        remain."""
        call_of, calls, before = [None] * len(self.trace), 0, False
        waiting = []
        for at, entry in enumerate(self.trace):
            waiting.append(at)
            if not entry.get("frames"):
                continue
            inside = bool(self.sets_of(entry["frames"]) & names)
            calls += inside and not before
            if inside:
                for one in waiting if before else [at]:
                    call_of[one] = calls
            before, waiting = inside, []
        given, kept = collections.defaultdict(list), collections.defaultdict(list)
        for one in allocations:
            gone = one.freed if one.freed is not None else one.end
            gave = call_of[gone] if gone is not None else None
            made = call_of[one.begin] if one.begin is not None else None
            if one.begin is None and gave:
                given[gave].append(one)
            elif made and made != gave:
                kept[made].append(one.size)
        return {id(one) for call, those in given.items() if sum(kept[call]) < 2 * sum(one.size for one in those)
                for one in those if kept[call].count(one.size) >= [other.size for other in those].count(one.size)}

    @staticmethod
    def same_call(allocated, freed):
        outer = allocated[::-1]
        depth = next((at + 1 for at, frame in enumerate(outer) if operator_of(frame)), None)
        if depth is None:
            return bool(allocated) and all(map(is_python, allocated)) and stack_key(allocated) == stack_key(freed)
        return stack_key(outer[:depth]) == stack_key(freed[::-1][:depth])

    def continued(self, begin):
        """True if the next allocation has the same stack, but for one line that is further down."""
        following = next((entry for entry in self.trace[begin + 1:] if entry["action"] == "alloc"), None) if begin is not None else None
        a, b = stack_key(self.trace[begin].get("frames") or []) if following else [], stack_key(following.get("frames") or []) if following else []
        other = [(x, y) for x, y in zip(a, b) if x != y] if len(a) == len(b) else []
        return len(other) == 1 and other[0][0][:2] == other[0][1][:2] and other[0][0][2] < other[0][1][2]

    def path(self, one):
        if not hasattr(one, "category"):
            one.category = self.judge(one)
        return one.category

    def judge(self, one):
        begin, freed = one.begin, one.freed if one.freed is not None else one.end
        stack = one.stack if begin is not None or one.block is not None else []
        free_stack = (self.trace[freed].get("frames") or []) if freed is not None else []
        made = self.sets_at(begin) if begin is not None else self.sets_of(stack)
        given = self.sets_at(freed) if freed is not None else set()

        def between(events):
            return any((begin is None or at > begin) and (freed is None or at < freed) for at in events)

        def starts_in(starts):
            return any(at is not None and (begin is None or at > begin) and (freed is None or at <= freed) for at in starts)

        for rule in self.rules:
            if "sized_like" in rule:
                continue
            tests = {
                "allocated_in": lambda names: made & set(names), "also_allocated_in": lambda names: made & set(names),
                "not_allocated_in": lambda names: not made & set(names), "freed_in": lambda names: given & set(names),
                "replaced_in": lambda names: id(one) in self.replaced[tuple(names)],
                "not_freed_in": lambda names: not given & set(names), "lives_through": lambda names: any(between(self.allocs[name]) or starts_in(self.starts[name]) for name in names),
                "at_least_bytes": lambda least: one.size >= least, "at_most_bytes": lambda most: one.size <= most,
                "lives_through_oom": lambda wanted: wanted == (freed is not None and between(self.ooms)),
                "begun": lambda wanted: wanted == (begin is not None), "freed": lambda wanted: wanted == (freed is not None),
                "at_most_events": lambda most: begin is not None and freed is not None and freed - begin <= most,
                "continued": lambda wanted: wanted == self.continued(begin),
                "same_call": lambda wanted: wanted == (begin is not None and freed is not None and self.same_call(stack, free_stack)),
            }
            if all(tests[key](value) for key, value in rule.items() if key in tests):
                return [rule["category"] + (" (inferred)" if rule.get("inferred") else ""), rule["name"]]
        return ["unknown", "from before the history, without a stack" if begin is None and not stack else "no rule applies"]


def stack_key(frames):
    return [(frame["name"], frame["filename"], frame["line"]) for frame in frames]


def grouped(alive, event, path_of):
    """(bytes, pending bytes, allocations, own bytes) by path."""
    tree = {}
    for one in alive:
        path = tuple(path_of(one))
        for depth in range(1, len(path) + 1):
            node = tree.setdefault(path[:depth], [0, 0, 0, 0])
            node[0] += one.size
            node[1] += one.size if one.pending(event) else 0
            node[2] += 1
            node[3] += one.size if depth == len(path) else 0
    return {path: tuple(node) for path, node in tree.items()}


def tree_of(rows, by):
    tree, path, before = {}, [], {}
    for row in rows:
        del path[row["depth"]:]
        if len(path) != row["depth"]:
            raise ValueError("depth %d follows depth %d" % (row["depth"], len(path)))
        siblings = tuple(path)
        rank = (-row["bytes"], row[by].encode())
        if siblings in before and before[siblings] > rank:
            raise ValueError("%r is not in order" % row[by])
        before[siblings] = rank
        path.append(row[by])
        assert tuple(path) not in tree, "%r occurs twice" % (path,)
        tree[tuple(path)] = (row["bytes"], row["pending_bytes"], row["allocations"], row["own_bytes"])
        for deeper in [key for key in before if len(key) > row["depth"]]:
            del before[deeper]
    return tree


class Checker:
    def __init__(self, cli, path):
        self.cli, self.path = cli, path

    def run(self, *words):
        done = subprocess.run(self.cli + ["memory", *words], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
        if done.returncode:
            raise ValueError("%s: exit %d: %s" % (" ".join(words), done.returncode, done.stderr.strip()))
        return done.stdout

    def ask(self, *options):
        return json.loads(self.run(str(self.path), "--format", "json", *options))

    def check_difference(self, device, moments, allocations, by, path_of):
        (at, event), (later, later_event) = moments
        rows = json.loads(self.run("diff", str(self.path), "--format", "json", "--device", str(device), "--from", at, "--to", later, "--by", by))
        before, after = (grouped([one for one in allocations if one.alive(when)], when, path_of) for when in (event, later_event))
        wanted = {}
        for path in before.keys() | after.keys():
            old, new = before.get(path), after.get(path)
            change = (new or (0,))[0] - (old or (0,))[0]
            state = "new" if not old else "gone" if not new else "grown" if change > 0 else "shrunk" if change < 0 else "unchanged"
            wanted[path] = (change, state, (old or (0,))[0], (new or (0,))[0], (old or (0, 0, 0))[2], (new or (0, 0, 0))[2])
        found, path = {}, []
        for row in rows:
            del path[row["depth"]:]
            path.append(row[by])
            found[tuple(path)] = tuple(row[key] for key in ("change_bytes", "state", "before_bytes", "after_bytes", "before_allocations", "after_allocations"))
        if found == wanted and len(found) == len(rows):
            return []
        other = sorted(key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key))
        return ["device %d from %s to %s by %s: %d nodes differ; the first is %r: %r, not %r" % (device, at, later, by, len(other), other[0], found.get(other[0]), wanted.get(other[0]))]

    def check_instant(self, device, at, event, allocations, groupings):
        """Compares one instant: after the event `event`, or before the first one if it is −1."""
        alive = [one for one in allocations if one.alive(event)]
        wanted = sorted(("0x%x" % one.address, one.size, "active_pending_free" if one.pending(event) else "active_allocated", one.begin, one.freed, one.end,
                         stream_name(one.stream)) for one in alive)
        options = ["--device", str(device), "--at", at]
        rows = self.ask(*options, "--by", "allocation")
        found = sorted((row["address"], row["bytes"], row["state"], row["begin_event"], row["freed_event"], row["end_event"], row["stream"]) for row in rows)
        lines = []
        if [tuple(str(x) for x in one) for one in found] != [tuple(str(x) for x in one) for one in wanted]:
            lines.append("device %d at %s: %d are alive, not %d; the first difference is %s" % (device, at, len(found), len(wanted),
                                                                                 next((pair for pair in zip(found, wanted) if pair[0] != pair[1]), "beyond")))
        if rows and rows[0]["event"] != (event if event >= 0 else None):
            lines.append("device %d at %s: event %r, not %d" % (device, at, rows[0]["event"], event))
        for by, path_of in groupings.items():
            found, wanted = tree_of(self.ask(*options, "--by", by), by), grouped(alive, event, path_of)
            if found != wanted:
                other = sorted(key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key))
                lines.append("device %d at %s by %s: %d nodes differ; the first is %r: %r, not %r" % (device, at, by, len(other), other[0], found.get(other[0]), wanted.get(other[0])))
        return lines

    def check(self, instants, seed):
        snapshot = PlainData(io.BytesIO(pickle_of(self.path))).load()
        segments = snapshot if isinstance(snapshot, list) else snapshot["segments"]
        traces = [] if isinstance(snapshot, list) else snapshot["device_traces"]
        has_pools = any("pool_id" in entry for trace in traces for entry in trace)
        chosen = random.Random(seed)
        times = [entry["time_us"] for trace in traces for entry in trace if "time_us" in entry]
        jobs, differences, unknown = [], [], []
        modules = module_files(stacks_of(segments, traces))
        annotations = snapshot.get("external_annotations", ()) if isinstance(snapshot, dict) else ()
        for device in sorted({segment["device"] for segment in segments} | {at for at, trace in enumerate(traces) if trace}):
            trace = traces[device] if device < len(traces) else []
            mine = [segment for segment in segments if segment["device"] == device]
            allocations = replay(trace, mine)
            groupings = {"stack": titled(by_stack), "module": titled(by_module), "operator": titled(by_operator), "size": by_size, "pool": by_pool(mine, has_pools),
                         "stream": lambda one: [stream_name(one.stream)], "metadata": lambda one: [one.metadata or "(none recorded)"], "category": Rules(self.run("rules"), trace, allocations, modules, annotations).path}
            moments = [("begin", -1), ("end", len(trace) - 1)]
            level = peak = sum(one.size for one in allocations if one.alive(-1) and not one.pending(-1))
            peak_event = -1
            for at, entry in enumerate(trace):
                level += entry["size"] if entry["action"] == "alloc" else -entry["size"] if entry["action"] == "free_requested" else 0
                if level > peak:
                    peak, peak_event = level, at
            moments.append(("peak", peak_event))
            moments += [("oom", at) for at, entry in enumerate(trace) if entry["action"] == "oom"][:1]
            moments += [("#%d" % at, at) for at in sorted(chosen.sample(range(len(trace)), min(instants, len(trace))))]
            if trace and "time_us" in trace[0]:
                at = chosen.randrange(len(trace))
                after = trace[at]["time_us"] - min(times)  # all devices share one clock
                moments.append(("%dus" % after, max(other for other, entry in enumerate(trace) if entry["time_us"] <= trace[at]["time_us"])))
            jobs += [(device, at, event, allocations, groupings) for at, event in moments]
            alive = [one for one in allocations if one.alive(peak_event)]
            blank = sum(one.size for one in alive if groupings["category"](one)[0] == "unknown")
            unknown.append("%.1f %%" % (100 * blank / max(1, sum(one.size for one in alive))))
            pairs = list(zip(moments, moments[1:]))[:12]
            differences += [(device, pair, allocations, by, groupings[by]) for at, pair in enumerate(pairs) for by in (("stack", "category") if at % 2 else ("operator", "size"))]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda job: self.check_instant(*job), jobs)) + list(pool.map(lambda job: self.check_difference(*job), differences))
        return len(jobs), unknown, [line for lines in results for line in lines]


def add_options(parser):
    parser.add_argument("--instants", type=int, default=50, help="number of random events per device")
    parser.add_argument("--seed", type=int, default=1)


def main():
    files = real_files.RealFiles(__doc__, ("memsnap",), add_options)
    failed = instants = 0
    for path in files.paths:
        try:
            count, unknown, lines = Checker(files.cli, path).check(files.options.instants, files.options.seed)
        except ValueError as error:
            count, unknown, lines = 0, [], [str(error)]
        instants += count
        real_files.report(files.name(path), lines[:10], "%3d instants, unknown at the peak: %s  " % (count, ", ".join(unknown)))
        failed += bool(lines)
    print("%d snapshots, %d instants, %d differ" % (len(files.paths), instants, failed))
    if not files.paths and not files.options.filter:
        print("SKIPPED: The folder contains no snapshots. Nothing was compared.", file=sys.stderr)
        sys.exit(real_files.SKIPPED)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
