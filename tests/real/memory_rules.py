# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Applies the rules that `riffle-cli memory rules` prints, independently of the model."""
import collections
import json
import re

from memory_groups import is_python, operator_of


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
