// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/stopping.h"
#include "model/trace/trace.h"

#include <algorithm>
#include <cassert>

namespace riffle {

/// The number of slices that a thread processes at a time.
inline constexpr size_t kSliceRange = 1 << 18;
/// The same for slices of very different costs: small enough for an even distribution.
inline constexpr uint32_t kRunSlices = 1 << 16;

/// Calls visit(segment, index, position) for all slices at positions [first, last) (see SlicePositions), ascending.
/// Throws Stopped if the StopScope is stopped.
template <typename Visit>
void forEachSlice(const Trace &trace, size_t first, size_t last, Visit visit)
{
    size_t before = 0; // the position of the segment's first slice
    for (const auto &segment : trace.segments) {
        const size_t begin = std::max(first, before), end = std::min(last, before + segment->size());
        for (size_t position = begin; position < end; ++position) {
            throwIfStoppedAt(position);
            visit(*segment, static_cast<uint32_t>(position - before), position);
        }
        before += segment->size();
    }
}

/// The most parents that are followed, so that a damaged store cannot cause an endless loop.
inline constexpr size_t kMaxAncestors = 100'000;

/// Finds slices by their ids; fast if consecutive ids are close to each other. Use one reader per thread. Long loops
/// over slices seek, so seek() throws Stopped if the StopScope is stopped.
class SliceReader {
public:
    explicit SliceReader(const Trace &trace) : m_trace(trace) {}

    /// Moves to a slice. Returns false if there is no such slice; segment() and at() are then invalid.
    bool seek(uint32_t slice)
    {
        throwIfStoppedAt(++m_seeks);
        if (m_segment && m_segment->ids.empty()) // nearly always, and then no function is called
            if (m_at = m_segment->indexOf(SliceId(slice)); m_at != kNoRow)
                return true;
        return seekAnywhere(slice);
    }
    const Segment &segment() const
    {
        assert(m_segment);
        return *m_segment;
    }
    uint32_t at() const { return m_at; } ///< index into the segment
    Ns start() const
    {
        assert(m_segment); // seek() has found a slice
        return m_segment->slices.start[m_at];
    }
    Ns duration() const
    {
        assert(m_segment); // seek() has found a slice
        return m_segment->slices.duration[m_at];
    }
    Ns end() const
    {
        assert(m_segment); // seek() has found a slice
        return m_segment->end(m_at);
    }
    TimeSpan span() const { return {start(), end()}; }
    uint32_t name() const { return m_segment->slices.name[m_at]; }
    uint32_t category() const { return m_segment->slices.category[m_at]; }
    uint16_t flags() const { return m_segment->slices.flags[m_at]; }
    uint32_t depth() const { return m_trace.depthOf(*m_segment, m_at); }
    uint32_t parent() const { return m_trace.parentOf(*m_segment, m_at).value; }
    LaneId lane() const
    {
        assert(m_segment); // seek() has found a slice
        return m_segment->lane;
    }

private:
    bool seekAnywhere(uint32_t slice);

    const Trace &m_trace;
    const Segment *m_segment = nullptr;
    uint32_t m_at = 0;
    size_t m_seeks = 0;
};

} // namespace riffle
