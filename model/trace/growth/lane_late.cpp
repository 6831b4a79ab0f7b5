// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/lane_growth.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

namespace riffle {

SliceId LaneGrowth::addLate(SliceRow row, std::unique_ptr<SideRows> side)
{
    const bool isLong = row.start + row.duration >= m_closedUpTo;
    m_late.push_back({row, newId(isLong ? m_longIds : m_localIds), std::move(side)});
    return m_late.back().id;
}

void LaneGrowth::placeLate()
{
    // Those that contain the end of a stretch come first: what contains a long slice is long itself.
    std::vector<GrowingSlice> late = std::exchange(m_late, {});
    const auto isLocal = std::stable_partition(late.begin(), late.end(),
                                               [&](const GrowingSlice &slice) { return !pieceAround(slice.span()); });
    for (auto slice = late.begin(); slice != isLocal; ++slice)
        addLateLong(std::move(*slice));
    std::map<Piece *, std::vector<GrowingSlice>> added;
    for (auto slice = isLocal; slice != late.end(); ++slice) {
        const NestedSpan span = slice->span();
        bool containsLong = false;
        m_longSlices.visit({span.start, span.end},
                           [&](const NestedSpan &other) { containsLong |= span.contains(other); });
        if (containsLong)
            addLateLong(std::move(*slice));
        else
            added[pieceAround(span)].push_back(std::move(*slice));
    }
    std::map<SliceId, NestedSpan> outer; // closed long slices with less self time than before
    for (auto &[piece, slices] : added) {
        for (const GrowingSlice &slice : slices)
            for (NestedSpan one = m_longSlices.around(slice.span()); one.id.valid(); one = m_longSlices.around(one))
                if (!activeLong(one.id))
                    outer.emplace(one.id, one);
        nestAgain(*piece, std::move(slices));
    }
    for (const auto &[id, span] : outer)
        if (span.start >= m_leftBefore)
            m_longPages.setSelf(id, exactSelf(span));
}

LaneGrowth::Piece *LaneGrowth::pieceAround(const NestedSpan &span)
{
    const auto behind =
        std::ranges::upper_bound(m_pieces, span.start, {}, [](const Piece &piece) { return piece.stretch.begin; });
    if (behind == m_pieces.begin() || span.end >= std::prev(behind)->stretch.end)
        return nullptr;
    return &*std::prev(behind);
}

void LaneGrowth::addLateLong(GrowingSlice slice)
{
    const NestedSpan span = slice.span();
    const NestedSpan parent = m_longSlices.around(span);
    LongSlice &late = addLong(std::move(slice), span.end);
    bool crosses = false;
    m_longSlices.visit({span.start, span.end}, [&](const NestedSpan &other) { crosses |= other.crosses(span); });
    for (Piece &piece : m_pieces) {
        const auto isInside = [&](Ns time) { return piece.stretch.begin < time && time < piece.stretch.end; };
        if (!isInside(span.start) && !isInside(span.end))
            continue;
        bool isCut = false;
        for (uint32_t at = 0; at < piece.segment->rows(); ++at) {
            const auto [first, last] = piece.segment->overlapping(at, {span.start, span.end + 1});
            for (uint32_t index = first; index < last; ++index)
                isCut |= span.crosses({piece.segment->slices.start[index], piece.segment->end(index), {}, 0});
        }
        if (isCut)
            nestAgain(piece, {});
        crosses |= isCut;
    }
    adoptLongSlices(late);
    if (crosses)
        markIrregular({span.start, span.end});
    if (parent.id.valid() && parent.start >= m_leftBefore && !activeLong(parent.id))
        m_longPages.setSelf(parent.id, exactSelf(parent));
}

void LaneGrowth::adoptLongSlices(LongSlice &late)
{
    const NestedSpan span = late.span();
    LongSlice *parent = activeLong(m_longSlices.around(span).id);
    m_longSlices.visit({span.start, span.end}, [&](const NestedSpan &inner) {
        if (!span.contains(inner) || activeLong(inner.id) || m_longSlices.around(inner).id != span.id)
            return;
        Ns own = inner.end - inner.start;
        for (const Piece &piece : m_pieces)
            if (piece.stretch.end > inner.start && piece.stretch.begin <= inner.end)
                own -= rootTimeIn(piece, inner);
        late.childrenOwn += own;
        if (parent)
            parent->childrenOwn -= own;
    });
}

void LaneGrowth::setExternalId(SliceId slice, int64_t externalId)
{
    for (Bucket &bucket : m_pending) {
        if (slice < bucket.firstId || slice > bucket.lastId)
            continue;
        const auto one = std::ranges::find(bucket.slices, slice, &GrowingSlice::id);
        if (one == bucket.slices.end())
            continue;
        if (one->row.externalId == kNoInt)
            one->row.externalId = externalId;
        bucket.made.reset();
        return;
    }
    for (auto piece = m_pieces.rbegin(); piece != m_pieces.rend(); ++piece)
        if (const uint32_t index = piece->segment->indexOf(slice); index != kNoRow) {
            piece->segment = withExternalId(*piece->segment, index, externalId);
            return;
        }
    m_longPages.setExternalId(slice, externalId);
}

void LaneGrowth::nestAgain(Piece &piece, std::vector<GrowingSlice> added)
{
    SegmentSlices all = slicesOf(*piece.segment);
    // The added ones stand in rows of their own, behind those that are taken in their time.
    for (GrowingSlice &slice : added) {
        all.rows.push_back(place({slice.row.start, slice.end()}, freeRow(slice.span(), 0)));
        all.slices.push_back(std::move(slice));
    }
    std::vector<uint32_t> order(all.slices.size());
    for (uint32_t at = 0; at < order.size(); ++at)
        order[at] = at;
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return comesBefore(all.slices[a], all.slices[b]); });
    std::vector<GrowingSlice *> slices;
    std::vector<uint32_t> rows;
    for (const uint32_t at : order) {
        slices.push_back(&all.slices[at]);
        rows.push_back(all.rows[at]);
    }
    const NestedPiece nested = nest(slices, piece.stretch);
    for (const TimeSpan &span : nested.crossing)
        markIrregular(span);
    const std::vector<const GrowingSlice *> sorted(slices.begin(), slices.end());
    // Long slices know how much of the piece is in them; closed ones have told it to those around them.
    const auto addToLong = [&](Ns sign) {
        for (LongSlice *one : m_active)
            one->rootTime += sign * rootTimeIn(piece, one->span());
        m_longSlices.visit(piece.stretch, [&](const NestedSpan &one) {
            if (!activeLong(one.id))
                if (LongSlice *parent = activeLong(m_longSlices.around(one).id))
                    parent->childrenOwn -= sign * rootTimeIn(piece, one);
        });
    };
    addToLong(-1);
    piece.segment = makeSegment(m_lane, sorted, nested.nesting, rows);
    piece.rootTime = rootTimeOf(*piece.segment);
    addToLong(1);
}

uint32_t LaneGrowth::freeRow(const NestedSpan &slice, uint32_t from) const
{
    const TimeSpan span{slice.start, std::max(slice.end, slice.start + 1)};
    for (uint32_t row = from; row < m_rowsBusyUntil.size(); ++row) {
        if (m_rowsBusyUntil[row] <= span.begin)
            return row;
        bool isTaken = m_longPages.isTaken(row, span);
        for (const Piece &piece : m_pieces) {
            const auto [first, last] = piece.segment->overlapping(row, span);
            isTaken |= first < last;
        }
        for (const Bucket &bucket : m_pending)
            for (size_t at = 0; at < bucket.slices.size(); ++at)
                isTaken |= bucket.rows[at] == row && bucket.slices[at].row.start < span.end &&
                           std::max(bucket.slices[at].end(), bucket.slices[at].row.start + 1) > span.begin;
        if (!isTaken)
            return row;
    }
    return std::max(from, static_cast<uint32_t>(m_rowsBusyUntil.size()));
}

} // namespace riffle
