// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/mapped_file.h"
#include "model/ingest/collector_log/collector_log.h"
#include "model/ingest/collector_log/importer.h"
#include "tests/support/log_replay.h"
#include "tests/support/log_writer.h"
#include "tests/support/sample_log.h"
#include "tests/support/trace_difference.h"
#include "tests/support/training_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

namespace riffle {
namespace {

using namespace test;
namespace fs = std::filesystem;

using Log = std::shared_ptr<const CollectorLog>;

/// The files and chunks of a log.
std::string described(const CollectorLog &log)
{
    std::string text = fmt::format("{} bytes, raw {}, closed {}, end {}\n", log.fileBytes(), log.rawBytes(),
                                   log.closed(), log.endAddress());
    for (uint32_t part = 0; part < log.parts().size(); ++part) {
        text += fmt::format("{}: {} sound, {}, {}\n", log.parts()[part]->name(), log.parts()[part]->soundBytes(),
                            log.parts()[part]->damage(), log.parts()[part]->endsInChunk());
        for (ChunkPlace at{part, 0}; at.chunk < log.parts()[part]->chunks().size(); ++at.chunk)
            text += fmt::format("{} at {}, address {}, {} rows\n", static_cast<int>(log.type(at)), log.chunk(at).offset,
                                log.address(at), log.chunk(at).header.rows);
    }
    return text;
}

/// Opens the log when its first file has a header, and follows it while it is written in random steps.
void follow(const LogFolder &whole, uint32_t seed, size_t mostChunks, bool rolls)
{
    SCOPED_TRACE(fmt::format("seed {}, at most {} chunks, rolls {}", seed, mostChunks, rolls));
    std::mt19937 random(seed);
    LogReplay writer(whole);
    writer.write(1);
    Result<Log> opened = CollectorLog::open(writer.path());
    ASSERT_TRUE(opened) << opened.error().text();
    Log log = *opened;
    const std::string asOpened = described(*log);
    while (!writer.isDone()) {
        writer.write(1 + random() % mostChunks, random() % 2 ? &random : nullptr);
        const Result<Log> next = log->advance();
        ASSERT_TRUE(next) << next.error().text();
        if (*next)
            log = *next;
        ASSERT_EQ(log->report().of(Trouble::BrokenChunk).count, 0u);
        EXPECT_FALSE(log->lost());
        if (!rolls) {
            const Result<Log> again = CollectorLog::open(writer.path());
            ASSERT_TRUE(again) << again.error().text();
            ASSERT_EQ(described(*log), described(**again));
            ASSERT_EQ(reportDifference(log->report(), (*again)->report()), "");
        } else if (random() % 2) {
            writer.roll();
        }
    }
    const Result<Log> more = log->advance();
    ASSERT_TRUE(more);
    EXPECT_FALSE(*more);
    EXPECT_EQ(described(**opened), asOpened);
    const Result<Log> atOnce = CollectorLog::open(whole.path());
    ASSERT_TRUE(atOnce) << atOnce.error().text();
    EXPECT_EQ(described(*log), described(**atOnce));
    EXPECT_EQ(reportDifference(log->report(), (*atOnce)->report()), "");
    const auto followed = importOpenLog(log, writer.path(), {}, {});
    const auto expected = importOpenLog(*atOnce, whole.path(), {}, {});
    ASSERT_TRUE(followed && expected);
    EXPECT_EQ(traceDifference(**followed, **expected), "");
}

/// The log of everything in three files, and a file with the summaries of steps.
void writeFiles(const LogFolder &folder)
{
    folder.write(wire::kStepsFile, LogFileText(0)
                                       .add(LogChunkText(wire::ChunkType::StepSummaries)
                                                .delta(wire::Field::Id, {1, 2})
                                                .delta(wire::Field::Start, {100, 200}))
                                       .bytes());
    std::string open = everythingLog(true).bytes();
    open.resize(chunkEnds(open)[chunkEnds(open).size() - 2]); // without the end
    folder.write("000001.part", open);
    LogFileText second(2), third(3);
    for (LogFileText *file : {&second, &third})
        for (int64_t at = 0; at < 20; ++at)
            file->thread(0, 100, "main")
                .add(LogChunkText(wire::ChunkType::Ranges)
                         .compressed(at % 2)
                         .delta(wire::Field::Thread, {0, 0})
                         .delta(wire::Field::Start, {3'000'000 + at, 4'000'000 + at})
                         .plain(wire::Field::Duration, {5, 5})
                         .delta(wire::Field::Name, {file->id("range"), file->id("other")}));
    folder.write("000002.part", second.bytes());
    folder.write("000003.part", third.end().bytes());
}

TEST(GrowingLog, FollowedInAnyStepsIsWhatIsReadAtOnce)
{
    const LogFolder small, sample, training;
    writeFiles(small);
    sample.write("000001.part", sampleLog().bytes());
    writeTrainingLog(training, 150'000, 500'000);
    for (uint32_t seed = 1; seed <= 3; ++seed)
        for (const size_t most : {1u, 7u, 1'000'000u}) {
            follow(small, seed, most, false);
            follow(small, seed, most, true);
        }
    follow(sample, 1, 40, false);
    follow(training, 1, 4, false);
    follow(training, 2, 4, true);
}

TEST(GrowingLog, WhatWasReadIsNotReadAgain)
{
    const LogFolder folder;
    const std::string bytes = everythingLog().bytes();
    const std::vector<size_t> ends = chunkEnds(bytes);
    folder.write("000001.part", std::string_view(bytes).substr(0, ends[3]));
    const Result<Log> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    std::string damaged = bytes.substr(0, ends[6]);
    damaged[ends[1] + sizeof(wire::ChunkHeader)] ^= 1;
    folder.write("000001.part", damaged);
    const Result<Log> next = (*log)->advance();
    ASSERT_TRUE(next);
    ASSERT_TRUE(*next);
    EXPECT_EQ((*next)->parts()[0]->chunks().size(), 6u);
    EXPECT_EQ((*CollectorLog::open(folder.path()))->parts()[0]->chunks().size(), 1u);
}

TEST(GrowingLog, OneLogMayGrowInDifferentWays)
{
    const LogFolder folder;
    const std::string bytes = everythingLog().bytes(), other = everythingLog(true).bytes();
    const std::vector<size_t> ends = chunkEnds(bytes);
    folder.write("000001.part", std::string_view(bytes).substr(0, ends[3]));
    const Result<Log> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    const std::string before = described(**log);
    folder.write("000001.part", std::string_view(bytes).substr(0, ends[9]));
    const Result<Log> longer = (*log)->advance();
    ASSERT_TRUE(longer);
    ASSERT_TRUE(*longer);
    const std::string asItWas = described(**longer);
    folder.write("000001.part", bytes.substr(0, ends[3]) + other.substr(ends[3]));
    const Result<Log> different = (*log)->advance();
    ASSERT_TRUE(different);
    ASSERT_TRUE(*different);
    EXPECT_EQ(described(**log), before);
    EXPECT_EQ(described(**longer), asItWas);
    EXPECT_EQ(described(**different), described(**CollectorLog::open(folder.path())));
}

TEST(GrowingLog, FilesThatAreCompleteAreShared)
{
    const LogFolder folder;
    folder.write("000001.part", LogFileText(1).thread(0, 1, "a").bytes());
    folder.write("000002.part", LogFileText(2).thread(0, 1, "a").bytes());
    const Result<Log> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    EXPECT_FALSE(*(*log)->advance());
    folder.write("000002.part", LogFileText(2).thread(0, 1, "a").thread(1, 2, "b").bytes());
    const Result<Log> next = (*log)->advance();
    ASSERT_TRUE(next);
    ASSERT_TRUE(*next);
    EXPECT_EQ((*next)->parts()[0], (*log)->parts()[0]);
    EXPECT_NE((*next)->parts()[1], (*log)->parts()[1]);
}

TEST(GrowingLog, ATailThatALaterFileFollowsIsDamage)
{
    const LogFolder folder;
    const std::string bytes = LogFileText(1).thread(0, 1, "a").bytes();
    folder.write("000001.part", std::string_view(bytes).substr(0, bytes.size() - 3));
    const Result<Log> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    EXPECT_EQ((*log)->report().of(Trouble::BrokenChunk).count, 0u);
    folder.write("000002.part", LogFileText(2).end().bytes());
    const Result<Log> next = (*log)->advance();
    ASSERT_TRUE(next);
    ASSERT_TRUE(*next);
    EXPECT_EQ((*next)->report().of(Trouble::BrokenChunk).count, 1u);
}

TEST(GrowingLog, AHeaderThatIsNotWholeIsReadLater)
{
    const LogFolder folder;
    folder.write("000001.part", LogFileText(1).thread(0, 1, "a").bytes());
    const std::string second = LogFileText(2).end().bytes();
    Result<Log> log = CollectorLog::open(folder.path());
    for (const size_t size : {0u, 8u, 30u}) {
        folder.write("000002.part", std::string_view(second).substr(0, size));
        const Result<Log> next = (*log)->advance();
        ASSERT_TRUE(next);
        if (*next)
            log = *next;
        EXPECT_EQ((*log)->parts().size(), 1u);
    }
    folder.write("000002.part", second);
    const Result<Log> next = (*log)->advance();
    ASSERT_TRUE(next);
    ASSERT_TRUE(*next);
    EXPECT_TRUE((*next)->closed());
    EXPECT_TRUE((*next)->report().empty());
}

TEST(GrowingLog, AForeignFileBehindAHeaderThatIsNotWholeDoesNotMakeItDamaged)
{
    const LogFolder folder;
    folder.write("000001.part", LogFileText(1).thread(0, 1, "a").bytes());
    folder.write("other.part", LogFileText(1, 2).end().bytes());
    const std::string second = LogFileText(2).thread(0, 1, "a").bytes(), third = LogFileText(3).end().bytes();
    const std::string path = folder.write("000002.part", std::string_view(second).substr(0, 30));
    const Result<Log> opened = CollectorLog::open(path.substr(0, path.rfind('/')) + "/000001.part");
    ASSERT_TRUE(opened);
    Log log = *opened;
    EXPECT_EQ(log->report().of(Trouble::BrokenChunk).count, 0u);
    folder.write("000002.part", second);
    Result<Log> next = log->advance();
    ASSERT_TRUE(next);
    ASSERT_TRUE(*next);
    ASSERT_EQ((*next)->parts().size(), 2u);
    log = *next;
    folder.write("000003.part", std::string_view(third).substr(0, 30));
    next = log->advance();
    ASSERT_TRUE(next);
    EXPECT_FALSE(*next);
    folder.write("000003.part", third);
    next = log->advance();
    ASSERT_TRUE(next);
    ASSERT_TRUE(*next);
    EXPECT_TRUE((*next)->closed());
    EXPECT_EQ((*next)->report().of(Trouble::BrokenChunk).count, 0u);
}

TEST(GrowingLog, AHeaderThatIsNotWholeIsDamageWhenALaterFileExists)
{
    const LogFolder folder;
    folder.write("000001.part", LogFileText(1).thread(0, 1, "a").bytes());
    folder.write("000002.part", std::string_view(LogFileText(2).bytes()).substr(0, 30));
    const Result<Log> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    EXPECT_EQ((*log)->report().of(Trouble::BrokenChunk).count, 0u);
    folder.write("000003.part", LogFileText(3).end().bytes());
    for (const Result<Log> &next : {(*log)->advance(), CollectorLog::open(folder.path())}) {
        ASSERT_TRUE(next);
        ASSERT_TRUE(*next);
        EXPECT_EQ((*next)->parts().size(), 2u);
        const TroubleCount &broken = (*next)->report().of(Trouble::BrokenChunk);
        ASSERT_EQ(broken.count, 1u);
        EXPECT_NE(broken.examples[0].text.find("ends inside its header"), std::string::npos);
        EXPECT_FALSE(*(*next)->advance());
    }
}

TEST(GrowingLog, AFileThatTheSystemRefusesIsTriedAgain)
{
    const LogFolder folder;
    const std::string first = folder.write("000001.part", LogFileText(1).thread(0, 1, "a").bytes());
    const Result<Log> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    folder.write("000002.part", LogFileText(2).end().bytes());
    std::vector<std::shared_ptr<const MappedFile>> others;
    while (const auto other = MappedFile::open(first))
        others.push_back(*other);
    const Result<Log> opened = CollectorLog::open(folder.path());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().message, "Too many files are open at the same time.");
    const Result<Log> without = (*log)->advance();
    ASSERT_TRUE(without);
    ASSERT_TRUE(*without);
    EXPECT_EQ((*without)->parts().size(), 1u);
    const TroubleCount &refused = (*without)->report().of(Trouble::BrokenChunk);
    ASSERT_EQ(refused.count, 1u);
    EXPECT_NE(refused.examples[0].text.find("000002.part: Too many files are open"), std::string::npos);
    EXPECT_FALSE(*(*without)->advance());
    others.clear();
    const Result<Log> with = (*without)->advance();
    ASSERT_TRUE(with);
    ASSERT_TRUE(*with);
    EXPECT_EQ((*with)->parts().size(), 2u);
    EXPECT_TRUE((*with)->report().empty());
}

TEST(GrowingLog, ANewFileThatIsShortenedWhileItIsReadIsLookedAtAgain)
{
    const LogFolder folder;
    folder.write("000001.part", LogFileText(1).thread(0, 1, "a").bytes());
    const Result<Log> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    LogFileText second(2);
    second.thread(0, 1, "a");
    const size_t sound = second.bytes().size();
    const std::vector<int64_t> starts(300'000, 1);
    for (int at = 0; at < 30; ++at)
        second.add(LogChunkText(wire::ChunkType::Ranges).delta(wire::Field::Start, starts));
    const std::string path = folder.write("000002.part", second.bytes());
    std::atomic<bool> done = false;
    std::thread writer([&] {
        for (bool isShort = true; !done; isShort = !isShort)
            fs::resize_file(path, isShort ? sound : second.bytes().size());
    });
    for (int at = 0; at < 300; ++at) {
        const Result<Log> next = (*log)->advance();
        EXPECT_TRUE(next) << next.error().text();
        EXPECT_FALSE(next && *next && (*next)->lost()) << at;
    }
    done = true;
    writer.join();
    folder.write("000002.part", second.bytes());
    const Result<Log> next = (*log)->advance();
    ASSERT_TRUE(next);
    ASSERT_TRUE(*next);
    EXPECT_EQ((*next)->parts().size(), 2u);
    EXPECT_TRUE((*next)->parts()[1]->damage().empty());
}

TEST(GrowingLog, SummariesOfStepsAreKeptWhenThereAreTooManyFiles)
{
    const LogFolder folder;
    folder.write(wire::kStepsFile, LogFileText(0).bytes());
    const auto files = static_cast<uint32_t>(CollectorLog::kMaxParts + 2);
    for (uint32_t at = 1; at <= files; ++at)
        folder.write(fmt::format("{:06}.part", at), LogFileText(at).bytes());
    for (const std::string &path : {folder.path(), folder.path() + "/000002.part"}) {
        const Result<Log> log = CollectorLog::open(path);
        ASSERT_TRUE(log) << log.error().text();
        ASSERT_EQ((*log)->parts().size(), CollectorLog::kMaxParts);
        EXPECT_EQ((*log)->parts()[0]->header().sequence, 0u);
        EXPECT_EQ((*log)->parts()[1]->header().sequence, path == folder.path() ? 4u : 2u);
        EXPECT_EQ((*log)->parts().back()->header().sequence, files);
        EXPECT_EQ((*log)->report().of(Trouble::MissingPart).examples[0].text,
                  "There are too many files: the oldest are left out.");
    }
}

TEST(GrowingLog, FilesThatWereMissedAreReported)
{
    const LogFolder folder;
    const fs::path first = folder.write("000001.part", LogFileText(1).thread(0, 1, "a").bytes());
    const Result<Log> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    fs::remove(first);
    EXPECT_FALSE(*(*log)->advance());
    folder.write("000004.part", LogFileText(4).thread(0, 1, "a").bytes());
    folder.write("other.part", LogFileText(1, 2).end().bytes());
    const Result<Log> next = (*log)->advance();
    ASSERT_TRUE(next);
    ASSERT_TRUE(*next);
    EXPECT_EQ((*next)->parts().size(), 2u);
    const TroubleCount &missing = (*next)->report().of(Trouble::MissingPart);
    ASSERT_EQ(missing.examples.size(), 2u);
    EXPECT_EQ(missing.count, 3u); // the end of the first file, and two files
    EXPECT_EQ(missing.examples[0].text, "000001.part was deleted, perhaps before its end was read.");
    EXPECT_EQ((*next)->report().of(Trouble::ForeignPart).count, 1u);
    EXPECT_FALSE(*(*next)->advance());
}

TEST(GrowingLog, DeletedFilesStayAsLongAsThereIsRoomForThem)
{
    const LogFolder folder;
    std::vector<fs::path> paths;
    for (uint32_t at = 1; at <= 4; ++at) {
        LogFileText text(at);
        for (int thread = 0; thread < (at <= 2 ? 100 : 1); ++thread)
            text.thread(thread, thread + 1, "a thread");
        paths.push_back(folder.write(fmt::format("{:06}.part", at), text.bytes()));
    }
    const Result<Log> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    const uint64_t large = (*log)->parts()[0]->size();
    fs::remove(paths[0]);
    fs::remove(paths[1]);
    folder.write("000005.part", LogFileText(5).thread(0, 1, "a").bytes());
    const auto filesWith = [&](uint64_t mostDeleted) {
        std::vector<uint32_t> files;
        const Result<Log> next = (*log)->advance(mostDeleted);
        if (next && *next)
            for (const auto &part : (*next)->parts())
                files.push_back(part->header().sequence);
        return files;
    };
    EXPECT_EQ(filesWith(2 * large), (std::vector<uint32_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(filesWith(2 * large - 1), (std::vector<uint32_t>{2, 3, 4, 5}));
    EXPECT_EQ(filesWith(0), (std::vector<uint32_t>{3, 4, 5}));
}

TEST(GrowingLog, AFileThatIsAnotherOneIsAnError)
{
    const LogFolder folder;
    folder.write("000001.part", LogFileText(1).thread(0, 1, "a").bytes());
    const Result<Log> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    for (const std::string &bytes :
         {LogFileText(1, 9).thread(0, 1, "a").end().bytes(), LogFileText(1).bytes(), std::string("no log at all")}) {
        folder.write("000001.part", bytes);
        const Result<Log> next = (*log)->advance();
        EXPECT_FALSE(next) << bytes.size();
    }
}

TEST(GrowingLog, ASingleFileOfAnyNameGrows)
{
    const LogFolder folder;
    const std::string path = folder.write("copy", LogFileText(1).thread(0, 1, "a").bytes());
    folder.write("000001.part", LogFileText(1).bytes());
    const Result<Log> log = CollectorLog::open(path);
    ASSERT_TRUE(log);
    folder.write("copy", LogFileText(1).thread(0, 1, "a").end().bytes());
    const Result<Log> next = (*log)->advance();
    ASSERT_TRUE(next);
    ASSERT_TRUE(*next);
    EXPECT_TRUE((*next)->closed());
    EXPECT_EQ((*next)->parts().size(), 1u);
}

} // namespace
} // namespace riffle
