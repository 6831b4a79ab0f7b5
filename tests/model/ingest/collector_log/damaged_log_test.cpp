// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importer.h"
#include "tests/support/import_text.h"
#include "tests/support/log_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace riffle {
namespace {

using namespace test;
using testing::ElementsAre;
using wire::ChunkType;
using wire::Field;

Result<std::shared_ptr<const Trace>> importBytes(std::string_view bytes)
{
    const LogFolder folder;
    return importTrace(folder.write("000001.part", bytes), {}, {});
}

LogFileText twoRanges()
{
    LogFileText log;
    log.thread(0, 100, "main");
    const std::vector<int64_t> names = log.ids({"first", "second"});
    for (const int64_t name : names)
        log.add(LogChunkText(ChunkType::Ranges)
                    .compressed(true)
                    .delta(Field::Thread, {0})
                    .delta(Field::Start, {1'000 * name})
                    .plain(Field::Duration, {10})
                    .delta(Field::Name, {name}));
    return log;
}

void expectPrefixes(const std::string &whole, size_t step)
{
    uint64_t before = 0;
    for (size_t size = 0; size < whole.size(); size += step) {
        const auto trace = importBytes(std::string_view(whole).substr(0, size));
        if (size < sizeof(wire::FileHeader)) {
            EXPECT_FALSE(trace) << size;
            continue;
        }
        ASSERT_TRUE(trace) << size;
        const ImportReport &report = (*trace)->report;
        EXPECT_GE((*trace)->sliceCount(), before) << size;
        EXPECT_EQ(report.of(Trouble::NotClosed).count, 1u);
        EXPECT_EQ(report.of(Trouble::UnknownString).count, 0u);
        before = (*trace)->sliceCount();
    }
    const auto all = importBytes(whole);
    ASSERT_TRUE(all);
    EXPECT_EQ(before, (*all)->sliceCount());
}

TEST(DamagedLog, CutAnywhereKeepsWhatStandsBefore)
{
    expectPrefixes(twoRanges().end().bytes(), 1);
    expectPrefixes(everythingLog(true).bytes(), 97);
}

TEST(DamagedLogSlow, CutAnywhereKeepsWhatStandsBefore) { expectPrefixes(everythingLog(true).bytes(), 1); }

TEST(DamagedLog, BitFlipsAreFoundAndWhatStandsBeforeIsKept)
{
    const std::string whole = twoRanges().bytes();
    for (size_t bit = 0; bit < whole.size() * 8; bit += 7) { // every byte, every bit position
        std::string bytes = whole;
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
        const auto trace = importBytes(bytes);
        if (bit / 8 < sizeof(wire::FileHeader)) {
            EXPECT_FALSE(trace) << bit;
            continue;
        }
        ASSERT_TRUE(trace) << bit;
        const TroubleCount &broken = (*trace)->report.of(Trouble::BrokenChunk);
        const TroubleCount &open = (*trace)->report.of(Trouble::NotClosed);
        // If the size of the last chunk is too large now, the file looks as if it were still being written.
        const bool looksUnfinished = open.count == 1 && open.examples[0].text.find("unfinished") != std::string::npos;
        ASSERT_EQ(broken.count, looksUnfinished ? 0u : 1u) << bit;
        if (!looksUnfinished) {
            EXPECT_LE(broken.examples[0].offset, bit / 8);
        }
        EXPECT_LT((*trace)->sliceCount(), 2u);
    }
}

TEST(DamagedLog, ReportsWhereAndHowMuchIsIgnored)
{
    const std::string sound = twoRanges().bytes();
    const auto trace = importBytes(sound + "torn");
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->sliceCount(), 2u);
    const TroubleCount &broken = (*trace)->report.of(Trouble::BrokenChunk);
    ASSERT_EQ(broken.count, 1u);
    EXPECT_EQ(broken.examples[0].offset, sound.size());
    EXPECT_EQ(broken.examples[0].text, "000001.part: A chunk is cut off at byte " + std::to_string(sound.size()) +
                                           "; the remaining 4 bytes are ignored.");
}

TEST(DamagedLog, AChunkThatIsStillBeingWrittenIsNoDamage)
{
    const std::string before = LogFileText().bytes(), whole = twoRanges().bytes();
    for (size_t size = before.size(); size <= whole.size(); ++size) {
        const auto trace = importBytes(whole.substr(0, size));
        ASSERT_TRUE(trace) << size;
        EXPECT_EQ((*trace)->report.of(Trouble::BrokenChunk).count, 0u) << size;
        EXPECT_EQ((*trace)->report.of(Trouble::NotClosed).count, 1u) << size;
    }
}

TEST(DamagedLog, AChunkWithADamagedSizeInFrontOfOthersIsDamage)
{
    std::string bytes = twoRanges().bytes();
    const size_t first = LogFileText().bytes().size();
    wire::ChunkHeader header;
    std::memcpy(&header, bytes.data() + first, sizeof header);
    header.storedBytes = static_cast<uint32_t>(bytes.size());
    std::memcpy(bytes.data() + first, &header, sizeof header);
    const auto trace = importBytes(bytes);
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->report.of(Trouble::BrokenChunk).count, 1u);
}

// --- Chunks whose checksum is right, but whose content is not ---

LogChunkText oneRange()
{
    return LogChunkText(ChunkType::Ranges).delta(Field::Start, {5}).plain(Field::Duration, {1}).delta(Field::Name, {0});
}

struct Hostile {
    const char *what;
    LogChunkText chunk;
};

class HostileChunk : public testing::TestWithParam<Hostile> {};

INSTANTIATE_TEST_SUITE_P(
    All, HostileChunk,
    testing::Values(
        Hostile{"more_rows_than_values", oneRange().claimRows(2)}, Hostile{"fewer_rows", oneRange().claimRows(0)},
        Hostile{"all_rows", oneRange().claimRows(UINT32_MAX)}, Hostile{"more_columns", oneRange().claimColumns(4)},
        Hostile{"all_columns", oneRange().claimColumns(UINT32_MAX)},
        Hostile{"more_raw_bytes", oneRange().claimRawBytes(1 << 20)},
        Hostile{"inflates_to_less", oneRange().compressed(true).claimRawBytes(1 << 20)},
        Hostile{"inflates_to_more", oneRange().compressed(true).claimRawBytes(3)},
        Hostile{"endless_varint", LogChunkText(ChunkType::Ranges).raw(Field::Start, 1, std::string(40, '\xFF'), 1)},
        Hostile{"cut_varint", LogChunkText(ChunkType::Ranges).raw(Field::Start, 1, "\x80", 1)},
        Hostile{"short_doubles", LogChunkText(ChunkType::Counters).raw(Field::Number, 3, "1234", 1)}),
    [](const auto &test) { return std::string(test.param.what); });

TEST_P(HostileChunk, IsLeftOutAlone)
{
    LogFileText log;
    log.add(GetParam().chunk).add(oneRange()).end();
    const auto trace = importBytes(log.bytes());
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->sliceCount(), 1u);
    EXPECT_EQ((*trace)->report.of(Trouble::BrokenChunk).count, 1u);
}

TEST(HostileLog, LimitsOfSizesHold)
{
    LogFileText log;
    log.add(oneRange()).add(oneRange().claimRawBytes(wire::kMaxChunkBytes + 1)).add(oneRange());
    const auto trace = importBytes(log.bytes());
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->sliceCount(), 1u);
}

TEST(HostileLog, InflatesToNoMoreThanAllowed)
{
    const LogFolder folder;
    ImportOptions options;
    options.inflateLimit = 10;
    const auto trace = importTrace(folder.write("000001.part", twoRanges().bytes()), options, {});
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().kind, ErrorKind::Limit);
}

TEST(HostileLog, IdsThatAreNowhereAreReported)
{
    LogFileText log;
    for (const int64_t id : {int64_t{7}, int64_t{-3}, INT64_MAX, int64_t{1} << 40})
        log.add(LogChunkText(ChunkType::Ranges)
                    .delta(Field::Thread, {id})
                    .delta(Field::Start, {5})
                    .plain(Field::Duration, {1})
                    .delta(Field::Name, {id})
                    .delta(Field::Category, {id}));
    log.add(LogChunkText(ChunkType::Strings).delta(Field::Id, {0, -1, INT64_MAX, 1}).texts({"a", "b", "far", ""}));
    const auto trace = importBytes(log.bytes());
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->sliceCount(), 4u);
    EXPECT_EQ((*trace)->report.of(Trouble::UnknownString).count, 3u);
}

TEST(HostileLog, AbsurdTimesAreTamed)
{
    LogFileText log;
    constexpr int64_t kNone = wire::kAbsent;
    log.add(LogChunkText(ChunkType::Ranges)
                .delta(Field::Start, {INT64_MAX, INT64_MIN + 1, 100, 100, 100, kNone})
                .plain(Field::Duration, {INT64_MAX, 5, INT64_MAX, -4, kNone, 1})
                .delta(Field::Name, {0, 0, 0, 0, 0, 0}));
    log.add(LogChunkText(ChunkType::Kernels)
                .delta(Field::Start, {0, 100})
                .plain(Field::Duration, {9, 9})
                .delta(Field::Device, {INT64_MAX, -9})
                .delta(Field::Stream, {INT64_MIN + 1, 0}));
    const auto trace = importBytes(log.bytes());
    ASSERT_TRUE(trace);
    const ImportReport &report = (*trace)->report;
    EXPECT_EQ((*trace)->sliceCount(), 6u);
    EXPECT_EQ(report.of(Trouble::AbsurdTime).count, 3u);
    EXPECT_EQ(report.of(Trouble::NegativeDuration).count, 1u);
    EXPECT_EQ(report.of(Trouble::NoDuration).count, 1u);
    EXPECT_EQ(report.of(Trouble::MissingTimestamp).count, 2u);
    EXPECT_EQ((*trace)->span, (TimeSpan{100, 109}));
}

TEST(HostileLog, UnknownChunksFieldsAndEncodingsAreSkipped)
{
    LogFileText log;
    log.add(LogChunkText(static_cast<ChunkType>(999)).delta(Field::Start, {1, 2, 3}));
    log.add(oneRange().raw(static_cast<Field>(60'000), 1, "\x02", 1).raw(Field::Domain, 77, "whatever", 1)).end();
    const auto trace = importBytes(log.bytes());
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->sliceCount(), 1u);
    EXPECT_TRUE((*trace)->report.empty());
}

TEST(HostileLog, RandomPayloadsNeverHurt)
{
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        LogFileText log;
        for (int chunk = 0; chunk < 6; ++chunk) {
            LogChunkText text(static_cast<ChunkType>(random() % 20 + 1));
            for (int column = 0; column < 6; ++column) {
                std::string bytes(random() % 64, '\0');
                for (char &byte : bytes)
                    byte = static_cast<char>(random() % 3 ? random() & 0x7F : random());
                text.raw(static_cast<Field>(random() % 50), static_cast<uint8_t>(random() % 6), bytes,
                         static_cast<uint32_t>(random() % 40));
            }
            log.add(text);
        }
        const auto trace = importBytes(log.bytes());
        ASSERT_TRUE(trace);
    }
}

} // namespace
} // namespace riffle
