// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/rank_store.h"

#include "model/trace/run/rank_description.h"
#include "model/trace/table_rows.h"
#include "tests/support/archives.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <thread>

namespace riffle {
namespace {

using Contents = StoreFolder::Contents;

StepFigures step(int64_t number, int32_t device)
{
    StepFigures row = unknownStepFigures();
    row.number = number;
    row.start = 1'000 * number;
    row.duration = 900;
    row.kernelTime = 300 + device;
    row.busy = 400;
    row.idle = 500;
    row.missing = 0;
    row.idleByCause.fill(0);
    row.idleByCause[3] = 500;
    row.memoryPeak = 1 << 30;
    row.mark = static_cast<uint32_t>(number);
    row.device = device;
    row.flags = step_flag::FarLonger;
    return row;
}

RankFacts sampleFacts()
{
    RankFacts facts;
    facts.format = "Kineto JSON";
    facts.rank = 3;
    facts.worldSize = 8;
    facts.host = "節点-7";
    facts.pid = 4711;
    facts.baseTimeNs = 1'700'000'000'000'000'000;
    facts.clocks = {{5, 1'700'000'000'000'000'005}, {900, 1'700'000'000'000'000'950}};
    facts.span = {10, 100'000};
    facts.asked = {10, 90'000};
    facts.recorded = {0, 110'000};
    facts.slices = 12'345;
    facts.bytes = 1 << 20;
    facts.devices = {{0, "NVIDIA H100", 80ll << 30}, {1, "NVIDIA H100", std::nullopt}};
    facts.worst = Severity::Lost;
    facts.ofTraining = true;
    facts.overlappingSteps = 2;
    std::vector<StepFigures> rows;
    for (int number = 1; number <= 40; ++number)
        for (const int device : {0, 1})
            rows.push_back(step(number, device));
    rows.push_back(unknownStepFigures());
    rows.back().start = 41'000;
    rows.back().duration = 0;
    facts.steps = stepFigureTable(rows);
    return facts;
}

bool sameFacts(const RankFacts &a, const RankFacts &b)
{
    if (describeRank(a) != describeRank(b) || a.steps.start.size() != b.steps.start.size())
        return false;
    for (size_t row = 0; row < a.steps.start.size(); ++row)
        if (StepFigures left = rowAt(a.steps, row), right = rowAt(b.steps, row); left.members() != right.members())
            return false;
    return true;
}

class RankStores : public testing::Test {
protected:
    void SetUp() override { test::writeFile(m_path, "the text of a trace"); }
    SourceIdentity identity() const { return *SourceIdentity::of(m_path); }
    std::string storePath() const { return m_stores.storePath(m_path, Contents::Rank); }
    void write() { ASSERT_TRUE(storeRank(m_stores, m_facts, m_path, identity(), {})); }

    test::TemporaryFolder m_folder;
    std::string m_path = m_folder.file("rank 3.json");
    StoreFolder m_stores{m_folder.file("stores")};
    const RankFacts m_facts = sampleFacts();
};

TEST_F(RankStores, GiveBackWhatWasStored)
{
    write();
    EXPECT_NE(storePath(), m_stores.storePath(m_path));
    const auto stored = openStoredRank(m_stores, m_path, identity());
    ASSERT_TRUE(stored) << stored.error().text();
    EXPECT_TRUE(sameFacts(**stored, m_facts));
    EXPECT_EQ((*stored)->host, "節点-7");
    EXPECT_EQ((*stored)->devices, m_facts.devices);
    EXPECT_EQ((*stored)->clocks, m_facts.clocks);
    RankFacts other = m_facts;
    other.steps = stepFigureTable(std::vector{step(1, 0)});
    EXPECT_FALSE(sameFacts(other, m_facts)) << "the test must see differences";
    std::filesystem::remove_all(m_stores.folder());
    EXPECT_TRUE(sameFacts(**stored, m_facts)) << "the mapping outlives its name";
}

TEST_F(RankStores, OfAChangedFileAreRemoved)
{
    write();
    const SourceIdentity before = identity();
    test::writeFile(m_path, "another text of a trace");
    const auto stored = openStoredRank(m_stores, m_path, identity());
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().kind, ErrorKind::Changed);
    EXPECT_FALSE(std::filesystem::exists(storePath()));
    EXPECT_FALSE(storeRank(m_stores, m_facts, m_path, before, {})) << "the facts are about the text that was";
    EXPECT_FALSE(std::filesystem::exists(storePath()));
}

TEST_F(RankStores, NoDamagedByteIsTrusted)
{
    write();
    const std::string whole = test::readFile(storePath());
    std::mt19937_64 random(1);
    size_t refused = 0;
    for (int round = 0; round < 400; ++round) {
        std::string bytes = whole;
        const size_t at = random() % bytes.size();
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        test::writeFile(storePath(), bytes);
        const auto stored = openStoredRank(m_stores, m_path, identity());
        refused += !stored;
        if (stored) // between two columns, where there is no data
            ASSERT_TRUE(sameFacts(**stored, m_facts)) << at;
        else
            ASSERT_FALSE(std::filesystem::exists(storePath())) << at;
    }
    EXPECT_GT(refused, 100u);
    for (const size_t length : {size_t(0), size_t(87), size_t(4096), whole.size() / 2, whole.size() - 1}) {
        test::writeFile(storePath(), whole.substr(0, length));
        EXPECT_FALSE(openStoredRank(m_stores, m_path, identity())) << length;
    }
    test::writeFile(storePath(), whole);
    EXPECT_TRUE(openStoredRank(m_stores, m_path, identity()));
}

TEST_F(RankStores, FiguresThatCannotBeAreRefused)
{
    const auto opens = [&](auto change) {
        StepFigures row = step(1, 0);
        change(row);
        RankFacts facts = m_facts;
        facts.steps = stepFigureTable(std::vector{row});
        EXPECT_TRUE(storeRank(m_stores, facts, m_path, identity(), {}));
        return static_cast<bool>(openStoredRank(m_stores, m_path, identity()));
    };
    EXPECT_TRUE(opens([](StepFigures &) {}));
    EXPECT_TRUE(opens([](StepFigures &row) { row.idle = kNoInt; }));
    EXPECT_FALSE(opens([](StepFigures &row) { row.idle = 901; }));
    EXPECT_FALSE(opens([](StepFigures &row) { row.exposed = -1; }));
    EXPECT_FALSE(opens([](StepFigures &row) { row.idleByCause[8] = INT64_MAX; }));
    EXPECT_FALSE(opens([](StepFigures &row) { row.start = INT64_MAX; }));
    EXPECT_FALSE(opens([](StepFigures &row) { row.duration = INT64_MAX; }));
    EXPECT_FALSE(opens([](StepFigures &row) { row.deviceEnd = INT64_MIN + 1; }));
}

TEST_F(RankStores, StoresOfTracesAreNoneOfRanks)
{
    write();
    std::filesystem::copy_file(storePath(), m_stores.storePath(m_path));
    EXPECT_FALSE(m_stores.open({m_path, {}}, identity()));
    EXPECT_FALSE(std::filesystem::exists(m_stores.storePath(m_path)));
    EXPECT_TRUE(openStoredRank(m_stores, m_path, identity())) << "the one of the rank stays";
}

TEST_F(RankStores, WithoutAFolderAreAnError)
{
    const StoreFolder impossible(m_path + "/stores");
    EXPECT_FALSE(storeRank(impossible, m_facts, m_path, identity(), {}));
    EXPECT_FALSE(openStoredRank(impossible, m_path, identity()));
}

TEST_F(RankStores, AreReadWhileOthersWriteThem)
{
    write();
    std::vector<std::thread> writers;
    std::atomic<int> failed{0};
    for (int writer = 0; writer < 3; ++writer)
        writers.emplace_back([&] {
            for (int round = 0; round < 10; ++round)
                failed += !storeRank(m_stores, m_facts, m_path, identity(), {});
        });
    for (int round = 0; round < 50; ++round) {
        const auto stored = openStoredRank(m_stores, m_path, identity());
        ASSERT_TRUE(stored) << stored.error().text();
        ASSERT_TRUE(sameFacts(**stored, m_facts));
    }
    for (std::thread &writer : writers)
        writer.join();
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_stores.folder()), {}), 1);
}

/// The order in which stores are evicted.
class EvictedStores : public testing::Test {
protected:
    /// Makes a store of this size that was last used at `usedAt`, in seconds.
    void make(const std::string &source, Contents contents, size_t bytes, time_t usedAt)
    {
        const std::string path = stores().storePath(source, contents);
        std::filesystem::create_directories(stores().folder());
        test::writeFile(path, std::string(bytes, 'x'));
        const timespec times[2] = {{usedAt, 0}, {usedAt, 0}};
        ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    }
    StoreFolder stores(uint64_t limit = StoreFolder::kDefaultLimit) const
    {
        return StoreFolder(m_folder.file("stores"), limit);
    }
    /// Which of the stores there are: "aA" is a's store of the rank (small) and of the trace (capital).
    std::string left() const
    {
        std::string names;
        for (const char *source : {"a", "b"})
            for (const Contents contents : {Contents::Rank, Contents::File})
                if (std::filesystem::exists(stores().storePath(source, contents)))
                    names += static_cast<char>(contents == Contents::Rank ? *source : *source - 'a' + 'A');
        return names;
    }

    test::TemporaryFolder m_folder;
};

TEST_F(EvictedStores, ASmallOneNeverGoesBeforeItsLargeOne)
{
    make("a", Contents::Rank, 10, 1'000); // the oldest of all
    make("a", Contents::File, 1'000, 4'000);
    make("b", Contents::Rank, 10, 2'000);
    make("b", Contents::File, 1'000, 3'000);
    stores(2'020).tidy();
    EXPECT_EQ(left(), "aAbB") << "all fit";
    stores(2'019).tidy();
    EXPECT_EQ(left(), "aAb");
    stores(1'015).tidy();
    EXPECT_EQ(left(), "aA") << "b's store is gone, so its facts are judged by their own use";
    stores(900).tidy();
    EXPECT_EQ(left(), "a");
    stores(5).tidy();
    EXPECT_EQ(left(), "");
}

TEST_F(EvictedStores, SmallOnesAreCountedAndGoByTheirOwnUse)
{
    make("a", Contents::Rank, 600, 5'000);
    make("b", Contents::Rank, 600, 4'000);
    stores(700).tidy();
    EXPECT_EQ(left(), "a");
    make("b", Contents::File, 600, 6'000);
    stores(700).tidy();
    EXPECT_EQ(left(), "B");
}

TEST_F(EvictedStores, WhatWasJustStoredSparesTheOtherStoreOfItsFile)
{
    make("a", Contents::File, 1'000, 1'000);
    make("a", Contents::Rank, 10, 9'000);
    make("b", Contents::File, 1'000, 8'000);
    stores(1'500).tidy(stores().storePath("a", Contents::Rank));
    EXPECT_EQ(left(), "aA");
}

} // namespace
} // namespace riffle
