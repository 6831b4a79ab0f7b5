// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <functional>

namespace riffle {

/// Finds the allocations from before the history that were replaced in the call that freed them: an optimizer that
/// reallocates its state in every step frees the old state. A call is a stretch of events whose stacks all satisfy
/// `isOfCall` (events without a stack do not interrupt it). An allocation counts as replaced if the call that freed it
/// allocated at least as many allocations of the same size that outlive the call as it freed ones from before the
/// history, and if the bytes of all kept allocations of the call are less than twice the bytes of all freed ones (a
/// first step that allocates states and frees gradients allocates more than it frees). The result is 1 for these rows
/// of the device's allocations.
BigVector<uint8_t> replacedMemory(const MemorySnapshot &snapshot, const DeviceReplay &device,
                                  const std::function<bool(uint32_t stack)> &isOfCall);

} // namespace riffle
