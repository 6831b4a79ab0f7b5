// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/model/analysis/small_trace.h"

#include <random>

namespace riffle::test {

/// Threads with nested calls and streams with kernels of all lengths, including zero and one nanosecond. The same seed
/// always gives the same trace.
inline std::shared_ptr<const Trace> randomTrace(uint32_t seed, int roots, uint32_t segmentSlices = Segment::kMaxSlices)
{
    SmallTrace trace;
    std::mt19937_64 random(seed);
    const auto upTo = [&random](Ns limit) { return static_cast<Ns>(random() % static_cast<uint64_t>(limit + 1)); };
    const auto name = [&](const char *prefix) { return prefix + std::to_string(upTo(20)); };
    for (int64_t thread = 0; thread < 3; ++thread) {
        const uint32_t lane = trace.thread(100 + thread);
        Ns at = upTo(1000);
        for (int root = 0; root < roots; ++root) {
            const Ns length = upTo(10) == 0 ? upTo(200'000) : upTo(400);
            trace.operation(lane, name("op"), at, length);
            Ns inner = at;
            for (int child = 0; child < 8 && inner < at + length; ++child) {
                const Ns part = upTo(std::min<Ns>(at + length - inner, upTo(3) == 0 ? length : 20));
                trace.operation(lane, name("inner"), inner, part);
                if (part > 4)
                    trace.operation(lane, name("leaf"), inner + part / 4, part / 2);
                inner += part + upTo(30);
            }
            at += length + (upTo(6) == 0 ? upTo(50'000) : upTo(20));
        }
    }
    for (int64_t stream = 7; stream < 9; ++stream) {
        const uint32_t lane = trace.stream(stream);
        Ns at = upTo(5000);
        for (int kernel = 0; kernel < roots * 3; ++kernel) {
            const Ns length = upTo(20) == 0 ? upTo(30'000) : upTo(3) == 0 ? 0 : upTo(60);
            trace.kernel(lane, name("kernel"), at, length, 0);
            at += length + (upTo(9) == 0 ? upTo(20'000) : upTo(12));
        }
    }
    return trace.seal(segmentSlices);
}

} // namespace riffle::test
