#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a trace, as Paddle's profiler does, whose operators have the figures of the example in PaddleFleetX's documentation
of a GPT pre-training, as far as it shows them; the rest is made so that shares and widths of columns are those.

    make.py PATH
"""
import sys

ORIGIN = 1_680_000_000_000_123_457  # ns; not a whole microsecond
MS = 1_000_000


def ms(number):
    return round(number * MS)


def shared(total, count):
    """So many whole numbers, as equal as can be."""
    return [total // count + (1 if index < total % count else 0) for index in range(count)]


def calls(count, total, longest, shortest):
    """Durations of which these are the figures: the longest first, the shortest last."""
    rest = shared(ms(total) - ms(longest) - ms(shortest), count - 2)
    assert all(ms(shortest) <= one <= ms(longest) for one in rest)
    return [ms(longest), *rest, ms(shortest)]


class Writer:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")
        self.file.write('{"displayTimeUnit":"ms","schemaVersion":"1.0.1","span_indx":"0","traceEvents":[\n')
        self.correlation = 0
        self.device = 0

    def slice(self, name, category, pid, tid, start, duration, more=""):
        text = '{"name":"%s[%d.%03d us]","pid":%d,"tid":%s,"ts":%d,"dur":%d.%03d,"ph":"X","cat":"%s","args":{"start_time":"%d.%03d us"%s}},\n'
        self.file.write(text % (name, *divmod(duration, 1000), pid, tid, (ORIGIN + start) // 1000, *divmod(duration, 1000), category,
                                *divmod(start, 1000), more))

    def host(self, name, category, start, duration, more=""):
        self.slice(name, category, 7, '"100(C++)"', start, duration, more)
        return start + duration

    def launch(self, name, at, duration, category="Kernel"):
        """A runtime call of 300 ns, and what it launches."""
        self.correlation += 1
        more = ',"correlation id":%d' % self.correlation
        self.host("cudaLaunchKernel", "CudaRuntime", at, 300, more)
        self.device = max(self.device, at + 300)
        self.slice(name, category, 0, "13", self.device, duration, ',"device":0,"context":1,"stream":13%s' % more)
        self.device += duration

    def end(self):
        self.file.write('{}],"ExtraInfo":{"100":"MainThread"}}\n')
        self.file.close()


def recompute(out, at):
    """96 backward nodes; what is launched inside their two parts is launched by parts of those."""
    whole = calls(96, 663.37, 17.17, 4.01)
    again = calls(96, 262.68, 5.91, 1.90)
    back = calls(96, 318.62, 10.57, 1.31)
    device = [[7.106, 10.3051], [6.73, 9.96], [6.79, 9.91]]
    rest = [shared(ms(total) - sum(ms(one[part]) for one in device), 93) for part, total in enumerate((661.18, 968.69))]
    device = [[ms(one) for one in pair] for pair in device] + [list(pair) for pair in zip(*rest)]
    for whole_time, again_time, back_time, kernels in zip(whole, again, back, device):
        out.host("GradNodePyLayer_RecomputeFunction_backward", "Operator", at, whole_time)
        inside = at + 1_234
        for name, category, time, kernel in (("TransformerDecoderLayer", "Forward", again_time, kernels[0]), ("backward", "Backward", back_time, kernels[1])):
            out.host(name, category, inside, time)
            out.host("run", "UserDefined", inside + 777, 2_000)
            out.launch("recompute", inside + 888, kernel)
            inside += time + 55
        at += whole_time
        assert inside < at
        at += 1_111
    return at


def matmul(out, at):
    """2,312 calls, 964 of them with parts; the kernels whose row stands first ran last."""
    whole = calls(2312, 200.13, 1.61, 0.04)
    meta, compute = calls(964, 1.42, 0.008, 0.001), calls(964, 71.38, 1.59, 0.03)
    creation = calls(676, 2.05, 0.03, 0.002)
    h884 = calls(192, 141.132, 0.92, 0.61)
    gemms = [("void cutlass::Kernel<cutlass_70_tensorop_f16_s884gemm_f16_256x128_nt_align8>(int)", one) for one in map(ms, (9.806, 9.7825, 9.7825, 9.776))]
    gemms += [("volta_h884gemm_64x128_ldg8_nn", one) for one in h884]
    gemms += [("volta_fp16_s884gemm_fp16_256x128_ldg8_f2f_nn", one) for one in calls(384, 263.962, 0.79, 0.59)]
    gemms += [("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", one) for one in calls(384, 199.351, 0.83, 0.22)]
    memsets = [None] * (len(gemms) - 192) + shared(ms(0.424), 192)
    in_parts = ms(39.147) + ms(141.132) + ms(263.962) + ms(199.351) + ms(0.424)
    direct = shared(ms(1487.76) - in_parts, 2312 - 964)
    # The longest call has the longest part; the longest node_creation and the shortest call have no other part.
    order = [(whole[-1], None, creation.pop(0))] if whole[-1] > creation[0] + 2_000 else None
    assert order
    order += [(time, None, None) for time in whole[-1 - len(direct) + 1:-1]]
    # The parts of the longest call come first; of the others in their order.
    order += [(time, index, None) for index, time in enumerate(whole[:964])]
    for position in range(1, 676):
        time, index, _ = order[-position]
        order[-position] = (time, index, creation.pop())
    assert not creation and len(order) == 2312
    for time, index, created in order:
        out.host("matmul dygraph", "Operator", at, time)
        inside = at + 301
        if index is None:
            out.launch("direct_gemm", at + 1, direct.pop())
        else:
            inside = out.host("matmul infer_meta", "OperatorInner", inside, meta[index])
            out.host("matmul compute", "OperatorInner", inside + 11, compute[index])
            if memsets[index]:
                out.launch("MEMSET", inside + 22, memsets[index], "Memset")
            out.launch(*gemms[index][:1], inside + 400, gemms[index][1])
            inside += compute[index] + 22
        if created:
            inside = out.host("matmul node_creation", "OperatorInner", inside + 33, created)
        assert inside < at + time, (index, created, inside - at, time)
        at += time + 999
    return at


def main():
    out = Writer(sys.argv[1])
    out.slice("ProfileStep#1", "ProfileStep", 7, '"100(Python)"', 0, 4_000 * MS)
    at = matmul(out, recompute(out, 5_678))
    out.host("print dygraph", "Operator", at, ms(193.12))
    out.host("wait", "OperatorInner", at + 345, ms(193.11))
    at += ms(193.12) + 1
    for index, (time, kernel) in enumerate(zip(shared(ms(3574.2 - 663.37 - 200.13 - 193.12), 20), shared(ms(6041.0 - 1629.87 - 1487.76), 20))):
        out.host("filler_%02d" % index, "Operator", at, time)
        out.launch("filler", at + 1_000, kernel)
        at += time + 1
    assert at < 4_000 * MS
    out.end()


if __name__ == "__main__":
    main()
