// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"
#include "model/base/time.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace riffle {

/// A slice as far as its nesting is concerned.
struct NestedSpan {
    static constexpr Ns kOpen = INT64_MAX; ///< the end of a slice that has not ended
    Ns start = 0, end = kOpen;
    SliceId id;
    uint64_t order = UINT64_MAX; ///< of slices with the same span, the one that is first in the source is the outer one

    /// True if this slice contains the other one: DEFINITIONS R7, the same as nestLane().
    bool contains(const NestedSpan &inner) const
    {
        if (start > inner.start || inner.end > end || id == inner.id)
            return false;
        if (inner.start == inner.end && inner.start == end && start < end)
            return false; // a moment at its end is behind it
        return start < inner.start || inner.end < end || order < inner.order || (order == inner.order && id < inner.id);
    }
    bool crosses(const NestedSpan &other) const
    {
        return (start < other.start && other.start < end && end < other.end) ||
               (other.start < start && start < other.end && other.end < end);
    }
    /// True if this slice is inside of the other one in every nesting that has both around something.
    bool isShorterThan(const NestedSpan &other) const;
};

/// The long slices of a lane that grows: those that other segments' slices can be inside of (see growth/). The tree is
/// persistent: a copy shares the nodes that have not changed since, so each generation of a trace has its own state.
/// Copies may be read by other threads while the original changes.
class LongSlices {
public:
    /// Adds a slice; they come nearly in order of start.
    void add(const NestedSpan &slice);
    /// Changes the end and order of a slice that was added with this start.
    void change(const NestedSpan &slice);
    void remove(const NestedSpan &slice);
    /// Returns a copy that never changes.
    std::shared_ptr<const LongSlices> snapshot();

    /// Returns the innermost slice around this one; an id that is not valid if there is none.
    NestedSpan around(const NestedSpan &inner) const;
    /// Calls visit(slice) for all that overlap the span, or touch it.
    template <typename F>
    void visit(TimeSpan span, F visit) const
    {
        for (const auto &branch : m_branches)
            if (branch->reaches(span))
                for (const auto &leaf : branch->leaves)
                    if (leaf->reaches(span))
                        for (const NestedSpan &slice : leaf->slices)
                            if (slice.start <= span.end && slice.end >= span.begin)
                                visit(slice);
    }
    size_t size() const { return m_size; }
    /// True if some of them are open.
    bool hasOpen() const
    {
        return std::ranges::any_of(m_branches, [](const auto &branch) { return branch->lastEnd == NestedSpan::kOpen; });
    }

private:
    static constexpr size_t kFan = 64;
    struct Reach {
        Ns firstStart = INT64_MAX, lastEnd = INT64_MIN;
        uint64_t stamp = 0; ///< the snapshot before which it was made
        bool reaches(TimeSpan span) const { return firstStart <= span.end && lastEnd >= span.begin; }
        void widen(Ns start, Ns end);
    };
    struct Leaf : Reach {
        std::vector<NestedSpan> slices;
    };
    struct Branch : Reach {
        std::vector<std::shared_ptr<Leaf>> leaves;
    };
    Branch &ownBranch(size_t at);
    Leaf &ownLeaf(Branch &branch, size_t at);
    /// Calls change(slices, place) for the leaf with the slice.
    template <typename F>
    void inLeafOf(const NestedSpan &slice, F change);

    std::vector<std::shared_ptr<Branch>> m_branches;
    size_t m_size = 0;
    uint64_t m_stamp = 1;
};

} // namespace riffle
