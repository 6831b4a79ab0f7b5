// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/common_clock.h"

#include <algorithm>
#include <numeric>

namespace riffle {

namespace {

constexpr Ns kMostTime = INT64_MAX / 8; ///< so that sums of differences fit into 64 bits
constexpr Ns kMostBase = INT64_MAX / 4; ///< files can contain any number; one beyond this is damage
constexpr Ns kDay = Ns{86'400} * 1'000'000'000;

Ns firstTimeOf(const CallList &list)
{
    for (size_t call = 0; call < list.size(); ++call)
        if (list.table.flags[call] & call_flag::Timed)
            return list.table.start[call];
    return 0;
}

Ns baseOf(const CallList &list) { return std::clamp(*list.unixBase, -kMostBase, kMostBase); }

bool isFar(Ns a, Ns b) { return a > b ? a > saturatedSum(b, kDay) : b > saturatedSum(a, kDay); }

} // namespace

CommonClock::CommonClock(std::span<const CallList *const> lists) : m_part(lists.size())
{
    std::iota(m_part.begin(), m_part.end(), 0u);
    const bool isWallKnown =
        std::ranges::all_of(lists, [](const CallList *list) { return list->unixBase.has_value(); });
    Ns zero = 0;
    for (const CallList *list : lists) {
        Rank &rank = m_ranks.emplace_back(Rank{list, 0, 0, {}});
        const Ns toWall = isWallKnown ? baseOf(*list) - baseOf(*lists.front()) : 0;
        const Ns first = std::clamp(saturatedSum(list->wall.toSet(firstTimeOf(*list)), toWall), -kMostBase, kMostBase);
        if (m_ranks.size() == 1)
            zero = first;
        rank.origin = isFar(first, zero) ? first : zero;
        rank.shift = saturatedSum(toWall, -rank.origin);
    }
}

Ns CommonClock::time(uint32_t rank, Ns own) const
{
    const Rank &of = m_ranks[rank];
    Ns time = saturatedSum(of.list->wall.toSet(own), of.shift);
    for (const ClockLine &line : of.lines)
        time = line.ahead(time);
    return std::clamp(time, -kMostTime, kMostTime);
}

size_t CommonClock::joinedWith(uint32_t rank) const
{
    return static_cast<size_t>(std::ranges::count(m_part, m_part[rank]));
}

void CommonClock::join(uint32_t left, uint32_t right, const ClockLine &line)
{
    const uint32_t part = m_part[right];
    for (uint32_t rank = 0; rank < m_part.size(); ++rank)
        if (m_part[rank] == part && part != m_part[left]) {
            m_ranks[rank].lines.push_back(line);
            m_part[rank] = m_part[left];
        }
}

} // namespace riffle
