// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/import_report.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A damaged event's text mended to valid JSON as far as one can guess, and what was mended.
struct RepairedEvent {
    std::string text;
    std::vector<Trouble> troubles; ///< each kind once
};

/// Mends what writers are known to get wrong: raw control characters, unescaped quotes and backslashes, bare words
/// (N/A, nan, inf, True), numbers no parser takes, trailing commas, a missing quote before a key, bytes that are no
/// UTF-8, halves of surrogate pairs, values nested too deep. The result still has to be validated.
RepairedEvent repairEvent(std::string_view text);

} // namespace riffle
