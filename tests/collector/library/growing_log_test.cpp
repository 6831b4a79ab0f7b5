// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/log_summary.h"
#include "model/ingest/importer.h"
#include "riffle/collector.h"
#include "tests/support/archives.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <thread>

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

} // namespace
} // namespace riffle
