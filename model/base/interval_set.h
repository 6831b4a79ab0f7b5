// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

namespace riffle {

/// Times that something covers: ascending, disjoint, non-empty intervals [begin, end). Intervals that touch are one.
/// Copies share their memory until one of them is changed.
class IntervalSet {
public:
    IntervalSet() = default;
    explicit IntervalSet(TimeSpan one);
    /// The union of intervals in any order; empty ones vanish.
    static IntervalSet unionOf(std::vector<TimeSpan> intervals);

    std::span<const TimeSpan> intervals() const
    {
        return m_intervals ? std::span<const TimeSpan>(*m_intervals) : std::span<const TimeSpan>();
    }
    bool empty() const { return !m_intervals; }
    Ns length() const;
    bool contains(Ns time) const;

    /// Adds an interval that starts no earlier than every one before it.
    void append(TimeSpan interval)
    {
        if (interval.empty())
            return;
        std::vector<TimeSpan> &all = own();
        if (!all.empty() && interval.begin <= all.back().end)
            all.back().end = std::max(all.back().end, interval.end);
        else
            all.push_back(interval);
    }
    /// Room for so many intervals to append.
    void reserve(size_t count);

    IntervalSet operator&(const IntervalSet &other) const;
    IntervalSet operator-(const IntervalSet &other) const;
    IntervalSet operator|(const IntervalSet &other) const;
    /// Length of what is common with [begin, end), by binary search.
    Ns lengthWithin(TimeSpan span) const;
    bool operator==(const IntervalSet &other) const;

private:
    std::vector<TimeSpan> &own()
    {
        if (!m_intervals || m_intervals.use_count() > 1)
            m_intervals = m_intervals ? std::make_shared<std::vector<TimeSpan>>(*m_intervals)
                                      : std::make_shared<std::vector<TimeSpan>>();
        return *m_intervals;
    }

    std::shared_ptr<std::vector<TimeSpan>> m_intervals; ///< null: none
};

/// Asks a set about many intervals in ascending order, in time proportional to both. Others are answered, too, but
/// slower.
class IntervalWalk {
public:
    explicit IntervalWalk(const IntervalSet &set) : m_set(&set) {}
    Ns lengthWithin(TimeSpan span);

private:
    const IntervalSet *m_set;
    size_t m_at = 0;
};

} // namespace riffle
