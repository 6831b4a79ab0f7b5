// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/trace_estimate.h"

#include "tests/support/archives.h"
#include "tests/support/byte_sink.h"
#include "tests/support/trace_generator.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

class TraceEstimateTest : public testing::Test {
protected:
    TraceEstimateTest()
    {
        TraceOptions options;
        options.steps = 40;
        ByteSink sink(ByteSink::toString(m_text));
        generateTrace(options, sink);
        sink.flush();
    }
    Result<TraceEstimate> estimate(const std::string &path, uint64_t headBytes) const
    {
        return estimateTrace(path, {}, m_folder.file("cache"), headBytes, {});
    }
    std::string m_text;
    TemporaryFolder m_folder;
};

TEST_F(TraceEstimateTest, TheStartTellsAboutTheWhole)
{
    writeFile(m_folder.file("plain.json"), m_text);
    writeFile(m_folder.file("packed.json.gz"), gzipped(m_text));
    const auto whole = importTrace(m_folder.file("plain.json"), {}, {});
    ASSERT_TRUE(whole);
    for (const char *name : {"plain.json", "packed.json.gz"}) {
        const auto estimate = this->estimate(m_folder.file(name), m_text.size() / 4);
        ASSERT_TRUE(estimate) << estimate.error().text();
        EXPECT_NEAR(static_cast<double>(estimate->textBytes) / static_cast<double>(m_text.size()), 1, 0.35) << name;
        EXPECT_GT(estimate->seconds, 0) << name;
        EXPECT_GT(estimate->memoryBytes, 0u) << name;
        EXPECT_EQ(estimate->firstStep, (*whole)->steps.front().number) << name;
    }
    EXPECT_TRUE(std::filesystem::is_empty(m_folder.file("cache")));
}

TEST_F(TraceEstimateTest, WhatIsNoTraceHasNone)
{
    writeFile(m_folder.file("text.json"), "this is no trace");
    EXPECT_FALSE(estimate(m_folder.file("text.json"), 100));
    EXPECT_FALSE(estimate(m_folder.path(), 100));
    EXPECT_TRUE(std::filesystem::is_empty(m_folder.file("cache")));
}

} // namespace
} // namespace riffle
