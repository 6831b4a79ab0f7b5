// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// The slices of one lane, ordered by (start, longer first, outer first). Indices below refer to this order.
struct NestingInput {
    enum class Policy : uint8_t {
        Thread, ///< every slice can be a parent
        Stream, ///< only slices with canParent set are parents; the others get rows by concurrency
        Async   ///< slices nest only within their group and get rows by concurrency
    };
    Policy policy = Policy::Thread;
    std::span<const Ns> start;
    std::span<const Ns> duration;
    std::span<const uint8_t> canParent; ///< Stream only, otherwise empty
    std::span<const uint64_t> group;    ///< Async only
};

/// The output columns: parent, depth, drawing row and self time of every slice. Each is as long as the lane.
struct NestedColumns {
    std::span<uint32_t> parent; ///< index or Nesting::kNone: the shortest slice that wholly contains it; of equally
                                ///< long ones that cross each other, the one that starts last
    std::span<uint32_t> depth;
    std::span<uint32_t> row;
    std::span<Ns> self;
};

/// The results for the lane as a whole.
struct NestedLane {
    std::vector<uint32_t> crossing; ///< indices that crossingSlices() returned, drawn in extra rows; empty for Async
    uint32_t rows = 0;
};

/// Nests a lane in one pass: O(n log n) at worst, O(n) if slices nest.
NestedLane nestLane(const NestingInput &input, const NestedColumns &out);

/// A NestedLane that owns its columns.
struct Nesting : NestedLane {
    static constexpr uint32_t kNone = UINT32_MAX;
    std::vector<uint32_t> parent, depth, row;
    std::vector<Ns> self;
};
Nesting nestLane(const NestingInput &input);

/// Gives each interval the lowest free row, which place() returns. Intervals must come in order of start. An empty
/// interval counts as 1 ns long, so that two at the same time do not hide each other.
class RowAllocator {
public:
    uint32_t place(Ns start, Ns end);
    uint32_t rows() const { return m_rows; }

private:
    struct Busy {
        Ns end;
        uint32_t row;
    };
    std::vector<Busy> m_busy;     ///< a heap, earliest end first
    std::vector<uint32_t> m_free; ///< a heap, lowest row first
    uint32_t m_rows = 0;
};

} // namespace riffle
