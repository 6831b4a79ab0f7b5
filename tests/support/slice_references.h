// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>

namespace riffle::test {

/// References to slices that were handed out in one generation of a trace that grows, and must mean the same in all
/// later ones.
class SliceReferences {
public:
    static constexpr size_t kMost = 1'000;

    explicit SliceReferences(uint32_t seed) : m_random(seed) {}

    /// Takes some more, until there are kMost.
    void takeSome(const Trace &trace);
    /// Returns the first reference that means something else now; empty if there is none. A slice may have left the
    /// trace if its window is full.
    std::string check(const Trace &trace);

private:
    /// The parts of a slice that stay: an open one may change its name, its end and its place in the source until it
    /// ends.
    struct Meaning {
        Ns start = 0;
        LaneId lane;
        uint64_t address = 0; ///< 0 while it is open
        bool operator==(const Meaning &) const = default;
    };
    static Meaning meaningOf(const Trace &trace, SliceId id);

    std::mt19937 m_random;
    std::map<SliceId, Meaning> m_known;
};

} // namespace riffle::test
