// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/unload_order.h"

#include <algorithm>

namespace riffle {

void UnloadOrder::looked(TraceId id)
{
    std::erase(m_looked, id);
    m_looked.push_back(id);
}

std::optional<TraceId> UnloadOrder::next(const TraceSet &set, uint64_t used, uint64_t limit)
{
    if (used <= limit || set.size() < 2 || !m_leaving.expired())
        return std::nullopt;
    std::erase_if(m_looked, [&](TraceId id) { return !set.member(id); });
    // Among members that nobody has looked at, the last one in the order is the furthest from what is seen.
    const auto recency = [this](const LoadedTrace &member) {
        const auto found = std::ranges::find(m_looked, member.id);
        return found == m_looked.end() ? 0 : found - m_looked.begin() + 1;
    };
    const LoadedTrace *oldest = nullptr;
    for (size_t at = set.size(); at-- > 0;) {
        const LoadedTrace &member = set.loaded()[at];
        // A trace that has grown would have other ids when it is read again, and while it grows, it is followed.
        if (member.trace->segmentsById.empty() && (!oldest || recency(member) < recency(*oldest)))
            oldest = &member;
    }
    if (!oldest)
        return std::nullopt;
    m_leaving = oldest->trace;
    return oldest->id;
}

} // namespace riffle
