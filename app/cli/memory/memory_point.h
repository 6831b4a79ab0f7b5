// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_instant.h"
#include "model/base/result.h"

#include <string>
#include <string_view>

namespace riffle::cli {

inline constexpr const char *kPointForm = "peak, begin, end, the number of a point from 0 (4 or #4), or a time with "
                                          "its unit: of a log its own seconds (37.5s), "
                                          "of a memory timeline after its first point (250ms)";

/// What --at means of a file that tells of points, a log or a memory timeline; nothing said is the peak. A number is
/// always that of a point, as it is that of an event of a snapshot: a time has its unit.
Result<MemoryMoment> parsePointMoment(std::string_view text);

/// "there is no point 9: they are 0 to 5"
Error noSuchPoint(const std::string &path, int64_t number, size_t points);

} // namespace riffle::cli
