// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace riffle {

/// Links the rows of a table to their slices in the timeline, and back. A slice belongs to one row at most.
class RowSlices {
public:
    static constexpr uint32_t kNoRow = UINT32_MAX;

    /// Slices of one trace in ascending order, and the row of each.
    struct Member {
        TraceId trace;
        BigVector<uint32_t> slices;
        BigVector<uint32_t> rows;
    };

    RowSlices() = default;
    explicit RowSlices(std::vector<Member> members) : m_members(std::move(members)) {}
    /// The links of one trace, from slices with their rows in any order. A slice with several rows belongs to the
    /// first.
    static std::shared_ptr<const RowSlices> ofTrace(TraceId trace,
                                                    BigVector<std::pair<uint32_t, uint32_t>> slicesWithRows);

    /// The links of a table whose rows became rows of a larger one.
    struct Part {
        std::shared_ptr<const RowSlices> slices; ///< null if its rows represent no slices
        std::vector<uint32_t> rows;              ///< per row, its new number; kNoRow if it has none
    };
    /// The links of a table that was made from parts. `orders` tell for each row the parts in the order in which
    /// neighbour() visits their slices.
    static std::shared_ptr<const RowSlices> together(std::span<const Part> parts,
                                                     std::span<const std::vector<uint32_t>> orders);

    std::optional<uint32_t> rowOf(SliceRef slice) const;
    /// The slices of a row, by trace and id; at most `limit`.
    std::vector<SliceRef> slicesOf(uint32_t row, size_t limit = SIZE_MAX) const;
    /// Per trace, the slice ids of a row in ascending order. The timeline highlights them.
    PerTrace<BigVector<uint32_t>> idsOf(uint32_t row) const;
    /// The slice of a row that starts next after `from` in set time, or next before it if `direction` is -1; equal
    /// starts are ordered by trace and id. If `from` is invalid, the first (or last) slice of the row. Invalid if there
    /// is none. If the links were put together, those of a part that the row visits earlier come first; and if the row
    /// has no slices of the trace of `from`, it counts as invalid.
    SliceRef neighbour(const TraceSet &traces, uint32_t row, SliceRef from, int direction) const;
    /// These links and those of `more`, whose row numbers are increased by `offset`.
    RowSlices with(const RowSlices &more, uint32_t offset) const;
    /// The links after a table of `before` rows has kept only `rows`: its row rows[i] is now row i.
    RowSlices renumbered(const std::vector<uint32_t> &rows, size_t before) const;

private:
    static constexpr uint32_t kNoVisit = UINT32_MAX;

    uint32_t visitOf(uint32_t row, size_t member) const;
    /// None if the row has no slices of that trace.
    std::optional<uint32_t> visitOf(uint32_t row, SliceRef slice) const;

    std::vector<Member> m_members;
    /// For each row and member, when neighbour() visits the member's slices; empty if only their starts count.
    std::vector<uint32_t> m_visits;
};

} // namespace riffle
