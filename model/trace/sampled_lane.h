// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace riffle {

// Slices that are known from samples of a thread are in a lane of their own beside the thread's lane, since they must
// not be nested with slices whose times are exact. The lane's title says so, and its tid is the thread's plus
// kSampledTid, which is more than any system gives to a thread.

inline constexpr int64_t kSampledTid = 1'000'000'000;

/// The title of a lane with samples of the thread that has this title: "thread 7 (python): Python, sampled every 10
/// ms".
std::string sampledTitle(std::string_view threadTitle, int64_t intervalNs);
/// The tid of the thread from which the lane has samples; nothing if it is an ordinary lane.
std::optional<int64_t> sampledThread(const Trace &trace, const Lane &lane);

} // namespace riffle
