// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace riffle {

/// Finds the end of each slice. Begins and ends come in the order of the file, which need not be that of their times.
class SlicePairs {
public:
    static constexpr uint64_t kBytesOfEdge = 40; ///< memory per begin or end while they are paired

    void begin(uint32_t track, Ns time) { add(track, time, m_begins++, false); }
    void end(uint32_t track, Ns time) { add(track, time, m_ends++, true); }
    uint64_t edges() const { return m_begins + m_ends; }

    /// Call this once, after the last begin or end.
    void pair();

    /// The duration of the slice with the begin of this number; nothing if the slice never ends.
    std::optional<Ns> duration(uint64_t begin) const;
    bool unmatched(uint64_t end) const { return end < m_unmatched.size() && m_unmatched[end]; }

private:
    struct Edge {
        Ns time;
        uint32_t track;
        uint32_t number : 31;
        uint32_t isEnd : 1;
    };
    void add(uint32_t track, Ns time, uint64_t number, bool isEnd);
    void pairRuns();
    bool pairRun(size_t begin, size_t middle);
    void pairStacks();

    std::vector<Edge> m_edges;
    uint64_t m_begins = 0, m_ends = 0;
    std::vector<Ns> m_durations; ///< by begin; negative: never ends
    std::vector<bool> m_unmatched;
};

} // namespace riffle
