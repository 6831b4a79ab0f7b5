// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <span>
#include <vector>

namespace riffle {

/// A piecewise-linear, strictly increasing map from a trace's own time to the set's time; by default, the identity. It
/// is never applied to columns: times are converted when they are shown or queried.
class TimeMap {
public:
    struct Knot {
        Ns trace = 0;
        Ns set = 0;
        bool operator==(const Knot &) const = default;
    };
    TimeMap() = default;
    explicit TimeMap(std::vector<Knot> knots);

    Ns toSet(Ns traceTime) const { return convert(traceTime, &Knot::trace, &Knot::set); }
    Ns toTrace(Ns setTime) const { return convert(setTime, &Knot::set, &Knot::trace); }
    TimeSpan toSet(TimeSpan span) const { return {toSet(span.begin), toSet(span.end)}; }
    TimeSpan toTrace(TimeSpan span) const { return {toTrace(span.begin), toTrace(span.end)}; }
    /// Converts ascending times of the set in place. Their order makes it cheap: no time needs a search of its own.
    void toTrace(std::span<Ns> setTimes) const;
    bool identity() const { return m_knots.empty(); }
    const std::vector<Knot> &knots() const { return m_knots; } ///< ascending; empty for the identity
    bool operator==(const TimeMap &) const = default;

private:
    using Place = Ns Knot::*;
    Ns convert(Ns time, Place from, Place to) const;
    std::vector<Knot> m_knots; ///< ascending in both
};

} // namespace riffle
