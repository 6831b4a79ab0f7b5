// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/segment_history.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// A number of bytes for a table cell. Numbers beyond a cell's range, which damaged files can contain, are clamped.
inline int64_t bytesOf(uint64_t bytes) { return static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX)); }

/// The memory of a device, a stream, a pool or a segment at one instant, in bytes. Sums wrap if a damaged file has
/// impossible sizes.
struct AllocatorFigures {
    __extension__ typedef unsigned __int128 Square;

    uint64_t reserved = 0;  ///< all segments; for expandable ones, the mapped part
    uint64_t allocated = 0; ///< requested by the program and not freed
    uint64_t pending = 0;   ///< requested and freed, but still waiting for other streams
    uint64_t inBlocks = 0;  ///< the sizes of the blocks of both; reserved is the sum of inBlocks and free
    uint64_t free = 0;      ///< in segments, between blocks
    uint64_t largestFree = 0;
    Square freeSquares = 0; ///< the sum of the squared hole sizes; exact, so the order of the holes does not matter
    uint32_t segments = 0, blocks = 0, pendingBlocks = 0, holes = 0;
    uint32_t guessedBlocks = 0; ///< blocks without a recorded size, which follows from the allocator's rules

    uint64_t active() const { return allocated + pending; }
    /// The bytes in blocks beyond the requested ones.
    uint64_t rounding() const { return inBlocks > active() ? inBlocks - active() : 0; }
    /// 1 − largest hole / all holes; 0 if nothing is free.
    double fragmentation() const;
    /// Σ hole² / (Σ segment)², as in memory_viz; 0 if there is no segment.
    double squaredFragmentation() const;
    void add(const AllocatorFigures &other);
    bool operator==(const AllocatorFigures &) const = default;
};

/// A block or a hole of a segment.
struct AllocatorPiece {
    enum class State : uint8_t { Active, Pending, Free };
    static constexpr uint32_t kNone = UINT32_MAX;

    uint64_t address = 0;
    uint64_t size = 0;
    uint64_t requested = 0;
    uint32_t allocation = kNone; ///< row of DeviceReplay::allocations; kNone for a hole
    uint32_t segment = kNone;    ///< row of AllocatorState::segments; kNone if no segment contains the address
    State state = State::Free;
    bool guessed = false; ///< true if the size was not recorded
};

struct AllocatorSegment {
    MappedRange range;
    uint32_t firstPiece = 0, pieces = 0;
    AllocatorFigures figures;
};

/// The segments, blocks and holes of a device after an event.
struct AllocatorState {
    uint32_t event = MemoryAllocations::kNone;
    std::vector<AllocatorSegment> segments; ///< in order of address
    std::vector<AllocatorPiece> pieces;     ///< in order of segment and address; blocks outside all segments last
    AllocatorFigures figures;               ///< the sum over all segments
    uint32_t outsideBlocks = 0;             ///< blocks outside all segments, which do not count in `figures`
    uint64_t outsideBytes = 0;              ///< the requested bytes of the outside blocks
    uint32_t overlappingBlocks = 0;         ///< blocks that start inside another; the shared part counts once
    uint32_t crossingBlocks = 0;            ///< blocks that extend beyond their segment; the part beyond does not count

    std::span<const AllocatorPiece> piecesOf(const AllocatorSegment &segment) const
    {
        assert(segment.firstPiece <= pieces.size() && segment.pieces <= pieces.size() - segment.firstPiece);
        return std::span(pieces).subspan(segment.firstPiece, segment.pieces);
    }
    /// The block or hole at an address; null if there is none.
    const AllocatorPiece *at(uint64_t address) const;
};

/// The sums over the segments per stream, in order of stream.
std::vector<std::pair<int64_t, AllocatorFigures>> figuresByStream(const AllocatorState &state);
/// The sums over the segments per pool (row of MemorySnapshot::pools), in order of pool.
std::vector<std::pair<uint32_t, AllocatorFigures>> figuresByPool(const AllocatorState &state);

} // namespace riffle
