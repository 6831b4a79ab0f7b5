// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/trace/memory/memory_log.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// The form of cells with sizes, which are hundredths of MB: texts with two decimals for people, or numbers for
/// programs.
enum class SizeCells : uint8_t { Texts, Numbers };

/// One row per rank: points, layouts, span, peak and the number of problems.
ResultTable logRanks(const MemoryLog &log, SizeCells cells);
/// One row per rank and point: the time and the printed sizes.
ResultTable logPoints(const MemoryLog &log, SizeCells cells);

/// One point of one rank.
struct LogPlace {
    uint32_t rank = 0;
    uint32_t point = 0;
};
/// One row per place and part, with the printed size; the total of a place comes first.
ResultTable logParts(const MemoryLog &log, const std::vector<LogPlace> &places, SizeCells cells);
/// A tree of the layers of each place and part, with their printed sizes.
ResultTable logLayers(const MemoryLog &log, const std::vector<LogPlace> &places, SizeCells cells);
/// A tree of the content of each sunburst page, in whole MB.
ResultTable logSunbursts(const MemoryLog &log, const std::vector<uint32_t> &ranks);

/// Sentences about missing or damaged data and other problems.
std::vector<std::string> logRemarks(const MemoryLog &log);

} // namespace riffle
