// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/long_page.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

constexpr size_t kMergedPages = 16;

} // namespace

LongSlice &LongPages::add(LongSlice slice)
{
    if (m_pages.empty() || m_pages.back().isFinal || m_pages.back().slices.size() >= kSlices)
        m_pages.emplace_back();
    Page &page = m_pages.back();
    page.made.reset();
    page.slices.push_back(std::make_unique<LongSlice>(std::move(slice)));
    return *page.slices.back();
}

LongPages::Page *LongPages::pageOf(SliceId id)
{
    for (auto page = m_pages.rbegin(); page != m_pages.rend(); ++page) {
        if (page->isFinal ? page->made->indexOf(id) != kNoRow
                          : std::ranges::any_of(page->slices, [&](const auto &one) { return one->slice.id == id; }))
            return &*page;
    }
    return nullptr;
}

void LongPages::remove(LongSlice &slice)
{
    Page *page = pageOf(slice.slice.id);
    assert(page && !page->isFinal);
    page->made.reset();
    std::erase_if(page->slices, [&](const auto &one) { return one.get() == &slice; });
}

void LongPages::changed(const LongSlice &slice)
{
    Page *page = pageOf(slice.slice.id);
    assert(page && !page->isFinal);
    page->made.reset();
}

void LongPages::make(Page &page, LaneId lane, Ns now, const std::function<Ns(const LongSlice &)> &selfOf)
{
    std::vector<LongSlice *> all;
    for (const auto &one : page.slices) {
        if (one->isOpen() && endsWithTrace(one->slice.row))
            one->slice.row.duration = std::max<Ns>(0, now - one->slice.row.start);
        all.push_back(one.get());
    }
    std::ranges::sort(all, [](const LongSlice *a, const LongSlice *b) { return comesBefore(a->slice, b->slice); });
    std::vector<const GrowingSlice *> slices;
    std::vector<uint32_t> rows;
    PieceNesting nesting;
    for (const LongSlice *one : all) {
        slices.push_back(&one->slice);
        rows.push_back(one->row);
        nesting.add(one->closed ? one->self : selfOf(*one));
    }
    page.made = makeSegment(lane, slices, nesting, rows);
}

void LongPages::visit(LaneId lane, Ns now, const std::function<Ns(const LongSlice &)> &selfOf,
                      const std::function<void(const std::shared_ptr<const Segment> &)> &visit)
{
    for (Page &page : m_pages) {
        if (page.isFinal) {
            visit(page.made);
            continue;
        }
        const bool isClosed = std::ranges::all_of(page.slices, [](const auto &one) { return one->closed; });
        if (!isClosed || !page.made)
            make(page, lane, now, selfOf);
        // A page that a slice has left is not filled up any more, unless it is the last one.
        if (isClosed && (page.slices.size() >= kSlices || &page != &m_pages.back())) {
            page.isFinal = true;
            page.slices.clear();
        }
        if (page.made->size() > 0)
            visit(page.made);
    }
    mergeFinal();
}

void LongPages::mergeFinal()
{
    constexpr uint32_t kLevels = 3;
    for (size_t first = 0; first + kMergedPages <= m_pages.size(); ++first) {
        const std::span<Page> pages(m_pages.data() + first, kMergedPages);
        const bool fits = std::ranges::all_of(pages, [&](const Page &page) {
            return page.isFinal && page.level == pages.front().level && page.level < kLevels;
        });
        if (!fits)
            continue;
        Page merged;
        merged.made = joined(pages);
        merged.level = pages.front().level + 1;
        merged.isFinal = true;
        const auto at = m_pages.begin() + static_cast<std::ptrdiff_t>(first);
        *at = std::move(merged);
        m_pages.erase(at + 1, at + kMergedPages);
        return;
    }
}

std::shared_ptr<const Segment> LongPages::joined(std::span<const Page> pages)
{
    struct Part {
        GrowingSlice slice;
        uint32_t row;
        Ns self;
    };
    std::vector<Part> parts;
    for (const Page &page : pages) {
        SegmentSlices all = slicesOf(*page.made);
        for (size_t at = 0; at < all.slices.size(); ++at) {
            const Ns self = page.made->nesting.self[page.made->indexOf(all.slices[at].id)];
            parts.push_back({std::move(all.slices[at]), all.rows[at], self});
        }
    }
    std::ranges::sort(parts, [](const Part &a, const Part &b) { return comesBefore(a.slice, b.slice); });
    std::vector<const GrowingSlice *> slices;
    std::vector<uint32_t> rows;
    PieceNesting nesting;
    for (const Part &part : parts) {
        slices.push_back(&part.slice);
        rows.push_back(part.row);
        nesting.add(part.self);
    }
    return makeSegment(pages.front().made->lane, slices, nesting, rows);
}

bool LongPages::isTaken(uint32_t row, TimeSpan span) const
{
    for (const Page &page : m_pages) {
        if (page.isFinal) {
            const auto [first, last] = page.made->overlapping(row, span);
            if (first < last)
                return true;
            continue;
        }
        for (const auto &one : page.slices)
            if (one->row == row && one->slice.row.start < span.end && one->end > span.begin)
                return true;
    }
    return false;
}

uint64_t LongPages::leaveBefore(Ns time, const std::function<void(const NestedSpan &)> &left)
{
    const auto leaves = [&](const Page &page) { return page.isFinal && page.made->span.end < time; };
    // A slice that stays keeps all around it, even if it is old and stays only because others in its page do.
    for (Ns before = INT64_MAX; time < before;) {
        before = time;
        for (const Page &page : m_pages) {
            if (leaves(page))
                continue;
            for (const auto &one : page.slices)
                if (one->end < before)
                    time = std::min(time, one->slice.row.start);
            for (uint32_t index = 0; page.isFinal && index < page.made->size(); ++index)
                if (page.made->end(index) < before)
                    time = std::min(time, page.made->slices.start[index]);
        }
    }
    uint64_t slices = 0;
    std::erase_if(m_pages, [&](const Page &page) {
        if (!leaves(page))
            return false;
        const Segment &segment = *page.made;
        for (uint32_t index = 0; index < segment.size(); ++index)
            left({segment.slices.start[index], segment.end(index), segment.idAt(index),
                  segment.slices.sourceOffset[index]});
        slices += segment.size();
        return true;
    });
    return slices;
}

void LongPages::setSelf(SliceId id, Ns self)
{
    Page *page = pageOf(id);
    if (!page) // it has left
        return;
    if (!page->isFinal) {
        for (const auto &one : page->slices)
            if (one->slice.id == id)
                one->self = self;
        page->made.reset();
        return;
    }
    page->made = withSelf(*page->made, page->made->indexOf(id), self);
}

void LongPages::setExternalId(SliceId id, int64_t externalId)
{
    Page *page = pageOf(id);
    if (!page)
        return;
    if (page->isFinal) {
        page->made = withExternalId(*page->made, page->made->indexOf(id), externalId);
        return;
    }
    for (const auto &one : page->slices)
        if (one->slice.id == id && one->slice.row.externalId == kNoInt)
            one->slice.row.externalId = externalId;
    page->made.reset();
}

} // namespace riffle
