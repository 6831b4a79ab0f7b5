// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures how long each view's table takes for a large trace: the first time, when everything that it depends on must
// be computed, and for another range. For comparison, a loop reads the columns once and sums by name: nothing can be
// faster.

#include "model/analysis/summary/summary.h"
#include "model/query/query_engine.h"
#include "model/trace/details.h"
#include "tests/support/frame_times.h"
#include "tests/support/generated_trace.h"
#include "tests/support/sum_by_name.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <malloc.h>

using namespace riffle;

namespace {

template <typename Table>
double bytesOf(const Table &table)
{
    return std::apply(
        [](const auto &...columns) { return (static_cast<double>(columns.size() * sizeof(columns[0])) + ...); },
        table.members());
}

/// The size of the trace's columns in bytes, including absent ones.
double columnsOf(const Trace &trace)
{
    double bytes = bytesOf(trace.memory) + bytesOf(trace.flows);
    for (const auto &segment : trace.segments)
        bytes += bytesOf(segment->slices) + bytesOf(segment->nesting) + bytesOf(segment->operators) +
                 bytesOf(segment->python) + bytesOf(segment->device);
    return bytes;
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Time and memory of the summary views");
    uint64_t slices = 10'000'000;
    int runs = 5;
    std::string only;
    app.add_option("--slices", slices, "Approximate number of slices in the trace")->capture_default_str();
    app.add_option("--runs", runs, "Runs per measurement")->capture_default_str();
    app.add_option("--view", only, "Measure only this view");
    CLI11_PARSE(app, argc, argv);

    const std::shared_ptr<const Trace> trace = bench::generatedTrace(slices);
    const double columnBytes = columnsOf(*trace);
    fmt::print("{} slices, {} device, {} steps\n", trace->sliceCount(), detailCount(*trace, &Segment::device),
               trace->steps.size());
    bench::FrameTimes limit;
    Ns sum = 0;
    for (int run = 0; run < runs; ++run)
        limit.measure([&] { sum += bench::sumByName(*trace); });
    fmt::print("{}\n", limit.row("limit: sum by name"));

    bool good = sum > 0;
    for (const SummaryView &view : summaryViews()) {
        if (!only.empty() && only != view.word)
            continue;
        bench::FrameTimes first, range, every;
        size_t rows = 0, bytes = 0;
        SummaryRequest request;
        request.view = view.word;
        for (int run = 0; run < runs; ++run) {
            const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
            const SetFacts facts(TraceSet::of({trace}));
            request.scope.range.reset();
            first.measure([&] {
                const auto table = summarize(facts, request, {});
                good &= bool(table);
                rows = table ? table->rows() : 0;
            });
            bytes = mallinfo2().uordblks + mallinfo2().hblkhd - before;
            const TimeSpan whole = facts.set().span();
            for (int part = 0; part < 4; ++part) {
                const Ns length = whole.duration() / 5;
                request.scope.range = TimeSpan{whole.begin + part * length, whole.begin + (part + 1) * length};
                range.measure([&] { good &= bool(summarize(facts, request, {})); });
            }
            // The critical path is that of one step, unless a range is chosen.
            const SetFacts fresh(facts.set());
            request.scope.range = whole;
            every.measure([&] { good &= bool(summarize(fresh, request, {})); });
        }
        fmt::print("{}  {} rows, facts {:.1f} MB = {:.1f} % of the columns\n",
                   first.row(fmt::format("{}, first", view.word)), rows, static_cast<double>(bytes) / 1e6,
                   100 * static_cast<double>(bytes) / columnBytes);
        fmt::print("{}", range.row(fmt::format("{}, another range", view.word)));
        fmt::print("{}\n", every.row(fmt::format("{}, whole range, first", view.word)));
    }
    QueryEngine engine(SetFacts(TraceSet::of({trace})));
    for (const char *sql :
         {"select * from summary_operators", "select * from summary_kernels",
          "select * from kernels order by id limit 1000", "select * from operators where name = 'aten::mm' limit 1000",
          "select name, count(*), sum(dur) from slices group by name"}) {
        if (!only.empty() && only != "sql")
            break;
        bench::FrameTimes ready;
        for (int run = 0; run <= runs; ++run) // the first run computes what later runs reuse
            if (run == 0)
                good &= bool(engine.run(sql, {}, {}));
            else
                ready.measure([&] { good &= bool(engine.run(sql, {}, {})); });
        fmt::print("{}  {}\n", ready.row("sql"), sql);
    }
    return good ? 0 : 1;
}
