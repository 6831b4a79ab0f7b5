// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_device_figures.h"
#include "model/analysis/memory/snapshot_checks.h"
#include "tests/model/analysis/memory/training_snapshot.h"

#include <gtest/gtest.h>

namespace riffle {

namespace {

using test::SmallSnapshot;

std::shared_ptr<const SnapshotFacts> shared(MemorySnapshot snapshot)
{
    return std::make_shared<const SnapshotFacts>(test::sharedSnapshot(std::move(snapshot)));
}

/// Two devices in one segment each. The first has its peak of 6000 bytes with a hole before and behind the block.
MemorySnapshot twoDevices()
{
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 4096, 6000);
    small.add(MemoryAction::OutOfMemory, 0, 1 << 20);
    small.add(MemoryAction::FreeRequested, 4096, 6000);
    small.add(MemoryAction::FreeCompleted, 4096, 6000);
    small.nextDevice();
    small.add(MemoryAction::Alloc, 512, 300);
    small.segment(0, 1 << 20, {});
    small.segment(1, 1 << 20, {SmallSnapshot::block(512, 300)});
    return small.take();
}

CheckOutcome outcome(const char *text, const std::vector<std::shared_ptr<const SnapshotFacts>> &snapshots,
                     SnapshotChecks::Devices devices = {})
{
    SnapshotChecks checks({*parseCheck(text)}, devices);
    for (const auto &facts : snapshots)
        EXPECT_TRUE(checks.add(*facts));
    return checks.outcomes().at(0);
}

std::string errorOf(const char *text)
{
    const Check check = *parseCheck(text);
    const Result<void> known = SnapshotChecks::areFigures(std::span(&check, 1));
    return known ? "" : known.error().text();
}

TEST(SnapshotChecks, TheWorstDeviceCounts)
{
    const auto facts = shared(twoDevices());
    EXPECT_EQ(outcome("memory.peak<=6000B", {facts}).value, "5.86\u00a0KiB on device 0");
    EXPECT_TRUE(outcome("memory.peak<=6000B", {facts}).holds);
    EXPECT_FALSE(outcome("memory.peak<6000B", {facts}).holds);
    EXPECT_EQ(outcome("memory.peak>=301", {facts}).value, "300 on device 1");
    EXPECT_FALSE(outcome("memory.peak>=301", {facts}).holds);
    EXPECT_EQ(outcome("memory.peak==6000", {facts}).value, "300 on device 1");
    EXPECT_EQ(outcome("memory.peak<=301", {facts}, {.number = 1}).value, "300");
    EXPECT_EQ(outcome("memory.oom==0", {facts}).value, "1 on device 0");
    EXPECT_EQ(outcome("memory.growth<=0B", {facts}).value, "300\u00a0B on device 1");
    EXPECT_EQ(outcome("memory.growth>=-1KiB", {facts}).value, "0\u00a0B on device 0");
}

TEST(SnapshotChecks, GrowthCanBeNegative)
{
    SmallSnapshot small; // 6000 bytes from before the history are freed
    small.add(MemoryAction::FreeRequested, 4096, 6000);
    small.add(MemoryAction::FreeCompleted, 4096, 6000);
    small.segment(0, 1 << 20, {});
    const auto facts = shared(small.take());
    EXPECT_TRUE(outcome("memory.growth<=-6000B", {facts}).holds);
    EXPECT_FALSE(outcome("memory.growth<=-6001B", {facts}).holds);
    EXPECT_EQ(outcome("memory.growth<=-5KB", {facts}).value, "\u22125.86\u00a0KiB");
}

TEST(SnapshotChecks, SeveralSnapshotsAreNamed)
{
    MemorySnapshot other = twoDevices();
    other.path = "rank1.pickle";
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 512, 7);
    small.segment(0, 1 << 20, {SmallSnapshot::block(512, 7)});
    EXPECT_EQ(outcome("memory.peak<=1GB", {shared(small.take()), shared(std::move(other))}).value,
              "5.86\u00a0KiB on device 0 of rank1.pickle");
    SmallSnapshot state;
    state.segment(0, 1 << 20, {});
    MemorySnapshot without = state.take(), nothing = SmallSnapshot().take();
    without.path = "rank2.pickle";
    nothing.path = "rank3.pickle";
    EXPECT_TRUE(outcome("memory.peak<=1GB", {shared(twoDevices()), shared(std::move(without))})
                    .value.starts_with("not recorded on device 0 of rank2.pickle: The history is empty. "));
    EXPECT_EQ(outcome("memory.peak<=1GB", {shared(twoDevices()), shared(std::move(nothing))}).value,
              "not recorded in rank3.pickle: The snapshot contains no segments and no history.");
}

TEST(SnapshotChecks, IdleDevicesDoNotCountWhereOthersHoldMemory)
{
    SmallSnapshot small;
    small.strings({""});
    small.add(MemoryAction::Alloc, 4096, 6000);
    small.nextDevice();
    small.add(MemoryAction::OutOfMemory, 0, 1 << 20);
    small.segment(0, 1 << 20, {SmallSnapshot::block(4096, 6000)});
    const auto facts = shared(small.take());
    for (const char *figure : {"memory.unknown", "memory.inferred", "memory.fragmentation"}) {
        const std::string check = std::string(figure) + "<=100%";
        const CheckOutcome both = outcome(check.c_str(), {facts});
        EXPECT_TRUE(both.holds) << check;
        EXPECT_TRUE(both.value.ends_with(" on device 0")) << both.value;
        const CheckOutcome idle = outcome(check.c_str(), {facts}, {.number = 1});
        EXPECT_FALSE(idle.holds) << check;
        EXPECT_TRUE(idle.value.starts_with("not recorded: ")) << idle.value;
    }
    EXPECT_EQ(outcome("memory.free==1042432", {facts}).value, "1,042,432 on device 0"); // 1 MiB without 6144 bytes
    EXPECT_EQ(outcome("memory.free<=1GB", {facts}, {.number = 1}).value,
              "not recorded: No segments are recorded at the peak.");
}

TEST(SnapshotChecks, WhatIsNotRecordedIsNotJudged)
{
    SmallSnapshot state;
    state.segment(0, 1 << 20, {SmallSnapshot::block(512, 300)});
    const auto facts = shared(state.take());
    for (const SnapshotFigure &figure : snapshotFigures()) {
        const bool ofEnd = std::string_view(figure.name).starts_with("memory.end");
        const std::string check = std::string(figure.name) + (figure.unit == Check::Unit::Share ? "<=100%" : "<=1e12");
        const CheckOutcome judged = outcome(check.c_str(), {facts});
        EXPECT_EQ(judged.holds, ofEnd) << figure.name;
        EXPECT_EQ(judged.value.starts_with("not recorded: The history is empty."), !ofEnd) << judged.value;
    }
    // One snapshot without a history spoils the answer for all of them.
    EXPECT_FALSE(outcome("memory.peak<=1GB", {shared(twoDevices()), facts}).holds);
    EXPECT_FALSE(outcome("memory.peak<=1GB", {shared(SmallSnapshot().take())}).holds);
}

TEST(SnapshotChecks, ACutOffFileTellsNoFigures)
{
    // The second device has no events here: its history may be behind the cut.
    MemorySnapshot cut = twoDevices();
    cut.devices.pop_back();
    cut.whole = false;
    const auto facts = shared(std::move(cut));
    for (const SnapshotFigure &figure : snapshotFigures())
        for (const int device : {0, 1}) {
            const std::string check =
                std::string(figure.name) + (figure.unit == Check::Unit::Share ? "<=100%" : "<=1e12");
            const CheckOutcome judged = outcome(check.c_str(), {facts}, {.number = device});
            EXPECT_FALSE(judged.holds) << check;
            EXPECT_EQ(judged.value, "not recorded: The file is cut off, so this figure is not known.") << check;
        }
}

TEST(SnapshotChecks, HolesAreThoseAtThePeak)
{
    // The block of 6000 bytes is rounded up to 6144 and starts at 4096 in a segment of 1 MiB that starts at 0.
    const auto facts = shared(twoDevices());
    MemoryDeviceFigures figures(*facts);
    EXPECT_EQ(figures.of(0, "memory.free").number, double((1 << 20) - 6144));
    EXPECT_NEAR(*figures.of(0, "memory.fragmentation").number, 4096.0 / ((1 << 20) - 6144), 1e-12);
}

TEST(SnapshotChecks, SharesAreThoseOfTheCategories)
{
    const auto facts = shared(test::TrainingSnapshot({.lateHistory = true}).take());
    const MemoryCategories categories(*facts, MemoryRules::builtIn());
    const DeviceReplay &device = facts->replay().devices.at(0);
    int64_t unknown = 0, inferred = 0;
    for (uint32_t row = 0; row < device.allocations.count(); ++row)
        if (facts->alive(0).isAlive(row, device.peakAllocatedEvent)) {
            const auto &verdict = categories.verdicts()[categories.verdict(0, row)];
            unknown += verdict.unknown ? device.allocations.size(facts->snapshot(), row) : 0;
            inferred += verdict.inferred ? device.allocations.size(facts->snapshot(), row) : 0;
        }
    const auto active = static_cast<double>(facts->alive(0).level(device.peakAllocatedEvent).active);
    MemoryDeviceFigures figures(*facts);
    EXPECT_GT(inferred, 0);
    EXPECT_DOUBLE_EQ(*figures.of(0, "memory.unknown").number, static_cast<double>(unknown) / active);
    EXPECT_DOUBLE_EQ(*figures.of(0, "memory.inferred").number, static_cast<double>(inferred) / active);
}

TEST(SnapshotChecks, FiguresAndUnitsAreNamed)
{
    EXPECT_TRUE(
        errorOf("idle<=10%").starts_with("'idle': Snapshots have no such figure. Their figures are memory.peak, "));
    EXPECT_EQ(errorOf("memory.peak<=10%"), "'memory.peak': The figure is not a share (10%).");
    EXPECT_EQ(errorOf("memory.peak<=10ms"), "'memory.peak': The figure is not a time (250ms).");
    EXPECT_EQ(errorOf("memory.oom<=1GB"), "'memory.oom': The figure is not a size (10GiB).");
    EXPECT_EQ(errorOf("memory.unknown<=0.5"), "'memory.unknown': The figure is not a plain number.");
    EXPECT_EQ(errorOf("memory.peak<=1.5GiB"), "");
    EXPECT_EQ(parseCheck("memory.peak<=1.5 GiB")->limit, 1.5 * (1 << 30));
    EXPECT_EQ(parseCheck("memory.growth<=-1.5 KiB")->limit, -1536);
    EXPECT_FALSE(parseCheck("memory.growth<=--1KiB"));
    EXPECT_FALSE(parseCheck("memory.peak<=1XB"));
}

} // namespace

} // namespace riffle
