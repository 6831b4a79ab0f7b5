// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/tail_line.h"

#include "app/cli/text_width.h"
#include "model/base/format.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

namespace riffle::cli {

namespace {

/// A column of the text: its title and its width.
struct TailColumn {
    const char *title;
    size_t width;
};
constexpr TailColumn kTailColumns[] = {{"UTC", 8},     {"RANK", 8},    {"STEP", 7},  {"DURATION", 8}, {"BUSY", 7},
                                       {"EXPOSED", 7}, {"MEMORY", 17}, {"DROPS", 6}, {"LAG", 9}};

std::string timeOfDay(std::optional<int64_t> unixNs)
{
    if (!unixNs)
        return "-";
    const int64_t second = *unixNs / 1'000'000'000 % 86'400;
    return fmt::format("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
}

std::string nameOf(const TailLine &line, bool isOnlyOne)
{
    if (line.rank)
        return isOnlyOne ? std::to_string(*line.rank) : fmt::format("{}:{}", *line.rank, line.pid);
    std::filesystem::path path(line.path);
    if (!path.has_filename())
        path = path.parent_path();
    return shownText(path.extension() == ".rifflelog" ? path.stem().string() : path.filename().string());
}

std::string memoryText(const SettledFigures &figures)
{
    const auto text = [](int64_t bytes) { return bytes == kNoInt ? "-" : formatBytes(bytes); };
    if (figures.allocated != kNoInt || figures.reserved != kNoInt)
        return text(figures.allocated) + "/" + text(figures.reserved);
    return figures.gpuUsed == kNoInt ? "-" : "used " + text(figures.gpuUsed);
}

std::string dropsText(uint64_t count)
{
    return count < 1'000'000 ? std::to_string(count)
                             : fmt::format("{:.3g}M", std::min(static_cast<double>(count) / 1e6, 99'999.0));
}

std::string noteOf(const TailLine &line)
{
    switch (line.state) {
    case TailState::Reading: return "reading";
    case TailState::Silent:
        return line.silentSeconds < 10'000 ? fmt::format("silent {} s", line.silentSeconds) : "silent";
    case TailState::Ended:
    case TailState::Killed:
        if (!line.areFiguresOld)
            return line.state == TailState::Ended ? "ended" : "killed?";
        break;
    case TailState::Abandoned: return "killed? silent";
    case TailState::Failed: return "not readable";
    case TailState::Recording: break;
    }
    return line.areFiguresOld ? "as of " + timeOfDay(line.asOf) : "";
}

const char *stateWord(TailState state)
{
    switch (state) {
    case TailState::Reading: return "reading";
    case TailState::Recording: return "recording";
    case TailState::Silent: return "silent";
    case TailState::Ended: return "ended";
    case TailState::Killed: return "killed";
    case TailState::Abandoned: return "abandoned";
    case TailState::Failed: return "failed";
    }
    return "";
}

/// Puts texts into the columns, right-aligned. A text that is too long loses its start.
std::string inColumns(const std::vector<std::string> &texts)
{
    std::string line;
    for (size_t at = 0; at < texts.size(); ++at) {
        const size_t width = kTailColumns[at].width;
        const std::string text = endWithin(texts[at], width);
        line += (at ? " " : "") + std::string(width - widthOf(text), ' ') + text;
    }
    return line;
}

} // namespace

std::string tailHeader()
{
    std::vector<std::string> titles;
    for (const TailColumn &column : kTailColumns)
        titles.emplace_back(column.title);
    return inColumns(titles);
}

std::string tailText(const TailLine &line, bool isOnlyOne)
{
    const SettledFigures &figures = line.figures;
    const auto share = [](double value) { return std::isnan(value) ? "-" : formatShare(value); };
    const std::string text =
        inColumns({timeOfDay(line.time), nameOf(line, isOnlyOne), figures.step ? std::to_string(*figures.step) : "-",
                   figures.duration == kNoInt ? "-" : formatDuration(figures.duration), share(figures.busy),
                   share(figures.exposed), memoryText(figures), dropsText(line.dropped),
                   line.lagNs ? formatDuration(*line.lagNs) : "-"});
    const std::string note = noteOf(line);
    return note.empty() ? text : text + " " + note;
}

std::string tailJson(const TailLine &line)
{
    const SettledFigures &figures = line.figures;
    const auto orNull = [](const std::optional<int64_t> &number) { return number ? std::to_string(*number) : "null"; };
    const auto known = [](int64_t number) { return number == kNoInt ? "null" : std::to_string(number); };
    const auto share = [](double value) { return std::isnan(value) ? "null" : fmt::format("{:.6f}", value); };
    return fmt::format(
        R"({{"log": {}, "rank": {}, "pid": {}, "state": "{}", "time_unix_ns": {}, "as_of_unix_ns": {}, "step": {}, )"
        R"("duration_ns": {}, "busy_share": {}, "exposed_communication_share": {}, "allocated_bytes": {}, )"
        R"("reserved_bytes": {}, "gpu_used_bytes": {}, "dropped": {}, "lag_ns": {}}})",
        jsonString(line.path), orNull(line.rank), line.pid, stateWord(line.state), orNull(line.time), orNull(line.asOf),
        orNull(figures.step), known(figures.duration), share(figures.busy), share(figures.exposed),
        known(figures.allocated), known(figures.reserved), known(figures.gpuUsed), line.dropped, orNull(line.lagNs));
}

} // namespace riffle::cli
