// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace riffle {

/// Tells which allocations from before the history were replaced where they were given back: an optimizer that makes
/// its state anew in every step gives back the old one. A call is a stretch of events whose stacks are all of one kind
/// (those without a stack do not count). In the call that gave it back, at least as many allocations of its size were
/// made that are still there behind it as ones from before were given back; and of all sizes together fewer than twice
/// as many bytes: a first step that makes states and gives back gradients makes more than it gives. 1 by row of the
/// device's allocations.
std::vector<uint8_t> replacedMemory(const MemorySnapshot &snapshot, const DeviceReplay &device,
                                    const std::function<bool(uint32_t stack)> &isOfCall);

} // namespace riffle
