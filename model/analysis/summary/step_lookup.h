// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/trace_set.h"

#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// "1.5ms", "12.3 s", "200ns", "3us", "3µs", "2min" as exact nanoseconds; a bare number is in seconds.
std::optional<Ns> parseTime(std::string_view text);
/// Nanoseconds as text that parseTime() reads back exactly: "1.5ms".
std::string timeText(Ns time);

/// "A:B": two times after the trace's first event. Either may be left out: from the start, to the end.
Result<TimeSpan> parseRange(std::string_view text);
/// "N:M" or "N": the steps N to M by their number, as [N, M].
Result<TimeSpan> parseSteps(std::string_view text);

/// The number in "3", "#3", "step 3", "ProfilerStep#3".
std::optional<int64_t> parseStepNumber(std::string_view text);
/// Span (set time) of the first step with that number over the set's members.
std::optional<TimeSpan> stepSpan(const TraceSet &traces, int64_t number);

/// Where the text of a go-to box leads, in set time: a step's span, a range "A:B", or a point in time (begin == end).
/// Times count from the set's first event.
Result<TimeSpan> lookUpPlace(const TraceSet &traces, std::string_view text);

} // namespace riffle
