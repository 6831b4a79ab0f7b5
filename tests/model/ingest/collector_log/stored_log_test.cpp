// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importer.h"
#include "model/ingest/stored_trace.h"
#include "tests/support/log_writer.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

LogFileText part(uint32_t sequence)
{
    LogFileText log(sequence);
    return log.add(LogChunkText(wire::ChunkType::Ranges)
                       .delta(wire::Field::Start, {5})
                       .plain(wire::Field::Duration, {1})
                       .delta(wire::Field::Name, {log.id("range")}));
}

TEST(StoredLog, OpensWithTheTextOfItsEvents)
{
    const LogFolder log, cache;
    const std::string file = log.write("000001.part", everythingLog(true).bytes());
    const StoreFolder stores(cache.path(), 1 << 30);
    for (const std::string &path : {log.path(), file}) {
        const auto identity = SourceIdentity::of(path);
        ASSERT_TRUE(identity);
        const auto trace = importTrace(path, {}, {});
        ASSERT_TRUE(trace);
        ASSERT_TRUE(storeTrace(stores, **trace, path, *identity, {}));
        const auto stored = openStoredTrace(stores, path, *identity);
        ASSERT_TRUE(stored) << stored.error().text();
        EXPECT_EQ(stored->trace->info.clocks, (*trace)->info.clocks);
        EXPECT_FALSE(stored->trace->info.clocks.empty());
        for (uint32_t id = 0; id < (*trace)->sliceCount(); ++id) {
            const Slice slice = *stored->trace->slice(SliceId(id));
            const auto text = stored->trace->source->read(slice.data.sourceOffset, slice.data.sourceLength);
            ASSERT_TRUE(text);
            EXPECT_EQ(*text, *(*trace)->source->read(slice.data.sourceOffset, slice.data.sourceLength));
        }
    }
}

TEST(StoredLog, IsAnotherOneWithEachFileThatComesGoesOrGrows)
{
    const LogFolder log;
    const std::string first = log.write("000001.part", part(1).bytes());
    const auto before = SourceIdentity::of(log.path());
    ASSERT_TRUE(before);
    EXPECT_EQ(*SourceIdentity::of(first), *before);
    log.write("000002.part", part(2).bytes());
    const auto two = SourceIdentity::of(log.path());
    ASSERT_TRUE(two);
    EXPECT_FALSE(*two == *before);
    log.write("000002.part", part(2).end().bytes());
    EXPECT_FALSE(*SourceIdentity::of(log.path()) == *two);
    EXPECT_EQ(*SourceIdentity::of(log.path()), *SourceIdentity::of(first));
}

TEST(StoredLog, OfAFolderWithoutPartsThereIsNoIdentity)
{
    const LogFolder folder;
    EXPECT_FALSE(SourceIdentity::of(folder.path()));
}

} // namespace
} // namespace riffle
