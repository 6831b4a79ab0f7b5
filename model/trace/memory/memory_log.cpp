// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/memory_log.h"

#include <algorithm>
#include <set>

namespace riffle {

std::string_view memoryLogPartWord(MemoryLogPart part)
{
    static constexpr std::array<std::string_view, kMemoryLogParts> kWords = {"params", "grads", "os_params", "os_state",
                                                                             "activation"};
    return part < MemoryLogPart::Count ? kWords[static_cast<size_t>(part)] : std::string_view();
}

std::string printedText(PrintedSize size)
{
    if (size == kNotPrinted)
        return {};
    const uint64_t hundredths = size < 0 ? 0 - static_cast<uint64_t>(size) : static_cast<uint64_t>(size);
    std::string text(size < 0 ? "-" : "");
    text += std::to_string(hundredths / 100);
    text += '.';
    text += static_cast<char>('0' + hundredths / 10 % 10);
    text += static_cast<char>('0' + hundredths % 10);
    return text;
}

bool MemoryLogPoint::hasLayout() const
{
    return std::any_of(layouts.begin(), layouts.end(), [](uint32_t layout) { return layout != kNone; });
}

std::string MemoryLogRank::name() const { return folder.empty() ? path.substr(path.rfind('/') + 1) : folder; }

std::optional<int64_t> MemoryLogRank::rank() const
{
    for (const auto &[letters, number] : coordinates)
        if (letters == "rank")
            return number;
    return std::nullopt;
}

uint32_t MemoryLogRank::peak() const
{
    uint32_t found = MemoryLogPoint::kNone;
    for (uint32_t point = 0; point < points.size(); ++point)
        if (points[point].total != kNotPrinted &&
            (found == MemoryLogPoint::kNone || points[point].total > points[found].total))
            found = point;
    return found;
}

uint32_t MemoryLogRank::pointNear(int64_t ns) const
{
    const auto distance = [ns](int64_t time) { // safe from overflow, even for damaged files
        return time > ns ? static_cast<uint64_t>(time) - static_cast<uint64_t>(ns)
                         : static_cast<uint64_t>(ns) - static_cast<uint64_t>(time);
    };
    uint32_t found = MemoryLogPoint::kNone;
    for (uint32_t point = 0; point < points.size(); ++point)
        if (points[point].time != MemoryLogPoint::kNoTime &&
            (found == MemoryLogPoint::kNone || distance(points[point].time) < distance(points[found].time)))
            found = point;
    return found;
}

std::vector<int64_t> MemoryLog::missingRanks() const
{
    constexpr int64_t kMost = 1 << 20; // larger numbers are not ranks
    std::set<int64_t> there;
    for (const MemoryLogRank &one : ranks)
        if (const auto number = one.rank(); number && *number < kMost)
            there.insert(*number);
    std::vector<int64_t> missing;
    for (int64_t number = 0; !there.empty() && number < *there.rbegin(); ++number)
        if (!there.contains(number))
            missing.push_back(number);
    return missing;
}

} // namespace riffle
