// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_snapshot.h"

#include <array>
#include <cstdint>

namespace riffle {

/// The sizes by which PyTorch's caching allocator turns a request into a block, and the settings that change them.
struct BlockRounding {
    static constexpr uint64_t kBlock = 512;            ///< blocks have a multiple of this size
    static constexpr uint64_t kLargestSmall = 1 << 20; ///< larger blocks are in large segments
    static constexpr uint64_t kSmallSegment = 2 << 20;
    static constexpr uint64_t kLargeSegment = 20 << 20; ///< the least size of a large segment

    /// Bytes added to each request. The allocator for Ascend devices (torch_npu) adds 32. A file does not say so, but
    /// the sizes of its blocks show it.
    uint64_t padding = 0;
    uint64_t maxSplit = UINT64_MAX;       ///< max_split_size: requests of this size and more never split a block
    std::array<uint64_t, 16> divisions{}; ///< roundup_power2_divisions for sizes up to 1, 2, 4 … MiB; 0 and 1: off

    static BlockRounding of(const MemorySnapshot &snapshot);
    /// The size of the smallest block that serves a request.
    uint64_t rounded(uint64_t requested) const;
};

} // namespace riffle
