// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importer.h"
#include "riffle/collector.h"
#include "tests/support/archives.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace riffle {
namespace {

using namespace test;

riffle_stats statistics()
{
    riffle_stats stats{};
    stats.size = sizeof(stats);
    EXPECT_EQ(riffle_get_stats(&stats), RIFFLE_OK);
    return stats;
}

int start(const TemporaryFolder &folder, const char *more = "")
{
    return riffle_start(("dir=" + folder.path() + "\ncupti=0\n" + more).c_str());
}

uint64_t slicesOf(const std::string &path)
{
    const auto trace = importTrace(path, {}, {});
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
    return trace ? (*trace)->sliceCount() : 0;
}

TEST(Engine, ManyThreadsRecordWhileOthersStartPauseAndStop)
{
    const TemporaryFolder folder;
    std::atomic<bool> more{true};
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number)
        threads.emplace_back([&more] {
            while (more) {
                riffle_range_push("outer");
                riffle_range_push_category("inner", "mine");
                riffle_mark("mark");
                riffle_range_pop();
                riffle_counter("counter", "series", 1);
                riffle_range_pop();
            }
        });
    for (int round = 0; round < 5; ++round) {
        ASSERT_EQ(start(folder, "ring_bytes=65536"), RIFFLE_OK)
            << riffle_last_error(); // a small ring, because a loaded machine cannot drain more in time
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        EXPECT_EQ(riffle_pause(), RIFFLE_OK);
        EXPECT_EQ(riffle_flush(), RIFFLE_OK);
        EXPECT_EQ(riffle_resume(), RIFFLE_OK);
        std::thread short_([] { riffle_mark("a short thread"); });
        short_.join();
        EXPECT_EQ(riffle_dump((folder.path() + "/dump" + std::to_string(round) + ".rifflelog").c_str()), RIFFLE_OK);
        statistics();
        EXPECT_EQ(riffle_stop(), RIFFLE_OK);
    }
    more = false;
    for (std::thread &thread : threads)
        thread.join();
    size_t logs = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder.path())) {
        EXPECT_GT(slicesOf(entry.path().string()), 0u) << entry.path();
        ++logs;
    }
    EXPECT_EQ(logs, 10u);
}

TEST(Engine, WhatWasRecordedIsReadBack)
{
    const TemporaryFolder folder;
    ASSERT_EQ(start(folder), RIFFLE_OK);
    riffle_mark("of an earlier log");
    ASSERT_EQ(riffle_stop(), RIFFLE_OK);
    ASSERT_EQ(start(folder, "rank=2"), RIFFLE_OK);
    for (int number = 0; number < 5000; ++number) {
        riffle_range_push("outer");
        riffle_range_push("inner");
        riffle_range_pop();
        riffle_range_pop();
    }
    ASSERT_EQ(riffle_flush(), RIFFLE_OK);
    EXPECT_EQ(statistics().events, 10000u) << "the events of this log alone";
    const std::string path = statistics().path;
    ASSERT_EQ(riffle_stop(), RIFFLE_OK);
    const auto trace = importTrace(path, {}, {});
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ((*trace)->sliceCount(), 10000u);
    EXPECT_EQ((*trace)->info.rank, 2);
    for (uint32_t id = 0; id < 10000; ++id) {
        const auto slice = (*trace)->slice(SliceId(id));
        const bool inner = (*trace)->string(slice->data.name) == "inner";
        EXPECT_EQ(slice->depth, inner ? 1u : 0u);
    }
}

TEST(Engine, ALogHasNothingThatEndedBeforeIt)
{
    const TemporaryFolder folder;
    ASSERT_EQ(start(folder), RIFFLE_OK);
    riffle_range_push("ends while nothing is recorded");
    riffle_range_push("ends in the next log");
    riffle_range_push("ends while nothing is recorded, too");
    ASSERT_EQ(riffle_stop(), RIFFLE_OK);
    riffle_range_pop();
    ASSERT_EQ(start(folder), RIFFLE_OK);
    const std::string path = statistics().path;
    riffle_range_pop();
    ASSERT_EQ(riffle_stop(), RIFFLE_OK);
    riffle_range_pop();
    const auto trace = importTrace(path, {}, {});
    ASSERT_TRUE(trace) << trace.error().text();
    std::vector<std::string> names;
    for (uint32_t id = 0; id < (*trace)->sliceCount(); ++id)
        names.emplace_back((*trace)->string((*trace)->slice(SliceId(id))->data.name));
    EXPECT_THAT(names, testing::UnorderedElementsAre("ends in the next log", "ends while nothing is recorded"));
}

TEST(Engine, AFullDiskEndsTheLogWithAWholeChunk)
{
    const TemporaryFolder folder;
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{200'000, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    ASSERT_EQ(start(folder), RIFFLE_OK);
    const std::string path = statistics().path;
    uint64_t number = 0;
    for (int round = 0; round < 400 && statistics().state == 1; ++round) {
        for (int at = 0; at < 500; ++at, ++number) {
            riffle_range_push(std::to_string(number * 0x9E3779B97F4A7C15ull).c_str());
            riffle_range_pop();
        }
        // Names are written before the ranges that use them; a slow writer could fill the disk with names alone.
        if (round == 0) {
            ASSERT_EQ(riffle_flush(), RIFFLE_OK);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(statistics().state, 3);
    EXPECT_EQ(riffle_stop(), RIFFLE_EIO);
    EXPECT_NE(std::string(riffle_last_error()).find("Cannot write"), std::string::npos) << riffle_last_error();
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_LE(std::filesystem::file_size(path + "/000001.part"), 200'000u);
    const uint64_t kept = slicesOf(path);
    EXPECT_GT(kept, 0u);
    EXPECT_LT(kept, number);
}

TEST(Engine, WhatAFlushReturnedForIsThereThoughALimitEndsTheLog)
{
    for (int round = 0; round < 20; ++round) {
        const TemporaryFolder folder;
        ASSERT_EQ(start(folder, "max_bytes=30000"), RIFFLE_OK);
        const std::string path = statistics().path;
        std::atomic<uint64_t> acknowledged{0};
        std::vector<std::thread> threads;
        for (int number = 0; number < 3; ++number)
            threads.emplace_back([&acknowledged] {
                for (;;) {
                    riffle_range_push("range");
                    riffle_range_pop();
                    if (riffle_flush() != RIFFLE_OK)
                        return;
                    acknowledged += 1;
                }
            });
        for (std::thread &thread : threads)
            thread.join();
        EXPECT_EQ(statistics().state, 3);
        EXPECT_EQ(riffle_stop(), RIFFLE_OK);
        EXPECT_GE(slicesOf(path), acknowledged);
    }
}

} // namespace
} // namespace riffle
