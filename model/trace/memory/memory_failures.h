// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/tables.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace riffle {

class Trace;

/// The name of profile_memory's events for failed allocations.
inline constexpr std::string_view kOutOfMemory = "[OutOfMemory]";

/// A failed allocation. Sizes that the event does not record are kNoInt; a device that it does not record is
/// kUnknownType.
struct MemoryFailure {
    static constexpr int32_t kUnknownType = -1;

    uint32_t instant = 0; ///< row of Trace::instants
    uint32_t lane = 0;    ///< LaneId of the requesting thread
    Ns time = 0;
    int32_t deviceType = kUnknownType; ///< c10::DeviceType, as in MemoryTable
    int32_t deviceId = -1;
    int64_t asked = kNoInt;     ///< bytes requested
    int64_t allocated = kNoInt; ///< bytes allocated on the device at that time
    int64_t reserved = kNoInt;  ///< bytes reserved on the device at that time
};

/// Returns all [OutOfMemory] events of a trace, in order of time. Sizes and devices are recorded only in the trace's
/// text, so they are read for the first thousand events only.
std::vector<MemoryFailure> memoryFailures(const Trace &trace);

} // namespace riffle
