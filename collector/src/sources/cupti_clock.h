// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace riffle::collector {

/// Turns CUPTI's times into CLOCK_MONOTONIC. CUPTI counts in our clock if it has accepted our callback. Otherwise it
/// uses its own, usually CLOCK_REALTIME, which may be set while we record: so the two are compared from time to time.
class CuptiClock {
public:
    /// From now on both clocks are the same.
    void same() { m_readings.clear(); }
    /// Notes that CUPTI's clock was `stamp` when CLOCK_MONOTONIC was `time`.
    void add(int64_t stamp, int64_t time);
    int64_t time(uint64_t stamp) const
    {
        const auto value = static_cast<int64_t>(stamp);
        return m_readings.empty() ? value : value + offsetAt(value);
    }

private:
    struct Reading {
        int64_t stamp, offset;
    };
    int64_t offsetAt(int64_t stamp) const;

    std::vector<Reading> m_readings; ///< in order of their stamps
};

} // namespace riffle::collector
