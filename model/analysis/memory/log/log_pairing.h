// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_log.h"

#include <cstdint>
#include <string>

namespace riffle {

/// True if two logs describe the same states in the same order: they have equally many points, and points with the same
/// number contain the same parts and layouts, of any size. Ranks write at the same places of a program, each with its
/// own clock.
bool havePointsInCommon(const MemoryLogRank &a, const MemoryLogRank &b);

/// The point of another rank that corresponds to a point. If havePointsInCommon(), it is the point with the same
/// number; otherwise the nearest in time, the earlier of two equally near ones. If times are missing, it is the point
/// with the same number, or the last point if there are fewer. MemoryLogPoint::kNone if the other rank has no points.
uint32_t pairedPoint(const MemoryLogRank &rank, uint32_t point, const MemoryLogRank &other);

/// "point 5, 7.800 s": the point's number, counted from 0, and its time in the log.
std::string pointText(const MemoryLogRank &rank, uint32_t point);

} // namespace riffle
