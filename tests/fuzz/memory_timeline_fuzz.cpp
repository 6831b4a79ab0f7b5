// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/timeline_tables.h"
#include "model/ingest/memory_timeline/memory_timeline.h"
#include "tests/fuzz/require.h"
#include "tests/support/chunked_source.h"

#include <string>
#include <string_view>

using namespace riffle;
using test::require;

/// Runs the reader on text in memory and on the same text in pieces, and checks that the columns are consistent.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view text(reinterpret_cast<const char *>(data), size - 1);
    looksLikeMemoryTimeline(text);
    constexpr uint64_t kMost = 1 << 20;
    test::ChunkedSource whole(text), pieces(text, 1 + data[size - 1] % 61);
    const auto mapped = readMemoryTimelineText(whole, "fuzz", kMost, {}),
               streamed = readMemoryTimelineText(pieces, "fuzz", kMost, {});
    require(bool(mapped) == bool(streamed), "only one of the two could be read");
    if (!mapped) {
        require(mapped.error().text() == streamed.error().text(), "errors differ");
        return 0;
    }
    const MemoryTimeline &timeline = **mapped, &other = **streamed;
    require(timeline.points() == other.points() && timeline.events.count() == other.events.count(), "counts differ");
    require(timeline.troubles.size() == other.troubles.size(), "troubles differ");
    for (uint32_t point = 0; point < timeline.points(); ++point)
        require(timeline.times[point] == other.times[point] && timeline.total(point) == other.total(point),
                "points differ");
    for (const auto &column : timeline.bytes)
        require(column.size() == timeline.points(), "a column is too short");
    const uint32_t peak = timeline.peak();
    require((peak == MemoryTimeline::kNone) == (timeline.points() == 0),
            "there is a peak without points, or no peak with points");
    timelineCategories(timeline, peak);
    timelinePoints(timeline);
    timelineActions(timeline);
    timelineRemarks(timeline);
    timeline.pointAt(0);
    return 0;
}
