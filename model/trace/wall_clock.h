// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/wrapping.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <optional>

namespace riffle {

/// Returns the wall-clock time of a late moment of a trace, in Unix ns, by the last reading of the clock, because the
/// clocks move apart; by the first one if there is no other.
inline std::optional<int64_t> lateUnixTime(const TraceInfo &info, Ns time)
{
    if (!info.clocks.empty())
        return saturatedSum(info.clocks.back().unixNs, saturatedSum(time, -info.clocks.back().time));
    return info.baseTimeNs ? std::optional(saturatedSum(*info.baseTimeNs, time)) : std::nullopt;
}

} // namespace riffle
