// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"

#include <cstdint>

namespace riffle {

/// What no allocator can have written into the final state of a device.
struct FinalStateTroubles {
    uint64_t overlappingSegments = 0; ///< begin where another one has not ended
    uint64_t overlappingBlocks = 0;   ///< in use, as above
    uint64_t outsideBlocks = 0;       ///< in use, not all within their segment
};

FinalStateTroubles checkFinalState(const MemorySnapshot &snapshot, const DeviceReplay &device);

} // namespace riffle
