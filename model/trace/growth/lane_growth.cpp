// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/lane_growth.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace riffle {

LaneGrowth::LaneGrowth(LaneId lane, Policy policy, SliceIds &ids, GrowthMemory &memory, MergeThread &merger,
                       LanePatience patience)
    : m_lane(lane)
    , m_policy(policy)
    , m_ids(ids)
    , m_memory(memory)
    , m_merger(merger)
    , m_patience(patience)
{
}

SliceId LaneGrowth::newId(SliceIds::Block &block)
{
    const SliceId id = m_ids.take(block);
    m_outOfIds |= !id.valid();
    return id;
}

SliceId LaneGrowth::add(SliceRow row, std::unique_ptr<SideRows> side)
{
    if (const Ns end = row.start + row.duration; end < m_mark && m_mark != INT64_MAX)
        m_holdBack = std::max(m_holdBack, std::min(kMostHeldBack, m_mark - std::max(end, kEarliestTime)));
    if (m_policy == Policy::Nested) {
        // The innermost of several slices with the same start ends first.
        for (auto one = firstActiveFrom(row.start + 1); one != m_active.begin();)
            if ((*--one)->slice.row.start != row.start)
                break;
            else if ((*one)->isOpen())
                return endLong(**one, row, std::move(side));
        if (row.start < m_closedUpTo)
            return addLate(row, std::move(side));
    }
    if (m_pending.empty() || m_pending.back().slices.size() >= kBucketSlices)
        m_pending.emplace_back();
    m_pending.back().add({row, newId(m_localIds), std::move(side)}, kNoRow);
    return m_pending.back().slices.back().id;
}

void LaneGrowth::setOpen(std::span<const SliceRow> open)
{
    assert(m_policy == Policy::Nested || open.empty());
    std::multimap<Ns, LongSlice *> known;
    for (LongSlice *one : m_active)
        if (one->isOpen())
            known.emplace(one->slice.row.start, one);
    for (const SliceRow &row : open) {
        const auto found = known.find(row.start); // the outermost one with this start
        if (found != known.end()) {
            found->second->slice.row = row; // its name and its place in the source may be new
            known.erase(found);
        } else {
            addLong({row, newId(m_longIds), nullptr}, NestedSpan::kOpen);
        }
    }
    for (const auto &[start, gone] : known)
        removeLong(*gone);
}

LongSlice &LaneGrowth::addLong(GrowingSlice slice, Ns end)
{
    LongSlice added;
    added.slice = std::move(slice);
    added.end = end;
    const NestedSpan span = added.span();
    const LongSlice *parent = activeLong(m_longSlices.around(span).id);
    added.row = freeRow(span, parent ? parent->row + 1 : 0);
    if (m_rowsBusyUntil.size() <= added.row)
        m_rowsBusyUntil.resize(added.row + 1, INT64_MIN);
    m_rowsBusyUntil[added.row] = std::max(m_rowsBusyUntil[added.row], end);
    for (const Piece &piece : m_pieces)
        if (piece.stretch.end > span.start && piece.stretch.begin < span.end)
            added.rootTime += rootTimeIn(piece, span);
    m_longSlices.add(span);
    LongSlice &kept = m_longPages.add(std::move(added));
    m_active.insert(firstActiveFrom(kept.slice.row.start + 1), &kept);
    return kept;
}

SliceId LaneGrowth::endLong(LongSlice &ended, SliceRow row, std::unique_ptr<SideRows> side)
{
    ended.slice.row = row;
    ended.slice.side = std::move(side);
    ended.end = ended.slice.end();
    m_longSlices.change(ended.span());
    m_longPages.changed(ended);
    m_rowsBusyUntil[ended.row] = ended.end;
    for (const LongSlice *other : m_active)
        if (other->span().crosses(ended.span()))
            markIrregular({ended.slice.row.start, ended.end});
    return ended.slice.id;
}

void LaneGrowth::removeLong(LongSlice &gone)
{
    const NestedSpan span = gone.span();
    m_longSlices.remove(span);
    if (LongSlice *parent = activeLong(m_longSlices.around(span).id))
        parent->childrenOwn += gone.childrenOwn;
    std::erase(m_active, &gone);
    m_rowsBusyUntil[gone.row] = m_closedUpTo;
    for (const Bucket &bucket : m_pending)
        for (size_t at = 0; at < bucket.slices.size(); ++at)
            if (bucket.rows[at] == gone.row)
                m_rowsBusyUntil[gone.row] = std::max(m_rowsBusyUntil[gone.row], bucket.slices[at].end());
    m_longPages.remove(gone);
}

void LaneGrowth::markIrregular(TimeSpan span)
{
    for (LongSlice *one : m_active)
        if (one->slice.row.start < span.end && one->end > span.begin)
            one->irregular = true;
}

std::vector<LongSlice *>::const_iterator LaneGrowth::firstActiveFrom(Ns start) const
{
    return std::ranges::lower_bound(m_active, start, {}, [](const LongSlice *one) { return one->slice.row.start; });
}

LongSlice *LaneGrowth::activeLong(SliceId id) const
{
    const auto found = std::ranges::find(m_active, id, [](const LongSlice *one) { return one->slice.id; });
    return id.valid() && found != m_active.end() ? *found : nullptr;
}

void LaneGrowth::settle(Ns mark)
{
    placeLate();
    if (mark <= m_mark)
        return;
    if (m_mark != INT64_MIN && mark != INT64_MAX) // what was late once is forgotten slowly
        m_holdBack -= std::min(m_holdBack, (mark - std::max(m_mark, kEarliestTime)) / 64);
    m_mark = mark;
    const Ns settled = mark == INT64_MAX ? mark : mark - m_holdBack;
    const Ns boundary = m_policy == Policy::Nested ? boundaryFor(settled) : settled;
    if (boundary <= m_closedUpTo)
        return;
    closeStretch(boundary);
    m_closedUpTo = boundary;
    closeLongSlices(boundary);
}

void LaneGrowth::finish(Ns now)
{
    const std::vector<LongSlice *> active = m_active;
    for (auto one = active.rbegin(); one != active.rend(); ++one)
        if ((*one)->isOpen()) {
            SliceRow row = (*one)->slice.row;
            if (!endsWithTrace(row))
                row.flags &= static_cast<uint16_t>(~slice_flag::Unfinished);
            else
                row.duration = std::max<Ns>(0, now - row.start);
            endLong(**one, row, std::move((*one)->slice.side));
        }
    settle(INT64_MAX);
}

void LaneGrowth::Bucket::add(GrowingSlice slice, uint32_t row)
{
    firstStart = std::min(firstStart, slice.row.start);
    firstEnd = std::min(firstEnd, slice.end());
    lastEnd = std::max(lastEnd, slice.end());
    firstId = std::min(firstId, slice.id);
    lastId = std::max(lastId, slice.id);
    slices.push_back(std::move(slice));
    rows.push_back(row);
    made.reset();
}

Ns LaneGrowth::boundaryFor(Ns mark)
{
    Ns boundary = mark;
    // Which of two crossing slices is longer must be known.
    for (const LongSlice *open : m_active)
        if (const Ns start = open->slice.row.start; open->isOpen())
            for (const Bucket &bucket : m_pending)
                if (bucket.firstStart < start && start < bucket.lastEnd)
                    for (const GrowingSlice &slice : bucket.slices)
                        if (slice.row.start < start && start < slice.end() && mark - start <= slice.row.duration)
                            boundary = std::min(boundary, slice.row.start);
    // No slice that has arrived should contain the boundary, because it would become long. They have mostly arrived in
    // the order of their ends, so that one round from the last one on finds nearly all that contain the boundary.
    const Ns latest = boundary;
    for (Ns before = INT64_MAX; boundary < before;) {
        before = boundary;
        for (auto bucket = m_pending.rbegin(); bucket != m_pending.rend(); ++bucket)
            if (bucket->firstStart < boundary && bucket->lastEnd >= boundary)
                for (auto slice = bucket->slices.rbegin(); slice != bucket->slices.rend(); ++slice)
                    if (slice->row.start < boundary && slice->end() >= boundary)
                        boundary = slice->row.start;
    }
    // Slices that touch, such as steps, leave no such moment, however long the others wait.
    size_t waiting = 0;
    for (const Bucket &bucket : m_pending)
        if (bucket.firstEnd < latest && bucket.lastEnd >= boundary)
            waiting += bucket.slices.size();
    if (boundary == latest ||
        (waiting <= m_patience.slices && latest - std::max(boundary, m_closedUpTo) <= m_patience.time))
        return boundary;
    makeLongAround(latest);
    return latest;
}

void LaneGrowth::makeLongAround(Ns boundary)
{
    std::vector<GrowingSlice> around;
    for (Bucket &bucket : m_pending) {
        if (bucket.firstStart >= boundary || bucket.lastEnd < boundary)
            continue;
        Bucket kept;
        for (size_t at = 0; at < bucket.slices.size(); ++at)
            if (GrowingSlice &slice = bucket.slices[at]; slice.row.start < boundary && slice.end() >= boundary)
                around.push_back(std::move(slice));
            else
                kept.add(std::move(slice), bucket.rows[at]);
        bucket = std::move(kept);
    }
    std::erase_if(m_pending, [](const Bucket &bucket) { return bucket.slices.empty(); });
    std::ranges::sort(around, comesBefore);
    for (GrowingSlice &slice : around) {
        const NestedSpan span = slice.span();
        slice.row.flags &= static_cast<uint16_t>(~slice_flag::Crossing);
        addLong(std::move(slice), span.end);
        bool crosses = false;
        m_longSlices.visit({span.start, span.end}, [&](const NestedSpan &other) { crosses |= other.crosses(span); });
        if (crosses)
            markIrregular({span.start, span.end});
    }
}

std::vector<GrowingSlice> LaneGrowth::takePending(Ns boundary, std::vector<uint32_t> &rows)
{
    std::vector<GrowingSlice> taken;
    for (Bucket &bucket : m_pending) {
        if (bucket.firstEnd >= boundary)
            continue;
        Bucket kept;
        for (size_t at = 0; at < bucket.slices.size(); ++at) {
            if (bucket.slices[at].end() >= boundary) {
                kept.add(std::move(bucket.slices[at]), bucket.rows[at]);
                continue;
            }
            taken.push_back(std::move(bucket.slices[at]));
            rows.push_back(bucket.rows[at]);
        }
        bucket = std::move(kept);
    }
    std::erase_if(m_pending, [](const Bucket &bucket) { return bucket.slices.empty(); });
    return taken;
}

} // namespace riffle
