// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/trace_set.h"

#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// Parses "1.5ms", "12.3 s", "200ns", "3us", "3µs" or "2min" into exact nanoseconds; a bare number is in seconds.
std::optional<Ns> parseTime(std::string_view text);
/// Formats nanoseconds as text that parseTime() reads back exactly: "1.5ms".
std::string timeText(Ns time);

/// Parses "A:B", two times that count from the trace's first event. Without A, the range starts at that event; without
/// B, it goes to the end.
Result<TimeSpan> parseRange(std::string_view text);
/// Parses "N:M" or "N", the numbers of the first and the last step, into [N, M].
Result<TimeSpan> parseSteps(std::string_view text);

/// The number in "3", "#3", "step 3", "ProfilerStep#3".
std::optional<int64_t> parseStepNumber(std::string_view text);
/// The span (set time) of the first step with that number among the set's members.
std::optional<TimeSpan> stepSpan(const TraceSet &traces, int64_t number);

/// The place that the text of the go-to bar names, in set time: a step's span, a range "A:B", or a point in time
/// (begin == end). Times count from the set's first event.
Result<TimeSpan> lookUpPlace(const TraceSet &traces, std::string_view text);

} // namespace riffle
