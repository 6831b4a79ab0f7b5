// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/slice_classes.h"
#include "model/trace/trace.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace riffle {

/// Which operator or runtime call each slice of the host lies in: the tree that self times, and whose kernels are
/// whose, are read from (R7). A call is an operator or a runtime call; calls are numbered by ascending slice.
struct CallTree {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<uint32_t>
        context; ///< by slice: its own number where it is a call, else that of the nearest call around it
    std::vector<uint32_t> slice;     ///< by call: SliceId
    std::vector<uint32_t> parent;    ///< by call: the nearest call around it
    std::vector<uint8_t> isOperator; ///< by call
    std::vector<uint32_t> crossing;  ///< calls that overlap a longer slice without being inside it; few

    CallTree(const Trace &trace, const SliceClasses &classes);

    size_t size() const { return slice.size(); }
    /// The first call whose slice is not before this one.
    uint32_t firstCallFrom(uint32_t sliceId) const
    {
        return static_cast<uint32_t>(std::lower_bound(slice.begin(), slice.end(), sliceId) - slice.begin());
    }
    /// The call itself when it is an operator, else the nearest operator around it; kNone where there is none.
    uint32_t operatorAt(uint32_t call) const
    {
        while (call != kNone && !isOperator[call])
            call = parent[call];
        return call;
    }
    uint32_t operatorAround(uint32_t call) const { return operatorAt(parent[call]); }
    /// The operator that a slice lies in or is.
    uint32_t operatorOfSlice(uint32_t sliceId) const
    {
        return sliceId < context.size() ? operatorAt(context[sliceId]) : kNone;
    }

private:
    void number(const Trace &trace, const SliceClasses &classes);
    /// Of the calls of a lane, and the context of its other slices.
    void findParents(const Trace &trace, const std::vector<const Segment *> &lane);
};

} // namespace riffle
