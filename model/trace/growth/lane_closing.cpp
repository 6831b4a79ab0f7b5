// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/lane_growth.h"
#include "model/trace/growth/merged_segment.h"
#include "model/trace/seal/lane_nesting.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

namespace {

/// Open slices end here while local ones are nested: later than all others.
constexpr Ns kFar = INT64_MAX + kEarliestTime;

/// The total length of the union of some spans.
Ns unionOf(std::vector<TimeSpan> &spans)
{
    std::ranges::sort(spans, {}, &TimeSpan::begin);
    Ns total = 0, covered = INT64_MIN;
    for (const TimeSpan &span : spans) {
        total += std::max<Ns>(0, span.end - std::max(span.begin, covered));
        covered = std::max(covered, span.end);
    }
    return total;
}

/// Local slices and the long ones around them, in the order in which they nest.
struct Combined {
    std::vector<Ns> start, duration;
    std::vector<uint32_t> local;    ///< index of the local slice; kNoRow for a long one
    std::vector<SliceId> longSlice; ///< not valid for a local one
};

Combined combine(std::span<GrowingSlice *const> slices, const LongSlices &longSlices, TimeSpan stretch)
{
    struct Item {
        NestedSpan span;
        uint32_t local;
    };
    std::vector<Item> items;
    for (uint32_t at = 0; at < slices.size(); ++at)
        items.push_back({slices[at]->span(), at});
    longSlices.visit(stretch, [&](NestedSpan span) {
        span.end = std::min(span.end, kFar);
        items.push_back({span, kNoRow});
    });
    std::ranges::sort(items, [](const Item &a, const Item &b) {
        if (a.span.start != b.span.start)
            return a.span.start < b.span.start;
        if (a.span.end != b.span.end)
            return a.span.end > b.span.end;
        return a.span.order != b.span.order ? a.span.order < b.span.order : a.span.id < b.span.id;
    });
    Combined combined;
    for (const Item &item : items) {
        combined.start.push_back(item.span.start);
        combined.duration.push_back(item.span.end - item.span.start);
        combined.local.push_back(item.local);
        combined.longSlice.push_back(item.local == kNoRow ? item.span.id : SliceId());
    }
    return combined;
}

/// Gives local slices the rows of their depth, or later ones where these are taken.
class RowsAmongLong {
public:
    RowsAmongLong(const std::vector<LongSlice *> &longSlices, TimeSpan stretch)
    {
        for (const LongSlice *one : longSlices)
            if (one->slice.row.start < stretch.end && one->end >= stretch.begin)
                row(one->row).taken.push_back({one->slice.row.start, one->end});
    }
    uint32_t place(TimeSpan span, uint32_t wanted)
    {
        span.end = std::max(span.end, span.begin + 1); // two moments at the same time must not hide each other
        while (row(wanted).busyUntil > span.begin ||
               std::ranges::any_of(row(wanted).taken, [&](const TimeSpan &taken) { return taken.overlaps(span); }))
            ++wanted;
        row(wanted).busyUntil = span.end;
        return wanted;
    }

private:
    struct Row {
        Ns busyUntil = INT64_MIN;
        std::vector<TimeSpan> taken;
    };
    Row &row(uint32_t number)
    {
        if (m_rows.size() <= number)
            m_rows.resize(number + 1);
        return m_rows[number];
    }
    std::vector<Row> m_rows;
};

} // namespace

LaneGrowth::NestedPiece LaneGrowth::nest(std::span<GrowingSlice *const> slices, TimeSpan stretch)
{
    const Combined all = combine(slices, m_longSlices, stretch);
    const NestingInput input{NestingInput::Policy::Thread, all.start, all.duration, {}, {}};
    const Nesting nested = nestLane(input);
    NestedPiece piece;
    piece.nesting.parent.resize(slices.size(), kNoRow);
    piece.nesting.depth.resize(slices.size(), 0);
    piece.nesting.self.resize(slices.size(), 0);
    piece.rows.resize(slices.size(), 0);
    RowsAmongLong rows(m_active, stretch);
    for (uint32_t at = 0; at < all.start.size(); ++at) {
        const uint32_t local = all.local[at];
        if (local == kNoRow)
            continue;
        const uint32_t parent = nested.parent[at];
        uint32_t wantedRow = 0;
        if (parent != Nesting::kNone && all.local[parent] != kNoRow) {
            const uint32_t localParent = all.local[parent];
            piece.nesting.parent[local] = localParent;
            piece.nesting.depth[local] = piece.nesting.depth[localParent] + 1;
            wantedRow = piece.rows[localParent] + 1;
        } else if (parent != Nesting::kNone) {
            const LongSlice *longParent = activeLong(all.longSlice[parent]);
            wantedRow = longParent ? longParent->row + 1 : 0;
        }
        piece.nesting.self[local] = nested.self[at];
        piece.rows[local] = rows.place({all.start[at], all.start[at] + all.duration[at]}, wantedRow);
        slices[local]->row.flags &= static_cast<uint16_t>(~slice_flag::Crossing);
    }
    for (const uint32_t at : nested.crossing) {
        const TimeSpan span{all.start[at], all.start[at] + all.duration[at]};
        piece.crossing.push_back(span);
        if (all.local[at] != kNoRow)
            slices[all.local[at]]->row.flags |= slice_flag::Crossing;
    }
    return piece;
}

void LaneGrowth::closeStretch(Ns boundary)
{
    std::vector<uint32_t> rows;
    std::vector<GrowingSlice> taken = takePending(boundary, rows);
    if (taken.empty())
        return;
    if (m_policy == Policy::Flat) {
        for (size_t at = 0; at < taken.size(); ++at)
            if (rows[at] == kNoRow)
                rows[at] = place({taken[at].row.start, taken[at].end()}, 0);
        keep({makeFlat(taken, rows), {m_closedUpTo, boundary}, 0, 0});
        return;
    }
    std::vector<GrowingSlice *> slices;
    for (GrowingSlice &slice : taken) {
        // A slice that ended in the moment in which one inside of it was seen open is long, too.
        const NestedSpan span = slice.span();
        slice.row.flags &= static_cast<uint16_t>(~slice_flag::Crossing);
        if (containsActive(span))
            addLong(std::move(slice), span.end);
        else
            slices.push_back(&slice);
    }
    if (!slices.empty())
        keep(closedPiece(std::move(slices), {m_closedUpTo, boundary}));
}

bool LaneGrowth::containsActive(const NestedSpan &slice) const
{
    for (auto one = firstActiveFrom(slice.start); one != m_active.end(); ++one)
        if ((*one)->slice.row.start > slice.end)
            break;
        else if (slice.contains((*one)->span()))
            return true;
    return false;
}

Ns LaneGrowth::rootTimeOf(const Segment &segment)
{
    Ns time = 0;
    for (uint32_t index = 0; index < segment.size(); ++index)
        if (segment.nesting.parent[index] == kNoRow)
            time += segment.slices.duration[index];
    return time;
}

LaneGrowth::Piece LaneGrowth::closedPiece(std::vector<GrowingSlice *> slices, TimeSpan stretch)
{
    std::ranges::sort(slices, [](const GrowingSlice *a, const GrowingSlice *b) { return comesBefore(*a, *b); });
    const NestedPiece nested = nest(slices, stretch);
    for (const TimeSpan &span : nested.crossing)
        markIrregular(span);
    const std::vector<const GrowingSlice *> sorted(slices.begin(), slices.end());
    Piece piece{makeSegment(m_lane, sorted, nested.nesting, nested.rows), stretch, 0, 0};
    piece.rootTime = rootTimeOf(*piece.segment);
    for (size_t at = 0; at < slices.size(); ++at) {
        if (m_rowsBusyUntil.size() <= nested.rows[at])
            m_rowsBusyUntil.resize(nested.rows[at] + 1, INT64_MIN);
        Ns &busyUntil = m_rowsBusyUntil[nested.rows[at]];
        busyUntil = std::max(busyUntil, std::max(slices[at]->end(), slices[at]->row.start + 1));
    }
    return piece;
}

Ns LaneGrowth::rootTimeIn(const Piece &piece, const NestedSpan &around) const
{
    if (around.start <= piece.stretch.begin && around.end >= piece.stretch.end)
        return piece.rootTime;
    const Segment &segment = *piece.segment;
    Ns time = 0;
    for (uint32_t row = 0; row < segment.rows(); ++row) {
        const auto [first, last] = segment.overlapping(row, {around.start, around.end});
        for (uint32_t index = first; index < last; ++index)
            if (segment.nesting.parent[index] == kNoRow && segment.slices.start[index] >= around.start &&
                segment.end(index) <= around.end)
                time += segment.slices.duration[index];
    }
    return time;
}

void LaneGrowth::keep(Piece piece)
{
    for (LongSlice *one : m_active)
        if (one->slice.row.start < piece.stretch.end && one->end >= piece.stretch.begin)
            one->rootTime += rootTimeIn(piece, one->span());
    m_pieces.push_back(std::move(piece));
    mergePieces();
}

void LaneGrowth::mergePieces()
{
    constexpr size_t kMerged = 16;
    // Lanes that grow alike must not all merge in the same tick.
    const size_t enough = kMerged + m_lane.value % kMerged;
    takeMerged();
    // Levels descend from the oldest piece to the newest one, except where pieces were too large to be merged.
    for (size_t end = m_pieces.size(); end >= enough && !m_merging.merge;) {
        size_t first = end;
        while (first > 0 && m_pieces[first - 1].level == m_pieces[end - 1].level)
            --first;
        if (end - first >= enough && m_pieces[first].level != Piece::kLargest) {
            const std::span<Piece> run(m_pieces.data() + first, kMerged);
            std::vector<std::shared_ptr<const Segment>> segments;
            uint64_t slices = 0;
            for (const Piece &one : run) {
                segments.push_back(one.segment);
                slices += one.segment->size();
            }
            if (slices <= Segment::kMaxSlices) {
                startMerge(std::move(segments), slices);
                const size_t before = m_pieces.size();
                takeMerged();
                if (m_pieces.size() == before) // it is under way, or there is no memory
                    return;
            } else {
                for (Piece &one : run)
                    one.level = Piece::kLargest;
            }
            end = m_pieces.size();
            continue;
        }
        end = first;
    }
}

void LaneGrowth::startMerge(std::vector<std::shared_ptr<const Segment>> segments, uint64_t slices)
{
    m_merging = {segments, m_merger.start<Segment>(slices, [from = std::move(segments), &memory = m_memory] {
                     return mergedSegment(from, memory);
                 })};
}

void LaneGrowth::takeMerged()
{
    if (!m_merging.merge || !m_merging.merge->isDone())
        return;
    auto [from, merge] = std::exchange(m_merging, {});
    const std::shared_ptr<const Segment> result = merge->result();
    const auto first = std::ranges::search(m_pieces, from, {}, &Piece::segment).begin();
    // If a piece was made again or has left meanwhile, the merge is of no use and starts again.
    if (result && first != m_pieces.end()) {
        const auto last = first + static_cast<std::ptrdiff_t>(from.size());
        Piece merged{result, {first->stretch.begin, std::prev(last)->stretch.end}, 0, first->level + 1};
        for (auto one = first; one != last; ++one)
            merged.rootTime += one->rootTime;
        *first = std::move(merged);
        m_pieces.erase(first + 1, last);
    }
    m_merger.release(std::move(from));
}

void LaneGrowth::closeLongSlices(Ns boundary)
{
    std::vector<LongSlice *> ended;
    for (LongSlice *one : m_active)
        if (one->end < boundary)
            ended.push_back(one);
    std::ranges::sort(ended, [](const LongSlice *a, const LongSlice *b) {
        return a->end != b->end ? a->end < b->end : comesBefore(b->slice, a->slice);
    });
    for (LongSlice *one : ended) {
        const NestedSpan span = one->span();
        bool isCrossing = crossesLongerLocal(span), mustWait = false;
        m_longSlices.visit({span.start, span.end}, [&](const NestedSpan &other) {
            if (!other.crosses(span))
                return;
            // An open slice becomes the longer one of the two in the end, or it is not known yet.
            mustWait |= other.end == NestedSpan::kOpen && boundary - other.start <= span.end - span.start;
            isCrossing |= span.isShorterThan(other);
        });
        if (mustWait)
            return; // the slices around it end later and wait, too
        if (isCrossing)
            one->slice.row.flags |= slice_flag::Crossing;
        one->self = one->irregular && span.start >= m_leftBefore ? exactSelf(span) : one->own(0) - one->childrenOwn;
        if (LongSlice *parent = activeLong(m_longSlices.around(span).id))
            parent->childrenOwn += one->own(0);
        one->closed = true;
        m_longPages.changed(*one);
        std::erase(m_active, one);
    }
}

bool LaneGrowth::crossesLongerLocal(const NestedSpan &slice) const
{
    const auto isCutAt = [&](const Piece &piece, Ns time) {
        if (time < piece.stretch.begin || time > piece.stretch.end)
            return false;
        const Segment &segment = *piece.segment;
        for (uint32_t row = 0; row < segment.rows(); ++row) {
            const auto [first, last] = segment.overlapping(row, {time, time + 1});
            for (uint32_t index = first; index < last; ++index) {
                const NestedSpan local{segment.slices.start[index], segment.end(index), {}, 0};
                if (local.crosses(slice) && slice.isShorterThan(local))
                    return true;
            }
        }
        return false;
    };
    return std::ranges::any_of(
        m_pieces, [&](const Piece &piece) { return isCutAt(piece, slice.start) || isCutAt(piece, slice.end); });
}

Ns LaneGrowth::exactSelf(const NestedSpan &slice) const
{
    std::vector<TimeSpan> children;
    m_longSlices.visit({slice.start, slice.end}, [&](const NestedSpan &other) {
        if (m_longSlices.around(other).id == slice.id)
            children.push_back({other.start, other.end});
    });
    for (const Piece &piece : m_pieces) {
        const Segment &segment = *piece.segment;
        if (segment.span.end < slice.start || segment.span.begin > slice.end)
            continue;
        for (uint32_t index = 0; index < segment.size(); ++index) {
            const NestedSpan root{segment.slices.start[index], segment.end(index), segment.idAt(index),
                                  segment.slices.sourceOffset[index]};
            if (segment.nesting.parent[index] == kNoRow && slice.contains(root) &&
                m_longSlices.around(root).id == slice.id)
                children.push_back({root.start, root.end});
        }
    }
    return slice.end - slice.start - unionOf(children);
}

} // namespace riffle
