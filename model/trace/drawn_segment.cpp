// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/drawn_segment.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

namespace riffle {

namespace {

template <typename T>
Column<T> columnOf(BigVector<T> values)
{
    auto owner = std::make_shared<const BigVector<T>>(std::move(values));
    return Column<T>(owner, owner->data(), owner->size());
}

} // namespace

Segment drawnSegment(DrawnColumns columns)
{
    const size_t count = columns.start.size();
    assert(columns.duration.size() == count && columns.name.size() == count);
    assert(!columns.rowBegin.empty() && columns.rowBegin.back() == count);
    Segment segment;
    BigVector<Ns> longest(lodEntryCount(count), 0);
    buildLod(columns.duration, longest);
    segment.lod = lodFromEntries(columnOf(std::move(longest)), count);
    segment.slices.start = columnOf(std::move(columns.start));
    segment.slices.duration = columnOf(std::move(columns.duration));
    segment.slices.name = columnOf(std::move(columns.name));
    segment.rowBegin = columnOf(std::move(columns.rowBegin));
    if (count > 0)
        segment.span = {segment.slices.start[0], segment.end(0)};
    for (uint32_t at = 0; at < count; ++at)
        segment.span = {std::min(segment.span.begin, segment.slices.start[at]),
                        std::max(segment.span.end, segment.end(at))};
    return segment;
}

} // namespace riffle
