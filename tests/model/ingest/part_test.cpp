// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/import_text.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

/// Three steps. k1 runs late, in the time of step 2, and k2 after it, in the time of step 3. The events early and last
/// are apart.
constexpr const char *kLateKernels = R"({"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"early","pid":1,"tid":1,"ts":50,"dur":20},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":100,"dur":100},
{"ph":"X","cat":"cpu_op","name":"before launch 1","pid":1,"tid":1,"ts":110,"dur":20},
{"ph":"X","cat":"cpu_op","name":"operator 1","pid":1,"tid":1,"ts":145,"dur":15},
{"ph":"X","cat":"cuda_runtime","name":"launch 1","pid":1,"tid":1,"ts":150,"dur":5,"args":{"correlation":1}},
{"ph":"s","id":1,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":150},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":200,"dur":100},
{"ph":"X","cat":"cuda_runtime","name":"launch 2","pid":1,"tid":1,"ts":250,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":210,"dur":20,"args":{"correlation":1,"stream":7}},
{"ph":"f","bp":"e","id":1,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":210},
{"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":320,"dur":20,"args":{"correlation":2,"stream":7}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","pid":1,"tid":1,"ts":350,"dur":100},
{"ph":"X","cat":"cuda_runtime","name":"launch 3","pid":1,"tid":1,"ts":360,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"k3","pid":0,"tid":7,"ts":370,"dur":20,"args":{"correlation":3,"stream":7}},
{"ph":"X","cat":"cpu_op","name":"last","pid":1,"tid":1,"ts":500,"dur":20}
]})";

using Names = std::vector<std::string>;

Names namesOf(const ImportOptions &options)
{
    const auto trace = importText(kLateKernels, 0, options);
    if (!trace)
        return {trace.error().text()};
    Names names = sliceNames(**trace);
    std::sort(names.begin(), names.end());
    return names;
}

ImportOptions bySteps(Ns from, Ns to)
{
    ImportOptions options;
    options.steps = TimeSpan{from, to};
    return options;
}

ImportOptions byRange(Ns from, Ns to)
{
    ImportOptions options;
    options.range = TimeSpan{from, to};
    return options;
}

TEST(Part, AStepHoldsTheDeviceWorkThatItLaunchedAndWhatRunsMeanwhile)
{
    EXPECT_EQ(namesOf(bySteps(1, 1)),
              (Names{"ProfilerStep#1", "ProfilerStep#2", "before launch 1", "k1", "launch 1", "operator 1"}));
    // k1 was launched by step 1 and runs in step 2, so its launch and the calls around the launch are needed.
    EXPECT_EQ(namesOf(bySteps(2, 2)),
              (Names{"ProfilerStep#1", "ProfilerStep#2", "k1", "k2", "launch 1", "launch 2", "operator 1"}));
    EXPECT_EQ(namesOf(bySteps(3, 3)), (Names{"ProfilerStep#3", "k3", "launch 3"}));
}

TEST(Part, ARangeHoldsTheWorkOfItsLaunchesAndTheLaunchesOfItsWork)
{
    // 240 µs to 260 µs of the source: launch 2 is inside, its kernel is outside.
    EXPECT_EQ(namesOf(byRange(190'000, 210'000)), (Names{"ProfilerStep#2", "k2", "launch 2"}));
    // 325 µs to 330 µs: k2 is inside, its launch is outside.
    EXPECT_EQ(namesOf(byRange(275'000, 280'000)), (Names{"ProfilerStep#2", "k2", "launch 2"}));
    // 180 µs to 190 µs: k1 is launched before and runs afterwards.
    EXPECT_EQ(namesOf(byRange(130'000, 140'000)), (Names{"ProfilerStep#1", "k1", "launch 1", "operator 1"}));
}

TEST(Part, ADeviceThatWasIdleIsKnown)
{
    EXPECT_EQ(namesOf(byRange(455'000, 460'000)), (Names{"ProfilerStep#3", "k3", "last", "launch 3"}));
}

TEST(Part, OfSeveralCallsWithOneCorrelationAllAreThere)
{
    // k1 and k2 have no launch. There are two calls with correlation 3; the first one, before the step, is the launch
    // of k3.
    constexpr const char *kLaunchless =
        R"([{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":100,"dur":100},
{"ph":"X","cat":"cuda_runtime","name":"early","pid":1,"tid":1,"ts":50,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"cuda_runtime","name":"again","pid":1,"tid":1,"ts":150,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":110,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":95,"dur":10,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"k3","pid":0,"tid":7,"ts":160,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"k4","pid":0,"tid":7,"ts":260,"dur":5,"args":{"correlation":4}}])";
    const auto trace = importText(kLaunchless, 0, bySteps(1, 1));
    ASSERT_TRUE(trace);
    EXPECT_EQ(sliceNames(**trace), (Names{"ProfilerStep#1", "early", "again", "k1", "k2", "k3"}));
}

TEST(Part, ABackwardOperatorHasItsForwardOperator)
{
    constexpr const char *kBackward =
        R"([{"ph":"X","cat":"python_function","name":"nn.Module: A","pid":1,"tid":1,"ts":0,"dur":30},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":10,"args":{"Sequence number":4}},
{"ph":"s","id":1,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":1,"ts":10},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":40,"dur":10,"args":{"Sequence number":5}},
{"ph":"s","id":2,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":1,"ts":40},
{"ph":"X","cat":"cpu_op","name":"AddBackward","pid":1,"tid":2,"ts":100,"dur":10,"args":{"Sequence number":5,"Fwd thread id":1}},
{"ph":"f","bp":"e","id":2,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":2,"ts":100},
{"ph":"X","cat":"cpu_op","name":"MmBackward","pid":1,"tid":2,"ts":120,"dur":10,"args":{"Sequence number":4,"Fwd thread id":1}},
{"ph":"f","bp":"e","id":1,"cat":"fwdbwd","name":"fwdbwd","pid":1,"tid":2,"ts":120}])";
    const auto trace = importText(kBackward, 0, byRange(115'000, 150'000));
    ASSERT_TRUE(trace);
    EXPECT_EQ(sliceNames(**trace), (Names{"nn.Module: A", "aten::mm", "MmBackward"}));
    EXPECT_EQ((*trace)->flows.time.size(), 2u);
}

TEST(Part, ReachesFromTheStepToTheEndOfItsWork)
{
    const auto trace = importText(kLateKernels, 0, bySteps(2, 2));
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->info.part, (TimeSpan{200'000, 340'000}));
    EXPECT_EQ((*trace)->info.recorded, (TimeSpan{50'000, 520'000}));
    EXPECT_EQ((*trace)->flows.time.size(), 2u);
    EXPECT_EQ((*trace)->report.of(Trouble::OutsideRange).count, 6u);
    const auto third = importText(kLateKernels, 0, bySteps(3, 3));
    ASSERT_TRUE(third);
    EXPECT_EQ((*third)->flows.time.size(), 0u);
}

TEST(Part, ARangeEndsAtTheEdgeOfTime)
{
    ImportOptions options;
    options.range = TimeSpan{0, INT64_MAX - 5};
    const auto trace = importText(kLateKernels, 0, options);
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->sliceCount(), 13u);
}

TEST(Part, HalvesArePairedBeforeTheyAreLeftOut)
{
    ImportOptions options;
    options.range = TimeSpan{25'000, 35'000};
    const auto trace =
        importText(R"([{"ph":"B","name":"early","pid":1,"tid":1,"ts":0},{"ph":"E","pid":1,"tid":1,"ts":10},
{"ph":"B","name":"into","pid":1,"tid":1,"ts":20},{"ph":"E","pid":1,"tid":1,"ts":30},
{"ph":"B","name":"late","pid":1,"tid":1,"ts":40},{"ph":"E","pid":1,"tid":1,"ts":50}])",
                   0, options);
    ASSERT_TRUE(trace);
    EXPECT_EQ(sliceNames(**trace), std::vector<std::string>{"into"});
}

TEST(FarTimes, CountFromOneOriginInTheTraceAndItsParts)
{
    constexpr const char *kFar =
        R"([{"ph":"X","name":"first","pid":1,"tid":1,"ts":14000000000000100,"dur":10},
{"ph":"X","name":"ProfilerStep#1","cat":"user_annotation","pid":1,"tid":1,"ts":14000000000000200,"dur":10},
{"ph":"X","name":"in step","pid":1,"tid":1,"ts":14000000000000203.5,"dur":1},
{"ph":"X","name":"near","pid":1,"tid":1,"ts":5,"dur":1},
{"ph":"X","name":"last","pid":1,"tid":1,"ts":14000000000000300,"dur":10}])";
    const auto whole = importText(kFar, 0);
    ASSERT_TRUE(whole);
    EXPECT_EQ((*whole)->span, (TimeSpan{100'000, 310'000}));
    EXPECT_EQ((*whole)->report.of(Trouble::FarTimes).count, 1u);
    EXPECT_EQ((*whole)->report.of(Trouble::AbsurdTime).count, 1u) << "the time that is not far";
    for (const ImportOptions &options : {bySteps(1, 1), byRange(95'000, 105'000)}) {
        const auto part = importText(kFar, 0, options);
        ASSERT_TRUE(part) << part.error().text();
        EXPECT_EQ(sliceNames(**part), (Names{"ProfilerStep#1", "in step"}));
        EXPECT_EQ((*part)->slice(SliceId(1))->data.start, 203'500);
    }
}

TEST(AbsurdTimes, DoNotStretchTheTrace)
{
    const auto trace = importText(R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1000,"dur":10},
{"ph":"X","name":"late","pid":1,"tid":1,"ts":9.3e15,"dur":1},{"ph":"X","name":"early","pid":1,"tid":1,"ts":-9.3e15,"dur":9e15},
{"ph":"X","name":"long","pid":1,"tid":1,"ts":1002,"dur":9.3e15},{"ph":"X","name":"b","pid":1,"tid":1,"ts":1004,"dur":2}])");
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->span, (TimeSpan{1'000'000, 1'010'000}));
    EXPECT_EQ((*trace)->sliceCount(), 5u);
    EXPECT_EQ((*trace)->report.of(Trouble::AbsurdTime).count, 3u);
    for (uint32_t id = 0; id < 5; ++id) {
        const auto slice = (*trace)->slice(SliceId(id));
        const std::string name((*trace)->string(slice->data.name));
        if (name == "late" || name == "early" || name == "long") {
            EXPECT_EQ(slice->data.duration, 0) << name;
        }
    }
}

} // namespace
} // namespace riffle
