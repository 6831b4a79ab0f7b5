// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importer.h"
#include "tests/support/import_text.h"
#include "tests/support/trace_difference.h"
#include "tests/support/training_log.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

void expectTheSame(const LogFolder &folder)
{
    std::shared_ptr<const Trace> expected;
    for (const unsigned workers : {1u, 2u, 3u, 8u}) {
        const WorkerCount count(workers);
        const auto trace = importTrace(folder.path(), {}, {});
        ASSERT_TRUE(trace) << trace.error().text();
        EXPECT_EQ(sealProblem(**trace), "");
        if (!expected)
            expected = *trace;
        EXPECT_EQ(traceDifference(**trace, *expected), "") << workers << " workers";
    }
}

TEST(LogSame, WhateverTheNumberOfThreads)
{
    const LogFolder folder;
    const uint64_t written = writeTrainingLog(folder, 400'000, 2u << 20);
    const auto trace = importTrace(folder.path(), {}, {});
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ((*trace)->sliceCount(), written);
    expectTheSame(folder);
}

TEST(LogSame, WithEveryKindOfChunkInEveryFile)
{
    const LogFolder folder;
    const std::string bytes = everythingLog(true).bytes();
    LogFileText second(2);
    const std::vector<int64_t> texts = second.ids({"recording", "operators", "paused"});
    for (const auto type : {wire::ChunkType::Gaps, wire::ChunkType::OpenGaps})
        second.add(LogChunkText(type)
                       .plain(wire::Field::Thread, {wire::kAbsent, 0})
                       .delta(wire::Field::Category, {texts[0], texts[1]})
                       .delta(wire::Field::Name, {texts[2], texts[2]})
                       .delta(wire::Field::Start, {3'000'000, type == wire::ChunkType::Gaps ? 4'000'000 : 5'000'000})
                       .plain(wire::Field::Duration, {70, 80})
                       .times(3'000'000, 6'000'000));
    second.thread(0, 100, "python")
        .add(LogChunkText(wire::ChunkType::Marks).delta(wire::Field::Thread, {0}).delta(wire::Field::Time, {9'000}));
    folder.write("000001.part", bytes);
    folder.write("000002.part", second.bytes());
    expectTheSame(folder);
}

} // namespace
} // namespace riffle
