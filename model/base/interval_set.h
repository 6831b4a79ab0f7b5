// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/time.h"

#include <algorithm>
#include <memory>
#include <span>

namespace riffle {

/// A set of times, kept as ascending, disjoint, non-empty intervals [begin, end). Intervals that touch are merged.
/// Copies share memory until one of them changes.
class IntervalSet {
public:
    IntervalSet() = default;
    explicit IntervalSet(TimeSpan one);
    /// Returns the union of intervals in any order; empty ones are dropped.
    static IntervalSet unionOf(BigVector<TimeSpan> intervals);

    std::span<const TimeSpan> intervals() const
    {
        return m_intervals ? std::span<const TimeSpan>(*m_intervals) : std::span<const TimeSpan>();
    }
    bool empty() const { return !m_intervals; }
    Ns length() const;
    bool contains(Ns time) const;

    /// Adds an interval that does not start before any interval added so far.
    void append(TimeSpan interval)
    {
        if (interval.empty())
            return;
        BigVector<TimeSpan> &all = own();
        if (!all.empty() && interval.begin <= all.back().end)
            all.back().end = std::max(all.back().end, interval.end);
        else
            all.push_back(interval);
    }
    /// Reserves room to append `count` intervals.
    void reserve(size_t count);

    IntervalSet operator&(const IntervalSet &other) const;
    IntervalSet operator-(const IntervalSet &other) const;
    IntervalSet operator|(const IntervalSet &other) const;
    /// Returns the length of the intersection with `span`, by binary search.
    Ns lengthWithin(TimeSpan span) const;
    bool operator==(const IntervalSet &other) const;

private:
    BigVector<TimeSpan> &own()
    {
        if (!m_intervals || m_intervals.use_count() > 1)
            m_intervals = m_intervals ? std::make_shared<BigVector<TimeSpan>>(*m_intervals)
                                      : std::make_shared<BigVector<TimeSpan>>();
        return *m_intervals;
    }

    std::shared_ptr<BigVector<TimeSpan>> m_intervals; ///< null if the set is empty
};

/// Intersects a set with many intervals, one after another. If they come in ascending order, this takes time
/// proportional to the size of the set plus their number; other orders work too, but more slowly.
class IntervalWalk {
public:
    explicit IntervalWalk(const IntervalSet &set) : m_set(&set) {}
    Ns lengthWithin(TimeSpan span);

private:
    const IntervalSet *m_set;
    size_t m_at = 0;
};

} // namespace riffle
