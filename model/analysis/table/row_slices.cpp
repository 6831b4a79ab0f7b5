// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/row_slices.h"

#include "model/base/stopping.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

namespace riffle {

namespace {

using SliceWithRow = std::pair<uint32_t, uint32_t>;

/// Sorts by slice, digit by digit, which is faster than comparing when there are many.
void sortBySlice(BigVector<SliceWithRow> &items)
{
    constexpr uint32_t kBits = 12; // two rounds for 16 million slices
    constexpr uint32_t kDigits = 1 << kBits;
    uint32_t last = 0;
    for (const auto &[slice, row] : items)
        last = std::max(last, slice);
    BigVector<SliceWithRow> sorted(items.size());
    for (uint32_t shift = 0; shift < 32 && last >> shift > 0; shift += kBits) {
        throwIfStopped();
        std::array<size_t, kDigits> places{};
        for (const auto &[slice, row] : items)
            ++places[(slice >> shift) % kDigits];
        std::exclusive_scan(places.begin(), places.end(), places.begin(), size_t{0});
        throwIfStopped();
        for (const SliceWithRow &item : items)
            sorted[places[(item.first >> shift) % kDigits]++] = item;
        items.swap(sorted);
    }
}

} // namespace

std::shared_ptr<const RowSlices> RowSlices::ofTrace(TraceId trace,
                                                    BigVector<std::pair<uint32_t, uint32_t>> slicesWithRows)
{
    constexpr size_t kMany = 1 << 14;
    if (slicesWithRows.size() < kMany)
        std::sort(slicesWithRows.begin(), slicesWithRows.end());
    else
        sortBySlice(slicesWithRows);
    throwIfStopped();
    Member member{trace, {}, {}};
    for (const auto &[slice, row] : slicesWithRows) {
        if (!member.slices.empty() && member.slices.back() == slice) {
            member.rows.back() = std::min(member.rows.back(), row);
            continue;
        }
        member.slices.push_back(slice);
        member.rows.push_back(row);
    }
    assert(member.slices.size() == member.rows.size());
    return std::make_shared<const RowSlices>(std::vector<Member>{std::move(member)});
}

std::optional<uint32_t> RowSlices::rowOf(SliceRef slice) const
{
    for (const Member &member : m_members) {
        if (member.trace != slice.trace)
            continue;
        const auto found = std::lower_bound(member.slices.begin(), member.slices.end(), slice.slice.value);
        if (found == member.slices.end() || *found != slice.slice.value)
            continue;
        const uint32_t row = member.rows[static_cast<size_t>(found - member.slices.begin())];
        if (row != kNoRow)
            return row;
    }
    return std::nullopt;
}

std::vector<SliceRef> RowSlices::slicesOf(uint32_t row, size_t limit) const
{
    std::vector<SliceRef> found;
    for (const Member &member : m_members)
        for (size_t at = 0; at < member.rows.size() && found.size() < limit; ++at)
            if (member.rows[at] == row)
                found.push_back({member.trace, SliceId(member.slices[at])});
    return found;
}

PerTrace<BigVector<uint32_t>> RowSlices::idsOf(uint32_t row) const
{
    PerTrace<BigVector<uint32_t>> ids;
    for (const SliceRef &slice : slicesOf(row))
        ids[slice.trace].push_back(slice.slice.value);
    return ids;
}

SliceRef RowSlices::neighbour(const TraceSet &traces, uint32_t row, SliceRef from, int direction) const
{
    using Place = std::pair<Ns, SliceRef>;
    const auto placeOf = [&](SliceRef slice) -> std::optional<Place> {
        const Trace *trace = traces.trace(slice.trace);
        const Segment *segment = trace ? trace->segmentOf(slice.slice) : nullptr;
        if (!segment)
            return std::nullopt;
        const Ns start = segment->slices.start[slice.slice.value - segment->firstSlice];
        return Place{traces.time(slice.trace).toSet(start), slice};
    };
    const std::optional<Place> begin = from.valid() ? placeOf(from) : std::nullopt;
    std::optional<Place> best;
    for (const Member &member : m_members)
        for (size_t at = 0; at < member.rows.size(); ++at) {
            if (member.rows[at] != row)
                continue;
            const auto place = placeOf({member.trace, SliceId(member.slices[at])});
            if (!place || (begin && (direction > 0 ? *place <= *begin : *place >= *begin)))
                continue;
            if (!best || (direction > 0 ? *place < *best : *place > *best))
                best = place;
        }
    return best ? best->second : SliceRef{};
}

RowSlices RowSlices::with(const RowSlices &more, uint32_t offset) const
{
    RowSlices both = *this;
    for (Member member : more.m_members) {
        for (uint32_t &row : member.rows)
            row = row == kNoRow ? kNoRow : row + offset;
        both.m_members.push_back(std::move(member));
    }
    return both;
}

RowSlices RowSlices::renumbered(const std::vector<uint32_t> &rows, size_t before) const
{
    std::vector<uint32_t> now(before, kNoRow);
    for (uint32_t row = 0; row < rows.size(); ++row) {
        assert(rows[row] < before);
        now[rows[row]] = row;
    }
    RowSlices renumbered = *this;
    for (Member &member : renumbered.m_members)
        for (uint32_t &row : member.rows)
            row = row < before ? now[row] : kNoRow;
    return renumbered;
}

} // namespace riffle
