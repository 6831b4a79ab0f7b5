// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <riffle/wire.h>

#include <cassert>
#include <cstdint>

namespace riffle {

/// The address of a row in a log: the number of its file, the chunk in that file, and the row in that chunk. Addresses
/// order the rows of a log and stay the same when older files are deleted.
struct LogAddress {
    static constexpr unsigned kRowBits = 23, kChunkBits = 21, kFileBits = 19;
    static_assert(kRowBits + kChunkBits + kFileBits == 63); // so that SQL, whose numbers are signed, can have them
    /// A row takes at least one byte of its chunk's payload.
    static_assert(uint64_t{1} << kRowBits >= wire::kMaxChunkBytes);
    static constexpr uint32_t kMaxFile = (1u << kFileBits) - 1;
    /// The most chunks of a file that have addresses; a file of the largest size has fewer. There is one address behind
    /// them.
    static constexpr uint32_t kMaxChunks = (1u << kChunkBits) - 1;
    static_assert(kMaxChunks > wire::kMaxFileBytes / sizeof(wire::ChunkHeader));

    uint32_t file = 0; ///< FileHeader::sequence
    uint32_t chunk = 0;
    uint32_t row = 0;

    static LogAddress of(uint64_t bits)
    {
        return {static_cast<uint32_t>(bits >> (kChunkBits + kRowBits)),
                static_cast<uint32_t>(bits >> kRowBits) & ((1u << kChunkBits) - 1),
                static_cast<uint32_t>(bits) & ((1u << kRowBits) - 1)};
    }
    uint64_t bits() const
    {
        assert(file <= kMaxFile && chunk <= kMaxChunks && row < 1u << kRowBits);
        return (uint64_t{file} << kChunkBits | chunk) << kRowBits | row;
    }
};

} // namespace riffle
