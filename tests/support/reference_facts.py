# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of slices, and the owners of device work, for summary_reference.py, which has the definitions."""
import bisect
import collections
import re
from fractions import Fraction

import reference

KERNELS, MEMCPYS, MEMSETS = {"kernel", "mtia_ccp_events"}, {"gpu_memcpy", "memcpy"}, {"gpu_memset", "memset"}
OPERATORS = {"cpu_op", "operator", "operatorinner"}
FRAMES = {"python_function", "python"}
ANNOTATIONS = {"user_annotation", "userdefined", "pythonuserdefined", "pythonop", "forward", "backward", "optimization",
               "communication"}
STEP_CATEGORIES = {"user_annotation", "profilestep"} | OPERATORS
STEP = re.compile(r"(?:ProfilerStep|ProfileStep)(?:#([0-9]+))?")
DATALOADER = re.compile(r"enumerate\(DataLoader\)#.*__next__\Z|enumerate\(DataPipe\)#", re.DOTALL)
OPTIMIZER = "Optimizer."
COLLECTIVE_KERNEL = re.compile(r"nccl|rccl|hccl|oneccl|mccl"
                               r"|^[^(]*?((inter|intra)node(_ll)?::(?!get_dispatch_layout)\w+|nvshmem|cross_device_reduce)"
                               r"|multimem_all_|(one|two)_shot_all_reduce", re.IGNORECASE)
HOST_COLLECTIVE = ("gloo:", "mpi:")
COLLECTIVE_OPERATOR = re.compile(r"c10d::|nccl:|gloo:|symm_mem::(?!fused_)")
BLOCKING = re.compile(r".*Synchronize|(?:cuda|hip|cu)Memcpy(?!.*Async)", re.DOTALL)
OCCUPANCY_KEYS = ("est. achieved occupancy %", "theoretical occupancy %", "theoretical achieved occupancy %")


# -------------------------------------------------------------------------------------------------------------- intervals

def merged(intervals):
    """The union as sorted, disjoint, non-empty intervals; intervals that touch are joined."""
    result = []
    for begin, end in sorted(intervals):
        if begin >= end:
            continue
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([begin, end])
    return [tuple(span) for span in result]


def intersection(a, b):
    """The intersection of two merged lists."""
    result, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        begin, end = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if begin < end:
            result.append((begin, end))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return result


def difference(a, b):
    """The part of the merged list a that is not in the merged list b."""
    result, j = [], 0
    for begin, end in a:
        while j < len(b) and b[j][1] <= begin:
            j += 1
        k = j
        while k < len(b) and b[k][0] < end:
            if begin < b[k][0]:
                result.append((begin, b[k][0]))
            begin = max(begin, b[k][1])
            k += 1
        if begin < end:
            result.append((begin, end))
    return result


def length(spans):
    return sum(end - begin for begin, end in spans)


def half_even(value):
    """A Fraction as an integer."""
    return round(value)


def number(value):
    """A JSON number as a Fraction or float infinity; None if it is not a number."""
    if isinstance(value, bool) or isinstance(value, str):
        return float("inf") if value in ("inf", "Infinity", "+inf") else None
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        return None


# ------------------------------------------------------------------------------------------------------------------ facts

class Facts:
    """The trace with a kind for each slice, and the links between host and device."""

    def __init__(self, trace):
        self.trace = trace
        self.kind = {}
        by_kind = collections.defaultdict(list)
        for s in trace.slices:
            kind = self.kind[s.order] = self._kind(s)
            by_kind[kind].append(s)
        self.by_kind = by_kind
        self.calls = by_kind["runtime"] + by_kind["waiting"]
        self.operators = by_kind["operator"]
        self.frames = by_kind["frame"]
        self.work = sorted(by_kind["kernel"] + by_kind["memcpy"] + by_kind["memset"], key=lambda s: (s.start, s.order))
        self._link()
        self.communication = {s.order for s in by_kind["kernel"] if self._communicates(s)}
        self.begin = min((s.start for s in trace.slices), default=0)
        self.end = max((s.end for s in trace.slices), default=0)
        self.devices = collections.defaultdict(list)
        for s in self.work:
            self.devices[self.device_of(s)].append(s)

    def args(self, s):
        args = self.trace.document.events[s.order].get("args")
        return args if isinstance(args, dict) else {}

    @staticmethod
    def _kind(s):
        category = s.category.lower()
        if s.device:
            for kind, categories in (("kernel", KERNELS), ("memcpy", MEMCPYS), ("memset", MEMSETS)):
                if category in categories:
                    return "memcpy" if s.name == "dma_request" else kind
            return "stream mark"
        if s.lane[0] != "host":
            return "other"
        if not category and s.pid == "CPU functions":
            category = "cpu_op"  # PyTorch's first profiler wrote no categories
        if category in STEP_CATEGORIES and STEP.match(s.name):
            return "step"
        if category == "dataloader" or (category in OPERATORS | ANNOTATIONS and DATALOADER.match(s.name)):
            return "dataloader"
        if category in ANNOTATIONS or category in OPERATORS and s.name.startswith(OPTIMIZER):
            return "annotation"
        if category in OPERATORS:
            return "operator"
        if category in FRAMES:
            return "frame"
        if category in ("runtime", "driver", "cudaruntime") or category.endswith(("_runtime", "_driver")):
            return "waiting" if BLOCKING.match(s.name) else "runtime"
        return "other"

    def _link(self):
        """Finds launches by correlation, and operators by nesting or, failing that, by External id."""
        launches = {}
        for s in sorted(self.calls, key=lambda s: (s.start, s.order)):
            if s.correlation not in ("", "0"):
                launches.setdefault(s.correlation, s)
        by_external = collections.defaultdict(list)
        for s in self.operators:
            by_external[s.external_id].append(s)
        self.launch, self.owner, self.launched = {}, {}, collections.defaultdict(list)
        self.around = {}
        for s in self.work:
            launch = launches.get(s.correlation)
            self.launch[s.order] = launch
            owner = None
            if launch is not None:
                self.launched[launch.order].append(s)
                owner = self.operator_around(launch)
            elif s.external_id not in ("", "0") and len(by_external[s.external_id]) == 1:
                owner = by_external[s.external_id][0]
            self.owner[s.order] = owner

    def ancestors(self, s):
        while s.parent is not None:
            s = s.parent
            yield s

    def operator_around(self, s):
        return next((p for p in self.ancestors(s) if self.kind[p.order] == "operator"), None)

    def _communicates(self, s):
        if COLLECTIVE_KERNEL.search(s.name) or "Collective name" in self.args(s):
            return True
        owner = self.owner[s.order]
        return owner is not None and bool(COLLECTIVE_OPERATOR.match(owner.name))

    def device_of(self, s):
        device = self.args(s).get("device")
        return device if isinstance(device, int) and not isinstance(device, bool) else s.pid

    def stream_of(self, s):
        return s.lane[2]

    def spans(self, slices):
        return merged((s.start, s.end) for s in slices)

    def compute_kernels(self):
        return [s for s in self.by_kind["kernel"] if s.order not in self.communication]

    def communication_kernels(self):
        return [s for s in self.by_kind["kernel"] if s.order in self.communication]

    def occupancy(self, s):
        """The value as a ratio; None if it is not recorded or negative."""
        args = self.args(s)
        value = next((number(args[key]) for key in OCCUPANCY_KEYS if key in args), None)
        return value / 100 if value is not None and value >= 0 else None

    def blocks_per_sm(self, s):
        value = number(self.args(s).get("blocks per SM"))
        return value if value is not None and value >= 0 else None


def first_at_or_after(slices, starts, time):
    at = bisect.bisect_left(starts, time)
    return slices[at] if at < len(slices) else None


def read(path):
    return Facts(reference.read(path))
