// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/import_report.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The text of a damaged event, repaired to valid JSON as well as possible, and the problems that were repaired.
struct RepairedEvent {
    std::string text;
    std::vector<Trouble> troubles; ///< each kind at most once
};

/// Repairs what writers are known to get wrong: raw control characters, unescaped quotes and backslashes, bare words
/// (N/A, nan, inf, True), numbers that no parser accepts, trailing commas, a missing quote before a key, bytes that are
/// not valid UTF-8, halves of surrogate pairs, and values that are nested too deeply. The result must still be
/// validated.
RepairedEvent repairEvent(std::string_view text);

} // namespace riffle
