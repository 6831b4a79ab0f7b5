// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/step_rows.h"

#include "model/analysis/summary/figures.h"
#include "tests/model/analysis/findings/kineto_text.h"
#include "tests/model/analysis/small_trace.h"
#include "tests/support/byte_sink.h"
#include "tests/support/trace_generator.h"

#include <gtest/gtest.h>

#include <random>

namespace riffle {
namespace {

using test::KinetoText;
using test::SmallTrace;

constexpr const char *kGapPlace = R"("pid":777777,"tid":888888)";

/// A run with random steps, some of them touching, devices, streams, launches, waits, allocations and times that were
/// not recorded.
std::shared_ptr<const Trace> randomRun(uint32_t seed)
{
    std::mt19937 random(seed);
    const auto upTo = [&](Ns most) { return static_cast<Ns>(random() % static_cast<uint32_t>(most)); };
    KinetoText text;
    Ns time = 1'000'000;
    const int devices = static_cast<int>(random() % 4), steps = 1 + static_cast<int>(random() % 6);
    for (int step = 0; step < steps; ++step) {
        const Ns length = 20'000 + upTo(80'000);
        text.step(step % 4, time, length); // numbers may repeat
        for (Ns at = time + upTo(3'000); at < time + length - 9'000; at += 4'000 + upTo(9'000)) {
            text.operation("aten::mm", at, 3'000);
            if (random() % 4 == 0)
                text.call("cudaStreamSynchronize", at + 500, 1'500 + upTo(1'000));
            if (random() % 3 == 0)
                text.memory(at + 100, static_cast<int64_t>(random() % 1000), 2000, static_cast<int>(random() % 3),
                            static_cast<int>(random() % 2));
            if (devices == 0)
                continue;
            const auto device = static_cast<int64_t>(random() % static_cast<uint32_t>(devices));
            const Ns start = at + upTo(30'000), duration = 1 + upTo(20'000);
            const int64_t stream = 7 + 10 * device + static_cast<int64_t>(random() % 2);
            const Ns launch = random() % 8 ? at : -1;
            switch (random() % 4) {
            case 0: text.kernel("ncclDevKernel_AllReduce", stream, start, duration, launch, 500, "", device); break;
            case 1: text.work("gpu_memcpy", "Memcpy HtoD", stream, start, duration, launch, 500, "", device); break;
            default: text.kernel("gemm", stream, start, duration, launch, 500, "", device); break;
            }
        }
        if (random() % 3 == 0)
            text.slice("Trace", "yielded", 777777, 888888, time + upTo(length), 1 + upTo(30'000));
        time += length + (random() % 2 ? 0 : upTo(40'000));
    }
    std::string json = text.text();
    for (size_t at = json.find(kGapPlace); at != json.npos; at = json.find(kGapPlace, at))
        json.replace(at, std::string_view(kGapPlace).size(), R"("pid":"Not recorded","tid":"cuda")");
    auto trace = test::importText(json);
    EXPECT_TRUE(trace);
    return *trace;
}

/// A scope of one step alone.
Scope scopeOfStep(const TraceFacts &facts, const StepSet::Step &step)
{
    ScopeRequest request;
    request.wholeGaps = true;
    if (facts.steps().marked) {
        request.stepNumbers = {step.number};
        request.range = step.host; // several steps may have the number
    }
    return Scope(facts, request);
}

/// The time of the step in which its thread waits for the device, slice by slice.
Ns waitOf(const TraceFacts &facts, const StepSet::Step &step)
{
    const Trace &trace = facts.trace();
    const auto mark = trace.slice(step.slice);
    if (!mark || !(facts.classes().has(SliceClass::Runtime) || facts.classes().has(SliceClass::Waiting)))
        return kNoInt;
    BigVector<TimeSpan> spans;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size() && segment->lane == mark->lane; ++at)
            if (facts.classes().of(*segment, at) == SliceClass::Waiting)
                spans.push_back(TimeSpan{segment->slices.start[at], segment->end(at)}.clipped(step.host));
    return IntervalSet::unionOf(std::move(spans)).length();
}

/// The most memory of a device in the step, event by event.
int64_t peakOf(const Trace &trace, const StepSet::Step &step, int32_t device)
{
    int64_t most = kNoInt, atStart = kNoInt;
    Ns latest = INT64_MIN;
    for (uint32_t row = 0; row < trace.memory.time.size(); ++row) {
        if (trace.memory.deviceType[row] == 0 || trace.memory.deviceId[row] != device)
            continue;
        const Ns time = trace.memory.time[row];
        if (time < step.host.begin && time >= latest) {
            latest = time;
            atStart = trace.memory.totalAllocated[row];
        }
        if (step.host.contains(time))
            most = std::max(most, trace.memory.totalAllocated[row]);
    }
    return std::max(most, atStart);
}

/// Compares each row with what the figures of a scope of this step alone are. Returns the number of rows.
size_t compare(const TraceFacts &facts)
{
    const std::vector<StepFigures> rows = stepRows(Scope(facts, {}));
    const DeviceWork &work = facts.work();
    const size_t perStep = std::max<size_t>(work.devices.size(), 1);
    const StepSet &steps = facts.steps();
    EXPECT_EQ(rows.size(), steps.steps.size() * perStep);
    for (size_t at = 0; at < rows.size(); ++at) {
        const StepSet::Step &step = steps.steps[at / perStep];
        SCOPED_TRACE(testing::Message() << step.name << ", device " << at % perStep);
        const StepFigures &row = rows[at];
        const Scope scope = scopeOfStep(facts, step);
        EXPECT_EQ(row.number, step.number);
        EXPECT_EQ(row.start, step.host.begin);
        EXPECT_EQ(row.duration, step.host.duration());
        EXPECT_EQ(row.mark, step.slice.value);
        EXPECT_EQ(row.hostWait, waitOf(facts, step));
        EXPECT_EQ(row.missing, scope.wholeWindow().length() - scope.window().length());
        EXPECT_EQ(row.flags & step_flag::Unfinished, step.ended ? 0 : step_flag::Unfinished);
        EXPECT_EQ(row.flags & step_flag::Unmarked, steps.marked ? 0 : step_flag::Unmarked);
        if (work.devices.empty()) {
            EXPECT_EQ(row.device, kNoInt32);
            EXPECT_EQ(row.busy, kNoInt);
            EXPECT_EQ(row.idle, kNoInt);
            continue;
        }
        const DeviceWork::Device &device = work.devices[at % perStep];
        const DeviceFigures figures = deviceFigures(scope)[at % perStep];
        EXPECT_EQ(row.device, device.number);
        EXPECT_EQ(row.kernelTime, figures.kernelTime);
        EXPECT_EQ(row.busy, figures.busyTime);
        EXPECT_EQ(row.communication, figures.communication);
        EXPECT_EQ(row.exposed, figures.exposedCommunication);
        EXPECT_EQ(row.idleByCause, figures.idle.sums);
        EXPECT_EQ(row.idle, figures.idle.total());
        EXPECT_EQ(row.busy + row.idle + row.missing, row.duration);
        EXPECT_EQ(row.memoryPeak, peakOf(facts.trace(), step, device.number));
        if (perStep == 1 && row.missing == 0) {
            EXPECT_EQ(row.kernelTime - row.exposed, breakdownOf(facts, step.host)[static_cast<size_t>(Role::Compute)]);
        }
        Ns first = kNoInt, last = kNoInt;
        for (uint32_t one = device.first; one < device.last; ++one)
            if (steps.ofWork[one] == at / perStep) {
                first = first == kNoInt ? work.start[one] : std::min(first, work.start[one]);
                last = std::max(last, work.end[one]);
            }
        EXPECT_EQ(row.deviceStart, first);
        EXPECT_EQ(row.deviceEnd, last);
    }
    return rows.size();
}

TEST(StepRows, AreTheFiguresOfEachStepAlone)
{
    size_t rows = 0, missing = 0, waits = 0, peaks = 0, spread = 0;
    for (uint32_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const TraceFacts facts(randomRun(seed));
        rows += compare(facts);
        for (const StepFigures &row : stepRows(Scope(facts, {}))) {
            missing += row.missing > 0;
            waits += row.hostWait > 0;
            peaks += row.memoryPeak > 0;
            spread += std::ranges::count_if(row.idleByCause, [](Ns time) { return time > 0; }) > 1;
        }
    }
    EXPECT_GT(rows, 200u);
    for (const size_t seen : {missing, waits, peaks, spread}) // the runs show all of it
        EXPECT_GT(seen, 20u);
}

TEST(StepRows, AgreeOnAGeneratedTrace)
{
    std::string json;
    test::TraceOptions options;
    options.steps = 4;
    options.layers = 2;
    options.targetBytes = 200'000;
    test::ByteSink sink(test::ByteSink::toString(json));
    test::generateTrace(options, sink);
    sink.flush();
    const auto trace = test::importText(json);
    ASSERT_TRUE(trace);
    EXPECT_EQ(compare(TraceFacts(*trace)), 4u);
}

TEST(StepRows, WithoutMarksEverythingIsOneStep)
{
    KinetoText text;
    text.operation("aten::mm", 1'000, 500);
    text.kernel("gemm", 7, 2'000, 1'000, 1'100);
    const TraceFacts facts(text.trace());
    compare(facts);
    const std::vector<StepFigures> rows = stepRows(Scope(facts, {}));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].flags, step_flag::Unmarked);
    EXPECT_EQ(rows[0].busy, 1'000);
    EXPECT_EQ(rows[0].mark, kNoRow);
    EXPECT_EQ(rows[0].hostWait, kNoInt); // nobody knows which thread runs the steps
}

TEST(StepRows, StepsWithoutAnEndHaveFigures)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1), gpu = trace.stream(7);
    trace.step(main, 0, 0, 1'000);
    trace.openStep(main, 1, 1'000);
    trace.launch(main, 1'100, 10, 1);
    trace.kernel(gpu, "gemm", 1'500, 300, 1);
    trace.kernel(gpu, "gemm", 2'000, 100, 2);
    const TraceFacts facts(trace.seal());
    EXPECT_EQ(compare(facts), 2u);
    const std::vector<StepFigures> rows = stepRows(Scope(facts, {}));
    EXPECT_EQ(rows[1].flags, step_flag::Unfinished);
    EXPECT_EQ(rows[1].busy, 400);
    EXPECT_EQ(rows[0].idle, 1'000);
}

TEST(StepRows, WithoutDevicesTheHostsCollectivesAreTheCommunication)
{
    KinetoText text;
    text.step(0, 1'000, 10'000);
    text.operation("gloo:all_reduce", 3'000, 2'000);
    text.step(1, 20'000, 10'000);
    const std::vector<StepFigures> rows = stepRows(Scope(TraceFacts(text.trace()), {}));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].communication, 2'000);
    EXPECT_EQ(rows[1].communication, 0);
    EXPECT_EQ(rows[0].exposed, kNoInt);
    EXPECT_EQ(rows[0].device, kNoInt32);
}

TEST(StepRows, TooManyDevicesAreLimitedToThoseWithTheMostWork)
{
    KinetoText text;
    for (int step = 0; step < 4; ++step)
        text.step(step, 1'000 + step * 10'000, 9'000);
    for (int device = 0; device < 6; ++device)
        for (int work = 0; work < (device == 4 ? 3 : 1) + (device == 2); ++work)
            text.kernel("gemm", 7, 2'000 + work * 1'000, 500, 1'500, 100, "", device);
    const TraceFacts facts(text.trace());
    const Scope scope(facts, {});
    EXPECT_EQ(stepRows(scope).size(), 24u);
    const std::vector<StepFigures> few = stepRows(scope, 11);
    ASSERT_EQ(few.size(), 8u);
    EXPECT_EQ(few[0].device, 2);
    EXPECT_EQ(few[1].device, 4);
    EXPECT_TRUE(few[0].flags & step_flag::PartOfDevices);
    EXPECT_EQ(stepRows(scope, 1).size(), 4u);
}

} // namespace
} // namespace riffle
