// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/trace_opening.h"

#include "tests/support/archives.h"
#include "tests/support/trace_difference.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace riffle {
namespace {

class TraceOpeningTest : public testing::Test {
protected:
    void SetUp() override
    {
        std::string text = "[";
        for (int at = 0; at < 20'000; ++at)
            text += R"({"ph":"X","name":"op","pid":1,"tid":1,"ts":)" + std::to_string(2 * at) + ",\"dur\":1},\n";
        test::writeFile(m_path, text + "{}]");
        policy.folder = StoreFolder(m_folder.file("stores"));
    }
    OpenedTrace opened(const ImportOptions &options = {}) const
    {
        Result<OpenedTrace> result = openTrace(m_path, options, policy, {});
        EXPECT_TRUE(result) << result.error().text();
        return result ? std::move(*result) : OpenedTrace();
    }
    void store() const
    {
        const OpenedTrace read = opened();
        ASSERT_TRUE(read.storeWanted);
        ASSERT_TRUE(storeOpened(read, *policy.folder, {}));
    }
    std::string storePath() const { return policy.folder->storePath(m_path); }
    /// Changes a byte of a column, which opening a store does not look at.
    void damageStore() const
    {
        std::string bytes = test::readFile(storePath());
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
        test::writeFile(storePath(), bytes);
    }

    const test::TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("trace.json");
    StorePolicy policy;
};

TEST_F(TraceOpeningTest, ATraceThatWasStoredComesFromItsStore)
{
    const OpenedTrace read = opened();
    EXPECT_FALSE(read.store || read.trace->info.fromStore);
    EXPECT_EQ(read.identity, *SourceIdentity::of(m_path));
    ASSERT_TRUE(storeOpened(read, *policy.folder, {}));
    const OpenedTrace again = opened();
    EXPECT_TRUE(again.store && again.trace->info.fromStore);
    EXPECT_FALSE(again.storeWanted);
    EXPECT_EQ(again.identity, read.identity);
    EXPECT_EQ(test::traceDifference(*again.trace, *read.trace), "");
}

TEST_F(TraceOpeningTest, AStoreIsWantedFromASizeOn)
{
    policy.storeFrom = std::filesystem::file_size(m_path);
    EXPECT_TRUE(opened().storeWanted);
    ++policy.storeFrom;
    EXPECT_FALSE(opened().storeWanted);
}

TEST_F(TraceOpeningTest, WithoutAFolderTheFileIsRead)
{
    store();
    policy.folder.reset();
    const OpenedTrace read = opened();
    EXPECT_FALSE(read.store || read.storeWanted);
    EXPECT_TRUE(read.identity);
}

TEST_F(TraceOpeningTest, APartIsReadFromTheFile)
{
    store();
    ImportOptions options;
    options.range = TimeSpan{0, 10'000};
    const OpenedTrace part = opened(options);
    EXPECT_TRUE(part.trace->info.part);
    EXPECT_FALSE(part.store || part.storeWanted);
}

TEST_F(TraceOpeningTest, ADamagedStoreIsFoundBeforeOrLeftToTheCaller)
{
    store();
    damageStore();
    policy.verify = StorePolicy::Verify::Later;
    const OpenedTrace damaged = opened();
    ASSERT_TRUE(damaged.store);
    EXPECT_FALSE(damaged.store->verify({}));
    policy.verify = StorePolicy::Verify::Before;
    const OpenedTrace read = opened();
    EXPECT_FALSE(read.store);
    EXPECT_TRUE(read.storeWanted);
    EXPECT_FALSE(std::filesystem::exists(storePath()));
}

TEST_F(TraceOpeningTest, AFileThatChangedIsRead)
{
    store();
    test::writeFile(m_path, R"([{"ph":"X","name":"other","pid":1,"tid":1,"ts":1,"dur":1}])");
    const OpenedTrace read = opened();
    EXPECT_FALSE(read.store);
    EXPECT_EQ(read.trace->sliceCount(), 1u);
}

TEST_F(TraceOpeningTest, ExchangingGivesTheSameTraceFromItsStore)
{
    const OpenedTrace read = opened();
    const Result<OpenedTrace> stored = exchangeForStored(read, *policy.folder, {});
    ASSERT_TRUE(stored) << stored.error().text();
    EXPECT_TRUE(stored->store && stored->trace->stored);
    EXPECT_FALSE(stored->storeWanted);
    EXPECT_EQ(test::traceDifference(*stored->trace, *read.trace), "");
}

TEST_F(TraceOpeningTest, WhatIsMissingIsAnError)
{
    const Result<OpenedTrace> missing = openTrace(m_folder.file("missing.json"), {}, policy, {});
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().text().find("missing.json"), std::string::npos);
}

} // namespace
} // namespace riffle
