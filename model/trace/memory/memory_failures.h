// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/tables.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace riffle {

class Trace;

/// What profile_memory calls an allocation that failed.
inline constexpr std::string_view kOutOfMemory = "[OutOfMemory]";

/// An allocation for which there was no memory. Sizes are kNoInt, and the device is unknown, where the event does not
/// say.
struct MemoryFailure {
    static constexpr int32_t kUnknownType = -1;

    uint32_t instant = 0; ///< row of Trace::instants
    uint32_t lane = 0;    ///< LaneId of the thread that asked
    Ns time = 0;
    int32_t deviceType = kUnknownType; ///< c10::DeviceType, as in MemoryTable
    int32_t deviceId = -1;
    int64_t asked = kNoInt;     ///< bytes
    int64_t allocated = kNoInt; ///< bytes on the device then
    int64_t reserved = kNoInt;  ///< likewise
};

/// All [OutOfMemory] events of a trace, in order of time. What an event says stands in the trace's text only: beyond
/// the first thousand it is not looked up.
std::vector<MemoryFailure> memoryFailures(const Trace &trace);

} // namespace riffle
