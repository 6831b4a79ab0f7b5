// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/log_summary.h"
#include "model/ingest/collector_log/log_tail.h"
#include "model/ingest/importer.h"
#include "riffle/collector.h"
#include "tests/support/archives.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace riffle {
namespace {

TEST(GrowingLog, isNeverCalledDamaged)
{
    const test::TemporaryFolder folder;
    ASSERT_EQ(riffle_start(("dir=" + folder.path() + "\ncupti=0\nquiet=1\nsample_ms=0\ncontrol=0").c_str()), RIFFLE_OK)
        << riffle_last_error();
    riffle_stats stats{};
    stats.size = sizeof(stats);
    riffle_get_stats(&stats);
    const std::string path = stats.path;
    std::atomic<bool> more{true};
    std::thread writer([&more] {
        // Different names make chunks of many pages, which become visible to readers one after the other.
        for (uint64_t number = 0; more && number < 6000; ++number) {
            riffle_mark((std::string(3000, 'x') + std::to_string(number * 7919)).c_str());
            if (number % 100 == 0) {
                riffle_flush();
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
        }
    });
    for (int reading = 0; reading < 50; ++reading) {
        const auto trace = importTrace(path, {}, {});
        ASSERT_TRUE(trace) << trace.error().text();
        const ImportReport &report = (*trace)->report;
        ASSERT_EQ(report.of(Trouble::BrokenChunk).count, 0u) << report.of(Trouble::BrokenChunk).examples[0].text;
        ASSERT_EQ(report.of(Trouble::MissingPart).count, 0u);
        ASSERT_FALSE(record::summarize(path).closed);
    }
    more = false;
    writer.join();
    ASSERT_EQ(riffle_stop(), RIFFLE_OK) << riffle_last_error();
    const auto trace = importTrace(path, {}, {});
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->report.of(Trouble::NotClosed).count, 0u);
}

TEST(GrowingLog, isReadStepByStepWhileItIsWritten)
{
    constexpr uint64_t kThreads = 4;
    const test::TemporaryFolder folder;
    ASSERT_EQ(riffle_start(("dir=" + folder.path() + "\ncupti=0\nquiet=1\nsample_ms=0\ncontrol=0").c_str()), RIFFLE_OK)
        << riffle_last_error();
    riffle_stats stats{};
    stats.size = sizeof(stats);
    riffle_get_stats(&stats);
    auto log = CollectorLog::open(stats.path);
    ASSERT_TRUE(log) << log.error().text();
    std::atomic<bool> more{true};
    std::vector<std::thread> writers;
    for (uint32_t seed = 0; seed < kThreads; ++seed)
        writers.emplace_back([&more, seed] {
            std::mt19937 random(seed);
            int depth = 0;
            for (; more; random() % 64 ? void() : std::this_thread::sleep_for(std::chrono::milliseconds(1)))
                if (depth < 12 && random() % 2) {
                    riffle_range_push(("range " + std::to_string(random() % 50)).c_str());
                    ++depth;
                } else if (depth > 0) {
                    riffle_range_pop();
                    --depth;
                }
            for (; depth > 0; --depth)
                riffle_range_pop();
        });
    LogTail tail;
    uint64_t slices = 0, late = 0, marks = 0;
    constexpr int kSteps = 60;
    for (int step = 0; step <= kSteps; ++step) {
        if (step == kSteps) {
            more = false;
            for (std::thread &writer : writers)
                writer.join();
            EXPECT_EQ(riffle_stop(), RIFFLE_OK) << riffle_last_error();
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            riffle_flush();
        }
        auto next = (*log)->advance();
        if (!next || !*next) {
            EXPECT_TRUE(next) << next.error().text();
            continue;
        }
        log = std::move(next);
        for (bool isComplete = false; !isComplete;) {
            const Ns mark = tail.marks().of(LaneKind::Thread);
            TraceWriter rows(std::make_shared<ColumnMemory>());
            const auto read = tail.next(*log, rows, 1);
            EXPECT_TRUE(read) << read.error().text();
            isComplete = !read || read->isComplete;
            marks += tail.marks().of(LaneKind::Thread) != mark;
            rows.visitLastBatch([&](uint32_t, const LaneKey &, Ns start, Ns duration) {
                ++slices;
                late += start + duration < mark;
            });
        }
    }
    EXPECT_TRUE((*log)->closed());
    const auto trace = importTrace(stats.path, {}, {});
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ(slices, (*trace)->sliceCount());
    EXPECT_GT(slices, 1'000u);
    EXPECT_GT(marks, 10u);
    // A thread that is interrupted while it writes a record adds one from before the mark.
    EXPECT_LE(late, marks * kThreads);
}

} // namespace
} // namespace riffle
