// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures how long searches, the area table and SQL queries take over all slices of a large trace. For comparison with
// SQL's sum by name, a loop over the columns does the same: nothing can be faster.

#include "model/analysis/search/search.h"
#include "model/analysis/summary/area_summary.h"
#include "model/query/query_engine.h"
#include "tests/support/frame_times.h"
#include "tests/support/sum_by_name.h"
#include "tests/support/wide_trace.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>

using namespace riffle;

namespace {

/// Measures SQL queries and compares them with the required limits.
bool askSql(const TraceSet &set, int runs)
{
    bench::FrameTimes loop;
    Ns sum = 0;
    for (int run = 0; run < runs; ++run)
        loop.measure([&] { sum = bench::sumByName(*set.loaded()[0].trace); });
    fmt::print("{}", loop.row("loop: sum by name"));

    QueryEngine engine{SetFacts(set)};
    bool good = true;
    const auto ask = [&](const char *name, const char *sql, double limit) {
        bench::FrameTimes times;
        Ns answer = 0;
        for (int run = 0; run < runs; ++run)
            times.measure([&] {
                const auto table = engine.run(sql, {}, {});
                good &= bool(table);
                answer = 0;
                if (table)
                    for (const int64_t cell : table->columns.back().integers)
                        answer += cell;
            });
        fmt::print("{}  limit {} ms{}\n", times.row(name), limit, times.quantile(0.5) > limit ? "  MISSED" : "");
        return answer;
    };
    good &= ask("sql: sum by name", "select name, count(*), sum(dur) from slices group by name", 2500) == sum;
    ask("sql: a lane's slices", "select count(*), sum(dur) from slices where lane_id = 20", 2500);
    ask("sql: a range", "select count(*), sum(dur) from slices where ts between 1000000 and 20000000", 100);
    ask("sql: names like", "select count(*), sum(dur) from slices where name like '%operator_17'", 300);
    good &= ask("sql: operators, ready", "select name, calls from summary_operators", 100) > 0;
    good &= ask("sql: kernels, ready", "select name, calls from summary_kernels", 100) > 0;
    return good;
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures the time of searches, of the area table and of SQL queries");
    uint64_t slices = 10'000'000;
    int runs = 9;
    app.add_option("--slices", slices, "Number of slices in the trace")->capture_default_str();
    app.add_option("--runs", runs, "Runs per measurement")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    TraceSet set;
    set.add(test::wideTrace(slices), TimeMap());
    fmt::print("{} slices\n", set.loaded()[0].trace->sliceCount());
    bool good = true;
    const auto ask = [&](const char *name, const SearchQuery &query) {
        bench::FrameTimes times;
        uint64_t count = 0;
        for (int run = 0; run < runs; ++run)
            times.measure([&] {
                const auto hits = search(set, query, {});
                good &= bool(hits);
                count = hits ? hits->count() : 0;
            });
        fmt::print("{}  {} hits\n", times.row(name), count);
    };
    ask("search, a common word", {.text = "operator_1"});
    ask("search, every name", {.text = "e"});
    ask("search, regular expression", {.text = "operator_[0-9]*7$", .mode = SearchQuery::Mode::Regex});
    ask("search, category", {.text = "cpu_op", .mode = SearchQuery::Mode::Category});

    const TimeSpan whole = set.span();
    for (const TimeSpan span :
         {whole, TimeSpan{whole.begin + whole.duration() / 3, whole.end - whole.duration() / 3}}) {
        bench::FrameTimes times;
        uint64_t count = 0;
        for (int run = 0; run < runs; ++run)
            times.measure([&] { count = summarizeArea(set, span, {}, {}).count; });
        good &= count > 0;
        fmt::print("{}  {} slices\n", times.row(span == whole ? "area table, everything" : "area table, a third"),
                   count);
    }
    good &= askSql(set, runs);
    return good ? 0 : 1;
}
