// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_replay.h"
#include "tests/model/ingest/cuda_snapshot/read_pickle.h"
#include "tests/support/snapshot_generator.h"

#include <stop_token>

using namespace riffle;
using namespace riffle::test;

namespace {

/// Reads a snapshot in pieces and stops the reading when half of it is read. Returns how many bytes were read after
/// that.
uint64_t readAfterStop(std::string_view bytes)
{
    std::stop_source stop;
    ChunkedSource source(bytes, 64 << 10);
    uint64_t stoppedAt = 0, last = 0;
    source.onRead = [&](uint64_t position) {
        if (stoppedAt == 0 && position > bytes.size() / 2) {
            stoppedAt = position;
            stop.request_stop();
        }
        last = position;
        return std::optional<Error>();
    };
    const auto read = readMemoryPickle(source, "snapshot", {stop.get_token()});
    EXPECT_FALSE(read);
    EXPECT_EQ(read ? ErrorKind::Unreadable : read.error().kind, ErrorKind::Cancelled);
    EXPECT_GT(stoppedAt, 0u);
    return last - stoppedAt;
}

} // namespace

TEST(GeneratedSnapshot, StopsSoonWhenItIsAskedTo)
{
    constexpr uint64_t kSoon = 4 << 20; // bytes, including what the window holds
    std::string bytes;
    SnapshotOptions options;
    options.entries = 300'000;
    generateSnapshot(options, [&](std::string_view piece) { bytes += piece; });
    ASSERT_GT(bytes.size(), 4 * kSoon);
    EXPECT_LT(readAfterStop(bytes), kSoon);
    // All entries are in one batch, as the C++ pickler writes them.
    const std::string one = historyPickle(2, [](PickleWriter &out) {
        for (uint64_t at = 0; at < 700'000; ++at) {
            beginEntry(out, at % 2 ? "free_completed" : "alloc", 0x7000 + at / 2 * 512, 512);
            out.setItems();
        }
    });
    ASSERT_GT(one.size(), 4 * kSoon);
    EXPECT_LT(readAfterStop(one), kSoon);
}

/// For every protocol, the snapshot is read and followed back as the generator made it.
TEST(GeneratedSnapshot, IsReadAsItWasMade)
{
    for (const int protocol : {2, 4, 5}) {
        std::string bytes;
        SnapshotOptions options;
        options.entries = 20'000;
        options.protocol = protocol;
        options.annotated = protocol == 5;
        const SnapshotTruth truth = generateSnapshot(options, [&](std::string_view piece) { bytes += piece; });
        const auto read = readPickle(bytes);
        ASSERT_TRUE(read) << read.error().text();
        ASSERT_FALSE((*read)->damage) << (*read)->damage->text();
        EXPECT_EQ((*read)->protocol, protocol);
        EXPECT_EQ((*read)->events.count(), options.entries);
        uint64_t allocs = 0, requests = 0, completions = 0, segments = 0;
        for (const MemoryAction action : (*read)->events.action) {
            allocs += action == MemoryAction::Alloc;
            requests += action == MemoryAction::FreeRequested;
            completions += action == MemoryAction::FreeCompleted;
            segments += action == MemoryAction::SegmentAlloc;
        }
        EXPECT_EQ(allocs, truth.allocs);
        EXPECT_EQ(requests, truth.requests);
        EXPECT_EQ(completions, truth.completions);
        EXPECT_EQ(segments, truth.segmentAllocs);
        EXPECT_EQ((*read)->events.compileContext.empty(), !options.annotated);
        const MemoryReplay replay = replayMemory(**read, {});
        ASSERT_EQ(replay.devices.size(), 1u);
        EXPECT_EQ(replay.devices[0].freedFromBefore, truth.unknownFrees);
        EXPECT_GT(truth.unknownFrees, 0u);
        EXPECT_EQ(replay.devices[0].peak.active, truth.peak);
        EXPECT_EQ(replay.devices[0].atEnd.active, truth.atEnd);
        EXPECT_EQ(replay.devices[0].atEnd.reserved, truth.reserved);
        EXPECT_EQ(replay.devices[0].unknownFrees.count + replay.devices[0].vanished.count +
                      replay.devices[0].otherSizes.count,
                  0u);
    }
}
