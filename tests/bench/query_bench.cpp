// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// How long a search and the area table take over all slices of a large trace.

#include "model/analysis/area_summary.h"
#include "model/analysis/search.h"
#include "tests/support/frame_times.h"
#include "tests/support/wide_trace.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>

using namespace riffle;

int main(int argc, char **argv)
{
    CLI::App app("Time of searches and of the area table");
    uint64_t slices = 10'000'000;
    int runs = 9;
    app.add_option("--slices", slices, "slices of the trace")->capture_default_str();
    app.add_option("--runs", runs, "runs of each question")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    TraceSet set;
    set.members.push_back({test::wideTrace(slices), TimeMap()});
    fmt::print("{} slices\n", set.members[0].trace->sliceCount());
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
    for (const TimeSpan span : {whole, TimeSpan{whole.begin + whole.duration() / 3, whole.end - whole.duration() / 3}}) {
        bench::FrameTimes times;
        uint64_t count = 0;
        for (int run = 0; run < runs; ++run)
            times.measure([&] { count = summarizeArea(set, span, {}, {}).count; });
        good &= count > 0;
        fmt::print("{}  {} slices\n", times.row(span == whole ? "area table, everything" : "area table, a third"), count);
    }
    return good ? 0 : 1;
}
