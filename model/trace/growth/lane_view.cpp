// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/lane_growth.h"

#include <algorithm>
#include <cassert>

namespace riffle {

LaneGrowth::View LaneGrowth::view(Ns now)
{
    placeLate();
    View view;
    const auto show = [&](const std::shared_ptr<const Segment> &segment) {
        view.segments.push_back(segment);
        view.rows = std::max(view.rows, segment->rows());
        view.slices += segment->size();
    };
    for (const Piece &piece : m_pieces)
        show(piece.segment);
    for (Bucket &bucket : m_pending) {
        if (!bucket.made)
            makeBucket(bucket);
        show(bucket.made);
    }
    if (m_policy == Policy::Flat)
        return view;
    const auto selfOf = [&](const LongSlice &slice) {
        Ns self = slice.own(now) - slice.childrenOwn;
        for (const LongSlice *inner : m_active)
            if (inner->slice.row.start >= slice.slice.row.start && inner->slice.row.start < slice.end &&
                m_longSlices.around(inner->span()).id == slice.slice.id)
                self -= inner->own(now);
        return std::max<Ns>(0, self);
    };
    m_longPages.visit(m_lane, now, selfOf, show);
    view.longSlices = m_longSlices.snapshot();
    return view;
}

uint32_t LaneGrowth::place(TimeSpan span, uint32_t from)
{
    span.end = std::max(span.end, span.begin + 1); // two moments at the same time must not hide each other
    uint32_t row = from;
    while (row < m_rowsBusyUntil.size() && m_rowsBusyUntil[row] > span.begin)
        ++row;
    if (m_rowsBusyUntil.size() <= row)
        m_rowsBusyUntil.resize(row + 1, INT64_MIN);
    m_rowsBusyUntil[row] = span.end;
    return row;
}

void LaneGrowth::makeBucket(Bucket &bucket)
{
    if (m_policy == Policy::Flat) {
        for (size_t at = 0; at < bucket.slices.size(); ++at)
            if (bucket.rows[at] == kNoRow)
                bucket.rows[at] = place({bucket.slices[at].row.start, bucket.slices[at].end()}, 0);
        bucket.made = makeFlat(bucket.slices, bucket.rows);
        return;
    }
    std::vector<uint32_t> order(bucket.slices.size());
    for (uint32_t at = 0; at < order.size(); ++at)
        order[at] = at;
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return comesBefore(bucket.slices[a], bucket.slices[b]); });
    std::vector<GrowingSlice *> slices;
    TimeSpan stretch{INT64_MAX, INT64_MIN};
    for (const uint32_t at : order) {
        slices.push_back(&bucket.slices[at]);
        stretch.begin = std::min(stretch.begin, slices.back()->row.start);
        stretch.end = std::max(stretch.end, slices.back()->end() + 1);
    }
    const NestedPiece nested = nest(slices, stretch);
    std::vector<uint32_t> rows;
    for (size_t at = 0; at < order.size(); ++at) {
        uint32_t &row = bucket.rows[order[at]];
        if (row == kNoRow)
            row = place({slices[at]->row.start, slices[at]->end()}, nested.rows[at]);
        rows.push_back(row);
    }
    const std::vector<const GrowingSlice *> sorted(slices.begin(), slices.end());
    bucket.made = makeSegment(m_lane, sorted, nested.nesting, rows);
}

std::shared_ptr<const Segment> LaneGrowth::makeFlat(std::vector<GrowingSlice> &slices,
                                                    const std::vector<uint32_t> &rows)
{
    std::vector<uint32_t> order(slices.size());
    for (uint32_t at = 0; at < order.size(); ++at)
        order[at] = at;
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return comesBefore(slices[a], slices[b]); });
    std::vector<const GrowingSlice *> sorted;
    std::vector<uint32_t> sortedRows;
    PieceNesting nesting;
    for (const uint32_t at : order) {
        sorted.push_back(&slices[at]);
        sortedRows.push_back(rows[at]);
        nesting.add(slices[at].row.duration);
    }
    return makeSegment(m_lane, sorted, nesting, sortedRows);
}

} // namespace riffle
