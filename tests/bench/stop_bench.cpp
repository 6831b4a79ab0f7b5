// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures how soon a question ends that nobody waits for any more: each view is asked with cold facts and stopped
// after a random part of the time that the whole answer takes. The goal is 50 ms.

#include "model/analysis/critical_path/critical_path_bands.h"
#include "model/analysis/idle/idle_bands.h"
#include "model/analysis/search/search.h"
#include "model/analysis/summary/area_summary.h"
#include "model/analysis/summary/summary.h"
#include "model/query/query_engine.h"
#include "tests/support/frame_times.h"
#include "tests/support/generated_trace.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace riffle;

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kGoal = 50; ///< milliseconds from the stop to the end

/// A question to a set with cold facts. Its result does not matter.
struct Question {
    std::string name;
    std::function<void(const SetFacts &facts, const Task &task)> ask;
};

std::vector<Question> questions()
{
    std::vector<Question> all;
    for (const SummaryView &view : summaryViews()) {
        const auto ask = [&view](std::string_view by, bool isWhole, const SetFacts &facts, const Task &task) {
            SummaryRequest request;
            request.view = view.word;
            request.groupBy = by;
            if (isWhole)
                request.scope.range = facts.set().span();
            (void)summarize(facts, request, task);
        };
        using namespace std::placeholders;
        for (const char *by : view.groupings)
            all.push_back({fmt::format("{} by {}", view.word, by), std::bind(ask, by, false, _1, _2)});
        if (view.groupings.empty())
            all.push_back({view.word, std::bind(ask, "", false, _1, _2)});
        all.push_back({fmt::format("{}, whole range", view.word), std::bind(ask, "", true, _1, _2)});
    }
    all.push_back({"idle bands", [](const SetFacts &facts, const Task &task) { idleBands(facts, {}, task.stop); }});
    all.push_back({"critical path bands",
                   [](const SetFacts &facts, const Task &task) { criticalPathBands(facts, {}, task.stop); }});
    all.push_back({"area", [](const SetFacts &facts, const Task &task) {
                       summarizeArea(facts.set(), facts.set().span(), {}, task);
                   }});
    for (const bool arguments : {false, true})
        all.push_back(
            {arguments ? "search in arguments" : "search", [arguments](const SetFacts &facts, const Task &task) {
                 SearchQuery query;
                 query.text = "mm";
                 query.arguments = arguments;
                 (void)search(facts.set(), query, task);
             }});
    for (const char *sql :
         {"select * from summary_operators", "select name, count(*), sum(dur) from slices group by name",
          "select * from kernels order by dur desc"})
        all.push_back({fmt::format("sql: {}", sql), [sql](const SetFacts &facts, const Task &task) {
                           QueryEngine engine(facts);
                           (void)engine.run(sql, {}, task);
                       }});
    return all;
}

struct End {
    double time, processorTime; ///< milliseconds from the stop until the answer is back
};

double processorMilliseconds() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Asks once and stops after `delay` milliseconds. Returns nothing if the answer came first.
std::optional<End> stopped(const TraceSet &set, const Question &question, double delay)
{
    const SetFacts facts(set);
    std::stop_source source;
    Clock::time_point stoppedAt;
    double usedBefore = 0;
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(delay));
        stoppedAt = Clock::now();
        usedBefore = processorMilliseconds();
        source.request_stop();
    });
    question.ask(facts, Task{source.get_token(), nullptr});
    const Clock::time_point back = Clock::now();
    const double used = processorMilliseconds();
    stopper.join();
    if (back < stoppedAt)
        return std::nullopt;
    return End{std::chrono::duration<double, std::milli>(back - stoppedAt).count(), used - usedBefore};
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Time until a stopped question ends");
    uint64_t slices = 10'000'000;
    int runs = 20;
    std::string only;
    app.add_option("--slices", slices, "Approximate number of slices in the trace")->capture_default_str();
    app.add_option("--runs", runs, "Stops per question")->capture_default_str();
    app.add_option("--only", only, "Measure only questions that start with this");
    CLI11_PARSE(app, argc, argv);

    const TraceSet set = TraceSet::of({bench::generatedTrace(slices)});
    fmt::print("{} slices; the goal is {} ms\n", set.trace(TraceId(0))->sliceCount(), kGoal);
    std::mt19937 random(1);
    double worst = 0;
    for (const Question &question : questions()) {
        if (!question.name.starts_with(only))
            continue;
        bench::FrameTimes whole, ends, work;
        for (int run = 0; run < 2; ++run) { // the first run also pays for memory that the process has not had before
            const SetFacts facts(set);
            whole.measure([&] { question.ask(facts, {}); });
        }
        for (int run = 0; run < runs; ++run) {
            const double delay = std::uniform_real_distribution(0.0, whole.quantile(0))(random);
            if (const auto end = stopped(set, question, delay)) {
                ends.add(end->time);
                work.add(end->processorTime);
            }
        }
        worst = std::max(worst, ends.quantile(1));
        fmt::print("{:<44.44} whole {:>8.1f} ms   {:>3} stops: median {:>6.2f} ms   max {:>6.2f} ms   "
                   "processor: median {:>6.2f} ms   max {:>6.2f} ms\n",
                   question.name, whole.quantile(0), ends.count(), ends.quantile(0.5), ends.quantile(1),
                   work.quantile(0.5), work.quantile(1));
        std::fflush(stdout);
    }
    fmt::print("The longest took {:.2f} ms.\n", worst);
    return worst <= kGoal ? 0 : 1;
}
