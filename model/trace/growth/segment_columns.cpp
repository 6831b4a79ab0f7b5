// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/segment_columns.h"

#include <algorithm>

namespace riffle {

void reserveSlices(ColumnPack &pack, size_t slices, size_t rows)
{
    pack.reserveTable<SliceTableT>(slices);
    pack.reserveTable<NestingTableT>(slices);
    pack.reserve<uint32_t>(slices); // ids
    pack.reserve<uint32_t>(slices); // byId
    pack.reserve<uint32_t>(rows + 1);
    pack.reserve<uint32_t>(rows); // rowLongest
    pack.reserve<Ns>(lodEntryCount(slices));
}

void measure(Segment &segment, ColumnPack &pack)
{
    const uint32_t count = segment.size();
    std::vector<uint32_t> ids;
    for (const uint32_t index : segment.byId)
        ids.push_back(segment.ids[index]);
    segment.firstSlice = count ? ids.front() : 0;
    segment.idRuns = idRuns(ids);
    const std::span<Ns> lod = pack.take<Ns>(lodEntryCount(count));
    buildLod(segment.slices.duration.span(), lod);
    segment.lod = lodFromEntries(pack.column(lod), count);
    segment.rowLongest = pack.filled<uint32_t>(segment.rows(), [&](size_t row) {
        const uint32_t first = segment.rowBegin[row], last = segment.rowBegin[row + 1];
        return first == last ? kNoRow : segment.lod.longest(segment.slices.duration.span(), first, last);
    });
    segment.span = {INT64_MAX, INT64_MIN};
    for (uint32_t at = 0; at < count; ++at) {
        segment.span.begin = std::min(segment.span.begin, segment.slices.start[at]);
        segment.span.end = std::max(segment.span.end, segment.end(at));
    }
}

} // namespace riffle
