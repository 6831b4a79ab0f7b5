// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <compare>
#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// Piecewise-linear, strictly increasing map from a trace's own time to the set's time. Identity until ranks are
/// aligned. Never applied to columns: positions are converted when they are shown or asked for.
class TimeMap {
public:
    struct Knot {
        Ns trace = 0;
        Ns set = 0;
    };
    TimeMap() = default;
    explicit TimeMap(std::vector<Knot> knots) : m_knots(std::move(knots)) {}

    Ns toSet(Ns traceTime) const { return convert(traceTime, &Knot::trace, &Knot::set); }
    Ns toTrace(Ns setTime) const { return convert(setTime, &Knot::set, &Knot::trace); }
    TimeSpan toSet(TimeSpan span) const { return {toSet(span.begin), toSet(span.end)}; }
    TimeSpan toTrace(TimeSpan span) const { return {toTrace(span.begin), toTrace(span.end)}; }
    bool identity() const { return m_knots.empty(); }

private:
    Ns convert(Ns time, Ns Knot::*from, Ns Knot::*to) const;
    std::vector<Knot> m_knots; ///< ascending in both
};

/// A slice anywhere in a set.
struct SliceRef {
    uint32_t trace = Id<struct TraceTag>::kNone; ///< index in the set
    SliceId slice;
    bool valid() const { return slice.valid(); }
    auto operator<=>(const SliceRef &) const = default;
};

/// A lane anywhere in a set.
struct LaneRef {
    uint32_t trace = 0;
    LaneId lane;
    auto operator<=>(const LaneRef &) const = default;
};

/// The traces in one window, one per rank. A single trace is a set of one. All ranges and cursors are in set time.
struct TraceSet {
    struct Member {
        std::shared_ptr<const Trace> trace;
        TimeMap time;
    };
    std::vector<Member> members;

    /// The traces on the clock of the first: by real time where both say it; one from another time altogether begins
    /// with it.
    static TraceSet of(std::vector<std::shared_ptr<const Trace>> traces);
    bool empty() const { return members.empty(); }
    TimeSpan span() const;      ///< set time, over all members; [0, 0) when empty
    TimeSpan askedSpan() const; ///< the same of what was asked for of them (Trace::askedSpan)
    /// Set time from which times shown to people count: the first event recorded, whatever part of a trace was read.
    Ns origin() const;
    /// "Rank 3"; beside traces that know their rank, one that does not has the name of its file or log.
    std::string title(uint32_t index) const;
    const Trace *trace(uint32_t index) const { return index < members.size() ? members[index].trace.get() : nullptr; }
};

} // namespace riffle
