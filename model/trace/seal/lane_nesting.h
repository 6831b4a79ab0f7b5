// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// The slices of one lane, ordered by (start, longer first, outer first). Indices below count in this order.
struct NestingInput {
    enum class Policy : uint8_t {
        Thread, ///< every slice can be a parent
        Stream, ///< only slices with canParent set are parents; the others never nest and share rows when concurrent
        Async   ///< slices nest within their group only; rows by concurrency
    };
    Policy policy = Policy::Thread;
    std::span<const Ns> start;
    std::span<const Ns> duration;
    std::span<const uint8_t> canParent; ///< Stream only, else empty
    std::span<const uint64_t> group;    ///< Async only
};

/// Where parent, depth, self time and drawing row of every slice go; each as long as the lane.
struct NestedColumns {
    std::span<uint32_t> parent; ///< index or Nesting::kNone: the shortest slice that wholly contains it; of equally
                                ///< long ones that cross each other, the one that begins last
    std::span<uint32_t> depth;
    std::span<uint32_t> row;
    std::span<Ns> self;
};

/// What is said of the lane as a whole.
struct NestedLane {
    std::vector<uint32_t> crossing; ///< crossingSlices(): drawn in extra rows, ascending; not for Async
    uint32_t rows = 0;
};

/// One pass over the lane in O(n log n) at worst, O(n) when slices nest.
NestedLane nestLane(const NestingInput &input, const NestedColumns &out);

/// The same with columns of its own.
struct Nesting : NestedLane {
    static constexpr uint32_t kNone = UINT32_MAX;
    std::vector<uint32_t> parent, depth, row;
    std::vector<Ns> self;
};
Nesting nestLane(const NestingInput &input);

/// Gives each interval the lowest row that is free for it; intervals come ordered by start. Appends to nothing: the row
/// of the i-th call is returned. An empty interval takes 1 ns so that two at one time do not hide each other.
class RowAllocator {
public:
    uint32_t place(Ns start, Ns end);
    uint32_t rows() const { return m_rows; }

private:
    struct Busy {
        Ns end;
        uint32_t row;
    };
    std::vector<Busy> m_busy;     ///< heap, earliest end first
    std::vector<uint32_t> m_free; ///< heap, lowest row first
    uint32_t m_rows = 0;
};

} // namespace riffle
