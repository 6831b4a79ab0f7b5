// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/log_pairing.h"

#include <algorithm>
#include <optional>

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

/// Without overflow, whatever the file holds.
uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b) : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

} // namespace

bool havePointsInCommon(const MemoryLogRank &a, const MemoryLogRank &b)
{
    return a.points.size() == b.points.size() && std::equal(a.points.begin(), a.points.end(), b.points.begin(), printsTheSame);
}

uint32_t pairedPoint(const MemoryLogRank &rank, uint32_t point, const MemoryLogRank &other)
{
    if (other.points.empty())
        return MemoryLogPoint::kNone;
    const uint32_t sameNumber = std::min(point, static_cast<uint32_t>(other.points.size() - 1));
    const bool isTimed = point < rank.points.size() && rank.points[point].time != MemoryLogPoint::kNoTime;
    if (!isTimed || havePointsInCommon(rank, other))
        return sameNumber;
    const int64_t time = rank.points[point].time;
    std::optional<uint32_t> nearest;
    for (uint32_t at = 0; at < other.points.size(); ++at)
        if (other.points[at].time != MemoryLogPoint::kNoTime && (!nearest || distance(other.points[at].time, time) < distance(other.points[*nearest].time, time)))
            nearest = at;
    return nearest.value_or(sameNumber);
}

std::string pointText(const MemoryLogRank &rank, uint32_t point)
{
    if (point >= rank.points.size())
        return "no point";
    const MemoryLogPoint &at = rank.points[point];
    return "point " + std::to_string(point) + (at.time == MemoryLogPoint::kNoTime ? ", without a time" : ", " + at.timeText + "\u00a0s");
}

} // namespace riffle
