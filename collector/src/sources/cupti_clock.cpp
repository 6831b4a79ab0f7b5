// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_clock.h"

#include <algorithm>
#include <cstdlib>

namespace riffle::collector {

void CuptiClock::add(int64_t stamp, int64_t time)
{
    constexpr int64_t kApart = 500'000'000;                         // ns between the readings that are kept
    constexpr size_t kMost = 4096;                                  // more than half an hour; no records are that late
    while (!m_readings.empty() && m_readings.back().stamp >= stamp) // the clock was set back
        m_readings.pop_back();
    const size_t count = m_readings.size();
    if (count > 1 && stamp - m_readings[count - 2].stamp < kApart)
        m_readings.pop_back();
    if (m_readings.size() >= kMost)
        m_readings.erase(m_readings.begin(), m_readings.begin() + kMost / 2);
    m_readings.push_back({stamp, time - stamp});
}

/// Between two readings the offset changes evenly, unless CUPTI's clock was set in between; outside them it is that of
/// the nearest one.
int64_t CuptiClock::offsetAt(int64_t stamp) const
{
    const auto after = std::upper_bound(m_readings.begin(), m_readings.end(), stamp,
                                        [](int64_t value, const Reading &one) { return value < one.stamp; });
    if (after == m_readings.begin())
        return after->offset;
    const Reading &before = *(after - 1);
    if (after == m_readings.end())
        return before.offset;
    const int64_t stamps = after->stamp - before.stamp, elapsed = stamps + after->offset - before.offset;
    if (constexpr int64_t kMostSlew = 50; std::abs(stamps - elapsed) > elapsed / kMostSlew) // no clock is that wrong
        return stamp - before.stamp <= elapsed ? before.offset : after->offset;
    const double share = static_cast<double>(stamp - before.stamp) / static_cast<double>(stamps);
    return before.offset + static_cast<int64_t>(share * static_cast<double>(after->offset - before.offset));
}

} // namespace riffle::collector
