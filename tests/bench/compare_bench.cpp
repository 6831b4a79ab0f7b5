// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures the comparison of two traces: each view the first time, when all facts that it needs are computed, and again
// for other steps. The goals are 5 s and 1 s for two traces of 5 million slices.

#include "model/analysis/compare/compare.h"
#include "tests/support/generated_trace.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>

using namespace riffle;

namespace {

using Clock = std::chrono::steady_clock;

struct Measured {
    double wall = 0, processor = 0; ///< milliseconds
    size_t rows = 0;
};

[[noreturn]] void fail(const Error &error)
{
    fmt::print(stderr, "{}\n", error.text());
    std::exit(1);
}

/// Asks for a view about the steps around `step`, or about the median steps if it is negative.
Measured ask(const SetFacts &facts, const CompareView &view, int64_t step)
{
    const auto begin = Clock::now();
    const std::clock_t used = std::clock();
    SideRequest request;
    if (step >= 0)
        request.steps = TimeSpan{step, step + 9};
    const auto a = comparedSide(facts, TraceId(0), request, "A"), b = comparedSide(facts, TraceId(1), request, "B");
    if (!a || !b)
        fail(a ? b.error() : a.error());
    const auto table = compare(facts, view, *a, *b, {});
    if (!table)
        fail(table.error());
    const std::chrono::duration<double, std::milli> wall = Clock::now() - begin;
    return {wall.count(), 1000.0 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC, table->rows()};
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures the comparison of two generated traces.");
    uint64_t slices = 5'000'000;
    app.add_option("--slices", slices, "Slices of each trace, about")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    // Times differ everywhere, and some of the kernels and operators of B have another name.
    constexpr uint32_t kRenamedOneIn = 50;
    const auto before = bench::generatedTrace(slices), after = bench::generatedTrace(slices, 2, kRenamedOneIn);
    fmt::print("two traces of {} and {} slices\n{:<15}{:>12}{:>14}{:>12}{:>14}{:>8}\n", before->sliceCount(),
               after->sliceCount(), "view", "first (ms)", "processor", "again (ms)", "processor", "rows");
    for (const CompareView &view : compareViews()) {
        const SetFacts facts(TraceSet::of({before, after})); // computed anew for each view
        const Measured first = ask(facts, view, -1), again = ask(facts, view, 5);
        fmt::print("{:<15}{:>12.0f}{:>14.0f}{:>12.0f}{:>14.0f}{:>8}\n", view.word, first.wall, first.processor,
                   again.wall, again.processor, first.rows);
    }
    return 0;
}
