// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/gathered_files.h"

#include "model/ingest/gathering/unpacked_folders.h"
#include "tests/support/archives.h"
#include "tests/support/file_archives.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;
namespace fs = std::filesystem;

constexpr const char *kTrace = R"({"traceEvents": []})";

class GatheredFilesTest : public testing::Test {
protected:
    GatheringOptions options() const
    {
        GatheringOptions options;
        options.cache = m_folder.file("cache");
        return options;
    }
    Result<GatheredFiles> gather(const std::vector<std::string> &asked) const
    {
        return gatherFiles(asked, options(), {});
    }
    std::string write(const std::string &name, std::string_view content = kTrace) const
    {
        fs::create_directories(fs::path(m_folder.file(name)).parent_path());
        writeFile(m_folder.file(name), content);
        return m_folder.file(name);
    }
    std::vector<std::string> unfinished() const
    {
        std::vector<std::string> names;
        for (const auto &entry : fs::directory_iterator(m_folder.file("cache")))
            if (entry.path().extension() == ".unpacking")
                names.push_back(entry.path().string());
        return names;
    }
    TemporaryFolder m_folder;
};

TEST_F(GatheredFilesTest, AFileStandsForItselfWhateverItIs)
{
    const std::vector<std::string> asked = {write("a.txt", "text"), m_folder.file("missing"), write("b.json")};
    const auto found = gather(asked);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->paths, asked);
    EXPECT_TRUE(found->skipped.empty());
    EXPECT_TRUE(found->sentence(3).empty());
}

/// A job of InternLM has its traces in folders that are named like those of its memory log.
TEST_F(GatheredFilesTest, TracesOfAJobAreFoundBesideItsMemoryLog)
{
    const std::string trace = write("job/traces/rank0_dp0_tp0_pp0/host_1.2.pt.trace.json");
    const auto alone = gather({m_folder.file("job/traces")});
    ASSERT_TRUE(alone) << alone.error().text();
    EXPECT_EQ(alone->paths, std::vector{trace});
    const auto job = gather({m_folder.file("job")});
    ASSERT_TRUE(job) << job.error().text();
    EXPECT_EQ(job->paths, std::vector{trace});

    write("job/memory_trace/rank0_dp0_tp0/memory.log", "Memory State:\ntime: 1\n");
    const auto both = gather({m_folder.file("job")});
    ASSERT_TRUE(both) << both.error().text();
    EXPECT_EQ(both->paths, (std::vector{m_folder.file("job/memory_trace"), trace}));
    const auto log = gather({m_folder.file("job/memory_trace")});
    ASSERT_TRUE(log) << log.error().text();
    EXPECT_EQ(log->paths, std::vector{m_folder.file("job/memory_trace")});
}

TEST_F(GatheredFilesTest, AFolderThatIsNamedTwiceCountsOnce)
{
    const std::string one = write("run/rank2.json"), other = write("run/rank10.json");
    const auto found = gather({m_folder.file("run"), m_folder.file("run/")});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->paths, (std::vector{one, other}));
    EXPECT_FALSE(found->hasLosses());
}

TEST_F(GatheredFilesTest, AFileThatIsNamedTwiceCountsTwiceOnlyForComparisons)
{
    const std::string file = write("run/rank0.json"), folder = m_folder.file("run"),
                      detour = m_folder.file("run/../run/rank0.json");
    EXPECT_TRUE(options().keepsRepeats);
    const auto twice = gather({file, file});
    ASSERT_TRUE(twice);
    EXPECT_EQ(twice->paths, (std::vector{file, file}));

    GatheringOptions once = options();
    once.keepsRepeats = false;
    for (const std::vector<std::string> &asked : {std::vector{file, detour}, {file, folder}, {folder, file}}) {
        const auto found = gatherFiles(asked, once, {});
        ASSERT_TRUE(found) << asked.back();
        EXPECT_EQ(found->paths, std::vector{file}) << asked.back();
        EXPECT_EQ(found->skipped.size(), size_t(1)) << asked.back();
        EXPECT_FALSE(found->hasLosses()) << asked.back();
    }

    const std::string trace = write("job/traces/rank0_dp0_tp0_pp0/host_1.2.pt.trace.json"),
                      log = m_folder.file("job/memory_trace");
    write("job/memory_trace/rank0_dp0_tp0/memory.log", "Memory State:\ntime: 1\n");
    const auto logs = gatherFiles({log, log}, once, {}), job = gatherFiles({m_folder.file("job"), log}, once, {});
    ASSERT_TRUE(logs && job);
    EXPECT_EQ(logs->paths, std::vector{log});
    EXPECT_EQ(job->paths, (std::vector{log, trace}));
}

TEST_F(GatheredFilesTest, AnEmptyFileOfARankIsALoss)
{
    const std::string trace = write("run/rank1.json");
    // The lost ones are first, and both are in natural order.
    const std::vector<std::pair<std::string, bool>> empty = {
        {"run/rank0.json", true},   {"run/rank0.json.gz", true}, {"run/rank2/trace.json", true},
        {"run/config.json", false}, {"run/rank0.log", false},    {"run/rank0.txt", false}};
    for (const auto &[name, isLoss] : empty)
        write(name, "");
    const auto found = gather({m_folder.file("run")});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->paths, std::vector{trace});
    ASSERT_EQ(found->skipped.size(), empty.size());
    for (size_t at = 0; at < empty.size(); ++at)
        EXPECT_EQ(found->skipped[at], (SkippedFile{m_folder.file(empty[at].first), "It is empty.", empty[at].second}));
    if (!opensFileArchives())
        GTEST_SKIP() << "This build lacks libarchive.";
    const std::string archive = write("a.tar", tarOf({{"rank0.json", ""}, {"b.json", ""}, {"rank1.json", kTrace}}));
    const auto packed = gather({archive});
    ASSERT_TRUE(packed);
    EXPECT_EQ(packed->skipped, (std::vector<SkippedFile>{{archive + "/rank0.json", "It is empty.", true},
                                                         {archive + "/b.json", "It is empty.", false}}));
}

TEST_F(GatheredFilesTest, APathForNothingIsALossBesideOthersAndAnErrorAlone)
{
    write("empty/notes.txt", "text");
    const std::string trace = write("rank0.json");
    const auto beside = gather({m_folder.file("empty"), trace});
    ASSERT_TRUE(beside);
    EXPECT_EQ(beside->paths, std::vector{trace});
    EXPECT_TRUE(beside->hasLosses());
    EXPECT_EQ(beside->skipped.front().path, m_folder.file("empty"));
    const auto alone = gather({m_folder.file("empty")});
    ASSERT_FALSE(alone);
    EXPECT_NE(alone.error().text().find("notes.txt"), std::string::npos) << alone.error().text();
}

TEST_F(GatheredFilesTest, OnlySoManyEntriesAreLookedAtAndListed)
{
    for (int at = 0; at < 30; ++at)
        write("run/" + std::to_string(at) + ".txt", "text");
    write("run/zz.json");
    GatheringOptions few = options();
    few.mostEntries = 20;
    const auto found = gatherFiles({m_folder.file("run"), write("rank0.json")}, few, {});
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->hasLosses());
    EXPECT_EQ(found->skipped.front().why, "Only the first 20 entries were looked at.");
    EXPECT_LE(found->skipped.size(), size_t(22));
}

TEST_F(GatheredFilesTest, TheSentenceNamesSomeAndCountsAll)
{
    const std::string run = m_folder.file("run");
    write("run/a.txt", "text");
    write("run/b.txt", "text");
    write("run/c.json");
    const auto found = gather({run});
    ASSERT_TRUE(found);
    const std::string why = " It is no trace, memory snapshot, memory timeline or log.";
    EXPECT_EQ(found->sentence(1), "2 files were skipped. " + run + "/a.txt:" + why + " …");
    EXPECT_EQ(found->sentence(2), "2 files were skipped. " + run + "/a.txt:" + why + " " + run + "/b.txt:" + why);
}

TEST_F(GatheredFilesTest, AFileOfAnArchiveHasANameThatOpensItAgain)
{
    if (!opensFileArchives())
        GTEST_SKIP() << "This build lacks libarchive.";
    const std::string archive = write("a.tar", tarOf({{"run/rank10.json", kTrace}, {"run/rank9.json", kTrace}}));
    const auto found = gather({archive});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->names, (std::vector{archive + "/run/rank9.json", archive + "/run/rank10.json"}));
    const auto again = gather({found->names.back()});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->paths, std::vector{found->paths.back()});
    EXPECT_EQ(again->names, std::vector{found->names.back()});
}

TEST_F(GatheredFilesTest, AStoppedSearchIsCancelledAndLeavesNothing)
{
    if (!opensFileArchives())
        GTEST_SKIP() << "This build lacks libarchive.";
    std::stop_source stop;
    stop.request_stop();
    const auto found =
        gatherFiles({write("a.tar", tarOf({{"rank0.json", kTrace}}))}, options(), {stop.get_token(), nullptr});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind, ErrorKind::Cancelled);
    EXPECT_TRUE(unfinished().empty());
}

TEST_F(GatheredFilesTest, UnpackedFilesStayWhileTheyAreInUse)
{
    if (!opensFileArchives())
        GTEST_SKIP() << "This build lacks libarchive.";
    GatheringOptions small = options();
    small.cacheLimit = 1;
    const auto first = gatherFiles({write("a.tar", tarOf({{"rank0.json", kTrace}}))}, small, {});
    ASSERT_TRUE(first);
    auto second = gatherFiles({write("b.tar", tarOf({{"rank1.json", kTrace}}))}, small, {});
    ASSERT_TRUE(second);
    EXPECT_TRUE(fs::exists(first->paths.front()));
    EXPECT_TRUE(fs::exists(second->paths.front()));
    const std::string path = second->paths.front();
    second->locks.clear();
    UnpackedFolders(small.cache, small.cacheLimit).tidy();
    EXPECT_TRUE(fs::exists(first->paths.front()));
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(GatheredFilesTest, AnArchiveMayUnpackToSoManyTimesItsSize)
{
    if (!opensFileArchives())
        GTEST_SKIP() << "This build lacks libarchive.";
    std::string blank = kTrace;
    blank.resize(30 << 20, ' ');
    GatheringOptions few = options();
    few.unpack.mostBytes = 20 << 20;
    const auto found = gatherFiles(
        {write("a.tgz", gzipped(tarOf({{"0.json", kTrace}, {"1.json", blank}, {"2.json", kTrace}})))}, few, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->paths.size(), size_t(1));
    EXPECT_TRUE(found->hasLosses());
}

TEST_F(GatheredFilesTest, WhatIsSkippedInACompressedArchiveCounts)
{
    if (!opensFileArchives())
        GTEST_SKIP() << "This build lacks libarchive.";
    GatheringOptions few = options();
    few.unpack.mostBytes = 20 << 20;
    const std::string foreign(30 << 20, 'x');
    const auto found = gatherFiles(
        {write("a.tgz", gzipped(tarOf({{"0.json", kTrace}, {"weights.bin", foreign}, {"1.json", kTrace}})))}, few, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->paths.size(), size_t(1));
    EXPECT_TRUE(found->hasLosses());
    // A plain archive is not inflated to skip a member.
    const auto plain = gatherFiles(
        {write("b.tar", tarOf({{"0.json", kTrace}, {"weights.bin", foreign}, {"1.json", kTrace}}))}, few, {});
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->paths.size(), size_t(2));
    EXPECT_FALSE(plain->hasLosses());
}

TEST_F(GatheredFilesTest, AFullDiskIsAnErrorWithACount)
{
    if (!opensFileArchives())
        GTEST_SKIP() << "This build lacks libarchive.";
    GatheringOptions full = options();
    full.unpack.leastFree = uint64_t(1) << 62;
    const auto found = gatherFiles({write("a.tar", tarOf({{"rank0.json", kTrace}}))}, full, {});
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().text().find("no room left on the disk"), std::string::npos) << found.error().text();
    EXPECT_NE(found.error().text().find("0 files of the archive were unpacked before."), std::string::npos);
    EXPECT_TRUE(unfinished().empty());
}

} // namespace
} // namespace riffle
