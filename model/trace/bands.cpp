// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/bands.h"

#include "model/base/ids.h"

#include <algorithm>
#include <numeric>

namespace riffle {

namespace {

template <typename T>
Column<T> columnOf(std::vector<T> values)
{
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    return Column<T>(owner, owner->data(), owner->size());
}

/// The first row that is free at a band's start, or kNoRow; rows are as many as bands overlap at most.
std::vector<uint32_t> rowsOf(const std::vector<Band> &bands)
{
    std::vector<uint32_t> rows;
    std::vector<Ns> ends;
    for (const Band &band : bands) {
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

std::shared_ptr<const BandTrack> bandTrack(BandTrack track, std::vector<Band> bands)
{
    // What contains others stands above them.
    std::stable_sort(bands.begin(), bands.end(), [](const Band &a, const Band &b) {
        return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end > b.span.end;
    });
    const std::vector<uint32_t> rows = rowsOf(bands);
    std::vector<uint32_t> order(bands.size());
    std::iota(order.begin(), order.end(), 0u);
    track.leftOut = std::erase_if(order, [&](uint32_t band) { return rows[band] == kNoRow; });
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return rows[a] < rows[b]; });
    auto segment = std::make_shared<Segment>();
    segment->firstSlice = 0;
    std::vector<Ns> start, duration;
    std::vector<uint32_t> name, rowBegin;
    for (const uint32_t at : order) {
        while (rowBegin.size() <= rows[at])
            rowBegin.push_back(static_cast<uint32_t>(start.size()));
        start.push_back(bands[at].span.begin);
        duration.push_back(bands[at].span.duration());
        name.push_back(bands[at].name);
        track.slices.push_back(bands[at].slice);
    }
    rowBegin.push_back(static_cast<uint32_t>(start.size()));
    std::vector<Ns> longest(lodEntryCount(duration.size()));
    buildLod(duration, longest);
    segment->lod = lodFromEntries(columnOf(std::move(longest)), duration.size());
    if (!bands.empty())
        segment->span = {bands.front().span.begin,
                         std::max_element(bands.begin(), bands.end(), [](const Band &a, const Band &b) {
                             return a.span.end < b.span.end;
                         })->span.end};
    segment->slices.flags = columnOf(std::vector<uint16_t>(start.size(), 0));
    segment->slices.start = columnOf(std::move(start));
    segment->slices.duration = columnOf(std::move(duration));
    segment->slices.name = columnOf(std::move(name));
    segment->rowBegin = columnOf(std::move(rowBegin));
    track.bands = std::move(segment);
    return std::make_shared<const BandTrack>(std::move(track));
}

} // namespace riffle
