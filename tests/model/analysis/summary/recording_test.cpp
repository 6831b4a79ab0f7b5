// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/recording.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

Recording recorded(std::string format, std::vector<std::pair<std::string, std::string>> metadata)
{
    test::SmallTrace small;
    small.kernel(small.stream(7), "gemm", 0, 10, 1); // on device 0
    Trace trace = *small.seal();
    trace.info.format = std::move(format);
    trace.info.metadata = std::move(metadata);
    return recordingOf(TraceFacts(std::make_shared<const Trace>(std::move(trace))));
}

TEST(Recording, VersionsAsTheirMakersWriteThem)
{
    EXPECT_EQ(versionText("cuda_driver_version", "12080"), "12.8");
    EXPECT_EQ(versionText("cuda_driver_version", "13000"), "13.0");
    EXPECT_EQ(versionText("cuda_runtime_version", "11010"), "11.1");
    EXPECT_EQ(versionText("hip_driver_version", "70253211"), "7.2.53211");
    EXPECT_EQ(versionText("hip_runtime_version", "71460850"), "7.14.60850");
    EXPECT_EQ(versionText("hip_runtime_version", "60000"), "60000");
    EXPECT_EQ(versionText("cupti_version", "130100"), "130100");
    EXPECT_EQ(versionText("roctracer_version", "4.1"), "4.1");
    EXPECT_EQ(versionText("cuda_driver_version", "none"), "none");
}

TEST(Recording, Frameworks)
{
    EXPECT_EQ(recorded("Riffle log", {{"process", R"({"host": "a", "torch": "2.7.1+cu128"})"}}).framework,
              "PyTorch 2.7.1+cu128");
    EXPECT_EQ(recorded("Riffle log", {{"process", R"({"host": "a", "paddle": "3.3.1"})"}}).framework,
              "PaddlePaddle 3.3.1");
    EXPECT_EQ(recorded("Kineto JSON", {}).framework, "PyTorch");
    EXPECT_EQ(recorded("Paddle JSON", {}).framework, "PaddlePaddle");
    EXPECT_EQ(recorded("Chrome JSON", {}).framework, "");
}

TEST(Recording, UsedDevicesComeFirst)
{
    const Recording two =
        recorded("Kineto JSON", {{"deviceProperties", R"([{"id": 1, "name": "B"}, {"id": 0, "name": "A"}])"}});
    ASSERT_EQ(two.devices.size(), 2u);
    EXPECT_EQ(two.devices[0].properties.name, "A");
    EXPECT_TRUE(two.devices[0].used);
    EXPECT_FALSE(two.devices[1].used);
    EXPECT_EQ(two.nameOf(0), "A");
    EXPECT_EQ(two.nameOf(1), "B");
    EXPECT_EQ(two.nameOf(2), "");
}

TEST(Recording, OneDeviceIsTheOneWhateverItsNumber)
{
    const Recording one = recorded("Kineto JSON", {{"deviceProperties", R"([{"id": 5, "name": "A"}])"}});
    ASSERT_EQ(one.devices.size(), 1u);
    EXPECT_TRUE(one.devices[0].used);
    EXPECT_EQ(one.devices[0].number, 0);
    const Recording alike =
        recorded("Kineto JSON", {{"deviceProperties", R"([{"id": 5, "name": "A"}, {"id": 6, "name": "A"}])"}});
    EXPECT_EQ(alike.nameOf(0), "A");
    EXPECT_FALSE(alike.devices[0].used);
}

TEST(Recording, GroupsByWhatTheyAreFor)
{
    DistributedInfo distributed;
    EXPECT_EQ(groupsText(distributed), "");
    distributed.groups = {{"0", "default_pg", 8, ""}, {"1", "undefined", 1, ""}, {"2", "", std::nullopt, ""}};
    EXPECT_EQ(groupsText(distributed), "default_pg (8 ranks), 1 (1 rank), 2");
}

} // namespace
} // namespace riffle
