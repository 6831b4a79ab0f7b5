// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/stored_snapshot.h"

#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_text.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "model/trace/memory/snapshot_bounds.h"
#include "tests/support/snapshot_difference.h"
#include "tests/support/snapshot_generator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <stop_token>
#include <thread>

using namespace riffle;
namespace fs = std::filesystem;

namespace {

/// A generated snapshot in its own folder, with a folder for stores.
class StoredSnapshots : public testing::Test {
protected:
    void SetUp() override
    {
        const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
        m_folder = fs::path(testing::TempDir()) / (std::string("riffle-") + info->name());
        fs::remove_all(m_folder);
        fs::create_directories(m_folder);
        m_path = (m_folder / "snapshot.pickle").string();
        std::ofstream out(m_path, std::ios::binary);
        test::SnapshotOptions options;
        options.entries = 30'000;
        options.annotated = true;
        test::generateSnapshot(options, [&](std::string_view bytes) {
            out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        });
    }
    void TearDown() override { fs::remove_all(m_folder); }

    StoreFolder stores() const { return StoreFolder((m_folder / "stores").string()); }
    SourceIdentity identity() const { return *SourceIdentity::of(m_path); }
    std::shared_ptr<const SnapshotFacts> read() const
    {
        return std::make_shared<const SnapshotFacts>(*readMemorySnapshot(m_path, {}, {}));
    }

    fs::path m_folder;
    std::string m_path;
};

std::string tables(const SnapshotFacts &facts)
{
    std::string all;
    for (const ResultTable &table :
         {memoryDevices(facts.snapshot(), facts.replay()), memoryActions(facts.snapshot(), facts.replay())}) {
        std::vector<uint32_t> rows(table.rows());
        std::iota(rows.begin(), rows.end(), 0u);
        all += tableCsv(table, rows);
    }
    return all;
}

} // namespace

TEST_F(StoredSnapshots, ComeBackAsTheyWereWithTheirReplay)
{
    const auto facts = read();
    const auto written = storeSnapshot(stores(), *facts, identity(), {});
    ASSERT_TRUE(written) << written.error().text();
    const auto stored = openStoredSnapshot(stores(), m_path, identity(), {});
    ASSERT_TRUE(stored) << stored.error().text();
    EXPECT_EQ(test::snapshotDifference(facts->snapshot(), (*stored)->snapshot()), "");
    EXPECT_EQ((*stored)->snapshot().path, m_path);
    EXPECT_EQ((*stored)->snapshot().settings, facts->snapshot().settings);
    EXPECT_EQ((*stored)->snapshot().container, facts->snapshot().container);
    EXPECT_EQ(tables(**stored), tables(*facts));
    const DeviceReplay &before = facts->replay().devices.at(0), &after = (*stored)->replay().devices.at(0);
    EXPECT_EQ(after.allocations.begin, before.allocations.begin);
    EXPECT_EQ(after.allocations.freed, before.allocations.freed);
    EXPECT_EQ(after.allocations.end, before.allocations.end);
    EXPECT_EQ(after.allocations.block, before.allocations.block);
    EXPECT_EQ(after.checkpoints, before.checkpoints);
    EXPECT_EQ(after.corrections.size(), before.corrections.size());
    for (uint32_t event = 0; event < before.events; event += 997)
        EXPECT_EQ(after.levelAfter((*stored)->snapshot(), event), before.levelAfter(facts->snapshot(), event));
}

TEST_F(StoredSnapshots, AreDroppedWhenTheFileChanged)
{
    ASSERT_TRUE(storeSnapshot(stores(), *read(), identity(), {}));
    std::ofstream(m_path, std::ios::binary | std::ios::app) << "more";
    const auto stored = openStoredSnapshot(stores(), m_path, identity(), {});
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().kind, ErrorKind::Changed);
    EXPECT_FALSE(fs::exists(stores().storePath(m_path)));
}

TEST_F(StoredSnapshots, AFileThatChangesWhileItIsReadIsNotStored)
{
    const auto facts = read();
    const SourceIdentity before = identity();
    std::ofstream(m_path, std::ios::binary | std::ios::app) << "more";
    EXPECT_FALSE(storeSnapshot(stores(), *facts, before, {}));
    EXPECT_FALSE(fs::exists(stores().storePath(m_path)));
}

/// The writing is stopped at various points.
TEST_F(StoredSnapshots, AStoreWhoseWritingIsStoppedLeavesNothingBehind)
{
    std::ofstream out(m_path, std::ios::binary);
    test::SnapshotOptions options;
    options.entries = 300'000;
    test::generateSnapshot(
        options, [&](std::string_view bytes) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
    out.close();
    const auto facts = read();
    const auto files = [&] {
        return fs::exists(stores().folder()) ? std::distance(fs::directory_iterator(stores().folder()), {}) : 0;
    };
    size_t stopped = 0;
    for (int round = 0; round < 30; ++round) {
        std::stop_source stop;
        std::atomic<bool> isOver{false};
        if (round == 0)
            stop.request_stop();
        // Stops as soon as the file exists, and a little later in each round.
        std::thread watcher([&] {
            while (!isOver && files() == 0) {
            }
            std::this_thread::sleep_for(std::chrono::microseconds(300 * round));
            stop.request_stop();
        });
        const auto written = storeSnapshot(stores(), *facts, identity(), {stop.get_token()});
        isOver = true;
        watcher.join();
        if (written) {
            const auto stored = openStoredSnapshot(stores(), m_path, identity(), {});
            ASSERT_TRUE(stored) << "a store that was written completely is good";
            EXPECT_EQ((*stored)->snapshot().events.count(), 300'000u);
            stores().remove(m_path);
        } else {
            ++stopped;
            EXPECT_EQ(written.error().kind, ErrorKind::Cancelled);
        }
        EXPECT_EQ(files(), 0) << "round " << round;
    }
    EXPECT_GT(stopped, 0u);
    RecordProperty("stopped", static_cast<int>(stopped));
}

TEST_F(StoredSnapshots, OneWhoseOpeningIsStoppedStays)
{
    ASSERT_TRUE(storeSnapshot(stores(), *read(), identity(), {}));
    std::stop_source stop;
    stop.request_stop();
    const auto stored = openStoredSnapshot(stores(), m_path, identity(), {stop.get_token()});
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().kind, ErrorKind::Cancelled);
    EXPECT_TRUE(openStoredSnapshot(stores(), m_path, identity(), {}));
}

TEST_F(StoredSnapshots, NoDamagedByteIsTrusted)
{
    ASSERT_TRUE(storeSnapshot(stores(), *read(), identity(), {}));
    const std::string path = stores().storePath(m_path);
    std::ifstream in(path, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    in.close();
    std::mt19937_64 random(1);
    const auto refused = [&](const std::string &bytes) {
        std::ofstream(path, std::ios::binary | std::ios::trunc)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        const bool opened = static_cast<bool>(openStoredSnapshot(stores(), m_path, identity(), {}));
        return !opened && !fs::exists(path);
    };
    const auto facts = read();
    size_t harmless = 0;
    for (int round = 0; round < 60; ++round) {
        std::string bytes = whole;
        const size_t at = round < 20   ? random() % 88
                          : round < 40 ? bytes.size() - 1 - random() % 400
                                       : 4096 + random() % (bytes.size() - 4096);
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        if (refused(bytes))
            continue;
        ++harmless; // between two columns, where there is no data
        const auto stored = openStoredSnapshot(stores(), m_path, identity(), {});
        ASSERT_TRUE(stored) << at;
        ASSERT_EQ(test::snapshotDifference(facts->snapshot(), (*stored)->snapshot()), "") << at;
    }
    EXPECT_LT(harmless, 5u);
    for (const size_t length : {size_t(0), size_t(50), size_t(88), size_t(5000), whole.size() / 2, whole.size() - 1})
        EXPECT_TRUE(refused(whole.substr(0, length))) << length;
    EXPECT_FALSE(refused(whole)) << "the test must be able to see the damage";
}

TEST_F(StoredSnapshots, RowsThatDoNotExistAreFound)
{
    const auto changed = [](auto change) {
        MemorySnapshot snapshot;
        const auto owner = std::make_shared<std::vector<uint32_t>>(std::vector<uint32_t>{0, 0});
        snapshot.stacks.begin = Column<uint32_t>(owner, owner->data(), owner->size());
        snapshot.devices.push_back({0, false, 0, 0});
        snapshot.segments.emplace_back();
        snapshot.pools = {{0, 0}};
        change(snapshot);
        return isWithinBounds(snapshot);
    };
    EXPECT_TRUE(changed([](MemorySnapshot &) {}));
    EXPECT_FALSE(changed([](MemorySnapshot &snapshot) { snapshot.devices[0].count = 1; }));
    EXPECT_FALSE(changed([](MemorySnapshot &snapshot) { snapshot.segments[0].blocks = 1; }));
    EXPECT_FALSE(changed([](MemorySnapshot &snapshot) { snapshot.segments[0].stack = 1; }));
    EXPECT_FALSE(changed([](MemorySnapshot &snapshot) { snapshot.segments[0].pool = 1; }));
    EXPECT_FALSE(changed([](MemorySnapshot &snapshot) { snapshot.stacks.begin = {}; }));
    EXPECT_TRUE(isWithinBounds(read()->snapshot()));
}
