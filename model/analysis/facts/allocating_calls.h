// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/trace/trace.h"

#include <cstdint>

namespace riffle {

/// The calls of aten::empty and aten::empty_strided on the host. Such a call allocates memory once and does little
/// else, so an allocation that was recorded at its very end belongs to it unless it already has one. This happens where
/// times are whole microseconds: the allocation, the end of the call and the start of the next operator are then the
/// same time.
class AllocatingCalls {
public:
    static constexpr uint32_t kNone = SliceId::kNone;

    explicit AllocatingCalls(const Trace &trace);

    bool empty() const { return m_calls.empty(); }
    /// Returns the first call (a SliceId) of a lane that ends at a time and has no allocation, and gives it this one.
    /// Returns kNone if there is no such call.
    uint32_t takeEnding(uint32_t lane, Ns time);
    /// Gives an allocation to a call. Any other slice is ignored.
    void take(uint32_t slice);

private:
    struct Call {
        uint32_t lane;
        uint32_t slice;
        Ns start, end;
        bool hasAllocation = false;
    };
    BigVector<Call> m_calls;       ///< ordered by lane, end and start
    BigVector<uint32_t> m_bySlice; ///< indices of m_calls, ordered by slice
};

} // namespace riffle
