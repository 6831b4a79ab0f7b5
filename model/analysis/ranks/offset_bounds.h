// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstddef>
#include <vector>

namespace riffle {

/// Limits of the differences between clocks: `x[a] - x[b] <= limit`, where x says how far a clock is ahead.
class OffsetBounds {
public:
    explicit OffsetBounds(size_t clocks);

    void limit(size_t a, size_t b, Ns most);
    /// Follows all chains of limits. Returns false if they contradict each other. Costs O(clocks³).
    bool close();
    /// The most by which clock a can be ahead of clock b; kNone without a limit.
    Ns most(size_t a, size_t b) const { return m_most[a * m_clocks + b]; }

    static constexpr Ns kNone = INT64_MAX;

private:
    size_t m_clocks;
    std::vector<Ns> m_most;
};

} // namespace riffle
