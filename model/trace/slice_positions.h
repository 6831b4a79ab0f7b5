// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace riffle {

/// The positions of a trace's slices: each is the number of slices with smaller ids. Arrays with an entry per slice
/// have no room for the gaps between ids.
class SlicePositions {
public:
    SlicePositions() = default;
    explicit SlicePositions(const Trace &trace);

    /// The number of slices.
    size_t size() const { return m_size; }
    /// Returns the position of a slice; size() if there is no such slice.
    size_t of(uint32_t id) const
    {
        if (m_runs.empty()) // no gaps
            return id < m_size ? id : m_size;
        return inRuns(id);
    }
    bool has(uint32_t id) const { return of(id) < m_size; }
    /// The same as of() for a slice that exists, which is faster.
    size_t ofExisting(uint32_t id) const { return m_runs.empty() ? id : inRuns(id); }

private:
    /// Slices whose ids follow each other.
    struct Run {
        uint32_t firstSlice = 0;
        uint32_t size = 0;
        size_t position = 0; ///< of the first one
    };
    size_t inRuns(uint32_t id) const;

    std::vector<Run> m_runs; ///< empty if the ids are the positions
    size_t m_size = 0;
};

} // namespace riffle
