#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a trace, as Paddle's profiler does, of which that profiler's tables say what the example in PaddleFleetX's
documentation of a GPT pre-training shows: four steps, the first of them far longer than the others.

    make.py PATH
"""
import sys

ORIGIN = 1_680_000_000_000_123_457  # ns; not a whole microsecond
MS = 1_000_000


def ms(text):
    whole, fraction = text.split(".")
    return int(whole) * MS + int(fraction.ljust(6, "0"))


def shared(total, count):
    """So many whole numbers, as equal as can be."""
    return [total // count + (1 if index < total % count else 0) for index in range(count)]


def calls(count, total, longest, shortest):
    """Durations of which these are the figures."""
    total, longest, shortest = ms(total), ms(longest), ms(shortest)
    rest = shared(total - longest - shortest, count - 2)
    assert all(shortest <= one <= longest for one in rest)
    return [longest, *rest, shortest]


STEPS = [ms("14114.470000"), ms("757.270000"), ms("1859.650000"), ms("1859.650000")]
# For each step: the time on the host, and the time of kernels launched inside. The last one is the time outside all stages.
STAGES = [
    [("Dataloader", "0.85", "0"), ("Forward", "133.28", "89.2"), ("Forward", "91.525", "89.2"), ("Backward", "168.29", "426.97"),
     ("Optimization", "89.07", "27.09"), (None, None, "2221.15")],
    [("Dataloader", "0.16", "0"), ("Forward", "49.03", "4.72"), ("Forward", "91.525", "174.91"), ("Backward", "167.52", "424.10"),
     ("Optimization", "73.78", "27.06"), (None, None, "51.25")],
    [("Dataloader", "0.18", "0"), ("Forward", "91.525", "89.2"), ("Forward", "91.525", "89.2"), ("Backward", "168.006", "425.23"),
     ("Optimization", "76.53", "27.06"), (None, None, "63.934")],
    [("Dataloader", "0.18", "0"), ("Forward", "91.525", "89.23"), ("Forward", "91.525", "89.17"), ("Backward", "168.006", "425.23"),
     ("Optimization", "76.53", "27.06"), (None, None, "63.934")],
]
KERNELS = [
    ("ncclKernel_AllReduce_RING_LL_Sum_half(ncclWorkElem)", 96, "2360.57", "2202.54", "0.46"),
    ("volta_fp16_s884gemm_fp16_256x128_ldg8_f2f_nn", 384, "263.96", "0.79", "0.59"),
    ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_stages_32x1_tn", 384, "241.74", "0.84", "0.22"),
    ("void paddle::operators::VectorizedRandomGenerator<phi::dtype::float16, unsigned char>(unsigned long, int)", 580, "209.08", "0.97", "0.06"),
    ("volta_h884gemm_64x128_ldg8_nn", 288, "203.89", "0.92", "0.57"),
    ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", 384, "199.35", "0.83", "0.22"),
    ("volta_h884gemm_256x64_ldg8_tn", 288, "149.52", "0.54", "0.45"),
    ("void phi::funcs::VectorizedBroadcastKernel<phi::dtype::float16, phi::dtype::float16, phi::kps::IdentityFunctor<float>, 2>(int)", 1352,
     "123.12", "0.40", "0.05"),
    ("void paddle::operators::SoftmaxMaskFuseUpperTriangleGPUKernel<phi::dtype::float16, 10>(long)", 192, "122.37", "0.66", "0.60"),
    ("void cutlass::Kernel<cutlass_70_tensorop_f16_s884gemm_f16_256x128_nt_align8>(int (*)(int))", 100, "103.07", "8.08", "0.73"),
    ("void phi::funcs::VectorizedElementwiseKernel<phi::dtype::float16, paddle::operators::CudaGeluFunctor<float>, 1>(float)", 292,
     "90.80", "0.83", "0.06"),
    ("volta_h884gemm_64x128_ldg8_nt", 192, "79.76", "0.43", "0.40"),
    ("void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<float> > > >(int)", 576,
     "75.36", "0.20", "0.07"),
]
ALL_KERNELS, BROADCASTS = 16_092, 96
LAUNCH = 2_000  # ns a runtime call that launches something takes


class Writer:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")
        self.file.write('{"displayTimeUnit":"ms","schemaVersion":"1.0.1","span_indx":"0","traceEvents":[\n')
        self.correlation = 0

    def slice(self, name, category, pid, tid, start, duration, more=""):
        text = '{"name":"%s[%d.%03d us]","pid":%d,"tid":%s,"ts":%d,"dur":%d.%03d,"ph":"X","cat":"%s","args":{"start_time":"%d.%03d us"%s}},\n'
        self.file.write(text % (name, *divmod(duration, 1000), pid, tid, (ORIGIN + start) // 1000, *divmod(duration, 1000), category,
                                *divmod(start, 1000), more))

    def host(self, name, category, start, duration, thread=100, side="C++", more=""):
        self.slice(name, category, 7, '"%d(%s)"' % (thread, side), start, duration, more)

    def launched(self, name, category, at, start, duration, stream):
        """Something on the device, and the call that launched it."""
        self.correlation += 1
        more = ',"correlation id":%d' % self.correlation
        self.host("cudaLaunchKernel", "CudaRuntime", at, LAUNCH, more=more)
        self.slice(name, category, 0, str(stream), start, duration, ',"device":0,"context":1,"stream":%d%s' % (stream, more))

    def end(self):
        self.file.write('{}],"ExtraInfo":{"100":"MainThread"}}\n')
        self.file.close()


def packed_kernels():
    """The kernels of each stage of each step: names and durations whose sums are the stages' figures."""
    room = {}
    for step, stages in enumerate(STAGES):
        for stage, (_, _, kernels) in enumerate(stages):
            if kernels != "0":
                room[step, stage] = ms(kernels)
    held = {key: [] for key in room}
    named = [(duration, name) for name, *figures in KERNELS for duration in calls(*figures)]
    named += [(duration, "ncclKernel_Broadcast_RING_LL_Sum_half(ncclWorkElem)") for duration in shared(ms("2.56"), BROADCASTS)]
    fillers = ALL_KERNELS - len(named)
    for duration, name in sorted(named, reverse=True):
        key = max(room, key=room.get)
        room[key] -= duration
        held[key].append((name, duration))
    assert min(room.values()) > MS, room
    for key, count in zip(room, shared(fillers, len(room))):
        held[key] += [("filler_%02d" % (index % 40), duration) for index, duration in enumerate(shared(room[key], count))]
    return held


def chain(out, name, category, count, total, start, thread):
    """So many slices that never overlap."""
    for duration in shared(total, count):
        out.host(name, category, start, duration, thread)
        start += duration + 1_001
    return start


def main():
    out = Writer(sys.argv[1])
    kernels = packed_kernels()
    copies = shared(ms("3617.26"), 4278)
    sets = shared(ms("2.31"), 780)
    start = device = copying = setting = 0
    for step, length in enumerate(STEPS):
        out.host("ProfileStep#%d" % (step + 1), "ProfileStep", start, length, side="Python")
        at = start + 1_777
        for stage, (name, host, _) in enumerate(STAGES[step]):
            begin = at
            if name:
                out.host(name, name, begin, ms(host if "." in host else host + ".0"), side="Python")
            at += 1_003
            for kernel, duration in kernels.get((step, stage), []):
                device = max(device, at + LAUNCH)
                out.launched(kernel, "Kernel", at, device, duration, 13)
                device += duration
                at += LAUNCH + 101
            if name:
                assert at < begin + ms(host)
                at = begin + ms(host) + 1_009
        if step == 0:
            for duration in copies:
                copying = max(copying, at + LAUNCH)
                out.launched("MEMCPY_HtoD", "Memcpy", at, copying, duration, 14)
                copying += duration
                at += LAUNCH + 101
            for duration in sets:
                setting = max(setting, at + LAUNCH)
                out.launched("MEMSET", "Memset", at, setting, duration, 15)
                setting += duration
                at += LAUNCH + 101
            # The rest happens on other threads, while this one does nothing.
            runtime = ms("8555.11") - (ALL_KERNELS + len(copies) + len(sets)) * LAUNCH
            ends = [chain(out, "cudaEventQuery", "CudaRuntime", 87_527 - ALL_KERNELS - len(copies) - len(sets), runtime, at, 101),
                    chain(out, "matmul dygraph", "Operator", 21_912, ms("1883.11"), at, 102),
                    chain(out, "matmul pybind_imperative_func", "UserDefined", 13_116, ms("1841.33"), at, 103),
                    chain(out, "matmul compute", "OperatorInner", 33_668, ms("1018.39"), at, 104)]
            assert max(ends) < start + length
        assert at < start + length
        start += length
    out.end()


if __name__ == "__main__":
    main()
