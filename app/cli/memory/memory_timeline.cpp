// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_timeline/memory_timeline.h"
#include "app/cli/command.h"
#include "app/cli/memory/memory_kinds.h"
#include "app/cli/memory/memory_point.h"
#include "app/cli/output.h"
#include "model/analysis/memory/timeline_tables.h"
#include "model/analysis/table/table_text.h"
#include "model/base/decimal.h"
#include "model/base/format.h"
#include "model/base/output_file.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

namespace riffle::cli {

namespace {

std::string_view formWord(MemoryTimeline::Form form)
{
    return form == MemoryTimeline::Form::Levels   ? "levels"
           : form == MemoryTimeline::Form::Events ? "events"
                                                  : "picture";
}

std::string numberOrNull(bool there, int64_t value) { return there ? std::to_string(value) : "null"; }

std::string tableAsJson(const ResultTable &table)
{
    std::vector<uint32_t> rows(table.rows());
    for (uint32_t row = 0; row < rows.size(); ++row)
        rows[row] = row;
    return tableJson(table, rows);
}

void printJson(const MemoryTimeline &timeline)
{
    const uint32_t peak = timeline.peak();
    const bool any = peak != MemoryTimeline::kNone;
    fmt::print("{{\n  \"path\": {},\n  \"kind\": \"torch memory timeline\",\n  \"form\": \"{}\",\n  \"time_unit\": "
               "{},\n  \"container\": {},\n  \"bytes\": {},\n"
               "  \"text_bytes\": {},\n  {}\n",
               jsonString(timeline.path), formWord(timeline.form),
               timeline.form == MemoryTimeline::Form::Picture  ? "null"
               : timeline.form == MemoryTimeline::Form::Levels ? "\"us\""
                                                               : "\"ns\"",
               jsonString(timeline.container), timeline.fileBytes, timeline.textBytes, jsonDamage(timeline.damage));
    fmt::print("  \"points\": {},\n  \"events\": {},\n  \"picture_bytes\": {},\n  \"begin_unix_ns\": {},\n  "
               "\"end_unix_ns\": {},\n",
               timeline.points(), timeline.events.count(), timeline.picture.size(),
               numberOrNull(any, any ? timeline.times[0] : 0),
               numberOrNull(any, any ? timeline.times[timeline.points() - 1] : 0));
    fmt::print("  \"peak_point\": {},\n  \"peak_bytes\": {},\n  \"peak_unix_ns\": {},\n", numberOrNull(any, peak),
               numberOrNull(any, any ? timeline.total(peak) : 0), numberOrNull(any, any ? timeline.times[peak] : 0));
    fmt::print("  \"remarks\": {},\n  \"troubles\": {},\n", jsonList(timelineRemarks(timeline)),
               jsonTroubles(timeline.troubles));
    fmt::print("  \"categories\": {},\n  \"actions\": {},\n  \"load_seconds\": {:.6f}\n}}\n",
               tableAsJson(timelineCategories(timeline, peak)), tableAsJson(timelineActions(timeline)),
               timeline.loadSeconds);
}

void printText(const MemoryTimeline &timeline, const MemoryQuestion &question)
{
    fmt::print("{}\n  format      memory timeline of torch.profiler, {}, {}\n", shownText(timeline.path),
               timeline.container, formatBytes(static_cast<int64_t>(timeline.fileBytes)));
    for (const std::string &remark : timelineRemarks(timeline))
        fmt::print("  {}\n", shownText(remark));
    if (timeline.form == MemoryTimeline::Form::Picture) {
        fmt::print("  picture     {}; use --picture FILE to write it to a file\n",
                   formatBytes(static_cast<int64_t>(timeline.picture.size())));
        return;
    }
    fmt::print("  points      {}\n", formatCount(timeline.points()));
    if (const uint32_t peak = timeline.peak(); peak != MemoryTimeline::kNone) {
        fmt::print("  recorded    {}, {}\n", formatUnixTime(timeline.times[0]),
                   formatDuration(timeline.times[timeline.points() - 1] - timeline.times[0]));
        fmt::print("  peak        {} after {}\n", formatBytes(timeline.total(peak)),
                   formatDuration(timeline.times[peak] - timeline.times[0]));
        fmt::print("\n");
        printMemoryTable(timelineCategories(timeline, peak), question);
    }
    if (timeline.form == MemoryTimeline::Form::Events) {
        fmt::print("\n");
        printMemoryTable(timelineActions(timeline), question);
    }
}

/// Opens a timeline and sets `code`. On failure, prints the error and returns null.
std::shared_ptr<const MemoryTimeline> open(const std::string &path, const MemoryQuestion &question, int &code)
{
    const auto timeline = readMemoryTimeline(path, {}, {});
    if (!timeline) {
        complain(timeline.error().text());
        code = codeOf(timeline.error());
        return nullptr;
    }
    code = (*timeline)->damage || !(*timeline)->troubles.empty() ? WithLosses : Good;
    if (question.picture.empty())
        return *timeline;
    if ((*timeline)->form != MemoryTimeline::Form::Picture) {
        complain(path + ": The file contains numbers and no picture.");
        code = Usage;
        return nullptr;
    }
    auto file = OutputFile::create(question.picture, question.inputs);
    const auto written = !file ? Result<void>(file.error()) : (*file)->write((*timeline)->picture);
    const auto placed = !written ? written : (*file)->place();
    if (!placed) {
        complain(placed.error().text());
        code = Unreadable;
        return nullptr;
    }
    return *timeline;
}

/// The point that --at selects. A number that is too large to be that of a point is a Unix time in nanoseconds.
Result<uint32_t> pointOf(const MemoryTimeline &timeline, const std::string &at)
{
    if (timeline.points() == 0)
        return MemoryTimeline::kNone;
    constexpr int64_t kLeastUnix = int64_t(1) << 58; // a day in 1979; no timeline has that many points
    const auto unix = decimalToInteger(at, 0);
    if (unix && *unix > kLeastUnix)
        return timeline.pointAt(*unix);
    using Kind = MemoryMoment::Kind;
    const auto moment = parsePointMoment(at);
    if (!moment)
        return moment.error();
    const int64_t first = timeline.times[0];
    switch (moment->kind) {
    case Kind::Begin: return 0u;
    case Kind::End: return timeline.points() - 1;
    case Kind::Time: return timeline.pointAt(saturatedSum(first, std::max<int64_t>(0, moment->value)));
    case Kind::Event:
        if (moment->value < static_cast<int64_t>(timeline.points()))
            return static_cast<uint32_t>(moment->value);
        return noSuchPoint(timeline.path, moment->value, timeline.points());
    default: return timeline.peak();
    }
}

} // namespace

int timelineInfo(const std::string &path, const MemoryQuestion &question)
{
    int code = Good;
    if (const auto timeline = open(path, question, code))
        question.format == "json" ? printJson(*timeline) : printText(*timeline, question);
    return code;
}

int timelineAnswer(const std::string &path, const MemoryQuestion &question)
{
    if (!question.by.empty() && question.by != "category" && question.by != "time" && question.by != "action") {
        complain(path + ": Memory timelines cannot be grouped by " + question.by + ". Use category, time or action.");
        return Usage;
    }
    int code = Good;
    const auto timeline = open(path, question, code);
    if (!timeline)
        return code;
    if (timeline->form == MemoryTimeline::Form::Picture && !question.picture.empty())
        return code;
    const auto point = pointOf(*timeline, question.at);
    if (!point) {
        complain(point.error().text());
        return Usage;
    }
    if (timeline->damage)
        complain(timeline->damage->text());
    ResultTable table = question.by == "time"     ? timelinePoints(*timeline)
                        : question.by == "action" ? timelineActions(*timeline)
                                                  : timelineCategories(*timeline, *point);
    if (table.view == "categories" && *point != MemoryTimeline::kNone)
        table.notes.push_back(fmt::format("Point {} (of 0 to {}): {} at {} ({} after the first point)", *point,
                                          timeline->points() - 1, formatBytes(timeline->total(*point)),
                                          formatUnixTime(timeline->times[*point]),
                                          formatDurationExact(timeline->times[*point] - timeline->times[0])));
    printMemoryTable(table, question);
    return code;
}

} // namespace riffle::cli
