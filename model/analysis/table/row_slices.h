// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace riffle {

/// Which slices stand behind the rows of a table, and back: what links tables and timeline. A slice belongs to one row
/// at most.
class RowSlices {
public:
    static constexpr uint32_t kNoRow = UINT32_MAX;

    /// Slices of one trace in ascending order, and the row of each.
    struct Member {
        uint32_t trace = 0; ///< index in the set
        std::vector<uint32_t> slices;
        std::vector<uint32_t> rows;
    };

    RowSlices() = default;
    explicit RowSlices(std::vector<Member> members) : m_members(std::move(members)) {}
    /// Of one trace, from slices with their rows in any order; a slice of several rows belongs to the first.
    static std::shared_ptr<const RowSlices> ofTrace(uint32_t trace,
                                                    std::vector<std::pair<uint32_t, uint32_t>> slicesWithRows);

    std::optional<uint32_t> rowOf(SliceRef slice) const;
    /// The slices of a row, by trace and id; at most `limit`.
    std::vector<SliceRef> slicesOf(uint32_t row, size_t limit = SIZE_MAX) const;
    /// Per trace of a set of `traces` the ascending slice ids of a row: what the timeline highlights.
    std::vector<std::vector<uint32_t>> idsOf(uint32_t row, size_t traces) const;
    /// The slice of a row that starts next after `from` (before it, with `direction` -1) in set time; of equal starts
    /// by trace and id. Without a valid `from` the first (the last) of all; invalid when there is none.
    SliceRef neighbour(const TraceSet &traces, uint32_t row, SliceRef from, int direction) const;
    /// These and those of `more`, whose rows come `offset` rows later.
    RowSlices with(const RowSlices &more, uint32_t offset) const;
    /// The same after rows[i] of `before` rows has become row i and the others are gone.
    RowSlices renumbered(const std::vector<uint32_t> &rows, size_t before) const;

private:
    std::vector<Member> m_members;
};

} // namespace riffle
