// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"

#include <cstdint>

namespace riffle {

/// Contradictions in the final state of a device; no working allocator produces them.
struct FinalStateTroubles {
    uint64_t overlappingSegments = 0; ///< segments that start before an earlier one ends
    uint64_t overlappingBlocks = 0;   ///< blocks in use that start before an earlier one ends
    uint64_t outsideBlocks = 0;       ///< blocks in use that are not entirely inside their segment
};

FinalStateTroubles checkFinalState(const MemorySnapshot &snapshot, const DeviceReplay &device);

} // namespace riffle
