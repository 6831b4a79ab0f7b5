// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/segment_history.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// A number of bytes as a cell of a table; damaged files hold numbers beyond its range.
inline int64_t bytesOf(uint64_t bytes) { return static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX)); }

/// Bytes of a device, a stream, a pool or a segment at one instant. Sums wrap where a damaged file has impossible
/// sizes.
struct AllocatorFigures {
    uint64_t reserved = 0;  ///< all segments, of expandable ones what is mapped
    uint64_t allocated = 0; ///< as requested by the program, not given back
    uint64_t pending = 0;   ///< as requested, given back, but waiting for other streams
    uint64_t inBlocks = 0;  ///< of both, what their blocks cover: reserved is this and what is free
    uint64_t free = 0;      ///< in segments, between blocks
    uint64_t largestFree = 0;
    double freeSquares = 0; ///< sum of the holes' squared sizes
    uint32_t segments = 0, blocks = 0, pendingBlocks = 0, holes = 0;
    uint32_t guessedBlocks = 0; ///< whose size is not recorded: what was requested, rounded up

    uint64_t active() const { return allocated + pending; }
    /// Of the blocks, what nobody asked for.
    uint64_t rounding() const { return inBlocks > active() ? inBlocks - active() : 0; }
    /// 1 − largest hole / all holes; 0 where nothing is free.
    double fragmentation() const;
    /// Σ hole² / (Σ segment)², as memory_viz; 0 where there is no segment.
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
    uint32_t allocation = kNone; ///< row of DeviceReplay::allocations; of a hole: none
    uint32_t segment = kNone;    ///< row of AllocatorState::segments; none: its address is in no segment
    State state = State::Free;
    bool guessed = false; ///< the size is not recorded
};

struct AllocatorSegment {
    MappedRange range;
    uint32_t firstPiece = 0, pieces = 0;
    AllocatorFigures figures;
};

/// Segments, blocks and holes of a device after an event.
struct AllocatorState {
    uint32_t event = MemoryAllocations::kNone;
    std::vector<AllocatorSegment> segments; ///< by address
    std::vector<AllocatorPiece> pieces;     ///< by segment and address; blocks outside any segment last
    AllocatorFigures figures;               ///< of all segments
    uint32_t outsideBlocks = 0;             ///< at addresses of no segment: in no figure
    uint64_t outsideBytes = 0;              ///< as requested
    uint32_t overlappingBlocks = 0;         ///< begin where another one has not ended: what both cover counts once
    uint32_t crossingBlocks = 0;            ///< end behind their segment: what is there does not count

    std::span<const AllocatorPiece> piecesOf(const AllocatorSegment &segment) const
    {
        return std::span(pieces).subspan(segment.firstPiece, segment.pieces);
    }
    /// The block or hole at an address; null where there is none.
    const AllocatorPiece *at(uint64_t address) const;
};

/// Sums of segments by one of their properties, in its order.
std::vector<std::pair<int64_t, AllocatorFigures>> figuresByStream(const AllocatorState &state);
/// By row of MemorySnapshot::pools.
std::vector<std::pair<uint32_t, AllocatorFigures>> figuresByPool(const AllocatorState &state);

} // namespace riffle
