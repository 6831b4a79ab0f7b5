// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <fmt/format.h>
#include <string>

namespace riffle::test {

/// A slice as Paddle's profiler writes it. `origin` + `start` is the true time in ns; `ts` is this time in whole
/// microseconds.
inline std::string paddleSlice(const char *name, const char *category, const char *side, Ns origin, Ns start,
                               Ns duration, const char *more = "")
{
    const auto us = [](Ns time) { return fmt::format("{}.{:03}", time / 1000, time % 1000); };
    return fmt::format(
        R"~({{"name":"{}[{} us]","pid":9,"tid":"9({})","ts":{},"dur":{},"ph":"X","cat":"{}","cname":"x",)~"
        R"("args":{{"start_time":"{} us","end_time":"{} us"{}}}}},)",
        name, us(duration), side, (origin + start) / 1000, us(duration), category, us(start), us(start + duration),
        more);
}

inline std::string paddleDocument(const std::string &slices, const char *more = "")
{
    return R"({"schemaVersion":"1.0.2","displayTimeUnit":"ms","span_index":"0","traceEvents":[)" + slices + more +
           R"({}],"ExtraInfo":{"9":"MainThread","Process Cpu Utilization":"0.250000"}})";
}

} // namespace riffle::test
