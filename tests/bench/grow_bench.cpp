// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures a tick of a trace that grows: taking the rows of new events, closing what is settled and making the next
// generation, with little behind it and with a hundred times as much. The limit is sorting the same rows.

#include "model/analysis/facts/trace_facts.h"
#include "model/layout/draw_list.h"
#include "model/trace/growth/trace_growth.h"
#include "tests/support/frame_times.h"
#include "tests/support/measured_child.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <span>
#include <string>
#include <vector>

using namespace riffle;

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Threads that make nested slices: on each lane, a stack as deep as asked, whose innermost slices are short. The
/// outermost one is open for the whole run.
class Threads {
public:
    Threads(uint32_t lanes, uint32_t depth) : m_depth(depth), m_now(lanes, 1), m_open(lanes) {}

    /// Writes about so many slices, on all lanes; `slow` lanes get one in a thousand.
    void write(TraceWriter &rows, TraceWriter &open, uint32_t slices, uint32_t slow)
    {
        const auto lanes = static_cast<uint32_t>(m_now.size());
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            const uint32_t share = slices / (lanes - slow);
            writeLane(rows, lane, lane < slow ? std::max(1u, share / 1'000) : share);
            for (const Ns start : m_open[lane]) {
                HalfRow half{};
                half.time = start;
                half.sourceOffset = ++m_address;
                half.correlation = half.externalId = kNoInt;
                half.name = open.intern("open", half.sourceOffset);
                half.lane = laneOf(open, lane);
                half.phase = 'B';
                open.half(half);
                open.noteTime(start);
            }
        }
    }
    Ns now() const { return *std::ranges::max_element(m_now); }
    /// Writes what a step of training adds to these slices: its mark, launches, kernels that end somewhat later, and
    /// memory events.
    void writeStep(TraceWriter &rows, uint32_t launches)
    {
        const Ns begin = m_stepBegin, end = now();
        const uint32_t host = laneOf(rows, 1'000), device = streamOf(rows);
        SliceRow row{};
        row.phase = 'X';
        row.externalId = row.correlation = kNoInt;
        row.start = begin;
        row.duration = end - begin;
        row.sourceOffset = ++m_address;
        row.name = rows.intern("ProfilerStep#" + std::to_string(++m_step), 1);
        rows.slice(row, host);
        const uint32_t launch = rows.intern("cudaLaunchKernel", 1), kernel = rows.intern("kernel", 1);
        const uint32_t runtime = rows.intern("cuda_runtime", 1);
        for (uint32_t at = 0; at < launches; ++at) {
            const Ns each = (end - begin) / (launches + 1);
            row.start = begin + at * each + 1;
            row.duration = each / 2;
            row.correlation = ++m_correlation;
            row.name = launch;
            row.category = runtime;
            row.sourceOffset = ++m_address;
            rows.slice(row, host);
            row.name = row.category = kernel;
            row.start += each / 4;
            row.flags = slice_flag::OnStream;
            row.detail = SliceDetail::Device;
            row.sourceOffset = ++m_address;
            rows.slice(row, device, DeviceRow{});
            row.flags = 0;
            row.detail = SliceDetail::None;
            MemoryRow memory{};
            memory.time = row.start;
            memory.bytes = 512;
            memory.sourceOffset = ++m_address;
            memory.lane = host;
            rows.memory(memory);
        }
        m_stepBegin = end;
    }
    /// Everything that ended before is written: lanes go on after the latest time of all.
    void meet()
    {
        const Ns latest = now();
        for (Ns &time : m_now)
            time = latest;
    }

private:
    static uint32_t laneOf(TraceWriter &writer, uint32_t lane)
    {
        LaneKey key;
        key.pid = {1, RawId::Kind::Signed};
        key.tid = {lane, RawId::Kind::Signed};
        return writer.lane(key, 0);
    }
    static uint32_t streamOf(TraceWriter &writer)
    {
        LaneKey key;
        key.kind = LaneKind::Stream;
        key.pid = {0, RawId::Kind::Signed};
        key.tid = {7, RawId::Kind::Signed};
        return writer.lane(key, 0);
    }
    void writeLane(TraceWriter &rows, uint32_t lane, uint32_t slices)
    {
        std::vector<Ns> &open = m_open[lane];
        const uint32_t number = laneOf(rows, lane);
        const uint32_t name = rows.intern("aten::add", 1), category = rows.intern("cpu_op", 1);
        for (uint32_t count = 0; count < slices;) {
            m_now[lane] += 100;
            if (open.size() < m_depth) {
                open.push_back(m_now[lane]);
                continue;
            }
            // The innermost one ends, now and then with some of those around it.
            for (uint32_t ends = count % 50 == 0 ? m_depth / 2 : 1; ends > 0 && open.size() > 1; --ends, ++count) {
                m_now[lane] += 100;
                SliceRow row{};
                row.start = open.back();
                row.duration = m_now[lane] - row.start;
                row.sourceOffset = ++m_address;
                row.correlation = row.externalId = kNoInt;
                row.name = name;
                row.category = category;
                row.phase = 'X';
                rows.slice(row, number);
                rows.noteTime(m_now[lane]);
                open.pop_back();
            }
        }
    }

    const uint32_t m_depth;
    std::vector<Ns> m_now;
    std::vector<std::vector<Ns>> m_open;
    uint64_t m_address = 0;
    Ns m_stepBegin = 1;
    int64_t m_step = 0, m_correlation = 0;
};

/// The processor time of this thread in ms: what a tick takes, without what other programs take.
double processorMilliseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double quantile(std::span<const double> values, double share)
{
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    return sorted.empty() ? 0 : sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
}

struct Scene {
    const char *name;
    uint32_t lanes, slow, depth;
    uint32_t late = 0;     ///< the number of ticks by which the settled mark is behind
    uint32_t launches = 0; ///< of kernels in each tick, which come besides a step and memory events
};

/// Prints the cost of each tick; returns the last generation.
std::shared_ptr<const Trace> measure(const Scene &scene, uint32_t events, uint32_t ticks, uint32_t times,
                                     const GrowthWindow &window)
{
    TraceGrowth growth(window);
    Threads threads(scene.lanes, scene.depth);
    const auto memory = std::make_shared<ColumnMemory>();
    std::vector<double> costs, processorCosts;
    std::vector<Ns> marks;
    std::shared_ptr<const Trace> newest;
    for (uint32_t tick = 0; tick < ticks * (times + 1); ++tick) {
        TraceWriter rows(memory), open(memory);
        rows.beginBatch(tick);
        open.beginBatch(tick);
        threads.meet();
        threads.write(rows, open, events - 3 * scene.launches, scene.slow);
        if (scene.launches > 0)
            threads.writeStep(rows, scene.launches);
        marks.push_back(threads.now());
        const Ns mark = tick < scene.late ? 0 : marks[tick - scene.late];
        const Clock::time_point start = Clock::now();
        const double processorStart = processorMilliseconds();
        growth.add(rows);
        growth.setOpen(open);
        growth.settle([&](LaneKind) { return mark; });
        const auto trace = growth.generation({}, nullptr, {}, [](const ImportReport &report) { return report; });
        costs.push_back(millisecondsSince(start));
        processorCosts.push_back(processorMilliseconds() - processorStart);
        if (!trace) {
            fmt::print(stderr, "{}\n", trace.error().text());
            return nullptr;
        }
        newest = *trace;
    }
    const auto first = [&](const std::vector<double> &all) { return std::span(all).subspan(ticks, ticks); };
    const auto last = [&](const std::vector<double> &all) { return std::span(all).last(ticks); };
    constexpr double kMb = 1e6;
    fmt::print(
        "{:<20} {:>10}  {:5.1f} {:5.1f}  {:5.1f} {:5.1f}  {:4.2f} {:4.2f}  {:5.1f} {:5.1f}  {:4.2f}  {:5.0f} {:5.0f}\n",
        scene.name, newest->sliceCount(), quantile(first(costs), 0.5), quantile(first(costs), 0.99),
        quantile(last(costs), 0.5), quantile(last(costs), 0.99),
        quantile(last(costs), 0.5) / quantile(first(costs), 0.5),
        quantile(last(costs), 0.99) / quantile(first(costs), 0.99), quantile(first(processorCosts), 0.5),
        quantile(last(processorCosts), 0.5), quantile(last(processorCosts), 0.5) / quantile(first(processorCosts), 0.5),
        static_cast<double>(bench::anonymousMemory()) / kMb, static_cast<double>(growth.memory().fileBytes()) / kMb);
    return newest;
}

/// Prints what it takes to make the facts about the newest part of a trace, and about all of it.
void measureFacts(const std::shared_ptr<const Trace> &trace, uint64_t mostSlices)
{
    for (const uint64_t most : {mostSlices, UINT64_MAX}) {
        const uint64_t before = bench::anonymousMemory();
        const Clock::time_point start = Clock::now();
        const TraceFacts facts(trace, {}, most);
        const double made = millisecondsSince(start);
        std::string line;
        const auto add = [&](const char *what, auto make) {
            const Clock::time_point begin = Clock::now();
            make();
            line += fmt::format(" {} {:.0f},", what, millisecondsSince(begin));
        };
        add("classes", [&] { facts.classes(); });
        add("calls", [&] { facts.calls(); });
        add("work", [&] { facts.work(); });
        add("steps", [&] { facts.steps(); });
        add("kinds of work", [&] { facts.workClasses(); });
        add("roles", [&] { facts.roles(); });
        add("memory", [&] { facts.memory(); });
        fmt::print("  facts of {} slices:{} all {:.0f} ms (the part {:.1f}), {:.0f} MB\n", facts.trace().sliceCount(),
                   line, millisecondsSince(start), made, static_cast<double>(bench::anonymousMemory() - before) / 1e6);
    }
}

/// A lane of so many closed segments, six rows deep, which have no slice in common.
std::shared_ptr<const Trace> laneOfSegments(uint32_t segments, uint32_t slices)
{
    const auto trace = std::make_shared<Trace>();
    trace->processes.emplace_back();
    Lane &lane = trace->lanes.emplace_back();
    lane.process = ProcessId(0);
    lane.rows = 6;
    Ns now = 1;
    uint32_t id = 0;
    for (uint32_t number = 0; number < segments; ++number) {
        std::vector<GrowingSlice> made(slices);
        std::vector<const GrowingSlice *> pointers;
        std::vector<uint32_t> rows;
        PieceNesting nesting;
        for (uint32_t at = 0; at < slices; ++at) {
            made[at].row.start = now;
            made[at].row.duration = 60 - at % 6 * 10;
            made[at].id = SliceId(id++);
            now += at % 6 == 5 ? 100 : 1;
            pointers.push_back(&made[at]);
            rows.push_back(at % 6);
            nesting.add(10);
        }
        lane.segments.push_back(number);
        lane.slices += slices;
        trace->segments.push_back(makeSegment(LaneId(0), pointers, nesting, rows));
    }
    trace->segmentsById = SegmentsById(trace->segments);
    trace->span = lane.span = {0, now};
    return trace;
}

/// Prints what it takes to find what a picture of such a lane shows: 20 of the whole, and 20 of a thousandth of it.
void measureFrames(uint32_t segments)
{
    const auto trace = laneOfSegments(segments, 2'000);
    const TraceSet set = TraceSet::of({trace});
    const LaneLayout layout(set, {}, {});
    for (const Ns part : {1, 10, 1'000}) {
        bench::FrameTimes times;
        for (int frame = 0; frame < 20; ++frame) {
            DrawList::Request request;
            request.set = &set;
            request.section = &layout.items();
            request.scale = TimeScale({frame, frame + trace->span.end / part}, 1'920);
            request.yEnd = layout.height();
            DrawList list;
            times.measure([&] { list.build(request); });
        }
        fmt::print("{}", times.row(fmt::format("{} segments, 1/{}", segments, part)));
    }
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures the ticks of a trace that grows");
    uint32_t events = 25'000, ticks = 20, times = 100;
    app.add_option("--events", events, "Slices per tick")->capture_default_str();
    app.add_option("--ticks", ticks, "Ticks at the begin and at the end that are compared")->capture_default_str();
    app.add_option("--times", times, "How often as many ticks there are in all")->capture_default_str();
    std::string only;
    app.add_option("--scene", only, "Measure only the scene with this name");
    GrowthWindow window;
    app.add_option("--memory", window.memoryBytes, "Bytes of memory that a trace may take before it goes to a file")
        ->capture_default_str();
    app.add_option("--disk", window.diskBytes, "Bytes of that file before the oldest slices leave the trace")
        ->capture_default_str();
    uint64_t mostSlices = 1u << 24;
    app.add_option("--facts", mostSlices, "Slices of the newest part that facts are about")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    fmt::print("{} slices per tick; ms: median and 99th percentile of {} ticks; marks: 25 ms, 1.3 times\n", events,
               ticks);
    fmt::print("{:<20} {:>10}  {:>11}  {:>11}  {:>9}  {:>17}  {:>11}\n", "", "slices", "first ticks", "last ticks",
               "ratio", "processor, medians", "MB, in file");
    constexpr Scene kScenes[] = {{"one lane", 1, 0, 8},
                                 {"64 lanes, one slow", 64, 1, 8},
                                 {"one lane, 60 deep", 1, 0, 60},
                                 {"mark 100 ticks late", 1, 0, 8, 100},
                                 {"kernels and steps", 1, 0, 8, 2, 5'000}};
    for (const Scene &scene : kScenes)
        if (only.empty() || scene.name == only)
            if (const auto trace = measure(scene, events, ticks, times, window); trace && scene.launches > 0)
                measureFacts(trace, mostSlices);
    if (only.empty() || only == "frames") {
        fmt::print("Pictures of a lane, 1,920 px wide; mark: 16 ms\n");
        for (const uint32_t segments : {50u, 5'000u})
            measureFrames(segments);
    }
    return 0;
}
