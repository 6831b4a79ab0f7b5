// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/model/analysis/findings/kineto_text.h"

namespace riffle::test {

inline constexpr Ns kMs = 1'000'000;
inline constexpr Ns kUs = 1'000;

/// A job that has no problems by default; each member adds one problem. Steps of 10 ms with twenty kernels of 480 µs,
/// which are launched while the step before still computes. A batch is loaded and copied beside them, and two
/// collectives are hidden.
struct CleanRun {
    static constexpr int kKernels = 20;
    static constexpr Ns kStep = 10 * kMs;
    static constexpr int64_t kMemory = 80'000'000'000;

    int steps = 6;
    Ns firstStep = kStep;          ///< length of the first step
    Ns loading = 0;                ///< per step: waiting for the next batch, beyond the 40 µs that no rule sees
    Ns exposedCopy = 0;            ///< per step: copying to the device while nothing runs
    Ns exposedCollective = 0;      ///< per step: communication while nothing computes
    Ns collective = 300 * kUs;     ///< the length of each of twelve calls
    Ns longCollective = 300 * kUs; ///< the length of the last of them
    std::string_view collectiveArgs =
        R"("Collective name":"allreduce","In msg nelems":1000000,"Out msg nelems":1000000,"dtype":"Float","Process Group Name":"0")";
    int smallGaps = 0; ///< per step: how often the device waits 100 µs for the next launch
    int syncs = 0;     ///< per step: how often the host waits for the device, which is then idle for 50 µs
    int tiny = 0;      ///< in total: kernels of 2 µs whose launch takes 3 µs
    int unlaunched = 0, withoutKernel = 0; ///< device work without its launch, launches without their work
    int early = 0;                         ///< kernels that start before their launch
    Ns overhead = 0;
    int major = 8;
    bool tensorCores = true;
    int64_t allocated = kMemory / 2, reserved = kMemory * 6 / 10;

    KinetoText text() const
    {
        KinetoText out;
        out.device(0, kMemory, major);
        Ns at = kMs;
        for (int step = 0; step < steps; ++step)
            at = addStep(out, step, at);
        const Ns last = at - kStep;
        for (int one = 0; one < withoutKernel; ++one)
            out.call("cudaLaunchKernel", last + 1'000 * kUs + one * 2 * kUs, kUs, 1'000'000 + one);
        if (overhead)
            out.slice("overhead", "Buffer Flush", -1, 0, last, overhead);
        out.memory(last, allocated, reserved);
        out.memory(last + 1, 200 * kMemory, 0, -1, 0); // the CPU has much more memory
        return out;
    }
    std::shared_ptr<const Trace> trace() const { return text().trace(); }

private:
    std::string_view name() const { return tensorCores ? "sm80_xmma_gemm_bf16_tensorop" : "sgemm_128x128"; }

    Ns addStep(KinetoText &out, int step, Ns begin) const
    {
        const Ns length = step == 0 ? firstStep : kStep;
        out.step(step, begin, length);
        Ns busy = begin + 50 * kUs; // the device has work until then
        if (loading) {
            out.host("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin,
                     loading + 50 * kUs);
            busy += loading;
        }
        if (exposedCopy) {
            out.work("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, busy, exposedCopy, busy - 5 * kUs);
            busy += exposedCopy;
        }
        if (exposedCollective) {
            out.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, busy, exposedCollective, busy - 4 * kUs, kUs,
                       R"("Collective name":"once")");
            busy += exposedCollective;
        }
        out.operation("aten::mm", begin + 10 * kUs, length - 20 * kUs);
        Ns launch = busy - 3 * kUs;
        const auto compute = [&](Ns duration, Ns launchDuration, Ns wait) {
            if (wait)
                launch = busy + wait - 2 * kUs;
            out.kernel(name(), 7, busy + wait, duration, launch, launchDuration);
            launch += 5 * kUs;
            busy += wait + duration;
        };
        // The kernels fill the rest of the step except 50 µs.
        const bool isLast = step == steps - 1;
        const Ns extra = smallGaps * 100 * kUs + syncs * 50 * kUs + (isLast ? tiny * 4 * kUs : 0);
        const Ns each = (begin + length - 50 * kUs - busy - extra) / kKernels;
        for (int kernel = 0; kernel < kKernels; ++kernel) {
            const bool isGap = kernel < smallGaps;
            const Ns beside = busy + (isGap ? 100 * kUs : 0) + kUs; // while this kernel runs
            if (kernel == 5)
                out.work("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 8, beside, 200 * kUs, beside - 10 * kUs);
            if (kernel == 2 || kernel == 11)
                out.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, beside,
                           isLast && kernel == 11 ? longCollective : collective, beside - 10 * kUs, kUs,
                           collectiveArgs);
            if (kernel >= kKernels - syncs) {
                out.call("cudaStreamSynchronize", busy - 10 * kUs, 12 * kUs);
                compute(each, kUs, 50 * kUs);
            } else
                compute(each, kUs, isGap ? 100 * kUs : 0);
        }
        for (int one = 0; isLast && one < tiny; ++one)
            compute(2 * kUs, 3 * kUs, 2 * kUs);
        for (int one = 0; isLast && one < unlaunched; ++one)
            out.kernel(name(), 9, begin + 5 * kMs + one * kUs, kUs, -1);
        for (int one = 0; isLast && one < early; ++one)
            out.kernel(name(), 9, begin + 5 * kMs + one * 10 * kUs, 5 * kUs,
                       begin + 5 * kMs + one * 10 * kUs + 2 * kUs);
        return begin + length;
    }
};

} // namespace riffle::test
