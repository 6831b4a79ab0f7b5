// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/growth/growth_memory.h"
#include "model/trace/trace.h"
#include "tests/support/log_writer.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace riffle::test {

enum class Files : uint8_t { Kept, RollAway };

/// The random steps in which a log is written while it is followed.
struct FollowSchedule {
    uint32_t seed = 1;
    size_t mostChunks = 1; ///< that are written between two steps
    Files files = Files::Kept;
    GrowthWindow window = {};
};

/// Follows a copy of a log that is written step by step, calls `visit` with each generation, and returns the last one.
Result<std::shared_ptr<const Trace>> followedLog(const LogFolder &whole, const FollowSchedule &schedule,
                                                 const std::function<void(const Trace &)> &visit = {});

/// Follows a log in random steps and returns the first difference between the last generation and the log that is read
/// at once, or the first of up to a thousand references to slices that comes to mean another one. Empty if there is
/// none.
std::string followedDifference(const LogFolder &whole, const FollowSchedule &schedule);

/// A log of each kind that tests have, except the random ones; the longest has about so many events.
std::vector<std::unique_ptr<LogFolder>> logsOfAllKinds(uint64_t events);

} // namespace riffle::test
