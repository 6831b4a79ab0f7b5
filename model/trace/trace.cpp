// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace.h"

#include "model/trace/json_entries.h"
#include "model/trace/store_columns.h"
#include "model/trace/table_rows.h"

#include <algorithm>
#include <charconv>

namespace riffle {

std::pair<uint32_t, uint32_t> Segment::overlapping(uint32_t row, TimeSpan wanted) const
{
    if (row >= rows())
        return {0, 0};
    const uint32_t limit = size();
    const uint32_t first = std::min(rowBegin[row], limit);
    const uint32_t last = std::clamp(rowBegin[row + 1], first, limit);
    // The slices of a row are disjoint and sorted by start, so their ends are sorted too.
    uint32_t low = first, high = last;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const bool before = end(middle) < wanted.begin || (end(middle) == wanted.begin && slices.duration[middle] > 0);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    const auto starts = slices.start.span();
    const auto after = std::lower_bound(starts.begin() + low, starts.begin() + last, wanted.end);
    return {low, static_cast<uint32_t>(after - starts.begin())};
}

uint32_t Segment::rowOf(uint32_t index) const
{
    if (rowBegin.empty())
        return 0;
    const auto after = std::upper_bound(rowBegin.begin(), rowBegin.end(), index);
    return after == rowBegin.begin() ? 0 : static_cast<uint32_t>(after - rowBegin.begin() - 1);
}

uint32_t Segment::indexById(SliceId id) const
{
    const auto idOf = [this](uint32_t index) { return ids[index]; };
    size_t first = 0, behind = size(); // the ranks that the id may have
    if (!idRuns.empty()) {
        const auto after = std::ranges::upper_bound(idRuns, id.value, {}, &IdRun::first);
        if (after == idRuns.begin() || std::prev(after)->last < id.value)
            return kNoRow;
        const IdRun &run = *std::prev(after);
        first = run.rank;
        // Without gaps between ids, the rank follows from the id; with gaps it is smaller, mostly by a little.
        size_t near = first + (id.value - run.first);
        behind = std::min<size_t>(near + 1, after == idRuns.end() ? size() : after->rank);
        near = behind - 1;
        for (size_t step = 1; near > first && idOf(byId[near]) > id.value; step *= 4) {
            behind = near;
            near = near - first > step ? near - step : first;
        }
        first = near;
    }
    const auto found = std::ranges::lower_bound(byId.begin() + first, byId.begin() + behind, id.value, {}, idOf);
    return found != byId.end() && idOf(*found) == id.value ? *found : kNoRow;
}

SliceId Segment::lastSlice() const
{
    if (size() == 0)
        return {};
    return idAt(byId.empty() ? size() - 1 : byId[size() - 1]);
}

TimeSpan Segment::saneSpan() const
{
    if (span.begin > kEarliestTime && span.end < kLatestTime)
        return span;
    TimeSpan sane{INT64_MAX, INT64_MIN};
    for (uint32_t at = 0; at < size(); ++at)
        if (slices.start[at] > kEarliestTime && slices.start[at] < kLatestTime)
            sane = {std::min(sane.begin, slices.start[at]), std::max(sane.end, end(at))};
    return sane;
}

int64_t stepNumber(std::string_view name)
{
    const std::string_view digits = name.substr(name.find('#') + 1);
    int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

std::string TraceInfo::text(std::string_view key) const
{
    for (const auto &[name, value] : metadata)
        if (name == key && value.starts_with('"'))
            return plainText(value);
    return {};
}

std::optional<Error> Trace::failure() const
{
    if (stored && stored->wasCut())
        return storeCut(info.path);
    return source ? source->failure() : std::nullopt;
}

uint64_t Trace::sliceCount() const
{
    uint64_t count = 0;
    for (const auto &segment : segments)
        count += segment->size();
    return count;
}

Trace::Place Trace::placeOf(SliceId id) const
{
    if (!id.valid())
        return {};
    if (!segmentsById.empty()) {
        Place place;
        segmentsById.find(id.value, [&](uint32_t at) {
            const uint32_t index = segments[at]->indexOf(id);
            if (index != kNoRow)
                place = {segments[at].get(), index};
            return index != kNoRow;
        });
        return place;
    }
    const auto after = std::upper_bound(segments.begin(), segments.end(), id.value,
                                        [](uint32_t value, const auto &one) { return value < one->firstSlice; });
    if (after == segments.begin())
        return {};
    const Segment &segment = **std::prev(after);
    const uint32_t index = segment.indexOf(id);
    return index == kNoRow ? Place() : Place{&segment, index};
}

std::optional<Slice> Trace::slice(SliceId id) const
{
    const auto [segment, index] = placeOf(id);
    if (!segment)
        return std::nullopt;
    Slice slice;
    slice.id = id;
    slice.lane = segment->lane;
    slice.row = segment->rowOf(index);
    slice.data = rowAt(segment->slices, index);
    slice.self = selfOf(*segment, index);
    slice.depth = depthOf(*segment, index);
    if (const SliceId parent = parentOf(*segment, index); segmentOf(parent))
        slice.parent = parent;
    return slice;
}

SliceId Trace::parentInGrowth(const Segment &segment, uint32_t index) const
{
    if (const uint32_t parent = segment.nesting.parent[index]; parent != kNoRow)
        return segment.idAt(parent);
    const auto &longSlices = lanes[segment.lane.value].longSlices;
    if (!longSlices)
        return {};
    NestedSpan own{segment.slices.start[index], segment.end(index), segment.idAt(index),
                   segment.slices.sourceOffset[index]};
    if ((segment.slices.flags[index] & slice_flag::Unfinished) && longSlices->hasOpen()) {
        own.end = NestedSpan::kOpen;
        own.order = UINT64_MAX;
    }
    return longSlices->around(own).id;
}

uint32_t Trace::depthInGrowth(const Segment &segment, uint32_t index) const
{
    uint32_t outermost = index;
    while (segment.nesting.parent[outermost] != kNoRow)
        outermost = segment.nesting.parent[outermost];
    const auto [outer, at] = placeOf(parentInGrowth(segment, outermost));
    return segment.nesting.depth[index] + (outer ? 1 + depthInGrowth(*outer, at) : 0);
}

std::string Trace::laneName(LaneId id) const
{
    if (id.value >= lanes.size())
        return {};
    const Lane &lane = lanes[id.value];
    std::string name(string(lane.name.value));
    while (!name.empty() && name.back() == ' ')
        name.pop_back();
    if (!name.empty())
        return name;
    std::string tid;
    switch (lane.tid.kind) {
    case RawId::Kind::None: break;
    case RawId::Kind::Signed: tid = std::to_string(lane.tid.bits); break;
    case RawId::Kind::Unsigned: tid = std::to_string(static_cast<uint64_t>(lane.tid.bits)); break;
    case RawId::Kind::Text: tid = string(static_cast<uint32_t>(lane.tid.bits)); break;
    }
    switch (lane.kind) {
    case LaneKind::Stream: return lane.tid.kind == RawId::Kind::Text ? tid : "stream " + tid;
    case LaneKind::Thread:
        if (lane.tid.kind == RawId::Kind::Text)
            return tid;
        return tid.empty() ? "events" : "thread " + tid;
    case LaneKind::Async: return tid.empty() ? "async" : tid;
    case LaneKind::Counter: return tid.empty() ? "counter" : tid;
    }
    return tid;
}

std::string Trace::processName(ProcessId id) const
{
    if (id.value >= processes.size())
        return {};
    const Process &process = processes[id.value];
    std::string name(string(process.name.value));
    const std::string_view labels = string(process.labels.value);
    if (process.device >= 0)
        return "GPU " + std::to_string(process.device);
    std::string pid;
    switch (process.pid.kind) {
    case RawId::Kind::None: break;
    case RawId::Kind::Signed: pid = std::to_string(process.pid.bits); break;
    case RawId::Kind::Unsigned: pid = std::to_string(static_cast<uint64_t>(process.pid.bits)); break;
    case RawId::Kind::Text: pid = string(static_cast<uint32_t>(process.pid.bits)); break;
    }
    if (name.empty() && !labels.empty())
        name = labels;
    if (name.empty() && process.pid == RawId{-1, RawId::Kind::Signed})
        return "Profiler overhead"; // Kineto's process for CUPTI's own work
    if (name.empty())
        return process.pid.kind == RawId::Kind::Text ? pid : pid.empty() ? "trace" : "process " + pid;
    return pid.empty() || name == pid ? name : name + " " + pid;
}

std::vector<SliceId> Trace::launchedBy(SliceId launch) const
{
    std::vector<SliceId> found;
    if (launch.valid())
        launches.forEachLaunchedBy(launch, SliceId(launch.value + 1),
                                   [&](SliceId, SliceId work) { found.push_back(work); });
    return found;
}

SliceId Trace::launchOf(SliceId deviceSlice) const
{
    const Segment *segment = segmentOf(deviceSlice);
    const auto work = segment ? segment->detailOf(&Segment::device, deviceSlice) : DetailRow<DeviceTable>();
    return work ? launchOf(*segment, work.row) : SliceId();
}

std::vector<SliceId> Trace::children(SliceId parent) const
{
    std::vector<std::pair<Ns, uint32_t>> found;
    const std::optional<Slice> slice = this->slice(parent);
    if (!slice)
        return {};
    const TimeSpan reach{slice->data.start, std::max(slice->end(), slice->data.start + 1)};
    for (const uint32_t index : lanes[slice->lane.value].segments) {
        if (index >= segments.size() || segments[index]->span.begin > slice->end())
            continue;
        const Segment &segment = *segments[index];
        for (uint32_t row = 0; row < segment.rows(); ++row) {
            const auto [first, last] = segment.overlapping(row, reach);
            for (uint32_t at = first; at < last; ++at)
                if (parentOf(segment, at) == parent)
                    found.emplace_back(segment.slices.start[at], segment.idAt(at).value);
        }
    }
    std::sort(found.begin(), found.end());
    std::vector<SliceId> children;
    children.reserve(found.size());
    for (const auto &[start, id] : found)
        children.emplace_back(id);
    return children;
}

SliceId Trace::sliceAt(LaneId lane, uint32_t row, Ns time) const
{
    if (lane.value >= lanes.size())
        return {};
    for (const uint32_t index : lanes[lane.value].segments) {
        if (index >= segments.size())
            continue;
        const Segment &segment = *segments[index];
        const auto [first, last] = segment.overlapping(row, {time, time + 1});
        if (first < last)
            return segment.idAt(first);
    }
    return {};
}

} // namespace riffle
