// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures the comparison of device time in two large traces: the first time, when all facts of both must be computed,
// once these are there, and each part of it. The two traces are generated with different random numbers, so that times
// differ everywhere, and some of the calls of the second one are renamed.

#include "model/analysis/compare/device_time_rows.h"
#include "model/base/memory_use.h"
#include "model/base/parallel.h"
#include "model/ingest/importer.h"
#include "tests/support/frame_times.h"
#include "tests/support/generated_trace.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <malloc.h>
#include <optional>

using namespace riffle;

namespace {

constexpr std::array kRows{DeviceRowsBy::Kernel, DeviceRowsBy::Operator, DeviceRowsBy::Module};

/// Small objects and large arrays.
uint64_t bytesInUse()
{
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd + memoryInUse();
}

std::shared_ptr<const Trace> read(const std::string &path)
{
    auto trace = importTrace(path, {}, {});
    if (!trace) {
        fmt::print(stderr, "{}\n", trace.error().text());
        std::exit(1);
    }
    return *trace;
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Time and memory of the comparison of two traces");
    uint64_t slices = 5'600'000;
    int runs = 3;
    uint32_t renamed = 50;
    std::vector<std::string> files;
    app.add_option("--slices", slices, "Slices in each trace; about a tenth fewer are generated")
        ->capture_default_str();
    app.add_option("--runs", runs, "Runs per measurement")->capture_default_str();
    app.add_option("--renamed", renamed, "One in so many kernels and operators of the second trace has another name")
        ->capture_default_str();
    app.add_option("files", files, "Two traces to compare instead")->expected(2);
    CLI11_PARSE(app, argc, argv);

    const auto a = files.empty() ? bench::generatedTrace(slices) : read(files[0]);
    const auto b = files.empty() ? bench::generatedTrace(slices, 2, renamed) : read(files[1]);
    fmt::print("{} and {} slices, {} and {} steps\n", a->sliceCount(), b->sliceCount(), a->steps.size(),
               b->steps.size());

    bench::FrameTimes first, again, shapes, pairing;
    std::array<bench::FrameTimes, kRows.size()> rows;
    bool good = true;
    uint64_t factBytes = 0;
    for (int run = 0; run < runs; ++run) {
        const uint64_t before = bytesInUse();
        const TraceFacts factsA(a), factsB(b);
        std::optional<Scope> scopeA, scopeB;
        std::optional<DeviceComparison> comparison;
        const auto compare = [&] {
            parallelJobs(
                {[&] { scopeA.emplace(factsA, ScopeRequest()); }, [&] { scopeB.emplace(factsB, ScopeRequest()); }});
            comparison.emplace(*scopeA, *scopeB);
            for (const DeviceRowsBy by : kRows) {
                Ns delta = 0;
                for (const DeviceTimeRow &row : deviceTimeRows(*comparison, by))
                    delta += row.delta();
                good &= delta == comparison->totalB() - comparison->totalA();
            }
        };
        first.measure(compare);
        factBytes = bytesInUse() - before;
        again.measure(compare);
        std::optional<CallShapes> shapesA;
        shapes.measure([&] { shapesA.emplace(factsA, factsA.steps()); });
        pairing.measure([&] { TreePairing(comparison->a(), comparison->b()); });
        for (size_t by = 0; by < kRows.size(); ++by)
            rows[by].measure([&] { good &= !deviceTimeRows(*comparison, kRows[by]).empty(); });
        if (run > 0)
            continue;
        const DeviceComparison::Counts &counts = comparison->counts();
        fmt::print("{} and {} nodes, {:.1f} and {:.1f} MB\n", comparison->a().size(), comparison->b().size(),
                   static_cast<double>(comparison->a().bytes()) / 1e6,
                   static_cast<double>(comparison->b().bytes()) / 1e6);
        fmt::print("{} pieces of work same, {} renamed, {} gone, {} new; {} rough alignments\n", counts.same,
                   counts.renamed, counts.gone, counts.added, comparison->pairing().rough);
    }
    fmt::print("{}", first.row("compare, first (goal 5 s)"));
    fmt::print("  all facts and the comparison {:.0f} MB\n", static_cast<double>(factBytes) / 1e6);
    fmt::print("{}", again.row("compare, facts made (goal 1 s)"));
    fmt::print("{}", shapes.row("  the tree of one trace"));
    fmt::print("{}", pairing.row("  pairing"));
    fmt::print("{}", rows[0].row("  rows of kernels"));
    fmt::print("{}", rows[1].row("  rows of operators"));
    fmt::print("{}", rows[2].row("  rows of modules"));
    return good ? 0 : 1;
}
