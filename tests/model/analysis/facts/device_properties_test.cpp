// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/device_properties.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TraceInfo infoWith(std::vector<std::pair<std::string, std::string>> metadata)
{
    TraceInfo info;
    info.metadata = std::move(metadata);
    return info;
}

TEST(DeviceProperties, OfKineto)
{
    const auto devices = devicesOf(infoWith(
        {{"deviceProperties",
          R"([{"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85174976512, "computeMajor": 8, "computeMinor": 0,
               "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536, "warpSize": 32,
               "sharedMemPerBlock": 49152, "numSms": 108, "regsPerMultiprocessor": 65536, "sharedMemPerMultiprocessor": 167936},
              {"id": 1, "name": "AMD Instinct MI300X", "warpSize": 64, "numSms": 304, "maxSharedMemoryPerMultiProcessor": 65536}])"}}));
    ASSERT_EQ(devices.size(), 2u);
    EXPECT_EQ(devices[0].id, 0);
    EXPECT_EQ(devices[0].name, "NVIDIA A100-SXM4-80GB");
    EXPECT_EQ(devices[0].memoryBytes, 85174976512);
    EXPECT_EQ(devices[0].computeMajor, 8);
    EXPECT_EQ(devices[0].computeMinor, 0);
    EXPECT_EQ(devices[0].multiprocessors, 108);
    EXPECT_EQ(devices[0].threadsPerMultiprocessor, 2048);
    EXPECT_EQ(devices[0].threadsPerBlock, 1024);
    EXPECT_EQ(devices[0].registersPerMultiprocessor, 65536);
    EXPECT_EQ(devices[0].sharedMemoryPerMultiprocessor, 167936);
    EXPECT_EQ(devices[0].warpSize, 32);
    EXPECT_EQ(devices[1].warpSize, 64);
    EXPECT_EQ(devices[1].sharedMemoryPerMultiprocessor, 65536);
    EXPECT_FALSE(devices[1].memoryBytes);
}

TEST(DeviceProperties, OldKeysAndTexts)
{
    const auto devices = devicesOf(infoWith(
        {{"computeProperties", R"([{"id": "3", "name": "Tesla V100", "major": 7, "minor": 0, "multiProcessorCount": 80,
                                    "maxThreadsPerMultiProcessor": 2048, "totalGlobalMem": "34084028416"}])"}}));
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_EQ(devices[0].id, 3);
    EXPECT_EQ(devices[0].computeMajor, 7);
    EXPECT_EQ(devices[0].multiprocessors, 80);
    EXPECT_EQ(devices[0].threadsPerMultiprocessor, 2048);
    EXPECT_EQ(devices[0].memoryBytes, 34084028416);
}

TEST(DeviceProperties, WrongTypesAreNone)
{
    const auto others =
        devicesOf(infoWith({{"deviceProperties", R"([7, null, {"id": null, "name": 5, "totalGlobalMem": [1]},
                                            {"name": "x", "computeMajor": true, "computeMinor": "y", "warpSize": "31.5"}])"}}));
    ASSERT_EQ(others.size(), 2u);
    EXPECT_EQ(others[0].name, "");
    EXPECT_FALSE(others[0].id);
    EXPECT_FALSE(others[0].memoryBytes);
    EXPECT_EQ(others[1].name, "x");
    EXPECT_FALSE(others[1].computeMajor);
    EXPECT_FALSE(others[1].computeMinor);
    EXPECT_FALSE(others[1].warpSize);
    for (const char *text : {"", "[]", "{}", "null", "[", "5", R"("text")"})
        EXPECT_TRUE(devicesOf(infoWith({{"deviceProperties", text}})).empty()) << text;
    EXPECT_TRUE(devicesOf(infoWith({})).empty());
}

TEST(DistributedInfo, GroupsAndNumbers)
{
    const auto found = distributedOf(
        infoWith({{"distributedInfo", R"({"backend": "nccl", "rank": 3, "world_size": 8, "pg_count": 2, "pg_config": [
              {"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 8, "ranks": [0, 1, 2]},
              {"pg_name": "1", "pg_size": "2", "ranks": "[0, 4]"}, 5], "nccl_version": "2.22.3"})"}}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->backend, "nccl");
    EXPECT_EQ(found->rank, 3);
    EXPECT_EQ(found->worldSize, 8);
    EXPECT_EQ(found->ncclVersion, "2.22.3");
    ASSERT_EQ(found->groups.size(), 2u);
    EXPECT_EQ(found->groups[0].description, "default_pg");
    EXPECT_EQ(found->groups[0].size, 8);
    EXPECT_EQ(found->groups[0].ranks, "[0,1,2]");
    EXPECT_EQ(found->groups[1].size, 2);
    EXPECT_EQ(found->groups[1].ranks, "[0, 4]");
    EXPECT_FALSE(distributedOf(infoWith({})));
    EXPECT_FALSE(distributedOf(infoWith({{"distributedInfo", "[1]"}})));
    EXPECT_FALSE(distributedOf(infoWith({{"distributedInfo", R"({"rank": )"}})));
    EXPECT_FALSE(distributedOf(infoWith({{"distributedInfo", R"({"rank": "x"})"}}))->rank);
}

TEST(RecordedOptions, OfKineto)
{
    const RecordedOptions some = recordedOptionsOf(infoWith({{"record_shapes", "1"}, {"with_stack", "1"}}));
    EXPECT_EQ(some.recordShapes, true);
    EXPECT_EQ(some.withStack, true);
    EXPECT_EQ(some.profileMemory, false);
    EXPECT_EQ(some.withFlops, false);
    EXPECT_EQ(some.withModules, false);
    EXPECT_EQ(recordedOptionsOf(infoWith({{"with_modules", R"("1")"}})).withModules, true);
    EXPECT_EQ(recordedOptionsOf(infoWith({{"with_stack", "0"}})).withStack, false);
    const RecordedOptions none = recordedOptionsOf(infoWith({{"schemaVersion", "1"}}));
    EXPECT_FALSE(none.recordShapes);
    EXPECT_FALSE(none.withStack);
}

TEST(RecordedOptions, OfTheCollector)
{
    const RecordedOptions normal = recordedOptionsOf(infoWith({{"process", R"({"pid": 7, "preset": "normal"})"}}));
    EXPECT_EQ(normal.profileMemory, false);
    EXPECT_EQ(normal.withStack, false);
    EXPECT_FALSE(normal.recordShapes);
    EXPECT_FALSE(normal.withModules);
    const char *stacks = R"({"preset": "normal", "stacks": "recorded at the start of each outermost operator"})";
    EXPECT_EQ(recordedOptionsOf(infoWith({{"process", stacks}})).withStack, true);
    const char *none = R"({"preset": "normal", "stacks": "not requested"})";
    EXPECT_EQ(recordedOptionsOf(infoWith({{"process", none}})).withStack, false);
    const char *shapes = R"({"preset": "normal", "shapes": "recorded", "modules": "not recorded"})";
    EXPECT_EQ(recordedOptionsOf(infoWith({{"process", shapes}})).recordShapes, true);
    EXPECT_EQ(recordedOptionsOf(infoWith({{"process", shapes}})).withFlops, true); // from the shapes
    EXPECT_EQ(recordedOptionsOf(infoWith({{"process", shapes}})).withModules, false);
    EXPECT_EQ(recordedOptionsOf(infoWith({{"process", R"({"preset": "memory"})"}})).profileMemory, true);
    EXPECT_FALSE(recordedOptionsOf(infoWith({{"process", R"({"pid": 7})"}})).profileMemory);
}

} // namespace
} // namespace riffle
