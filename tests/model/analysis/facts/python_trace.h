// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/model/analysis/small_trace.h"

#include <array>
#include <random>
#include <string_view>

namespace riffle::test {

/// Frames of every role.
inline constexpr std::array<std::string_view, 10> kFramesOfAllRoles{"train.py(12): main",
                                                                    "模型/训练.py(7): 前向",
                                                                    "nn.Module: Block_0",
                                                                    "torch/nn/modules/module.py(1751): _call_impl",
                                                                    "torch/_tensor.py(570): backward",
                                                                    "transformers/trainer.py(80): train",
                                                                    "torch/utils/_contextlib.py(116): decorate_context",
                                                                    "threading.py(323): wait",
                                                                    "<built-in function len>",
                                                                    "<built-in method to of Tensor object at 0x7f>"};

/// Threads with deeply nested Python frames and operators, with slices of zero length, slices that start together, and
/// some that cross others. The same seed always gives the same trace.
class PythonTraceMaker {
public:
    explicit PythonTraceMaker(uint32_t seed) : m_random(seed) {}

    std::shared_ptr<const Trace> make(int roots, uint32_t segmentSlices = Segment::kMaxSlices)
    {
        SmallTrace trace;
        for (int64_t thread = 0; thread < 2; ++thread) {
            const uint32_t lane = trace.thread(100 + thread);
            Ns at = upTo(50);
            for (int root = 0; root < roots; ++root) {
                const Ns length = upTo(300);
                add(trace, lane, at, length, 0);
                at += length + upTo(40);
            }
        }
        return trace.seal(segmentSlices);
    }

private:
    Ns upTo(Ns limit) { return static_cast<Ns>(m_random() % static_cast<uint64_t>(limit + 1)); }

    void add(SmallTrace &trace, uint32_t lane, Ns start, Ns length, int depth)
    {
        const Ns choice = upTo(11);
        if (choice < 2)
            trace.operation(lane, "aten::mm", start, length);
        else
            trace.frame(lane, kFramesOfAllRoles[static_cast<size_t>(choice) - 2], start, length);
        if (depth > 14)
            return;
        Ns at = start + (upTo(2) == 0 ? 0 : upTo(length / 8 + 1));
        while (at < start + length) {
            const bool crosses = upTo(40) == 0;
            const Ns part = upTo(3) == 0 ? 0 : upTo(start + length - at) + (crosses ? upTo(60) : 0);
            add(trace, lane, at, part, depth + 1);
            at += part + upTo(length / 4 + 3);
        }
    }

    std::mt19937_64 m_random;
};

} // namespace riffle::test
