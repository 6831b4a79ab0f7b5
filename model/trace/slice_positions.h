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
    bool areIds() const { return m_areIds; }
    /// Returns the position of a slice; size() if there is no such slice.
    size_t of(uint32_t id) const
    {
        if (areIds()) // no gaps
            return id < m_size ? id : m_size;
        return inRuns(id);
    }
    bool has(uint32_t id) const { return of(id) < m_size; }
    /// True if this is a segment of the trace, or one with slices of it in a trace of a file.
    bool has(const Segment &segment) const
    {
        return m_grown.empty() ? has(segment.firstSlice) : numberOf(segment) != kNoRow;
    }
    /// Returns the position of the slice at an index of a segment of the trace; also of the end of the segment.
    size_t of(const Segment &segment, uint32_t index) const
    {
        return (areIds() ? segment.firstSlice : ofFirst(segment)) + size_t{index};
    }
    /// The same as of() for a slice that exists, which is faster.
    size_t ofExisting(uint32_t id) const { return areIds() ? id : inRuns(id); }

private:
    /// Slices whose ids follow each other in the order of positions.
    struct Run {
        uint32_t firstSlice = 0;
        uint32_t size = 0;
        size_t position = 0; ///< of the first one
    };
    /// A segment with ids of its own, in any order.
    struct Grown {
        std::shared_ptr<const Segment> segment;
        size_t position = 0; ///< of its first slice
    };
    size_t ofFirst(const Segment &segment) const;
    uint32_t numberOf(const Segment &segment) const; ///< in m_grown; kNoRow if it is not there
    size_t inGrown(uint32_t id) const;
    size_t inRuns(uint32_t id) const;

    bool m_areIds = true;
    std::vector<Run> m_runs;    ///< if each segment has ids that follow each other, but not all do
    std::vector<Grown> m_grown; ///< the segments, if they have ids of their own
    SegmentsById m_grownById;
    size_t m_size = 0;
};

/// Returns the index of the first of some slices, ordered by position, that is not before a position.
uint32_t firstFrom(std::span<const uint32_t> slices, const SlicePositions &positions, size_t position);

} // namespace riffle
