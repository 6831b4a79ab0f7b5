// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/lane_squeezing.h"

#include "model/base/parallel.h"
#include "model/base/stopping.h"
#include "model/trace/details.h"
#include "model/trace/drawn_segment.h"
#include "model/trace/seal/lane_nesting.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>
#include <vector>

namespace riffle {

namespace {

/// The slices of a lane that are shown, ordered like LanePlumbing::order.
struct ShownSlices {
    BigVector<uint32_t> at; ///< indices in the segments
    BigVector<Ns> start, duration;
    std::vector<size_t> ends; ///< per segment of the lane, the number of slices up to its end
};

ShownSlices shownSlices(const Trace &trace, const Lane &lane, const LanePlumbing &plumbing)
{
    ShownSlices shown;
    const size_t count = plumbing.order.size() - plumbing.hidden;
    shown.at.reserve(count);
    shown.start.reserve(count);
    shown.duration.reserve(count);
    for (size_t index = 0; index < lane.segments.size(); ++index) {
        const Segment &segment = *trace.segments[lane.segments[index]];
        for (const uint32_t at : plumbing.orderOf(index, segment.size())) {
            throwIfStoppedAt(at);
            if (plumbing.isHidden[plumbing.first[index] + at])
                continue;
            shown.at.push_back(at);
            shown.start.push_back(segment.slices.start[at]);
            shown.duration.push_back(segment.slices.duration[at]);
        }
        shown.ends.push_back(shown.at.size());
    }
    return shown;
}

/// Adds the shown slices [first, last) of a segment, row by row.
void addSegment(const Segment &segment, const ShownSlices &shown, std::span<const uint32_t> rows, size_t first,
                size_t last, SqueezedLane &squeezed)
{
    const size_t count = last - first;
    DrawnColumns columns;
    columns.rowBegin = BigVector<uint32_t>(std::ranges::max(rows.subspan(first, count)) + size_t{2}, 0);
    for (const uint32_t row : rows.subspan(first, count))
        ++columns.rowBegin[row + 1];
    for (size_t row = 1; row < columns.rowBegin.size(); ++row)
        columns.rowBegin[row] += columns.rowBegin[row - 1];
    std::vector<uint32_t> next(columns.rowBegin.begin(), columns.rowBegin.end() - 1);
    const size_t number = squeezed.slices.size();
    columns.start.resize(count);
    columns.duration.resize(count);
    columns.name.resize(count);
    squeezed.slices.resize(number + count);
    for (size_t from = first; from < last; ++from) {
        throwIfStoppedAt(from);
        const uint32_t to = next[rows[from]]++;
        columns.start[to] = shown.start[from];
        columns.duration[to] = shown.duration[from];
        columns.name[to] = segment.slices.name[shown.at[from]];
        squeezed.slices[number + to] = segment.idAt(shown.at[from]).value;
    }
    Segment drawn = drawnSegment(std::move(columns));
    drawn.lane = segment.lane;
    drawn.firstSlice = static_cast<uint32_t>(number);
    squeezed.segments.push_back(std::move(drawn));
}

/// None if the rows do not become fewer.
std::optional<SqueezedLane> squeezedLane(const Trace &trace, const Lane &lane, const LanePlumbing &plumbing)
{
    const ShownSlices shown = shownSlices(trace, lane, plumbing);
    if (!std::ranges::is_sorted(shown.start)) // the lane grows, or the store is damaged
        return std::nullopt;
    NestingInput input;
    input.start = shown.start;
    input.duration = shown.duration;
    const Nesting nesting = nestLane(input);
    if (nesting.rows >= lane.rows)
        return std::nullopt;
    SqueezedLane squeezed;
    squeezed.rows = nesting.rows;
    squeezed.slices.reserve(shown.at.size());
    size_t first = 0;
    for (size_t at = 0; at < lane.segments.size(); first = shown.ends[at++])
        if (shown.ends[at] > first)
            addSegment(*trace.segments[lane.segments[at]], shown, nesting.row, first, shown.ends[at], squeezed);
    assert(squeezed.slices.size() == shown.at.size());
    return squeezed;
}

} // namespace

std::shared_ptr<const SqueezedLanes> squeezedLanes(const Trace &trace)
{
    auto squeezed = std::make_shared<SqueezedLanes>();
    if (!hasDetails(trace, &Segment::python))
        return squeezed;
    const std::vector<FrameRole> roles = frameRoles(trace);
    squeezed->lanes.resize(trace.lanes.size());
    parallelFor(trace.lanes.size(), [&](size_t index) {
        const Lane &lane = trace.lanes[index];
        if (lane.kind != LaneKind::Thread || lane.rows < 2)
            return;
        const LanePlumbing plumbing = plumbingOf(trace, lane, roles);
        if (plumbing.hidden > 0)
            squeezed->lanes[index] = squeezedLane(trace, lane, plumbing);
    });
    uint32_t number = 0;
    for (std::optional<SqueezedLane> &lane : squeezed->lanes) {
        if (!lane)
            continue;
        lane->firstNumber = number;
        for (Segment &segment : lane->segments)
            segment.firstSlice += number;
        number += static_cast<uint32_t>(lane->slices.size());
    }
    return squeezed;
}

} // namespace riffle
