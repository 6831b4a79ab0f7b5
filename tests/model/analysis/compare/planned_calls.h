// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/model/analysis/small_trace.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

/// A call as a test plans it: an operator, a module, an annotation, or the launch of a kernel.
struct PlannedCall {
    enum Kind { Operator, Module, Annotation, Kernel } kind = Operator;
    std::string name;
    Ns duration = 0; ///< of a kernel
    std::vector<PlannedCall> calls = {};

    Ns kernelTime() const
    {
        Ns sum = duration;
        for (const PlannedCall &call : calls)
            sum += call.kernelTime();
        return sum;
    }
};

inline PlannedCall kernelCall(std::string name, Ns duration)
{
    return {PlannedCall::Kernel, std::move(name), duration};
}
inline PlannedCall operatorCall(std::string name, std::vector<PlannedCall> calls)
{
    return {PlannedCall::Operator, std::move(name), 0, std::move(calls)};
}
inline PlannedCall moduleCall(std::string name, std::vector<PlannedCall> calls)
{
    return {PlannedCall::Module, "nn.Module: " + std::move(name), 0, std::move(calls)};
}
inline PlannedCall annotationCall(std::string name, std::vector<PlannedCall> calls)
{
    return {PlannedCall::Annotation, std::move(name), 0, std::move(calls)};
}

/// Writes steps of calls as a trace: what a step calls on the main thread, and a backward pass on another one.
class PlannedTrace {
public:
    explicit PlannedTrace(int firstStep = 0, int64_t firstThread = 100)
        : m_step(firstStep)
        , m_main(m_trace.thread(firstThread))
        , m_other(m_trace.thread(firstThread + 1, "thread " + std::to_string(firstThread + 1) + " (pt_autograd_0)"))
        , m_stream(m_trace.stream(7))
    {
    }

    void step(const std::vector<PlannedCall> &main, const std::vector<PlannedCall> &backward = {})
    {
        const Ns begin = m_now;
        m_now += 10;
        for (const PlannedCall &call : main)
            write(m_main, call);
        for (const PlannedCall &call : backward)
            write(m_other, call);
        m_now += 10;
        m_trace.step(m_main, m_step++, begin, m_now - begin);
        m_now += 10;
    }
    /// Calls outside of any step.
    void between(const std::vector<PlannedCall> &main)
    {
        for (const PlannedCall &call : main)
            write(m_main, call);
    }
    /// A kernel whose launch was not recorded.
    void unlaunched(const std::string &name, Ns duration) { runKernel(name, duration, kNoInt); }
    std::shared_ptr<const Trace> seal() { return m_trace.seal(); }

private:
    void write(uint32_t lane, const PlannedCall &call)
    {
        const Ns begin = m_now;
        m_now += 2;
        if (call.kind == PlannedCall::Kernel) {
            m_trace.launch(lane, begin, 2, ++m_correlation);
            runKernel(call.name, call.duration, m_correlation);
            return;
        }
        for (const PlannedCall &inner : call.calls)
            write(lane, inner);
        m_now += 2;
        const Ns length = m_now - begin;
        switch (call.kind) {
        case PlannedCall::Operator: m_trace.operation(lane, call.name, begin, length); break;
        case PlannedCall::Module: m_trace.frame(lane, call.name, begin, length, 1); break;
        case PlannedCall::Annotation: m_trace.annotation(lane, call.name, begin, length); break;
        case PlannedCall::Kernel: break;
        }
    }
    void runKernel(const std::string &name, Ns duration, int64_t correlation)
    {
        m_free = std::max(m_free, m_now);
        m_trace.kernel(m_stream, name, m_free, duration, correlation);
        m_free += duration;
    }

    SmallTrace m_trace;
    int m_step;
    uint32_t m_main, m_other, m_stream;
    Ns m_now = 1'000, m_free = 0;
    int64_t m_correlation = 0;
};

/// Random calls, of few names, so that many are alike.
class CallPlanner {
public:
    explicit CallPlanner(uint32_t seed) : m_random(seed) {}

    uint32_t upTo(uint32_t limit) { return static_cast<uint32_t>(m_random() % (limit + 1)); }

    std::vector<PlannedCall> calls(uint32_t most, uint32_t depth)
    {
        std::vector<PlannedCall> made;
        for (uint32_t left = upTo(most); left > 0; --left)
            made.push_back(call(most, depth));
        return made;
    }
    PlannedCall call(uint32_t most, uint32_t depth)
    {
        const uint32_t choice = depth == 0 ? 0 : upTo(8);
        if (choice < 3)
            return kernelCall(kKernels[upTo(std::size(kKernels) - 1)], 1 + upTo(99));
        const std::string number = std::to_string(upTo(3));
        if (choice < 6)
            return operatorCall("aten::op" + number, calls(most, depth - 1));
        return choice == 6 ? annotationCall("range" + number, calls(most, depth - 1))
                           : moduleCall("Block_" + number, calls(most, depth - 1));
    }

    /// Changes some of the calls: other names, other times, calls more, calls less, calls around others.
    void change(std::vector<PlannedCall> &calls, uint32_t rarity)
    {
        for (size_t at = 0; at < calls.size(); ++at) {
            change(calls[at].calls, rarity);
            switch (upTo(rarity)) {
            case 0:
                if (calls[at].kind == PlannedCall::Kernel)
                    calls[at].name = kKernels[upTo(std::size(kKernels) - 1)];
                break;
            case 1: calls[at].duration += calls[at].kind == PlannedCall::Kernel ? upTo(50) : 0; break;
            case 2: calls.insert(calls.begin() + static_cast<ptrdiff_t>(at++), call(2, 1)); break;
            case 3: calls.erase(calls.begin() + static_cast<ptrdiff_t>(at--)); break;
            case 4: calls[at] = operatorCall("aten::around", {calls[at]}); break;
            default: break;
            }
        }
    }

private:
    static constexpr const char *kKernels[] = {"sgemm_a",    "sgemm_b", "flash_fwd",        "triton_poi_fused_0",
                                               "reduce_add", "softmax", "ncclDevKernel_All"};
    std::mt19937 m_random;
};

} // namespace riffle::test
