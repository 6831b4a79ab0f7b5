// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/import_text.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

/// Two steps whose kernels run late: k1 in the time of step 2, k2 behind it.
constexpr const char *kLateKernels = R"({"traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":100,"dur":100},
{"ph":"X","cat":"cuda_runtime","name":"launch 1","pid":1,"tid":1,"ts":150,"dur":5,"args":{"correlation":1}},
{"ph":"s","id":1,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":150},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":200,"dur":100},
{"ph":"X","cat":"cuda_runtime","name":"launch 2","pid":1,"tid":1,"ts":250,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":210,"dur":20,"args":{"correlation":1,"stream":7}},
{"ph":"f","bp":"e","id":1,"cat":"ac2g","name":"ac2g","pid":0,"tid":7,"ts":210},
{"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#1","pid":0,"tid":7,"ts":205,"dur":30,"args":{"External id":4}},
{"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":400,"dur":20,"args":{"correlation":2,"stream":7}}
]})";

std::vector<std::string> namesOfSteps(Ns from, Ns to)
{
    ImportOptions options;
    options.steps = TimeSpan{from, to};
    const auto trace = importText(kLateKernels, 0, options);
    if (!trace)
        return {trace.error().text()};
    std::vector<std::string> names = sliceNames(**trace);
    std::sort(names.begin(), names.end());
    return names;
}

TEST(Part, AStepHoldsTheDeviceWorkThatItLaunched)
{
    using Names = std::vector<std::string>;
    EXPECT_EQ(namesOfSteps(1, 1), (Names{"ProfilerStep#1", "ProfilerStep#1", "k1", "launch 1"}));
    EXPECT_EQ(namesOfSteps(2, 2), (Names{"ProfilerStep#2", "k2", "launch 2"}));
    EXPECT_EQ(namesOfSteps(1, 2),
              (Names{"ProfilerStep#1", "ProfilerStep#1", "ProfilerStep#2", "k1", "k2", "launch 1", "launch 2"}));
}

TEST(Part, DeviceWorkWithoutALaunchBelongsToTheStepInWhichItStarts)
{
    // k1 and k2 have no launch; of the two calls with correlation 3 the first, before the step, is k3's launch.
    constexpr const char *kLaunchless = R"([{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":100,"dur":100},
{"ph":"X","cat":"cuda_runtime","name":"early","pid":1,"tid":1,"ts":50,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"cuda_runtime","name":"again","pid":1,"tid":1,"ts":150,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":110,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":95,"dur":10,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"k3","pid":0,"tid":7,"ts":160,"dur":5,"args":{"correlation":3}}])";
    ImportOptions options;
    options.steps = TimeSpan{1, 1};
    const auto trace = importText(kLaunchless, 0, options);
    ASSERT_TRUE(trace);
    EXPECT_EQ(sliceNames(**trace), (std::vector<std::string>{"ProfilerStep#1", "again", "k1"}));
}

TEST(Part, ReachesFromTheStepToTheEndOfItsWork)
{
    ImportOptions options;
    options.steps = TimeSpan{2, 2};
    const auto trace = importText(kLateKernels, 0, options);
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->info.part, (TimeSpan{200'000, 420'000}));
    EXPECT_EQ((*trace)->info.recorded, (TimeSpan{100'000, 420'000}));
    EXPECT_EQ((*trace)->flows.time.size(), 0u);
    EXPECT_GT((*trace)->report.of(Trouble::OutsideRange).count, 0u);
}

TEST(Part, ARangeEndsAtTheEdgeOfTime)
{
    ImportOptions options;
    options.range = TimeSpan{0, INT64_MAX - 5};
    const auto trace = importText(kLateKernels, 0, options);
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->sliceCount(), 7u);
}

TEST(Part, HalvesArePairedBeforeTheyAreLeftOut)
{
    ImportOptions options;
    options.range = TimeSpan{25'000, 35'000};
    const auto trace = importText(R"([{"ph":"B","name":"early","pid":1,"tid":1,"ts":0},{"ph":"E","pid":1,"tid":1,"ts":10},
{"ph":"B","name":"into","pid":1,"tid":1,"ts":20},{"ph":"E","pid":1,"tid":1,"ts":30},
{"ph":"B","name":"late","pid":1,"tid":1,"ts":40},{"ph":"E","pid":1,"tid":1,"ts":50}])", 0, options);
    ASSERT_TRUE(trace);
    EXPECT_EQ(sliceNames(**trace), std::vector<std::string>{"into"});
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
