// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <functional>

namespace riffle {

/// Finds the allocations from before the history that were replaced in the call that freed them, as when an optimizer
/// reallocates its state in every step. The result has one value per allocation of the device, 1 if it was replaced.
///
/// A call is a stretch of events whose stacks all satisfy `isOfCall`; events without a stack do not interrupt it. Its
/// freed allocations are those from before the history, its kept allocations those that outlive the call. An allocation
/// counts as replaced if the call that freed it kept at least as many allocations of the same size as it freed, and if
/// all kept allocations have less than twice the bytes of all freed ones. The second condition excludes a first step,
/// which allocates states and frees gradients: it allocates much more than it frees.
BigVector<uint8_t> replacedMemory(const MemorySnapshot &snapshot, const DeviceReplay &device,
                                  const std::function<bool(uint32_t stack)> &isOfCall);

} // namespace riffle
