// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/timeline_tables.h"

#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace riffle {

ResultTable timelineCategories(const MemoryTimeline &timeline, uint32_t point)
{
    struct Row {
        size_t category;
        int64_t at = 0, begin = 0, end = 0, peak = 0;
    };
    ResultTable table;
    table.view = "categories";
    table.title = "Memory by category";
    std::vector<Row> rows;
    int64_t total = 0;
    if (point < timeline.points()) {
        total = timeline.total(point);
        for (size_t category = 0; category < kTimelineCategories; ++category) {
            const auto levels = timeline.bytes[category].span();
            rows.push_back({category, levels[point], levels.front(), levels.back(),
                            *std::max_element(levels.begin(), levels.end())});
        }
        std::stable_sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return a.at > b.at; });
    } else {
        table.absence = timeline.form == MemoryTimeline::Form::Picture
                            ? "The page contains a picture of the curves but no numbers."
                            : "The timeline contains no points.";
    }
    TableBuilder<Row> build(table, rows);
    build.text("category", "Category", "the category that torch.profiler assigned",
               [](const Row &row) { return std::string(timelineCategoryWord(row.category)); });
    const auto bytes = [&](const char *key, const char *title, const char *formula, auto member) -> ResultColumn & {
        return build.integer(key, title, CellKind::Bytes, formula, [member](const Row &row) { return row.*member; });
    };
    ResultColumn &at = bytes("bytes", "Bytes", "allocated and not freed at this time", &Row::at);
    at.summed = at.barred = true;
    build.share("share", "Share", "bytes / total bytes of all categories",
                [&](const Row &row) { return ratio(row.at, total); });
    bytes("begin_bytes", "At the start", "at the first point", &Row::begin).hidden = true;
    bytes("end_bytes", "At the end", "at the last point", &Row::end).hidden = true;
    bytes("peak_bytes", "Own peak", "largest value at any point", &Row::peak);
    return table;
}

ResultTable timelinePoints(const MemoryTimeline &timeline)
{
    ResultTable table;
    table.view = "points";
    table.title = "Memory over time";
    const auto whole = [](const Column<int64_t> &column) { return std::vector<int64_t>(column.begin(), column.end()); };
    table.origin = timeline.points() ? timeline.times[0] : 0;
    ResultColumn &numbers = table.add("point", "Point", CellKind::Count, "counted from 0");
    numbers.isId = true;
    numbers.integers.resize(timeline.points());
    std::iota(numbers.integers.begin(), numbers.integers.end(), int64_t(0));
    table.add("time_unix_ns", "Time", CellKind::Moment, "Unix nanoseconds; shown relative to the first point")
        .integers = whole(timeline.times);
    std::vector<int64_t> totals(timeline.points());
    for (uint32_t point = 0; point < timeline.points(); ++point)
        totals[point] = timeline.total(point);
    table.add("total", "Total", CellKind::Bytes, "sum of all categories").integers = std::move(totals);
    for (size_t category = 0; category < kTimelineCategories; ++category) {
        const std::string word(timelineCategoryWord(category));
        std::string title = word;
        title[0] = static_cast<char>(title[0] - 'a' + 'A');
        std::replace(title.begin(), title.end(), '_', ' ');
        table.add(word, title, CellKind::Bytes, "bytes of the category after this time").integers =
            whole(timeline.bytes[category]);
    }
    if (timeline.points() == 0)
        table.absence = timelineCategories(timeline, MemoryTimeline::kNone).absence;
    return table;
}

ResultTable timelineActions(const MemoryTimeline &timeline)
{
    struct Row {
        size_t action, category;
        int64_t events = 0;
        uint64_t change = 0; ///< wraps if the file has impossible sizes
    };
    std::array<std::array<Row, kTimelineCategories>, kTimelineActions> sums{};
    const TimelineEvents &events = timeline.events;
    for (size_t event = 0; event < events.count(); ++event) {
        Row &row = sums[static_cast<size_t>(events.action[event])][events.category[event]];
        ++row.events;
        row.change += static_cast<uint64_t>(events.change[event]);
    }
    std::vector<Row> rows;
    for (size_t action = 0; action < kTimelineActions; ++action)
        for (size_t category = 0; category < kTimelineCategories; ++category)
            if (const Row &sum = sums[action][category]; sum.events)
                rows.push_back({action, category, sum.events, sum.change});
    ResultTable table;
    table.view = "actions";
    table.title = "Events by action";
    TableBuilder<Row> build(table, rows);
    build.text("action", "Action", "the recorder's word",
               [](const Row &row) { return std::string(timelineActionWord(static_cast<TimelineAction>(row.action))); });
    build.text("category", "Category", "what torch.profiler took the memory for",
               [](const Row &row) { return std::string(timelineCategoryWord(row.category)); });
    build.count("events", "Events", "", [](const Row &row) { return row.events; }).summed = true;
    build.integer("bytes", "Bytes", CellKind::Bytes,
                  "sum of the changes; negative if the events free more than they allocate",
                  [](const Row &row) { return static_cast<int64_t>(row.change); });
    if (rows.empty())
        table.absence = timeline.form == MemoryTimeline::Form::Levels
                            ? "The file contains levels over time but no events. A raw timeline (.raw.json.gz) has "
                              "them."
                            : "The timeline contains no events.";
    return table;
}

std::string troubleText(const FileTrouble &trouble)
{
    return trouble.what + ": " + formatCount(static_cast<int64_t>(trouble.count)) + ", the first at byte " +
           std::to_string(trouble.firstOffset) + ".";
}

std::vector<std::string> timelineRemarks(const MemoryTimeline &timeline)
{
    std::vector<std::string> remarks;
    if (timeline.damage)
        remarks.push_back("Only the start of the file could be read. " +
                          Error{timeline.damage->message, {}, timeline.damage->offset}.text());
    switch (timeline.form) {
    case MemoryTimeline::Form::Levels:
        remarks.push_back(
            "Times in this kind of file are in microseconds; all changes within one microsecond are one point.");
        break;
    case MemoryTimeline::Form::Events:
        remarks.push_back("This is a raw timeline: times are in nanoseconds, and every event is included.");
        break;
    case MemoryTimeline::Form::Picture:
        remarks.push_back("The page contains only a picture of the curves and no numbers. Use "
                          "export_memory_timeline() to write the numbers to a .json or .raw.json.gz file.");
        break;
    }
    for (const FileTrouble &trouble : timeline.troubles)
        remarks.push_back(troubleText(trouble));
    return remarks;
}

} // namespace riffle
