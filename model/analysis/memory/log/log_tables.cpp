// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/log/log_tables.h"

#include "model/analysis/table/table_builder.h"
#include "model/trace/tables.h"

#include <cmath>

namespace riffle {

namespace {

/// Adds a column of printed sizes. As numbers, they are in MB and still exact to the hundredth, because a double has
/// enough digits for any possible size.
template <typename Row, typename Get>
void addSizes(TableBuilder<Row> &build, SizeCells cells, const std::string &key, const std::string &title,
              const std::string &formula, Get get)
{
    if (cells == SizeCells::Texts)
        build.text(key + "_mb", title, formula, [&](const Row &row) {
            const PrintedSize size = get(row);
            return size == kNotPrinted ? std::string() : printedText(size) + " MB";
        });
    else
        build.number(key + "_mb", title, CellKind::Number, formula, [&](const Row &row) {
            const PrintedSize size = get(row);
            return size == kNotPrinted ? std::nan("") : static_cast<double>(size) / 100;
        });
}

std::string partTitle(MemoryLogPart part)
{
    switch (part) {
    case MemoryLogPart::Params: return "Parameters";
    case MemoryLogPart::Grads: return "Gradients";
    case MemoryLogPart::OsParams: return "Optimizer parameters";
    case MemoryLogPart::OsState: return "Optimizer states";
    case MemoryLogPart::Activation: return "Activations";
    case MemoryLogPart::Count: break;
    }
    return {};
}

constexpr const char *kAsPrinted = "as printed in the log, in MB of 1024² bytes; never recomputed";

int64_t timeOf(const MemoryLogPoint &point) { return point.time == MemoryLogPoint::kNoTime ? kNoInt : point.time; }

} // namespace

ResultTable logRanks(const MemoryLog &log, SizeCells cells)
{
    ResultTable table;
    table.view = "ranks";
    table.title = "Memory by rank";
    TableBuilder<MemoryLogRank> build(table, log.ranks);
    using Rank = MemoryLogRank;
    build.text("rank", "Rank", "the folder's name", [](const Rank &rank) { return rank.name(); });
    build.id("number", "Number", "number of the rank, from the folder's name",
             [](const Rank &rank) { return rank.rank().value_or(kNoInt); });
    build.count("points", "Points", "moments that the log describes",
                [](const Rank &rank) { return static_cast<int64_t>(rank.points.size()); });
    build.count("layouts", "With layouts", "points that list layers", [](const Rank &rank) {
        return std::count_if(rank.points.begin(), rank.points.end(),
                             [](const MemoryLogPoint &point) { return point.hasLayout(); });
    });
    build.count("sunbursts", "Sunbursts", "sunburst pages that could be read", [](const Rank &rank) {
        return std::count_if(rank.pages.begin(), rank.pages.end(),
                             [](const MemoryLogPage &page) { return !page.damage; });
    });
    const auto atPeak = [](const Rank &rank) {
        return rank.peak() == MemoryLogPoint::kNone ? nullptr : &rank.points[rank.peak()];
    };
    addSizes(build, cells, "peak_total", "Peak", "largest printed total",
             [&](const Rank &rank) { return atPeak(rank) ? atPeak(rank)->total : kNotPrinted; });
    build.count("peak_point", "Point of the peak", "counted from 0",
                [](const Rank &rank) { return rank.peak() == MemoryLogPoint::kNone ? kNoInt : rank.peak(); });
    build.time("peak_ns", "Time of the peak", "since the start",
               [&](const Rank &rank) { return atPeak(rank) ? timeOf(*atPeak(rank)) : kNoInt; });
    build.time("begin_ns", "First point", "since the start",
               [](const Rank &rank) { return rank.points.empty() ? kNoInt : timeOf(rank.points.front()); });
    build.time("end_ns", "Last point", "since the start",
               [](const Rank &rank) { return rank.points.empty() ? kNoInt : timeOf(rank.points.back()); });
    build.count("lines", "Lines", "lines of the log", [](const Rank &rank) { return static_cast<int64_t>(rank.lines); })
        .hidden = true;
    build.count("troubles", "Problems", "lines and values that could not be read as expected", [](const Rank &rank) {
        int64_t sum = 0;
        for (const FileTrouble &trouble : rank.troubles)
            sum += static_cast<int64_t>(trouble.count);
        return sum;
    });
    build
        .text("damage", "Damage", "why the log could not be read to its end",
              [](const Rank &rank) { return rank.damage ? rank.damage->message : std::string(); })
        .hidden = true;
    return table;
}

ResultTable logPoints(const MemoryLog &log, SizeCells cells)
{
    std::vector<LogPlace> places;
    for (uint32_t rank = 0; rank < log.ranks.size(); ++rank)
        for (uint32_t point = 0; point < log.ranks[rank].points.size(); ++point)
            places.push_back({rank, point});
    ResultTable table;
    table.view = "points";
    table.title = "Memory over time";
    TableBuilder<LogPlace> build(table, places);
    const auto pointOf = [&](const LogPlace &place) -> const MemoryLogPoint & {
        return log.ranks[place.rank].points[place.point];
    };
    build.text("rank", "Rank", "the folder's name",
               [&](const LogPlace &place) { return log.ranks[place.rank].name(); });
    build.id("point", "Point", "from 0", [](const LogPlace &place) { return place.point; });
    build.time("time_ns", "Time", "since the start, rounded to ns",
               [&](const LogPlace &place) { return timeOf(pointOf(place)); });
    build
        .text("time_text", "Printed time", "seconds, as printed in the log",
              [&](const LogPlace &place) { return pointOf(place).timeText; })
        .hidden = true;
    addSizes(build, cells, "total", "Total", kAsPrinted, [&](const LogPlace &place) { return pointOf(place).total; });
    for (size_t part = 0; part < kMemoryLogParts; ++part)
        addSizes(build, cells, std::string(memoryLogPartWord(static_cast<MemoryLogPart>(part))),
                 partTitle(static_cast<MemoryLogPart>(part)), kAsPrinted,
                 [&](const LogPlace &place) { return pointOf(place).parts[part]; });
    build.count("layers", "Layers", "layers that are listed at this point, in all parts", [&](const LogPlace &place) {
        int64_t sum = 0;
        for (const uint32_t layout : pointOf(place).layouts)
            sum += layout == MemoryLogPoint::kNone ? 0 : log.ranks[place.rank].layouts[layout].count();
        return sum;
    });
    build
        .id("line", "Line", "line number in the log",
            [&](const LogPlace &place) { return static_cast<int64_t>(pointOf(place).line); })
        .hidden = true;
    if (places.empty())
        table.absence = "No rank's log contains a point.";
    return table;
}

ResultTable logParts(const MemoryLog &log, const std::vector<LogPlace> &places, SizeCells cells)
{
    struct Row {
        LogPlace place;
        size_t part; ///< kMemoryLogParts for the total
    };
    std::vector<Row> rows;
    for (const LogPlace &place : places) {
        rows.push_back({place, kMemoryLogParts});
        for (size_t part = 0; part < kMemoryLogParts; ++part)
            rows.push_back({place, part});
    }
    const auto pointOf = [&](const Row &row) -> const MemoryLogPoint & {
        return log.ranks[row.place.rank].points[row.place.point];
    };
    const auto sizeOf = [&](const Row &row) {
        return row.part == kMemoryLogParts ? pointOf(row).total : pointOf(row).parts[row.part];
    };
    ResultTable table;
    table.view = "parts";
    table.title = "Memory by part";
    TableBuilder<Row> build(table, rows);
    build.text("rank", "Rank", "the folder's name", [&](const Row &row) { return log.ranks[row.place.rank].name(); });
    build.id("point", "Point", "from 0", [](const Row &row) { return row.place.point; });
    build.time("time_ns", "Time", "since the start, rounded to ns",
               [&](const Row &row) { return timeOf(pointOf(row)); });
    build.text("part", "Part", "", [](const Row &row) {
        return row.part == kMemoryLogParts ? std::string("total")
                                           : std::string(memoryLogPartWord(static_cast<MemoryLogPart>(row.part)));
    });
    addSizes(build, cells, "size", "Size", kAsPrinted, sizeOf);
    build.share("share", "Share", "size / printed total", [&](const Row &row) {
        return sizeOf(row) == kNotPrinted || pointOf(row).total == kNotPrinted ? std::nan("")
                                                                               : ratio(sizeOf(row), pointOf(row).total);
    });
    if (places.empty())
        table.absence = logPoints(log, cells).absence;
    return table;
}

ResultTable logLayers(const MemoryLog &log, const std::vector<LogPlace> &places, SizeCells cells)
{
    struct Row {
        LogPlace place;
        const MemoryLogLayout *layout;
        uint32_t layer;
    };
    ResultTable table;
    table.view = "layers";
    table.title = "Layers";
    std::vector<Row> rows;
    for (const LogPlace &place : places)
        for (const uint32_t number : log.ranks[place.rank].points[place.point].layouts)
            for (uint32_t layer = 0;
                 number != MemoryLogPoint::kNone && layer < log.ranks[place.rank].layouts[number].count(); ++layer) {
                rows.push_back({place, &log.ranks[place.rank].layouts[number], layer});
                table.depth.push_back(rows.back().layout->depth[layer]);
            }
    TableBuilder<Row> build(table, rows);
    build.text("rank", "Rank", "the folder's name", [&](const Row &row) { return log.ranks[row.place.rank].name(); });
    build.id("point", "Point", "from 0", [](const Row &row) { return row.place.point; });
    build.time("time_ns", "Time", "since the start, rounded to ns",
               [&](const Row &row) { return timeOf(log.ranks[row.place.rank].points[row.place.point]); });
    build.text("part", "Part", "", [](const Row &row) { return std::string(memoryLogPartWord(row.layout->part)); });
    build.text("layer", "Layer", "path of the layer",
               [&](const Row &row) { return log.ranks[row.place.rank].paths[row.layout->paths[row.layer]]; });
    addSizes(build, cells, "layer_mem", "Own memory", kAsPrinted,
             [](const Row &row) { return row.layout->own[row.layer]; });
    addSizes(build, cells, "total_mem", "Total with inner layers", kAsPrinted,
             [](const Row &row) { return row.layout->total[row.layer]; });
    if (!rows.empty())
        return table;
    table.depth.clear();
    table.absence = "No layers are listed at this point.";
    for (const MemoryLogRank &rank : log.ranks)
        for (size_t point = 0; point < rank.points.size(); ++point)
            if (rank.points[point].hasLayout()) {
                table.absence += " " + rank.name() + " first lists them at point " + std::to_string(point) +
                                 ", after " + rank.points[point].timeText + " s.";
                return table;
            }
    table.absence += " No point lists any.";
    return table;
}

ResultTable logSunbursts(const MemoryLog &log, const std::vector<uint32_t> &ranks)
{
    struct Row {
        uint32_t rank;
        const MemoryLogPage *page;
        size_t node;
    };
    ResultTable table;
    table.view = "sunbursts";
    table.title = "Sunbursts";
    std::vector<Row> rows;
    for (const uint32_t rank : ranks)
        for (const MemoryLogPage &page : log.ranks[rank].pages)
            for (size_t node = 0; node < page.names.size(); ++node) {
                rows.push_back({rank, &page, node});
                table.depth.push_back(page.depth[node]);
            }
    TableBuilder<Row> build(table, rows);
    build.text("rank", "Rank", "the folder's name", [&](const Row &row) { return log.ranks[row.rank].name(); });
    build.text("page", "Page", "", [](const Row &row) { return row.page->title; });
    build.text("name", "Name", "", [](const Row &row) { return row.page->names[row.node]; });
    build.count("mb", "MB",
                "whole MB of 1024² bytes, as on the page; if the page has no number, the sum of the inner ones",
                [](const Row &row) { return row.page->megabytes[row.node]; });
    if (rows.empty())
        table.absence = "There are no sunburst pages.";
    return table;
}

} // namespace riffle
