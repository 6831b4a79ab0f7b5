// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/step_parts.h"

#include "model/analysis/idle/idle_gaps.h"
#include "model/analysis/summary/figures.h"
#include "tests/model/analysis/findings/kineto_text.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace riffle {
namespace {

using test::KinetoText;

/// One piece of generated device work, and the part that it belongs to while nothing goes before it.
struct NaiveWork {
    TimeSpan span;
    int device;
    std::string part;
};

/// The parts in order of priority. Those of kernels that compute share one priority, in which the first start counts.
const std::vector<std::string> kComputeParts{"matrix_products", "attention", "other_compute", "compiled"};

size_t placeInList(const std::vector<std::string> &list, const std::string &key)
{
    return static_cast<size_t>(std::ranges::find(list, key) - list.begin());
}

/// The part of one nanosecond, by looking at all work; empty if the device is idle.
std::string partAt(const std::vector<NaiveWork> &all, int device, Ns time)
{
    const NaiveWork *compute = nullptr;
    bool copies = false, sets = false, communicates = false;
    for (const NaiveWork &one : all) {
        if (one.device != device || !one.span.contains(time))
            continue;
        copies |= one.part == "memcpy";
        sets |= one.part == "memset";
        communicates |= one.part == "communication";
        if (placeInList(kComputeParts, one.part) == kComputeParts.size())
            continue;
        const auto key = [](const NaiveWork &work) {
            return std::pair(work.span.begin, placeInList(kComputeParts, work.part));
        };
        if (!compute || key(one) < key(*compute))
            compute = &one;
    }
    return compute ? compute->part : copies ? "memcpy" : sets ? "memset" : communicates ? "communication" : "";
}

struct RandomStreams {
    KinetoText text;
    std::vector<NaiveWork> work;
    std::vector<TimeSpan> steps;
    int devices = 1;
};

RandomStreams randomStreams(uint32_t seed)
{
    std::mt19937 random(seed);
    const auto upTo = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    struct Kind {
        const char *category, *name, *part;
    };
    static constexpr Kind kKinds[] = {
        {"kernel", "ampere_sgemm_128x64_nn", "matrix_products"},
        {"kernel", "flash_fwd_kernel", "attention"},
        {"kernel", "vectorized_elementwise_kernel", "other_compute"},
        {"kernel", "triton_poi_fused_add_0", "compiled"},
        {"kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "communication"},
        {"gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "memcpy"},
        {"gpu_memset", "Memset (Device)", "memset"},
    };
    RandomStreams run;
    run.devices = 1 + upTo(1);
    Ns at = 1000;
    for (int step = 0; step < 4; ++step) {
        const Ns length = 100 + upTo(200);
        run.text.step(step, at, length);
        run.steps.push_back({at, at + length});
        at += length + (upTo(1) ? upTo(40) : 0); // with and without a time between the steps
    }
    run.text.operation("aten::mm", 1000, at - 1000);
    for (int device = 0; device < run.devices; ++device)
        for (const Kind &kind : kKinds)
            for (int stream = 0; stream < 2; ++stream)
                for (Ns time = 960 + upTo(200); time < at + 60;) {
                    const Ns length = upTo(60);
                    run.text.work(kind.category, kind.name, 10 * (&kind - kKinds) + stream + 7, time, length,
                                  upTo(2) ? time - upTo(30) : -1, 1, "", device);
                    run.work.push_back({{time, time + length}, device, kind.part});
                    time += length + 1 + upTo(3) * upTo(150);
                }
    return run;
}

/// The scopes of all steps, of each step, of random ranges, and of ranges within steps.
std::vector<ScopeRequest> randomRequests(uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<ScopeRequest> requests(1);
    for (int64_t step = 0; step < 4; ++step)
        requests.emplace_back().steps = TimeSpan{step, step};
    requests.emplace_back().steps = TimeSpan{1, 2};
    for (int at = 0; at < 3; ++at) {
        const Ns begin = 900 + static_cast<Ns>(random() % 600);
        requests.emplace_back().range = TimeSpan{begin, begin + 1 + static_cast<Ns>(random() % 500)};
    }
    requests.emplace_back(requests.back()).steps = TimeSpan{0, 1};
    return requests;
}

Ns partTime(const StepParts &parts, const std::string &key)
{
    const auto found = std::ranges::find(parts.parts, key, &StepPart::key);
    return found == parts.parts.end() ? -1 : found->time;
}

TEST(StepParts, AreThoseOfEveryNanosecondAndOfRules4To6)
{
    for (uint32_t seed = 0; seed < 25; ++seed) {
        SCOPED_TRACE(seed);
        const RandomStreams run = randomStreams(seed);
        const auto trace = run.text.trace();
        const TraceFacts facts(trace);
        ASSERT_EQ(facts.work().devices.size(), size_t(run.devices));
        for (const ScopeRequest &request : randomRequests(seed)) {
            const Scope scope(facts, request);
            const std::vector<StepParts> made = stepParts(scope);
            ASSERT_EQ(made.size(), size_t(run.devices));
            ScopeRequest wholeGaps = request;
            wholeGaps.wholeGaps = true;
            const std::vector<DeviceIdle> idle = idleGaps(Scope(facts, wholeGaps));
            const std::vector<DeviceFigures> figures = deviceFigures(scope);
            for (int device = 0; device < run.devices; ++device) {
                SCOPED_TRACE(device);
                const StepParts &parts = made[size_t(device)];
                std::map<std::string, Ns> expected;
                Ns window = 0, idleTime = 0;
                for (const TimeSpan &span : scope.wholeWindow().intervals())
                    for (Ns time = span.begin; time < span.end; ++time, ++window) {
                        const std::string part = partAt(run.work, device, time);
                        ++(part.empty() ? idleTime : expected[part]);
                    }
                EXPECT_EQ(parts.device, device);
                EXPECT_EQ(parts.window, window);
                Ns sum = 0, compute = 0, idleSum = 0;
                for (const StepPart &part : parts.parts) {
                    sum += part.time;
                    if (part.key.starts_with("idle_"))
                        idleSum += part.time;
                    else
                        EXPECT_EQ(part.time, expected[part.key]) << part.key;
                    compute += placeInList(kComputeParts, part.key) < kComputeParts.size() ? part.time : 0;
                }
                EXPECT_EQ(sum, window);
                EXPECT_EQ(idleSum, idleTime);
                for (size_t cause = 0; cause < kIdleCauses; ++cause)
                    EXPECT_EQ(partTime(parts, std::string("idle_") + textOf(IdleCause(cause)).key),
                              idle[size_t(device)].sums[cause]);
                // R5
                const DeviceFigures &figure = figures[size_t(device)];
                EXPECT_EQ(compute, figure.compute);
                EXPECT_EQ(window - idleSum, figure.busyTime);
                EXPECT_EQ(idleSum, figure.idle.total());
                EXPECT_GE(partTime(parts, "memcpy"), figure.exposedMemcpy);
                EXPECT_LE(partTime(parts, "communication"), figure.exposedCommunication);
                // R4
                Breakdown breakdown{};
                for (const TimeSpan &span : scope.wholeWindow().intervals())
                    for (size_t role = 0; role < kRoles; ++role)
                        breakdown[role] += breakdownOf(facts, span)[role];
                if (run.devices == 1) {
                    EXPECT_EQ(compute, breakdown[size_t(Role::Compute)]);
                    EXPECT_EQ(partTime(parts, "memcpy"), breakdown[size_t(Role::Memcpy)]);
                    EXPECT_EQ(partTime(parts, "memset"), breakdown[size_t(Role::Memset)]);
                    EXPECT_EQ(partTime(parts, "communication"), breakdown[size_t(Role::Communication)]);
                }
            }
        }
    }
}

TEST(StepParts, AnIdleGapThatTheStepCutsHasItsOwnCause)
{
    test::SmallTrace trace;
    const uint32_t main = trace.thread(1), gpu = trace.stream(7);
    trace.step(main, 0, 0, 1000);
    trace.step(main, 1, 1000, 1000);
    trace.launch(main, 0, 10, 1);
    trace.kernel(gpu, "first", 0, 100, 1);
    trace.operation(main, "aten::add", 100, 1100);
    trace.launch(main, 1190, 10, 2);
    trace.kernel(gpu, "second", 1200, 800, 2);
    const TraceFacts facts(trace.seal());
    ScopeRequest first;
    first.steps = TimeSpan{0, 0};
    const StepParts parts = stepParts(Scope(facts, first)).at(0);
    EXPECT_EQ(partTime(parts, "other_compute"), 100);
    EXPECT_EQ(partTime(parts, "idle_host_code"), 900) << "the next kernel comes in the next step";
    EXPECT_EQ(partTime(parts, "idle_unknown"), 0);
}

TEST(StepParts, TimesThatWereNotRecordedAreAPart)
{
    KinetoText text;
    text.step(0, 1000, 1000);
    text.kernel("ampere_sgemm", 7, 1100, 300, 1050, 10); // ends within the pause
    text.kernel("ampere_sgemm", 7, 1800, 100, 1700, 10);
    std::string json = text.text();
    const std::string begin = "\"traceEvents\": [\n";
    json.insert(json.find(begin) + begin.size(),
                R"({"ph":"X","cat":"Trace","name":"paused","pid":"Not recorded","tid":"recording","ts":1.3,"dur":0.3},)"
                "\n");
    const auto trace = test::importText(json);
    ASSERT_TRUE(trace);
    const TraceFacts facts(*trace);
    ASSERT_EQ(facts.gaps().times.length(), 300) << "the pause is read as such";
    const StepParts parts = stepParts(Scope(facts, {})).at(0);
    EXPECT_EQ(parts.window, 1000);
    EXPECT_EQ(partTime(parts, "matrix_products"), 400);
    EXPECT_EQ(partTime(parts, "not_recorded"), 200);
    Ns sum = 0;
    for (const StepPart &part : parts.parts)
        sum += part.time;
    EXPECT_EQ(sum, 1000);
}

TEST(StepParts, WithoutDevicesTheyAreThoseOfRule4)
{
    test::SmallTrace trace;
    const uint32_t main = trace.thread(1);
    trace.step(main, 0, 0, 1000);
    trace.operation(main, "aten::add", 100, 300);
    trace.plain(main, "enumerate(DataLoader)#_Single.__next__", "user_annotation", 500, 100);
    const TraceFacts facts(trace.seal());
    const std::vector<StepParts> made = stepParts(Scope(facts, {}));
    ASSERT_EQ(made.size(), 1u);
    EXPECT_FALSE(made[0].device);
    EXPECT_EQ(made[0].window, 1000);
    EXPECT_EQ(partTime(made[0], "cpu"), 300);
    EXPECT_EQ(partTime(made[0], "dataloader"), 100);
    EXPECT_EQ(partTime(made[0], "other"), 600);
}

} // namespace
} // namespace riffle
