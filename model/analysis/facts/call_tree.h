// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/slice_classes.h"
#include "model/base/big_vector.h"
#include "model/trace/trace.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// For each slice of the host, the call that contains it. A call is an operator or a runtime call; calls are numbered
/// by the position of their slices. Self times and the owners of kernels are derived from this tree (R7).
struct CallTree {
    static constexpr uint32_t kNone = UINT32_MAX;

    PerSlice<uint32_t> context;     ///< a call's own number; for other slices, that of the nearest call around
    BigVector<uint32_t> slice;      ///< per call: SliceId
    BigVector<uint32_t> parent;     ///< per call: the nearest call around it, or kNone
    BigVector<uint8_t> isOperator;  ///< per call
    std::vector<uint32_t> crossing; ///< the few calls that overlap a longer slice without being inside it

    CallTree(const Trace &trace, const SliceClasses &classes);

    size_t size() const { return slice.size(); }
    /// Per call, the position of its slice.
    std::span<const uint32_t> positions() const { return m_positions.empty() ? slice : m_positions; }
    /// SliceId::kNone for kNone.
    uint32_t sliceOf(uint32_t call) const { return call == kNone ? SliceId::kNone : slice[call]; }
    /// The first call whose slice is at an index of a segment or behind it; the index may be the segment's end.
    uint32_t firstCallFrom(const Segment &segment, uint32_t index) const
    {
        const std::span<const uint32_t> all = positions();
        const auto found = std::ranges::lower_bound(all, context.positions().of(segment, index));
        return static_cast<uint32_t>(found - all.begin());
    }
    /// Calls visit(call, index) for the calls whose slices are at [begin, end) of a segment, ascending.
    template <typename Visit>
    void forEachCall(const Segment &segment, uint32_t begin, uint32_t end, Visit visit) const
    {
        const std::span<const uint32_t> all = positions();
        const auto firstPosition = static_cast<uint32_t>(context.positions().of(segment, 0));
        const uint32_t behind = firstCallFrom(segment, end);
        for (uint32_t call = firstCallFrom(segment, begin); call < behind; ++call)
            visit(call, all[call] - firstPosition);
    }
    /// The call itself if it is an operator, otherwise the nearest operator around it; kNone if there is none.
    uint32_t operatorAt(uint32_t call) const
    {
        assert(call == kNone || call < size());
        while (call != kNone && !isOperator[call])
            call = parent[call];
        return call;
    }
    /// The call that a slice is; kNone if it is none.
    uint32_t callThatIs(uint32_t sliceId) const
    {
        const uint32_t call = context.at(sliceId, kNone);
        return call != kNone && slice[call] == sliceId ? call : kNone;
    }
    /// The operator that a slice is; kNone if it is none.
    uint32_t operatorThatIs(uint32_t sliceId) const
    {
        const uint32_t call = callThatIs(sliceId);
        return call != kNone && isOperator[call] ? call : kNone;
    }
    uint32_t operatorAround(uint32_t call) const
    {
        assert(call < size());
        return operatorAt(parent[call]);
    }
    /// The operator that a slice is or is inside of; kNone if there is none.
    uint32_t operatorOfSlice(uint32_t sliceId) const { return operatorAt(context.at(sliceId, kNone)); }

private:
    BigVector<uint32_t> m_positions; ///< empty if the ids are the positions

    void number(const Trace &trace, const SliceClasses &classes);
    /// Finds the parents of a lane's calls and the context of its other slices.
    void findParents(const Trace &trace, const std::vector<const Segment *> &lane);
};

} // namespace riffle
