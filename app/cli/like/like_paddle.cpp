// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/like/like.h"
#include "app/cli/like/paddle_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace riffle::cli {

namespace {

constexpr int64_t kPaddleUsualLimit = 100;
constexpr size_t kNarrowest = 40; ///< minimum width of columns with times
constexpr const char *kHostHeader = "CPU Total / Avg / Max / Min / Ratio(%)";
constexpr const char *kDeviceHeader = "GPU Total / Avg / Max / Min / Ratio(%)";

struct PaddleSortWord {
    const char *word, *side, *figure;
    bool ascending;
};
constexpr PaddleSortWord kPaddleSortWords[] = {
    {"CPUTotal", "host", "total", false},   {"CPUAvg", "host", "average", false},
    {"CPUMax", "host", "max", false},       {"CPUMin", "host", "min", true},
    {"GPUTotal", "device", "total", false}, {"GPUAvg", "device", "average", false},
    {"GPUMax", "device", "max", false},     {"GPUMin", "device", "min", true},
};

/// Formats the times of a row as Paddle does, as "total / average / max / min / share" in one cell.
class TimesOf {
public:
    /// `prefix` is the prefix of the column keys: "host_", "device_", or empty in tables that only have device times.
    TimesOf(const ResultTable &table, const PaddleUnit &unit, const std::string &prefix, bool zeros = false)
        : m_calls(table.column("calls"))
        , m_total(table.column(prefix + "total_ns"))
        , m_longest(table.column(prefix + "max_ns"))
        , m_shortest(table.column(prefix + "min_ns"))
        , m_share(table.column(prefix + "share"))
        , m_unit(unit)
        , m_zeros(zeros)
    {
    }
    std::string cell(uint32_t row) const
    {
        const bool hasCalls = !m_calls->absent(row) && (m_zeros || !m_longest->absent(row));
        const Ns total = m_total->absent(row) ? 0 : m_total->integers[row];
        if (m_total->absent(row) && !m_zeros)
            return "- / - / - / - / -";
        if (!hasCalls)
            return fmt::format("{} / - / - / - / {}", m_unit.text(total), share(row));
        return fmt::format("{} / {} / {} / {} / {}", m_unit.text(total), m_unit.quotient(total, m_calls->integers[row]),
                           m_unit.text(orZero(*m_longest, row)), m_unit.text(orZero(*m_shortest, row)), share(row));
    }

private:
    static Ns orZero(const ResultColumn &column, uint32_t row) { return column.absent(row) ? 0 : column.integers[row]; }
    std::string share(uint32_t row) const { return paddlePercent(m_share->absent(row) ? 0 : m_share->numbers[row]); }

    const ResultColumn *m_calls, *m_total, *m_longest, *m_shortest, *m_share;
    const PaddleUnit m_unit;
    const bool m_zeros; ///< print 0.00 for values that were not recorded
};

class Printer {
public:
    Printer(const SetFacts &facts, TraceId trace, const LikeRequest &request, const PaddleSortWord &sort)
        : m_facts(facts)
        , m_trace(trace)
        , m_request(request)
        , m_sort(sort)
        , m_unit(request.unit.empty() ? "ms" : request.unit)
        , m_limit(request.limit < 0 ? kPaddleUsualLimit : request.limit)
    {
    }

    std::string device() const
    {
        const ResultTable table = answer("device");
        PaddleTable text("Device Summary", {{"Device", 30}, {"Utilization (%)", 20}});
        const ResultColumn &share = *table.column("utilization");
        for (uint32_t row = 0; row < table.rows(); ++row)
            text.add({table.columns[0].texts[row], share.absent(row) ? "-" : paddlePercent(share.numbers[row])});
        return text.print({});
    }

    std::string overview() const
    {
        const ResultTable table = answer("event-types");
        PaddleTable text("Overview Summary", {{"Event Type", 25}, {"Calls", 25}, {"CPU Time", 25}, {"Ratio (%)", 25}});
        const ResultColumn &time = *table.column("time_ns"), &share = *table.column("share");
        const auto add = [&](bool onHost) {
            for (uint32_t row = 0; row < table.rows(); ++row)
                if ((table.column("side")->texts[row] == "host") == onHost)
                    text.add({std::string(2 * table.depth[row], ' ') + table.columns[0].texts[row],
                              std::to_string(table.column("calls")->integers[row]), m_unit.text(time.integers[row]),
                              paddlePercent(share.absent(row) ? 0 : share.numbers[row])});
        };
        add(true);
        text.addHeader({"", "Calls", "GPU Time", "Ratio (%)"});
        add(false);
        return text.print(m_unit.word());
    }

    std::string model() const
    {
        const ResultTable table = answer("model");
        PaddleTable text("Model Summary", timedColumns("Name", 15));
        addTimed(table, allRows(table), text);
        return text.print(m_unit.word());
    }

    std::string distribution() const
    {
        const ResultTable table = answer("distribution");
        PaddleTable text("Distribution Summary", {{"Name", 25}, {"Total Time", 25}, {"Ratio (%)", 25}});
        for (uint32_t row = 0; row < table.rows(); ++row) {
            const ResultColumn &share = *table.column("share");
            text.add({std::string(2 * table.depth[row], ' ') + table.columns[0].texts[row],
                      m_unit.text(table.column("total_ns")->integers[row]),
                      paddlePercent(share.absent(row) ? 0 : share.numbers[row])});
        }
        return text.print(m_unit.word());
    }

    std::string operators() const
    {
        const ResultTable table = answer("operator-tree", m_request.byThread ? "thread" : "name");
        PaddleTable text("Operator Summary", timedColumns("Name", 52));
        addBlocks(table, text);
        return table.rows() ? text.print(m_unit.word()) : std::string();
    }

    std::string kernels() const
    {
        const ResultTable table = answer("kernels");
        PaddleTable text("Kernel Summary", {{"Name", 90}, {"Calls", 6}, {kDeviceHeader, kNarrowest}});
        const bool byFigure = std::string_view(m_sort.side) == "device";
        const std::string figure = byFigure ? m_sort.figure : "total";
        const ResultColumn &by = *table.column(figure == "average" ? "mean_ns" : figure + "_ns");
        std::vector<uint32_t> rows = sortedRows(table, by, !byFigure || !m_sort.ascending);
        rows.resize(std::min(rows.size(), static_cast<size_t>(m_limit)));
        const TimesOf times(table, m_unit, "");
        for (const uint32_t row : rows)
            text.add({paddleKernelName(table.column("name")->texts[row], 90),
                      std::to_string(table.column("calls")->integers[row]), times.cell(row)});
        return table.rows() ? text.print(m_unit.word()) : std::string();
    }

    std::string memcpy() const
    {
        ResultTable table = answer("user-defined", "memory");
        if (table.rows() > 0)
            return flat("Memory Manipulation Summary", table);
        // Only device times are known here. Shares are of the total time of copies and kernels.
        table = answer("memcpy");
        const ResultTable kernels = answer("kernels");
        const auto sum = [](const ResultColumn &column) {
            return std::accumulate(column.integers.begin(), column.integers.end(), Ns(0));
        };
        const ResultColumn &total = *table.column("total_ns");
        const Ns all = sum(total) + sum(*kernels.column("total_ns"));
        for (uint32_t row = 0; row < table.rows(); ++row)
            table.column("share")->numbers[row] =
                all ? static_cast<double>(total.integers[row]) / static_cast<double>(all) : 0;
        const TimesOf times(table, m_unit, "");
        PaddleTable text("Memory Manipulation Summary", timedColumns("Name", 4));
        for (const uint32_t row : allRows(table))
            text.add({table.column("name")->texts[row], std::to_string(table.column("calls")->integers[row]),
                      "- / - / - / - / -", times.cell(row)});
        return table.rows() ? text.print(m_unit.word()) : std::string();
    }

    std::string userDefined() const
    {
        const ResultTable table = answer("user-defined", m_request.byThread ? "thread" : "name");
        PaddleTable text("UserDefined Summary", timedColumns("Name", 4));
        addBlocks(table, text);
        return table.rows() ? text.print(m_unit.word()) : std::string();
    }

    std::string memory() const
    {
        const ResultTable table = answer("memory");
        std::string all;
        for (uint32_t row = 0; row < table.rows();) {
            uint32_t end = row + 1;
            while (end < table.rows() && table.column("device")->texts[end] == table.column("device")->texts[row])
                ++end;
            all += (all.empty() ? "" : "\n\n") + memoryOf(table, row, end);
            row = end;
        }
        return all;
    }

private:
    ResultTable answer(const char *view, const char *groupBy = "") const
    {
        SummaryRequest request;
        request.view = view;
        request.groupBy = groupBy;
        request.scope = m_request.scope;
        request.traces = {m_trace};
        auto table = summarize(m_facts, request, {});
        return table ? std::move(*table) : ResultTable{};
    }

    static std::vector<PaddleColumn> timedColumns(const char *name, size_t width)
    {
        return {{name, width}, {"Calls", 6}, {kHostHeader, kNarrowest}, {kDeviceHeader, kNarrowest}};
    }
    static std::vector<uint32_t> allRows(const ResultTable &table)
    {
        std::vector<uint32_t> rows(table.rows());
        for (uint32_t row = 0; row < rows.size(); ++row)
            rows[row] = row;
        return rows;
    }
    void addTimed(const ResultTable &table, const std::vector<uint32_t> &rows, PaddleTable &text) const
    {
        const ResultColumn &calls = *table.column("calls"), &name = *table.column("name");
        const TimesOf host(table, m_unit, "host_"), device(table, m_unit, "device_", true);
        for (const uint32_t row : rows) {
            const size_t depth = table.depth.empty() ? 0 : table.depth[row];
            const std::string shown = depth ? paddleInnerName(name.texts[row], 52 - 2 * depth) : name.texts[row];
            text.add({std::string(2 * depth, ' ') + shown,
                      calls.absent(row) ? "-" : std::to_string(calls.integers[row]), host.cell(row), device.cell(row)});
        }
    }
    std::string flat(const char *title, const ResultTable &table) const
    {
        PaddleTable text(title, timedColumns("Name", 4));
        addTimed(table, allRows(table), text);
        return text.print(m_unit.word());
    }

    /// Adds one block per thread, or a single block for all threads. A block has the first top-level rows, up to the
    /// limit, with the rows inside them.
    void addBlocks(const ResultTable &table, PaddleTable &text) const
    {
        const ResultColumn *thread = table.column("thread");
        const std::vector<uint32_t> order =
            sortedRows(table, *table.column(std::string(m_sort.side) + "_" + m_sort.figure + "_ns"), !m_sort.ascending);
        std::vector<std::string> threads;
        for (uint32_t row = 0; row < table.rows(); ++row)
            if (const std::string name = thread ? thread->texts[row] : "All threads merged";
                threads.empty() || threads.back() != name)
                threads.push_back(name);
        // Only top-level rows are sorted; the rows inside them keep the order of the calls.
        for (const std::string &name : threads) {
            text.addTitle("Thread: " + (name.starts_with("thread ") ? name.substr(7) : name));
            int64_t left = m_limit;
            for (const uint32_t top : order) {
                if ((!table.depth.empty() && table.depth[top] > 0) || (thread && thread->texts[top] != name) ||
                    left-- <= 0)
                    continue;
                std::vector<uint32_t> rows{top};
                for (uint32_t row = top + 1;
                     !m_request.withoutInner && row < table.rows() && !table.depth.empty() && table.depth[row] > 0;
                     ++row)
                    rows.push_back(row);
                addTimed(table, rows, text);
            }
        }
    }

    /// The table of one device, which has the rows [begin, end).
    std::string memoryOf(const ResultTable &table, uint32_t begin, uint32_t end) const
    {
        std::vector<PaddleColumn> columns{{"Name", 50}, {"Type", 12}};
        for (const char *title : {"Allocation Count", "Free Count", "Allocation Size", "Free Size", "Increased Size"})
            columns.push_back({title, 15});
        const std::string device = table.column("device")->texts[begin];
        const std::string place = device == "CPU"             ? "cpu"
                                  : device.starts_with("GPU") ? "gpu:" + device.substr(3)
                                                              : device;
        PaddleTable text("Memory Summary - Place(" + place + ")", columns);
        std::array<int64_t, 2> peaks{0, 0};
        for (uint32_t row = begin; row < end; ++row) {
            if (table.depth[row] == 0) {
                peaks[0] = std::max(peaks[0], table.column("peak_allocated_bytes")->integers[row]);
                peaks[1] = std::max(peaks[1], table.column("peak_reserved_bytes")->integers[row]);
                continue;
            }
            if (table.column("name")->absent(row))
                continue; // Paddle lists only the memory that events used
            std::vector<std::string> cells{table.column("name")->texts[row], table.column("type")->texts[row]};
            for (const char *key : {"allocations", "frees", "allocated_bytes", "freed_bytes", "increase_bytes"})
                cells.push_back(std::to_string(table.column(key)->integers[row]));
            text.add(std::move(cells));
        }
        return text.print({}, fmt::format("Peak Allocated Memory: {}\nPeak Reserved Memory: {}\n", peaks[0], peaks[1]));
    }

    const SetFacts &m_facts;
    const TraceId m_trace;
    const LikeRequest &m_request;
    const PaddleSortWord &m_sort;
    const PaddleUnit m_unit;
    const int64_t m_limit;
};

struct PaddleView {
    const char *word;
    bool usual; ///< printed by default, without --view or --detailed
    std::string (Printer::*print)() const;
};

/// Paddle's tables, in its order.
constexpr PaddleView kViews[] = {
    {"device", false, &Printer::device},      {"overview", true, &Printer::overview},
    {"model", true, &Printer::model},         {"distribution", false, &Printer::distribution},
    {"operators", true, &Printer::operators}, {"kernels", true, &Printer::kernels},
    {"memcpy", false, &Printer::memcpy},      {"user-defined", false, &Printer::userDefined},
    {"memory", false, &Printer::memory},
};

template <typename Table>
std::string wordsOf(const Table &table)
{
    std::string words;
    for (const auto &row : table)
        words += (words.empty() ? "" : ", ") + std::string(row.word);
    return words;
}

} // namespace

Result<std::string> printLikePaddle(const SetFacts &facts, TraceId trace, const LikeRequest &request)
{
    const auto sort =
        std::find_if(std::begin(kPaddleSortWords), std::end(kPaddleSortWords),
                     [&](const PaddleSortWord &one) { return request.sort.empty() || request.sort == one.word; });
    if (sort == std::end(kPaddleSortWords))
        return Error{
            "Paddle cannot sort by " + request.sort + ". Use " + wordsOf(kPaddleSortWords) + ".", {}, std::nullopt};
    for (const std::string &word : request.views)
        if (std::none_of(std::begin(kViews), std::end(kViews),
                         [&](const PaddleView &view) { return word == view.word; }))
            return Error{
                "Paddle has no table for " + word + ". Its tables are " + wordsOf(kViews) + ".", {}, std::nullopt};
    const Printer printer(facts, trace, request, *sort);
    std::string all;
    for (const PaddleView &view : kViews) {
        const bool isAsked = std::find(request.views.begin(), request.views.end(), view.word) != request.views.end();
        if (!isAsked && !request.detailed && (!request.views.empty() || !view.usual))
            continue;
        if (const std::string text = (printer.*view.print)(); !text.empty())
            all += (all.empty() ? "" : "\n\n") + text;
    }
    return all;
}

} // namespace riffle::cli
