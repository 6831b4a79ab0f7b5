// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/filled_vector.h"
#include "model/trace/slice_positions.h"

#include <cassert>
#include <span>

namespace riffle {

/// A value for each slice of a trace, by SliceId.
template <typename T>
class PerSlice {
public:
    PerSlice() = default; ///< of no trace, without values
    /// Throws Stopped if the StopScope is stopped.
    PerSlice(const Trace &trace, T value) : m_positions(trace), m_values(filledVector(m_positions.size(), value)) {}

    size_t size() const { return m_values.size(); } ///< the number of slices, not a bound of their ids
    bool empty() const { return m_values.empty(); }
    bool has(uint32_t id) const { return m_positions.has(id); }
    T &operator[](uint32_t id)
    {
        assert(has(id));
        return m_values[m_positions.ofExisting(id)];
    }
    const T &operator[](uint32_t id) const
    {
        assert(has(id));
        return m_values[m_positions.ofExisting(id)];
    }
    /// The value of the slice at an index of a segment of the trace.
    T &of(const Segment &segment, uint32_t index) { return m_values[m_positions.of(segment, index)]; }
    const T &of(const Segment &segment, uint32_t index) const { return m_values[m_positions.of(segment, index)]; }
    /// The values of a segment's slices, by index. Long loops over slices use these, or positions.
    std::span<T> of(const Segment &segment)
    {
        return std::span(m_values).subspan(m_positions.of(segment, 0), segment.size());
    }
    std::span<const T> of(const Segment &segment) const
    {
        return std::span(m_values).subspan(m_positions.of(segment, 0), segment.size());
    }
    /// Returns the value of a slice, or `otherwise` if there is no such slice.
    T at(uint32_t id, T otherwise) const
    {
        const size_t position = m_positions.of(id);
        return position < m_values.size() ? m_values[position] : otherwise;
    }

    const SlicePositions &positions() const { return m_positions; }
    std::span<T> byPosition() { return m_values; }
    std::span<const T> byPosition() const { return m_values; }

private:
    SlicePositions m_positions;
    BigVector<T> m_values;
};

} // namespace riffle
