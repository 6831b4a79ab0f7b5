// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/row_slices.h"

#include "model/base/stopping.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <tuple>

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
    using Place = std::tuple<uint32_t, Ns, SliceRef>;
    const auto placeOf = [&](uint32_t visit, SliceRef slice) -> std::optional<Place> {
        const Trace *trace = traces.trace(slice.trace);
        const Segment *segment = trace ? trace->segmentOf(slice.slice) : nullptr;
        if (!segment)
            return std::nullopt;
        const Ns start = segment->slices.start[segment->indexOf(slice.slice)];
        return Place{visit, traces.time(slice.trace).toSet(start), slice};
    };
    const std::optional<uint32_t> visit = from.valid() ? visitOf(row, from) : std::nullopt;
    const std::optional<Place> begin = visit ? placeOf(*visit, from) : std::nullopt;
    std::optional<Place> best;
    for (size_t member = 0; member < m_members.size(); ++member)
        for (size_t at = 0; at < m_members[member].rows.size(); ++at) {
            if (m_members[member].rows[at] != row)
                continue;
            const auto place =
                placeOf(visitOf(row, member), {m_members[member].trace, SliceId(m_members[member].slices[at])});
            if (!place || (begin && (direction > 0 ? *place <= *begin : *place >= *begin)))
                continue;
            if (!best || (direction > 0 ? *place < *best : *place > *best))
                best = place;
        }
    return best ? std::get<SliceRef>(*best) : SliceRef{};
}

uint32_t RowSlices::visitOf(uint32_t row, size_t member) const
{
    return m_visits.empty() ? 0 : m_visits[row * m_members.size() + member];
}

std::optional<uint32_t> RowSlices::visitOf(uint32_t row, SliceRef slice) const
{
    if (m_visits.empty())
        return 0;
    std::optional<uint32_t> first;
    for (size_t at = 0; at < m_members.size(); ++at) {
        const Member &member = m_members[at];
        const uint32_t visit = visitOf(row, at);
        if (member.trace != slice.trace || visit == kNoVisit)
            continue;
        const auto found = std::lower_bound(member.slices.begin(), member.slices.end(), slice.slice.value);
        const auto place = static_cast<size_t>(found - member.slices.begin());
        if (found != member.slices.end() && *found == slice.slice.value && member.rows[place] == row)
            return visit;
        first = std::min(first.value_or(kNoVisit), visit);
    }
    return first;
}

std::shared_ptr<const RowSlices> RowSlices::together(std::span<const Part> parts,
                                                     std::span<const std::vector<uint32_t>> orders)
{
    auto all = std::make_shared<RowSlices>();
    std::vector<uint32_t> partOf; // per member
    for (uint32_t part = 0; part < parts.size(); ++part) {
        if (!parts[part].slices)
            continue;
        for (const Member &own : parts[part].slices->m_members) {
            Member &member = all->m_members.emplace_back(own);
            partOf.push_back(part);
            for (uint32_t &row : member.rows)
                row = row == kNoRow ? kNoRow : parts[part].rows[row];
        }
    }
    all->m_visits.resize(orders.size() * partOf.size(), kNoVisit);
    std::vector<uint32_t> visits(parts.size());
    for (size_t row = 0; row < orders.size(); ++row) {
        std::fill(visits.begin(), visits.end(), kNoVisit);
        for (uint32_t visit = 0; visit < orders[row].size(); ++visit)
            visits[orders[row][visit]] = visit;
        for (size_t member = 0; member < partOf.size(); ++member)
            all->m_visits[row * partOf.size() + member] = visits[partOf[member]];
    }
    return all;
}

RowSlices RowSlices::with(const RowSlices &more, uint32_t offset) const
{
    assert(m_visits.empty() && more.m_visits.empty());
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
    if (!m_visits.empty()) {
        renumbered.m_visits.clear();
        for (const uint32_t row : rows)
            for (size_t member = 0; member < m_members.size(); ++member)
                renumbered.m_visits.push_back(visitOf(row, member));
    }
    return renumbered;
}

} // namespace riffle
