// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_instant.h"
#include "model/base/result.h"

#include <string>
#include <string_view>

namespace riffle::cli {

inline constexpr const char *kPointForm = "peak, begin, end, the number of a point counted from 0 (4 or #4), or a time "
                                          "with a unit: on a log's own clock (37.5s), or after the first point of a "
                                          "memory timeline (250ms)";

/// Parses --at for a memory log or memory timeline, which consists of points. An empty text means the peak. A plain
/// number is the number of a point, as it is that of an event for a snapshot; therefore, a time needs a unit.
Result<MemoryMoment> parsePointMoment(std::string_view text);

/// "There is no point 9. The points are 0 to 5."
Error noSuchPoint(const std::string &path, int64_t number, size_t points);

} // namespace riffle::cli
