// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace riffle::test {

/// A memory snapshot of a training job that never was: an allocator of segments and blocks works through steps, and a
/// ring buffer keeps the end of what it did.
struct SnapshotOptions {
    uint64_t entries = 100'000; ///< of the history
    int protocol = 4;
    uint64_t seed = 1;
    uint32_t stacks = 2000; ///< different ones; entries share them
    uint32_t ownLists = 50; ///< one in so many entries has a list of frames of its own, as short runs have; 0: none
    bool annotated = false; ///< compile context and user metadata with each entry
};

/// What the generator knows of it.
struct SnapshotTruth {
    uint64_t allocs = 0, requests = 0, completions = 0, segmentAllocs = 0;
    uint64_t unknownFrees = 0; ///< blocks freed whose beginning the ring buffer lost
    int64_t peak = 0;          ///< bytes requested and not back in the pool, over the entries kept
    int64_t atEnd = 0;
    int64_t reserved = 0; ///< at the end
};

SnapshotTruth generateSnapshot(const SnapshotOptions &options, const std::function<void(std::string_view)> &drain);

} // namespace riffle::test
