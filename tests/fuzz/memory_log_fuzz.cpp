// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/log/log_tables.h"
#include "model/ingest/memory_log/log_parser.h"
#include "model/ingest/memory_log/memory_log.h"
#include "model/ingest/memory_log/sunburst_page.h"
#include "tests/fuzz/require.h"

#include <string>
#include <string_view>

using namespace riffle;
using test::require;

namespace {

void checkLayout(const MemoryLogRank &rank, const MemoryLogLayout &layout)
{
    require(layout.depth.size() == layout.count() && layout.own.size() == layout.count() &&
                layout.total.size() == layout.count(),
            "columns differ in length");
    for (uint32_t layer = 0; layer < layout.count(); ++layer) {
        require(layout.paths[layer] < rank.paths.size(), "a layer has no path");
        require(layout.depth[layer] <= (layer ? layout.depth[layer - 1] + 1 : 0), "a level is missing");
        require(layout.own[layer] >= 0 || layout.own[layer] == kNotPrinted, "a size is negative");
    }
}

} // namespace

/// Reads the same text as a log and as a page, and checks that the columns are consistent.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string text(reinterpret_cast<const char *>(data), size);
    MemoryLog log;
    MemoryLogRank &rank = log.ranks.emplace_back();
    looksLikeMemoryLog(text);
    looksLikeSunburstPage(text);
    parseMemoryLog(text, rank, {});
    for (const MemoryLogLayout &layout : rank.layouts)
        checkLayout(rank, layout);
    for (const MemoryLogPoint &point : rank.points)
        for (const uint32_t layout : point.layouts)
            require(layout == MemoryLogPoint::kNone || layout < rank.layouts.size(),
                    "a point refers to a layout that does not exist");
    if (auto page = readSunburstPage(text, "fuzz"))
        rank.pages.push_back(std::move(*page));
    std::vector<LogPlace> places;
    for (uint32_t point = 0; point < rank.points.size() && point < 8; ++point)
        places.push_back({0, point});
    for (const SizeCells cells : {SizeCells::Texts, SizeCells::Numbers}) {
        logRanks(log, cells);
        logPoints(log, cells);
        logParts(log, places, cells);
        logLayers(log, places, cells);
    }
    logSunbursts(log, {0});
    logRemarks(log);
    return 0;
}
