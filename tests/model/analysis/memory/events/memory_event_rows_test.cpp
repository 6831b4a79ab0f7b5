// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/events/memory_event_rows.h"

#include "model/analysis/table/table_text.h"
#include "tests/model/analysis/memory/small_snapshot.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(MemoryEventRows, SayWhatHappenedInTheOrderOfTheHistory)
{
    test::SmallSnapshot made;
    made.add(MemoryAction::Alloc, 0x7f0000, 512);
    made.add(MemoryAction::OutOfMemory, 4096, 1 << 20); // asked for 1 MiB while 4 KiB were free
    made.nextDevice();
    made.add(MemoryAction::Alloc, 0x800000, 100);
    made.add(MemoryAction::FreeRequested, 0x800000, 100);
    made.add(MemoryAction::FreeCompleted, 0x800000, 100);
    made.times({1000, 1500, 2000, MemoryEventTable::kNoTime, 2750});
    const SnapshotFacts facts(test::sharedSnapshot(made.take()));
    const uint32_t all[] = {0, 1}, some[] = {3, 4}, rows[] = {0, 1};
    EXPECT_EQ(
        tableCsv(memoryEventRows(facts, 0, all), rows),
        "event,time_ns,action,address,size,device_free,stream,pool,device,place,metadata,category,compile_context\n"
        "0,0,alloc,0x7f0000,512,,default stream,,device 0,,,,\n"
        "1,500,oom,,1048576,4096,default stream,,device 0,,,,\n");
    EXPECT_EQ(
        tableCsv(memoryEventRows(facts, 1, some), rows),
        "event,time_ns,action,address,size,device_free,stream,pool,device,place,metadata,category,compile_context\n"
        "1,,free_requested,0x800000,100,,default stream,,device 1,,,,\n"
        "2,750,free_completed,0x800000,100,,default stream,,device 1,,,,\n");
}

} // namespace
} // namespace riffle
