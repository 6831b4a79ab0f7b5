// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace riffle {

/// The positions of a trace's slices: they count through its segments, and in each through the indices. Arrays with an
/// entry per slice have no room for the gaps between ids.
class SlicePositions {
public:
    SlicePositions() = default;
    explicit SlicePositions(const Trace &trace);

    /// The number of slices.
    size_t size() const { return m_size; }
    /// True if the id of each slice is its position, as in all traces of files.
    bool areIds() const { return m_runs.empty(); }
    /// Returns the position of a slice; size() if there is no such slice.
    size_t of(uint32_t id) const
    {
        if (m_runs.empty()) // no gaps
            return id < m_size ? id : m_size;
        return inRuns(id);
    }
    bool has(uint32_t id) const { return of(id) < m_size; }
    /// Returns the position of the slice at an index of a segment of the trace; also of the end of the segment.
    size_t of(const Segment &segment, uint32_t index) const
    {
        return (m_runs.empty() ? segment.firstSlice : ofFirst(segment)) + size_t{index};
    }
    /// The same as of() for a slice that exists, which is faster.
    size_t ofExisting(uint32_t id) const { return m_runs.empty() ? id : inRuns(id); }

private:
    /// Slices whose ids follow each other in the order of positions, or those of a segment where they do not.
    struct Run {
        uint32_t firstSlice = 0;
        uint32_t size = 0;
        size_t position = 0;                    ///< of the first one
        std::shared_ptr<const Segment> segment; ///< null if the ids follow each other
    };
    size_t ofFirst(const Segment &segment) const;
    size_t inRuns(uint32_t id) const;

    std::vector<Run> m_runs; ///< empty if the ids are the positions
    size_t m_size = 0;
    uint32_t m_interleaved = 0; ///< see Trace::interleaved
};

/// Returns the index of the first of some slices, ordered by position, that is not before a position.
uint32_t firstFrom(std::span<const uint32_t> slices, const SlicePositions &positions, size_t position);

} // namespace riffle
