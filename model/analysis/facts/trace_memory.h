// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_tree.h"
#include "model/trace/memory/memory_lives.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// The events of profile_memory, each with the slice in which it happened. Rows are those of Trace::memory.
struct TraceMemory : MemoryLives {
    std::vector<uint32_t> slice; ///< by row: SliceId of the innermost slice around it on its thread; kNone: none

    explicit TraceMemory(const Trace &trace);

    /// When it happened; Paddle's events are cut off to whole microseconds, its slices are not, so they count in the
    /// middle of one.
    static Ns timeOf(const Trace &trace, uint32_t row);
    /// The operator in which it happened; CallTree::kNone where there is none.
    uint32_t operatorOf(const CallTree &calls, uint32_t row) const { return calls.operatorOfSlice(slice[row]); }
};

/// "CPU", "GPU0": by the numbers of c10::DeviceType.
std::string memoryPlaceName(int32_t type, int32_t id);

} // namespace riffle
