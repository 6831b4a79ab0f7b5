// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importer.h"

#include "model/ingest/cuda_snapshot/snapshot_files.h"
#include "tests/support/archives.h"
#include "tests/support/measured_child.h"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

/// Small archives with a lot of text. They end at the user's limit and never take memory for the inflated text.
TEST(BombsSlow, TakeLittleMemory)
{
    TemporaryFolder folder;
    const std::string path = folder.file("bomb");
    const std::string blanks(50'000'000, ' '), brackets(50'000'000, '['), starts = [] {
        std::string text;
        while (text.size() < 50'000'000)
            text += R"([{"ph":"X","name":"n","args":{"a":)";
        return text;
    }();
    struct Bomb {
        std::string head;
        const std::string &body;
    };
    for (const Bomb &bomb : {Bomb{"[", blanks}, Bomb{"{\"a\": \"", blanks}, Bomb{"[{\"ph\":\"X\",\"name\":\"", blanks},
                             Bomb{"", brackets}, Bomb{"{\"traceEvents\":[", brackets}, Bomb{"", starts}}) {
        std::string archive = gzipped(bomb.head);
        const std::string member = gzipped(bomb.body);
        for (int i = 0; i < 12; ++i)
            archive += member;
        writeFile(path, archive);
        const auto measured = bench::measureInChild([&] {
            ImportOptions options;
            options.inflateLimit = 500'000'000;
            options.spillFolder = folder.path();
            const auto trace = importTrace(path, options, {});
            return bench::Measured{.number = trace ? 0u : 1u, .good = !trace && trace.error().kind == ErrorKind::Limit};
        });
        ASSERT_TRUE(measured) << bomb.head;
        EXPECT_EQ(measured->number, 1u) << bomb.head << bomb.body.substr(0, 10);
        EXPECT_LT(measured->peakBytes, 800'000'000u) << bomb.head << bomb.body.substr(0, 10);
    }
}

/// Files of any size without an event are given up early. They are sparse, so that they take no room on the disk.
TEST(BombsSlow, WithoutEventsAreGivenUp)
{
    TemporaryFolder folder;
    const std::string path = folder.file("nothing");
    for (const std::string head :
         {"", "[", "{", "{\"traceEvents\":[", "{\"a\":\"", "{\"a\":1,\"traceEvents\":[1,", "<", "\x80\x02"}) {
        writeFile(path, head);
        std::filesystem::resize_file(path, 64ull << 30);
        const auto began = std::chrono::steady_clock::now();
        EXPECT_EQ(isSnapshotFile(SniffedFile(path)), head.starts_with('\x80'));
        const auto trace = importTrace(path, {}, {});
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60)) << head;
        ASSERT_FALSE(trace) << head;
        EXPECT_EQ(trace.error().kind, ErrorKind::Unreadable) << head;
    }
}

} // namespace
} // namespace riffle
