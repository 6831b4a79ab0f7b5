// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <compare>
#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// A piecewise-linear, strictly increasing map from a trace's own time to the set's time; by default, the identity. It
/// is never applied to columns: times are converted when they are shown or queried.
class TimeMap {
public:
    struct Knot {
        Ns trace = 0;
        Ns set = 0;
    };
    TimeMap() = default;
    explicit TimeMap(std::vector<Knot> knots);

    Ns toSet(Ns traceTime) const { return convert(traceTime, &Knot::trace, &Knot::set); }
    Ns toTrace(Ns setTime) const { return convert(setTime, &Knot::set, &Knot::trace); }
    TimeSpan toSet(TimeSpan span) const { return {toSet(span.begin), toSet(span.end)}; }
    TimeSpan toTrace(TimeSpan span) const { return {toTrace(span.begin), toTrace(span.end)}; }
    bool identity() const { return m_knots.empty(); }

private:
    Ns convert(Ns time, Ns Knot::*from, Ns Knot::*to) const;
    std::vector<Knot> m_knots; ///< ascending in both
};

/// A slice of any trace in a set.
struct SliceRef {
    uint32_t trace = Id<struct TraceTag>::kNone; ///< index in the set
    SliceId slice;
    bool valid() const { return slice.valid(); }
    auto operator<=>(const SliceRef &) const = default;
};

/// A lane of any trace in a set.
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

    /// Puts the traces on the clock of the first one, by wall-clock time if both recorded it; a trace from another time
    /// is shifted to start with the first one.
    static TraceSet of(std::vector<std::shared_ptr<const Trace>> traces);
    bool empty() const { return members.empty(); }
    TimeSpan span() const;      ///< set time, over all members; [0, 0) when empty
    TimeSpan askedSpan() const; ///< set time, over the requested parts (Trace::askedSpan)
    /// Returns the set time that is shown as 0: that of the first recorded event, even if the part that was read starts
    /// later.
    Ns origin() const;
    /// Returns "Rank 3", or the name of the trace's file or log if only other traces of the set recorded a rank. If
    /// none did, the index counts as the rank. Titles differ: if several traces would have the same one, what their
    /// paths differ in, or a number, follows in brackets.
    std::string title(uint32_t index) const;
    const Trace *trace(uint32_t index) const { return index < members.size() ? members[index].trace.get() : nullptr; }
};

} // namespace riffle
