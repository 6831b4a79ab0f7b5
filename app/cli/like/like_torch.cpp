// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/like/like.h"
#include "app/cli/text_width.h"
#include "model/analysis/torch/key_averages.h"
#include "model/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace riffle::cli {

namespace {

using Row = KeyAverages::Row;

constexpr int64_t kTorchUsualLimit = 100;
constexpr size_t kNameWidth = 55, kShapesWidth = 80, kFrameWidth = 75,
                 kNumberWidth = 12;          ///< column widths: the maximum for texts, the fixed one for numbers
constexpr size_t kTorchGap = 2, kMargin = 4; ///< spaces between columns; spaces left free beside the longest text

double average(Ns total, uint64_t calls) { return calls ? static_cast<double>(total) / static_cast<double>(calls) : 0; }
double number(int64_t value) { return static_cast<double>(value); }

/// PyTorch's words for sort keys. Rows are sorted in descending order. In place of "device", users can write a device
/// type, such as "cuda".
struct TorchSortWord {
    const char *word;
    double (*value)(const Row &row);
};
constexpr TorchSortWord kTorchSortWords[] = {
    {"cpu_time", [](const Row &row) { return average(row.hostTotal, row.calls); }},
    {"cpu_time_total", [](const Row &row) { return number(row.hostTotal); }},
    {"self_cpu_time_total", [](const Row &row) { return number(row.hostSelf); }},
    {"cpu_memory_usage", [](const Row &row) { return number(row.hostBytes); }},
    {"self_cpu_memory_usage", [](const Row &row) { return number(row.hostBytesSelf); }},
    {"device_time", [](const Row &row) { return average(row.deviceTotal, row.calls); }},
    {"device_time_total", [](const Row &row) { return number(row.deviceTotal); }},
    {"self_device_time_total", [](const Row &row) { return number(row.deviceSelf); }},
    {"device_memory_usage", [](const Row &row) { return number(row.deviceBytes); }},
    {"self_device_memory_usage", [](const Row &row) { return number(row.deviceBytesSelf); }},
    {"count", [](const Row &row) { return number(static_cast<int64_t>(row.calls)); }},
    {"flops", [](const Row &row) { return number(row.flops); }},
};

const TorchSortWord *findSortWord(std::string word)
{
    for (const std::string_view device : {"cuda", "xpu", "privateuse1"})
        if (const size_t at = word.find(device); at != word.npos)
            word.replace(at, device.size(), "device");
    const auto found = std::find_if(std::begin(kTorchSortWords), std::end(kTorchSortWords),
                                    [&](const TorchSortWord &one) { return word == one.word; });
    return found == std::end(kTorchSortWords) ? nullptr : found;
}

std::string percent(Ns part, Ns all) { return all ? fmt::format("{:.2f}%", number(part) * 100 / number(all)) : "NaN"; }

std::string bytes(int64_t count)
{
    constexpr double kUnit = 1024;
    for (const auto &[size, word] : {std::pair(kUnit * kUnit * kUnit, "GB"), {kUnit * kUnit, "MB"}, {kUnit, "KB"}})
        if (std::abs(number(count)) >= size)
            return fmt::format("{:.2f} {}", number(count) / size, word);
    return fmt::format("{} B", count);
}

/// The values that cells depend on in addition to their row.
struct Figures {
    const KeyAverages &averages;
    std::string unit; ///< unit of all times; empty to choose one for each time
    double flopsScale = 1;

    std::string time(double ns) const
    {
        const double us = ns / 1000;
        if (unit == "s" || (unit.empty() && us >= 1e6))
            return fmt::format("{:.3f}s", us / 1e6);
        if (unit == "ms" || (unit.empty() && us >= 1e3))
            return fmt::format("{:.3f}ms", us / 1e3);
        return fmt::format("{:.3f}us", us);
    }
};

struct Column {
    std::string title;
    size_t width;
    std::string (*cell)(const Row &row, const Figures &all); ///< null for the column of the stack
    bool toTheLeft = false;
};

std::string clippedName(const Row &row, const Figures &)
{
    constexpr size_t kRoom = kNameWidth - 3;
    return lengthOf(row.name) >= kRoom ? firstOf(row.name, kRoom) + "..." : row.name;
}

/// Cuts off the start of a frame, because its end says more.
std::string clippedFrame(const std::string &frame, size_t width)
{
    const size_t length = lengthOf(frame);
    if (length <= width)
        return frame;
    return "..." + frame.substr(firstOf(frame, length - width + 3).size());
}

template <typename Measure>
size_t widest(const std::vector<Row> &rows, size_t most, Measure measure)
{
    size_t width = 0;
    for (const Row &row : rows)
        width = std::max(width, measure(row) + kMargin);
    return std::min(width, most);
}

size_t stackWidth(const Row &row)
{
    size_t width = 0;
    for (const std::string &frame : row.stack)
        width = std::max(width, lengthOf(frame));
    return width;
}

/// The columns to print: the usual ones, and those for which the trace has values.
std::vector<Column> columnsOf(Figures &figures, KeyAveragesBy by)
{
    const KeyAverages &averages = figures.averages;
    const std::vector<Row> &rows = averages.rows;
    const auto any = [&](auto is) { return std::any_of(rows.begin(), rows.end(), is); };
    std::vector<Column> columns{
        {"Name", widest(rows, kNameWidth, [](const Row &row) { return lengthOf(row.name); }), clippedName}};
    const auto add = [&](std::string title, auto cell) { columns.push_back({std::move(title), kNumberWidth, cell}); };
    add("Self CPU %", [](const Row &row, const Figures &all) { return percent(row.hostSelf, all.averages.hostSelf); });
    add("Self CPU", [](const Row &row, const Figures &all) { return all.time(number(row.hostSelf)); });
    add("CPU total %",
        [](const Row &row, const Figures &all) { return percent(row.hostTotal, all.averages.hostSelf); });
    add("CPU total", [](const Row &row, const Figures &all) { return all.time(number(row.hostTotal)); });
    add("CPU time avg", [](const Row &row, const Figures &all) { return all.time(average(row.hostTotal, row.calls)); });
    if (any([](const Row &row) { return row.deviceSelf > 0; })) {
        add("Self " + averages.device,
            [](const Row &row, const Figures &all) { return all.time(number(row.deviceSelf)); });
        add("Self " + averages.device + " %",
            [](const Row &row, const Figures &all) { return percent(row.deviceSelf, all.averages.deviceSelf); });
        add(averages.device + " total",
            [](const Row &row, const Figures &all) { return all.time(number(row.deviceTotal)); });
        add(averages.device + " time avg",
            [](const Row &row, const Figures &all) { return all.time(average(row.deviceTotal, row.calls)); });
    }
    if (averages.hasMemory) {
        add("CPU Mem", [](const Row &row, const Figures &) { return bytes(row.hostBytes); });
        add("Self CPU Mem", [](const Row &row, const Figures &) { return bytes(row.hostBytesSelf); });
        if (any([](const Row &row) { return row.deviceBytesSelf > 0; })) {
            add(averages.device + " Mem", [](const Row &row, const Figures &) { return bytes(row.deviceBytes); });
            add("Self " + averages.device + " Mem",
                [](const Row &row, const Figures &) { return bytes(row.deviceBytesSelf); });
        }
    }
    add("# of Calls", [](const Row &row, const Figures &) { return std::to_string(row.calls); });
    if (by.shapes && averages.hasShapes)
        columns.push_back({"Input Shapes", widest(rows, kShapesWidth, [](const Row &row) { return row.shapes.size(); }),
                           [](const Row &row, const Figures &) { return firstOf(row.shapes, kShapesWidth); }});
    if (any([](const Row &row) { return !row.stack.empty(); }))
        columns.push_back({"Source Location", widest(rows, kFrameWidth, stackWidth), nullptr, true});
    int64_t least = INT64_MAX;
    for (const Row &row : rows)
        least = row.flops > 0 ? std::min(least, row.flops) : least;
    if (least < INT64_MAX) {
        static constexpr const char *kTitles[]{"Total FLOPs",  "Total KFLOPs", "Total MFLOPs",
                                               "Total GFLOPs", "Total TFLOPs", "Total PFLOPs"};
        const auto thousands =
            std::min<size_t>(static_cast<size_t>(std::log10(number(least)) / 3), std::size(kTitles) - 1);
        figures.flopsScale = std::pow(10, -3.0 * static_cast<double>(thousands));
        add(kTitles[thousands], [](const Row &row, const Figures &all) {
            return row.flops > 0 ? fmt::format("{:8.3f}", number(row.flops) * all.flopsScale) : "--";
        });
    }
    return columns;
}

/// A line of cells with two spaces between columns and no trailing spaces.
std::string line(const std::vector<Column> &columns, const std::vector<std::string> &cells)
{
    std::string text;
    for (size_t at = 0; at < columns.size(); ++at) {
        const std::string blanks(columns[at].width - std::min(columns[at].width, lengthOf(cells[at])), ' ');
        text += (columns[at].toTheLeft ? cells[at] + blanks : blanks + cells[at]) + std::string(kTorchGap, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

std::string table(Figures &figures, KeyAveragesBy by, const TorchSortWord *sort, size_t limit)
{
    const std::vector<Row> &rows = figures.averages.rows;
    std::vector<uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    if (sort)
        std::stable_sort(order.begin(), order.end(),
                         [&](uint32_t a, uint32_t b) { return sort->value(rows[a]) > sort->value(rows[b]); });
    order.resize(std::min(order.size(), limit));

    const std::vector<Column> columns = columnsOf(figures, by);
    std::vector<std::string> titles, dashes;
    for (const Column &column : columns) {
        titles.push_back(column.title);
        dashes.emplace_back(column.width, '-');
    }
    const std::string rule = line(columns, dashes);
    std::string text = rule + line(columns, titles) + rule;
    for (const uint32_t at : order) {
        const Row &row = rows[at];
        std::vector<std::string> cells, frame(columns.size());
        size_t place = columns.size();
        for (const Column &column : columns) {
            place = column.cell ? place : cells.size();
            cells.push_back(column.cell         ? column.cell(row, figures)
                            : row.stack.empty() ? ""
                                                : clippedFrame(row.stack.front(), column.width));
        }
        text += line(columns, cells);
        if (place == columns.size())
            continue;
        for (size_t inner = 1; inner < row.stack.size(); ++inner) {
            frame[place] = clippedFrame(row.stack[inner], columns[place].width);
            text += line(columns, frame);
        }
        text += "\n";
    }
    return text + rule;
}

std::string wordsOfSorting()
{
    std::string words;
    for (const TorchSortWord &one : kTorchSortWords)
        words += (words.empty() ? "" : ", ") + std::string(one.word);
    return words;
}

} // namespace

Result<std::string> printLikeTorch(const SetFacts &facts, TraceId trace, const LikeRequest &request)
{
    const TorchSortWord *sort = findSortWord(request.sort);
    if (!request.sort.empty() && !sort)
        return Error{"PyTorch cannot sort by " + request.sort + ". Use " + wordsOfSorting() +
                         " (or cuda instead of device).",
                     {},
                     std::nullopt};
    if (!request.views.empty())
        return Error{
            "--like torch cannot be combined with --view, because PyTorch has only one table.", {}, std::nullopt};
    if (request.unit == "ns")
        return Error{"PyTorch does not print times in ns. Use us, ms or s.", {}, std::nullopt};
    KeyAveragesBy by;
    if (request.groupBy == "name,shapes")
        by.shapes = true;
    else if (request.groupBy == "name,stack")
        by.stack = true;
    else if (!request.groupBy.empty() && request.groupBy != "name")
        return Error{"PyTorch cannot group by " + request.groupBy + ". Use name, or name,shapes, or name,stack.",
                     {},
                     std::nullopt};

    const Scope scope(facts.of(trace), request.scope, trace);
    const KeyAverages averages = keyAverages(scope, by);
    if (averages.rows.empty())
        return std::string("No events of PyTorch's profiler were recorded.\n");
    Figures figures{averages, request.unit};
    std::string text =
        table(figures, by, sort, static_cast<size_t>(request.limit < 0 ? kTorchUsualLimit : request.limit));
    text += "Self CPU time total: " + figures.time(number(averages.hostSelf)) + "\n";
    if (std::any_of(averages.rows.begin(), averages.rows.end(), [](const Row &row) { return row.deviceSelf > 0; }))
        text += "Self " + averages.device + " time total: " + figures.time(number(averages.deviceSelf)) + "\n";
    std::vector<std::string> notes;
    if (std::any_of(averages.rows.begin(), averages.rows.end(), [](const Row &row) { return row.flops > 0; }))
        notes.push_back(
            "The trace does not contain FLOPs, so they are computed from the shapes, as with_flops=True does.");
    if (averages.unlinked)
        notes.push_back(formatCount(static_cast<int64_t>(averages.unlinked)) +
                        " runtime calls do not name an operator. They are attributed to the main thread, as in "
                        "PyTorch.");
    if (!scope.everything())
        notes.push_back("Only events that start in the chosen part of the trace are included, each in full.");
    if (by.shapes && !averages.hasShapes)
        notes.push_back("Shapes were not recorded. Record them with record_shapes=True.");
    if (by.stack && scope.facts().chains().empty())
        notes.push_back("Call stacks were not recorded. Record them with with_stack=True.");
    for (const std::string &note : notes)
        text += "\nNote: " + note;
    return notes.empty() ? text : text + "\n";
}

} // namespace riffle::cli
