// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures what a step costs in which a collector's log is followed while it is written, at its begin and at its end:
// finding and verifying the new chunks (advance) and reading their rows (read). The limit is decoding the same chunks.

#include "model/ingest/collector_log/log_tail.h"
#include "tests/support/log_replay.h"
#include "tests/support/training_log.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <vector>

using namespace riffle;
using namespace riffle::test;

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct StepCost {
    double advance = 0, read = 0, limit = 0; ///< ms
};

/// Decodes the chunks of the last part that come after the first `before`.
double decode(const CollectorLog &log, uint32_t before)
{
    ChunkReader reader;
    const auto last = static_cast<uint32_t>(log.parts().size() - 1);
    const Clock::time_point start = Clock::now();
    for (ChunkPlace place{last, before}; place.chunk < log.parts()[last]->chunks().size(); ++place.chunk)
        if (!reader.read(log, place))
            fmt::print(stderr, "A chunk cannot be read.\n");
    return millisecondsSince(start);
}

double quantile(std::span<const StepCost> steps, double StepCost::*figure, double share)
{
    std::vector<double> values;
    for (const StepCost &step : steps)
        values.push_back(step.*figure);
    std::ranges::sort(values);
    return values.empty() ? 0 : values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

void print(const char *where, std::span<const StepCost> steps)
{
    fmt::print("{:>12} {:>6}", where, steps.size());
    for (double StepCost::*figure : {&StepCost::advance, &StepCost::read, &StepCost::limit})
        fmt::print("  {:8.2f} {:8.2f}", quantile(steps, figure, 0.5), quantile(steps, figure, 0.99));
    fmt::print("\n");
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures the steps in which a collector's log is followed");
    uint64_t events = 5'000'000, part = wire::kMaxFileBytes - (8u << 20);
    size_t chunks = 3;
    app.add_option("--events", events, "Number of events in the log")->capture_default_str();
    app.add_option("--chunks", chunks, "Chunks per step, with 12,000 events each")->capture_default_str();
    app.add_option("--part", part, "Bytes per file")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    const LogFolder whole;
    const uint64_t written = writeTrainingLog(whole, events, part);
    LogReplay writer(whole);
    writer.write(1);
    auto log = CollectorLog::open(writer.path());
    if (!log) {
        fmt::print(stderr, "{}\n", log.error().text());
        return 1;
    }
    LogTail tail;
    std::vector<StepCost> steps;
    while (!writer.isDone()) {
        writer.write(chunks);
        StepCost cost;
        Clock::time_point start = Clock::now();
        auto next = (*log)->advance();
        cost.advance = millisecondsSince(start);
        if (!next || !*next) {
            fmt::print(stderr, "{}\n", next ? "The log has nothing new." : next.error().text());
            return 1;
        }
        const bool isSameFile = (*next)->parts().size() == (*log)->parts().size();
        cost.limit = decode(**next, isSameFile ? static_cast<uint32_t>((*log)->parts().back()->chunks().size()) : 0);
        TraceWriter rows(std::make_shared<ColumnMemory>());
        start = Clock::now();
        const auto step = tail.next(*next, rows);
        cost.read = millisecondsSince(start);
        if (!step) {
            fmt::print(stderr, "{}\n", step.error().text());
            return 1;
        }
        constexpr uint64_t kStrings = 10'000; // bytes: a file starts with strings, in chunks of their own
        if ((*next)->rawBytes() - (*log)->rawBytes() > kStrings * chunks)
            steps.push_back(cost);
        log = std::move(next);
    }
    fmt::print("{} events in {} files, {:.1f} MB, {} steps; ms: median, 99th percentile\n", written,
               (*log)->parts().size(), double((*log)->fileBytes()) / 1e6, steps.size());
    fmt::print("{:>12} {:>6}  {:>17}  {:>17}  {:>17}\n", "", "steps", "advance", "read", "limit: decoding");
    const size_t tenth = steps.size() / 10;
    print("first tenth", std::span(steps).first(tenth));
    print("last tenth", std::span(steps).last(tenth));
    return 0;
}
