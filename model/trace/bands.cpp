// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/bands.h"

#include "model/base/ids.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>

namespace riffle {

namespace {

template <typename T>
Column<T> columnOf(BigVector<T> values)
{
    auto owner = std::make_shared<const BigVector<T>>(std::move(values));
    return Column<T>(owner, owner->data(), owner->size());
}

/// Returns, for each band, the first row that is free at its start, or kNoRow if all kMostBandRows rows are taken then.
BigVector<uint32_t> rowsOf(std::span<const Band> bands)
{
    BigVector<uint32_t> rows;
    rows.reserve(bands.size());
    std::vector<Ns> ends;
    for (const Band &band : bands) {
        throwIfStoppedAt(rows.size());
        const auto free = std::find_if(ends.begin(), ends.end(), [&](Ns end) { return end <= band.span.begin; });
        if (free == ends.end() && ends.size() == kMostBandRows) {
            rows.push_back(kNoRow);
            continue;
        }
        rows.push_back(static_cast<uint32_t>(free - ends.begin()));
        if (free == ends.end())
            ends.push_back(band.span.end);
        else
            *free = band.span.end;
    }
    return rows;
}

} // namespace

std::shared_ptr<const BandTrack> bandTrack(BandTrack track, BigVector<Band> bands)
{
    assert(std::ranges::all_of(bands, [&](const Band &band) { return band.name < track.names.size(); }));
    // A band that contains others comes before them, so it gets a row above theirs.
    size_t comparisons = 0;
    const auto isBefore = [&](const Band &a, const Band &b) {
        throwIfStoppedAt(++comparisons);
        return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end > b.span.end;
    };
    if (!std::is_sorted(bands.begin(), bands.end(), isBefore)) // most are, and sorting needs as much memory again
        std::stable_sort(bands.begin(), bands.end(), isBefore);
    const BigVector<uint32_t> rows = rowsOf(bands);
    BigVector<uint32_t> order(bands.size());
    std::iota(order.begin(), order.end(), 0u);
    track.leftOut = std::erase_if(order, [&](uint32_t band) { return rows[band] == kNoRow; });
    const auto isAbove = [&](uint32_t a, uint32_t b) {
        throwIfStoppedAt(++comparisons);
        return rows[a] < rows[b];
    };
    if (!std::is_sorted(order.begin(), order.end(), isAbove))
        std::stable_sort(order.begin(), order.end(), isAbove);
    auto segment = std::make_shared<Segment>();
    segment->firstSlice = 0;
    BigVector<Ns> start, duration;
    BigVector<uint32_t> name, rowBegin;
    start.reserve(order.size());
    duration.reserve(order.size());
    name.reserve(order.size());
    track.slices.reserve(order.size());
    for (const uint32_t at : order) {
        throwIfStoppedAt(start.size());
        while (rowBegin.size() <= rows[at])
            rowBegin.push_back(static_cast<uint32_t>(start.size()));
        start.push_back(bands[at].span.begin);
        duration.push_back(bands[at].span.duration());
        name.push_back(bands[at].name);
        track.slices.push_back(bands[at].slice);
    }
    rowBegin.push_back(static_cast<uint32_t>(start.size()));
    BigVector<Ns> longest(lodEntryCount(duration.size()), 0);
    buildLod(duration, longest);
    segment->lod = lodFromEntries(columnOf(std::move(longest)), duration.size());
    if (!bands.empty())
        segment->span = {bands.front().span.begin,
                         std::max_element(bands.begin(), bands.end(), [](const Band &a, const Band &b) {
                             return a.span.end < b.span.end;
                         })->span.end};
    segment->slices.flags = columnOf(BigVector<uint16_t>(start.size(), 0));
    segment->slices.start = columnOf(std::move(start));
    segment->slices.duration = columnOf(std::move(duration));
    segment->slices.name = columnOf(std::move(name));
    segment->rowBegin = columnOf(std::move(rowBegin));
    assert(track.slices.size() == segment->size());
    track.bands = std::move(segment);
    return std::make_shared<const BandTrack>(std::move(track));
}

} // namespace riffle
