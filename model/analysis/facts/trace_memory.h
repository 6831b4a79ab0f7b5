// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_tree.h"
#include "model/base/big_vector.h"
#include "model/trace/memory/memory_lives.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <string>

namespace riffle {

/// The events of profile_memory, each with the slice in which it happened. Rows are those of Trace::memory.
struct TraceMemory : MemoryLives {
    /// Per row: SliceId of the innermost slice around it on its thread; kNone if there is none. An allocation at the
    /// end of a call of aten::empty may belong to this call (AllocatingCalls).
    BigVector<uint32_t> slice;

    explicit TraceMemory(const Trace &trace);

    /// The time of an event. Paddle truncates the times of events, but not of slices, to whole microseconds, so its
    /// events are placed in the middle of their microsecond.
    static Ns timeOf(const Trace &trace, uint32_t row);
    /// The operator in which an event happened; CallTree::kNone if there is none.
    uint32_t operatorOf(const CallTree &calls, uint32_t row) const { return calls.operatorOfSlice(slice[row]); }

private:
    void correctEnds(const Trace &trace);
};

/// The name of a device, such as "CPU" or "GPU0". `type` is the number of a c10::DeviceType.
std::string memoryPlaceName(int32_t type, int32_t id);

} // namespace riffle
