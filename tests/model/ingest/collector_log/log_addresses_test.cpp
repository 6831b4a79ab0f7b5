// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/log_address.h"
#include "model/ingest/importer.h"
#include "tests/support/log_writer.h"
#include "tests/support/training_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <tuple>

namespace riffle {
namespace {

using namespace test;

struct Event {
    uint64_t address = 0;
    std::string text;
    bool operator==(const Event &) const = default;
};

/// The address and the text of each slice, by lane, start and name.
std::map<std::tuple<std::string, Ns, std::string>, Event> eventsOf(const LogFolder &folder)
{
    std::map<std::tuple<std::string, Ns, std::string>, Event> events;
    const auto trace = importTrace(folder.path(), {}, {});
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
    if (!trace)
        return events;
    for (const auto &segment : (*trace)->segments)
        for (uint32_t row = 0; row < segment->size(); ++row) {
            const auto text =
                (*trace)->source->read(segment->slices.sourceOffset[row], segment->slices.sourceLength[row]);
            EXPECT_TRUE(text) << (text ? "" : text.error().text());
            events[{(*trace)->laneName(segment->lane), segment->slices.start[row],
                    std::string((*trace)->string(segment->slices.name[row]))}] = {segment->slices.sourceOffset[row],
                                                                                  text ? *text : std::string()};
        }
    return events;
}

TEST(LogAddresses, DeletingTheOldestFilesChangesNone)
{
    const LogFolder folder;
    writeTrainingLog(folder, 300'000, 1u << 20);
    auto whole = eventsOf(folder);
    for (const char *name : {"/000001.part", "/000002.part"}) {
        ASSERT_TRUE(std::filesystem::remove(folder.path() + name));
        const auto rest = eventsOf(folder);
        EXPECT_LT(rest.size(), whole.size());
        EXPECT_GT(rest.size(), 0u);
        for (const auto &[key, event] : rest)
            ASSERT_EQ(event, whole[key]) << std::get<1>(key);
    }
}

TEST(LogAddresses, EachRowHasItsOwn)
{
    const LogFolder folder;
    folder.write("000007.part", LogFileText(7)
                                    .add(LogChunkText(wire::ChunkType::Stats))
                                    .add(LogChunkText(wire::ChunkType::Ranges)
                                             .delta(wire::Field::Start, {10, 20, 30})
                                             .plain(wire::Field::Duration, {1, 1, 1}))
                                    .bytes());
    const auto trace = importTrace(folder.path(), {}, {});
    ASSERT_TRUE(trace);
    ASSERT_EQ((*trace)->sliceCount(), 3u);
    const SliceTable &slices = (*trace)->segments.front()->slices;
    for (uint32_t row = 0; row < 3; ++row) {
        const LogAddress address = LogAddress::of(slices.sourceOffset[row]);
        EXPECT_EQ(address.file, 7u);
        EXPECT_EQ(address.chunk, 1u);
        EXPECT_EQ(address.row, row);
        EXPECT_EQ(address.bits(), slices.sourceOffset[row]);
    }
    const SourceText &source = *(*trace)->source;
    const uint32_t length = slices.sourceLength[2];
    EXPECT_TRUE(source.read(slices.sourceOffset[2], length));
    for (const LogAddress wrong :
         {LogAddress{7, 1, 3}, LogAddress{7, 2, 0}, LogAddress{7, 0, 0}, LogAddress{6, 1, 0}, LogAddress{8, 1, 0}})
        EXPECT_FALSE(source.read(wrong.bits(), length)) << wrong.file << " " << wrong.chunk << " " << wrong.row;
}

TEST(LogAddresses, AFileWithANumberBeyondThemIsRefused)
{
    const LogFolder folder;
    const auto trace =
        importTrace(folder.write("far.part", LogFileText(LogAddress::kMaxFile + 1).end().bytes()), {}, {});
    ASSERT_FALSE(trace);
    EXPECT_NE(trace.error().message.find("number of the log file"), std::string::npos);
}

} // namespace
} // namespace riffle
