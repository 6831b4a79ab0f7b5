// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace riffle::test {

/// A memory snapshot of a simulated training job: an allocator of segments and blocks works through steps, and a ring
/// buffer keeps the end of its history.
struct SnapshotOptions {
    uint64_t entries = 100'000; ///< of the history
    int protocol = 4;
    uint64_t seed = 1;
    uint32_t stacks = 2000; ///< the number of distinct ones; entries share them
    uint32_t ownLists = 50; ///< one in this many entries has its own list of frames, as in short runs; 0 means none
    bool annotated = false; ///< compile context and user metadata with each entry
};

/// The facts that the generator knows about the snapshot.
struct SnapshotTruth {
    uint64_t allocs = 0, requests = 0, completions = 0, segmentAllocs = 0;
    uint64_t unknownFrees = 0; ///< freed blocks whose allocation the ring buffer lost
    int64_t peak = 0;          ///< of the bytes requested and not back in the pool, over the kept entries
    int64_t atEnd = 0;
    int64_t reserved = 0; ///< at the end
};

SnapshotTruth generateSnapshot(const SnapshotOptions &options, const std::function<void(std::string_view)> &drain);

} // namespace riffle::test
