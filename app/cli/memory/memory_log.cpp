// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_log/memory_log.h"
#include "app/cli/command.h"
#include "app/cli/memory/memory_kinds.h"
#include "app/cli/memory/memory_point.h"
#include "app/cli/output.h"
#include "model/analysis/memory/log/log_tables.h"
#include "model/analysis/table/table_text.h"
#include "model/base/format.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace riffle::cli {

namespace {

/// True if parts of the log could not be read.
bool isDamaged(const MemoryLog &log)
{
    return std::any_of(log.ranks.begin(), log.ranks.end(), [](const MemoryLogRank &rank) {
        return rank.damage || !rank.troubles.empty() ||
               std::any_of(rank.pages.begin(), rank.pages.end(),
                           [](const MemoryLogPage &page) { return page.damage.has_value(); });
    });
}

std::shared_ptr<const MemoryLog> open(const std::string &path, int &code)
{
    const auto log = readMemoryLog(path, {}, {});
    if (!log) {
        complain(log.error().text());
        code = codeOf(log.error());
        return nullptr;
    }
    code = isDamaged(**log) ? WithLosses : Good;
    return *log;
}

SizeCells cellsFor(const MemoryQuestion &question)
{
    return question.format == "json" || question.format == "csv" ? SizeCells::Numbers : SizeCells::Texts;
}

void printJson(const MemoryLog &log)
{
    const ResultTable ranks = logRanks(log, SizeCells::Numbers);
    std::vector<uint32_t> rows(ranks.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    fmt::print("{{\n  \"path\": {},\n  \"kind\": \"InternEvo memory log\",\n  \"missing_ranks\": [",
               jsonString(log.path));
    const auto missing = log.missingRanks();
    for (size_t at = 0; at < missing.size(); ++at)
        fmt::print("{}{}", at ? ", " : "", missing[at]);
    fmt::print("],\n  \"remarks\": {},\n  \"ranks\": {},\n  \"troubles\": [", jsonList(logRemarks(log)),
               tableJson(ranks, rows));
    bool isFirst = true;
    for (const MemoryLogRank &rank : log.ranks)
        for (const FileTrouble &trouble : rank.troubles) {
            fmt::print("{}{{\"rank\": {}, \"what\": {}, \"count\": {}, \"first_line\": {}, \"first_offset\": {}}}",
                       isFirst ? "" : ", ", jsonString(rank.name()), jsonString(trouble.what), trouble.count,
                       trouble.firstLine, trouble.firstOffset);
            isFirst = false;
        }
    fmt::print("],\n  \"load_seconds\": {:.6f}\n}}\n", log.loadSeconds);
}

/// The ranks that --rank selects by number or by folder name; all ranks if it is empty.
std::vector<uint32_t> ranksOf(const MemoryLog &log, const std::string &word)
{
    std::vector<uint32_t> found;
    for (uint32_t rank = 0; rank < log.ranks.size(); ++rank) {
        const auto number = log.ranks[rank].rank();
        if (word.empty() || word == log.ranks[rank].name() || (number && word == std::to_string(*number)))
            found.push_back(rank);
    }
    return found;
}

/// The point that --at selects, for each rank that has it.
Result<std::vector<LogPlace>> placesOf(const MemoryLog &log, const std::vector<uint32_t> &ranks, const std::string &at)
{
    using Kind = MemoryMoment::Kind;
    const auto moment = parsePointMoment(at);
    if (!moment)
        return moment.error();
    std::vector<LogPlace> places;
    size_t most = 0;
    for (const uint32_t rank : ranks) {
        const MemoryLogRank &one = log.ranks[rank];
        most = std::max(most, one.points.size());
        const auto count = static_cast<int64_t>(one.points.size());
        const uint32_t point = count == 0                    ? MemoryLogPoint::kNone
                               : moment->kind == Kind::Begin ? 0
                               : moment->kind == Kind::End   ? static_cast<uint32_t>(count - 1)
                               : moment->kind == Kind::Peak  ? one.peak()
                               : moment->kind == Kind::Time  ? one.pointNear(moment->value)
                               : moment->value < count       ? static_cast<uint32_t>(moment->value)
                                                             : MemoryLogPoint::kNone;
        if (point != MemoryLogPoint::kNone)
            places.push_back({rank, point});
    }
    if (places.empty() && moment->kind == Kind::Event)
        return noSuchPoint(log.path, moment->value, most);
    if (places.empty() && moment->kind == Kind::Time && most > 0)
        return Error{"The points of this log have no times. Select a point by its number, for example #4.", log.path,
                     std::nullopt, ErrorKind::Question};
    return places;
}

/// Adds a note if the ranks are shown at points with different numbers, which may be different states of the program.
void noteOtherPoints(ResultTable &table, const std::vector<LogPlace> &places)
{
    if (std::any_of(places.begin(), places.end(),
                    [&](const LogPlace &place) { return place.point != places.front().point; }))
        table.notes.push_back("Ranks are shown at different points. Use --at '#" +
                              std::to_string(places.front().point) + "' to show the same point of each rank.");
}

} // namespace

int logInfo(const std::string &path, const MemoryQuestion &question)
{
    int code = Good;
    const auto log = open(path, code);
    if (!log)
        return code;
    if (question.format == "json") {
        printJson(*log);
        return code;
    }
    fmt::print("{}\n  format      log of InternEvo's memory profiler, {}\n", shownText(log->path),
               formatCounted(static_cast<int64_t>(log->ranks.size()), "rank", "ranks"));
    fmt::print("  loaded in   {:.3f} s\n", log->loadSeconds);
    for (const std::string &remark : logRemarks(*log))
        fmt::print("  {}\n", shownText(remark));
    fmt::print("\n");
    printMemoryTable(logRanks(*log, SizeCells::Texts), question);
    return code;
}

int logAnswer(const std::string &path, const MemoryQuestion &question)
{
    constexpr std::array<std::string_view, 5> kKinds = {"", "category", "layer", "time", "sunburst"};
    if (std::find(kKinds.begin(), kKinds.end(), question.by) == kKinds.end()) {
        complain(path + ": Memory logs cannot be grouped by " + question.by +
                 ". Use category, layer, time or sunburst.");
        return Usage;
    }
    if (!question.picture.empty()) {
        complain(path + ": A memory log has no picture. --picture draws snapshots.");
        return Usage;
    }
    int code = Good;
    const auto log = open(path, code);
    if (!log)
        return code;
    const std::vector<uint32_t> ranks = ranksOf(*log, question.rank);
    if (ranks.empty()) {
        complain(path + ": There is no rank " + question.rank + ".");
        return Usage;
    }
    const auto places = placesOf(*log, ranks, question.at);
    if (!places) {
        complain(places.error().text());
        return Usage;
    }
    for (const MemoryLogRank &rank : log->ranks)
        if (rank.damage)
            complain(rank.damage->text());
    const SizeCells cells = cellsFor(question);
    const bool onlyPages = question.by.empty() && places->empty();
    if (question.by == "sunburst" || onlyPages) {
        printMemoryTable(logSunbursts(*log, ranks), question);
    } else if (question.by == "time") {
        ResultTable table = logPoints(*log, cells);
        if (!question.rank.empty()) {
            std::vector<uint32_t> kept;
            for (uint32_t row = 0; row < table.rows(); ++row)
                if (std::any_of(ranks.begin(), ranks.end(),
                                [&](uint32_t rank) { return table.columns[0].texts[row] == log->ranks[rank].name(); }))
                    kept.push_back(row);
            table.keepRows(kept);
        }
        printMemoryTable(table, question);
    } else {
        ResultTable table = question.by == "layer" ? logLayers(*log, *places, cells) : logParts(*log, *places, cells);
        noteOtherPoints(table, *places);
        printMemoryTable(table, question);
    }
    return code;
}

} // namespace riffle::cli
