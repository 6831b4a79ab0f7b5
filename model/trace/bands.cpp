// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/bands.h"

#include "model/base/ids.h"
#include "model/base/stopping.h"
#include "model/trace/drawn_segment.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>

namespace riffle {

namespace {

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
    DrawnColumns columns;
    columns.start.reserve(order.size());
    columns.duration.reserve(order.size());
    columns.name.reserve(order.size());
    track.slices.reserve(order.size());
    for (const uint32_t at : order) {
        throwIfStoppedAt(columns.start.size());
        while (columns.rowBegin.size() <= rows[at])
            columns.rowBegin.push_back(static_cast<uint32_t>(columns.start.size()));
        columns.start.push_back(bands[at].span.begin);
        columns.duration.push_back(bands[at].span.duration());
        columns.name.push_back(bands[at].name);
        track.slices.push_back(bands[at].slice);
    }
    columns.rowBegin.push_back(static_cast<uint32_t>(columns.start.size()));
    track.bands = std::make_shared<const Segment>(drawnSegment(std::move(columns)));
    assert(track.slices.size() == track.bands->size());
    return std::make_shared<const BandTrack>(std::move(track));
}

} // namespace riffle
