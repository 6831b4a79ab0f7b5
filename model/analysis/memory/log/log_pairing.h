// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_log.h"

#include <cstdint>
#include <string>

namespace riffle {

/// Whether two logs tell of the same states in the same order: as many points, each with the same parts and layouts
/// printed. Ranks write at the same places of a program, each by its own clock.
bool havePointsInCommon(const MemoryLogRank &a, const MemoryLogRank &b);

/// The point of another rank to compare one with: the one with its number where both have the same points, else the
/// nearest in time, of two as near the earlier; without times the one with its number, or the last.
/// MemoryLogPoint::kNone: the other has none.
uint32_t pairedPoint(const MemoryLogRank &rank, uint32_t point, const MemoryLogRank &other);

/// "point 5, 7.800 s": its number from 0, and its time by the log.
std::string pointText(const MemoryLogRank &rank, uint32_t point);

} // namespace riffle
