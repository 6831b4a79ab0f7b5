// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/log/log_pairing.h"

#include "model/base/format.h"

#include <algorithm>

namespace riffle {

namespace {

bool printsTheSame(const MemoryLogPoint &a, const MemoryLogPoint &b)
{
    for (size_t part = 0; part < kMemoryLogParts; ++part)
        if ((a.parts[part] == kNotPrinted) != (b.parts[part] == kNotPrinted) ||
            (a.layouts[part] == MemoryLogPoint::kNone) != (b.layouts[part] == MemoryLogPoint::kNone))
            return false;
    return (a.total == kNotPrinted) == (b.total == kNotPrinted);
}

} // namespace

bool havePointsInCommon(const MemoryLogRank &a, const MemoryLogRank &b)
{
    return a.points.size() == b.points.size() &&
           std::equal(a.points.begin(), a.points.end(), b.points.begin(), printsTheSame);
}

uint32_t pairedPoint(const MemoryLogRank &rank, uint32_t point, const MemoryLogRank &other)
{
    if (other.points.empty())
        return MemoryLogPoint::kNone;
    const uint32_t sameNumber = std::min(point, static_cast<uint32_t>(other.points.size() - 1));
    const bool isTimed = point < rank.points.size() && rank.points[point].time != MemoryLogPoint::kNoTime;
    if (!isTimed || havePointsInCommon(rank, other))
        return sameNumber;
    const uint32_t nearest = other.pointNear(rank.points[point].time);
    return nearest == MemoryLogPoint::kNone ? sameNumber : nearest;
}

std::string pointText(const MemoryLogRank &rank, uint32_t point)
{
    if (point >= rank.points.size())
        return "no point";
    const MemoryLogPoint &at = rank.points[point];
    return "point " + std::to_string(point) +
           (at.time == MemoryLogPoint::kNoTime ? ", without a time" : ", " + formatDuration(at.time));
}

} // namespace riffle
