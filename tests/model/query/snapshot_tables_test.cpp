// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/query_table.h"
#include "tests/model/analysis/memory/training_snapshot.h"
#include "tests/model/query/asked.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace riffle {

namespace {

using test::Asked;
using test::SmallSnapshot;
using test::TrainingSnapshot;
using testing::ElementsAre;
using testing::IsEmpty;
using Rows = std::vector<std::string>;
using Snapshots = std::vector<std::shared_ptr<const SnapshotFacts>>;

std::shared_ptr<const SnapshotFacts> factsOf(MemorySnapshot snapshot)
{
    return std::make_shared<const SnapshotFacts>(test::sharedSnapshot(std::move(snapshot)));
}

std::shared_ptr<const SnapshotFacts> trainingFacts(bool late = false)
{
    return factsOf(TrainingSnapshot({.lateHistory = late}).take());
}

/// Two devices. On the first, A is there throughout, B is freed and C waits for another stream at the end.
std::shared_ptr<const SnapshotFacts> twoDevices()
{
    SmallSnapshot small;
    small.strings({""});
    small.add(MemoryAction::Alloc, 0xb00, 500);
    small.add(MemoryAction::Alloc, 0xc00, 70);
    small.add(MemoryAction::FreeRequested, 0xb00, 500);
    small.add(MemoryAction::FreeCompleted, 0xb00, 500);
    small.add(MemoryAction::FreeRequested, 0xc00, 70);
    small.nextDevice();
    small.add(MemoryAction::Alloc, 0xd00, 9);
    small.times({1000, 1010, 1020, 1030, 1040, 1005});
    small.segment(0, 4096, {SmallSnapshot::block(0xa00, 30), SmallSnapshot::block(0xc00, 70, BlockState::PendingFree)});
    small.segment(1, 8192, {SmallSnapshot::block(0xd00, 9)});
    return factsOf(small.take());
}

TEST(SnapshotTables, AllocationsHaveTheirEventsTimesAndStates)
{
    Asked ask(Snapshots{twoDevices()});
    EXPECT_THAT(ask("select id, device, address, size, block_size, begin_event, begin_ts, freed_event, freed_ts, "
                    "end_event, end_ts from allocations"),
                ElementsAre("0|0|0xa00|30|512||||||", "1|0|0xb00|500||0|0|2|20|3|30", "2|0|0xc00|70|512|1|10|4|40||",
                            "3|1|0xd00|9|512|0|5||||"));
    EXPECT_THAT(ask("select id, at_peak, at_end, segment_id from allocations"),
                ElementsAre("0|active_allocated|active_allocated|0", "1|active_allocated||",
                            "2|active_allocated|active_pending_free|0", "3|active_allocated|active_allocated|1"));
    EXPECT_THAT(ask("select a.id, e.event, e.action from allocations a join events e on e.allocation_id = a.id "
                    "where a.size = 500 order by e.id"),
                ElementsAre("1|0|alloc", "1|2|free_requested", "1|3|free_completed"));
    EXPECT_THAT(ask("select device, event, ts, unix_ns, action, address, size, allocation_id from events "
                    "where action like 'free%' or device = 1"),
                ElementsAre("0|2|20|1020|free_requested|0xb00|500|1", "0|3|30|1030|free_completed|0xb00|500|1",
                            "0|4|40|1040|free_requested|0xc00|70|2", "1|0|5|1005|alloc|0xd00|9|3"));
}

TEST(SnapshotTables, AllocationsWithoutAnEventOfTheirOwnNameAnother)
{
    SmallSnapshot gaps;
    gaps.strings({""});
    gaps.add(MemoryAction::Alloc, 0xa00, 100); // neither freed nor there at the end
    gaps.add(MemoryAction::FreeRequested, 0xb00, 20);
    gaps.add(MemoryAction::FreeCompleted, 0xb00, 20);
    gaps.add(MemoryAction::FreeRequested, 0xb00, 30); // its alloc is missing
    gaps.add(MemoryAction::FreeCompleted, 0xb00, 30);
    const std::string query = "select size, begin_event, freed_event, end_event, at_end from allocations";
    EXPECT_THAT(Asked(Snapshots{factsOf(gaps.take())})(query), ElementsAre("20||1|2|", "100|0||0|", "30|2|3|4|"));
    SmallSnapshot completed; // a recorder that records no requests
    completed.strings({""});
    completed.add(MemoryAction::Alloc, 0xa00, 100);
    completed.add(MemoryAction::FreeCompleted, 0xa00, 100);
    EXPECT_THAT(Asked(Snapshots{factsOf(completed.take())})(query), ElementsAre("100|0|1|1|"));
}

TEST(SnapshotTables, SumsAgreeWithTheReplay)
{
    for (const bool late : {false, true}) {
        const auto facts = trainingFacts(late);
        const DeviceReplay &device = facts->replay().devices.at(0);
        Asked ask(Snapshots{facts});
        EXPECT_EQ(ask("select sum(size) from allocations where at_peak = 'active_allocated'"),
                  Rows{std::to_string(device.peak.allocated)});
        EXPECT_EQ(ask("select sum(size) from allocations where at_end is not null"),
                  Rows{std::to_string(device.atEnd.active)});
        EXPECT_EQ(ask("select peak_allocated, end_active, peak_reserved, events, allocations from devices"),
                  Rows{std::to_string(device.peak.allocated) + "|" + std::to_string(device.atEnd.active) + "|" +
                       std::to_string(device.peak.reserved) + "|" + std::to_string(device.events) + "|" +
                       std::to_string(device.allocations.count())});
        EXPECT_EQ(ask("select count(*) from allocations"), Rows{std::to_string(device.allocations.count())});
        EXPECT_EQ(ask("select count(*) from events"), Rows{std::to_string(device.events)});
        EXPECT_EQ(ask("select sum(size) from blocks where state like 'active%'"),
                  Rows{std::to_string(device.blocks.active)});
        EXPECT_EQ(ask("select count(distinct id) from allocations a where (select count(*) from events e "
                      "where e.allocation_id = a.id) <> (begin_event is not null) + (freed_event is not null) + "
                      "(end_event is not null)"),
                  Rows{"0"});
    }
}

TEST(SnapshotTables, CategoriesSayHowTheyAreKnown)
{
    Asked ask(Snapshots{trainingFacts()});
    EXPECT_THAT(ask("select category, certainty, count(*) from allocations where category = 'optimizer_state' "
                    "group by category, certainty"),
                ElementsAre("optimizer_state|guessed|12"));
    Asked late(Snapshots{trainingFacts(true)});
    EXPECT_THAT(late("select distinct category, certainty from allocations where certainty = 'inferred' order by 1"),
                testing::Contains(testing::EndsWith("(inferred)|inferred")));
    EXPECT_THAT(late("select count(*) from allocations where (category = 'unknown') <> (certainty = 'unknown')"),
                ElementsAre("0"));
}

TEST(SnapshotTables, StacksAreTheFramesFromTheInside)
{
    Asked ask(Snapshots{trainingFacts()});
    EXPECT_THAT(ask("select depth, function, file, line from stacks where stack_id = (select stack_id from allocations "
                    "where category = 'input' limit 1)"),
                ElementsAre("0|at::_ops::_to_copy::call(int)|??|0", "1|at::_ops::to_device::call(int)|??|0",
                            "2|next_batch|/me/data.py|12", "3|train_step|/me/train.py|30", "4|main|/me/train.py|50",
                            "5|<module>|/me/train.py|99"));
    EXPECT_THAT(ask("select distinct place, caller from allocations where category = 'input'"),
                ElementsAre("next_batch /me/data.py:12|train_step /me/train.py:30"));
}

/// The bounds of these columns narrow a scan; with "+", SQLite checks every row itself.
TEST(SnapshotTables, AnswersAreThoseOfAFullScan)
{
    Asked ask(Snapshots{trainingFacts(), twoDevices()});
    for (const char *condition :
         {"@allocation_id = 5", "@allocation_id = 0", "@allocation_id = 1e9", "@allocation_id < 4",
          "@id between 7 and 11", "@snapshot = 1", "@allocation_id = 1 and @snapshot = 1"}) {
        std::string narrowed = "select snapshot, id, action from events where ";
        for (const char *at = condition; *at; ++at)
            narrowed += *at == '@' ? "" : std::string(1, *at);
        std::string whole = "select snapshot, id, action from events where ";
        for (const char *at = condition; *at; ++at)
            whole += *at == '@' ? '+' : *at;
        Rows fast = ask(narrowed), slow = ask(whole);
        std::sort(fast.begin(), fast.end());
        std::sort(slow.begin(), slow.end());
        EXPECT_EQ(fast, slow) << condition;
    }
    EXPECT_EQ(ask("select * from stacks where stack_id between 3 and 5"),
              ask("select * from stacks where +stack_id between 3 and 5"));
    for (const char *column : {"category", "place", "stream", "pool", "device", "snapshot", "at_peak", "segment_id"}) {
        const std::string by = column;
        EXPECT_EQ(ask("select " + by + ", count(*), sum(size) from allocations group by " + by),
                  ask("select " + by + ", count(*), sum(size) from allocations group by +" + by))
            << by;
    }
    EXPECT_EQ(ask("select snapshot, id from allocations order by size desc limit 20"),
              ask("select snapshot, id from allocations order by +size desc, snapshot, id limit 20"));
    EXPECT_THAT(ask("select snapshot, count(*) from events group by snapshot"),
                ElementsAre(testing::StartsWith("0|"), "1|6"));
}

TEST(SnapshotTables, EveryTableAnswersAndIsDescribed)
{
    Asked ask(Snapshots{trainingFacts()});
    const Rows tables = ask("select distinct table_name from columns");
    EXPECT_EQ(tables.size(), snapshotTables().size());
    for (const std::string &table : tables)
        EXPECT_TRUE(ask.describedTable(table).evidence.empty()) << table; // no row leads to a slice
    EXPECT_THAT(ask("select table_name, name from columns where meaning = '' or name = ''"), IsEmpty());
    EXPECT_EQ(ask.error("select * from slices"), "no such table: slices. The tables are allocations, events, segments, "
                                                 "blocks, stacks, marks, devices, columns.");
    EXPECT_FALSE(ask.error("delete from events").empty());
}

TEST(SnapshotTables, AnEmptySnapshotHasNoRows)
{
    Asked ask(Snapshots{factsOf(SmallSnapshot().take())});
    for (const std::string &table : ask("select distinct table_name from columns where table_name <> 'columns'"))
        EXPECT_THAT(ask("select * from " + table), IsEmpty()) << table;
    EXPECT_THAT(ask("select place, category, sum(size) from allocations group by place, category"), IsEmpty());
}

TEST(SnapshotTables, LimitsHold)
{
    Asked ask(Snapshots{trainingFacts()});
    const auto cut = ask.engine().run("select id from events", {.rows = 3}, {});
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->rows(), 3u);
    EXPECT_THAT(cut->notes, ElementsAre("There are more rows than the 3 shown."));
    const auto late = ask.engine().run("select count(*) from events a, events b, events c, events d",
                                       {.time = std::chrono::milliseconds(20)}, {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().text(), "The query took longer than the time limit.");
}

} // namespace

} // namespace riffle
