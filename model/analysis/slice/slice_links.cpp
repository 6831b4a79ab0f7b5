// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/slice_links.h"

#include "model/analysis/facts/forward_operators.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/trace/details.h"

#include <algorithm>
#include <string_view>

namespace riffle {

namespace {

template <typename Visit>
void forEachAncestor(const Trace &trace, const Slice &from, Visit visit)
{
    std::optional<Slice> at = trace.slice(from.parent);
    for (size_t steps = 0; at && steps < kMaxAncestors; ++steps) {
        if (!visit(*at))
            return;
        at = trace.slice(at->parent);
    }
}

/// Finds the operator, frame and module on the path from a host slice to the root, including the slice itself.
void climb(const Trace &trace, const Slice &from, SliceLinks &links)
{
    const auto look = [&](const Slice &slice) {
        if (!links.operation.valid() && isOperator(slice))
            links.operation = slice.id;
        if (isPythonFrame(slice)) {
            if (isModuleCall(trace, slice)) {
                if (!links.module.valid())
                    links.module = slice.id;
            } else if (!links.frame.valid()) {
                links.frame = slice.id;
            }
        }
        return !(links.operation.valid() && links.frame.valid() && links.module.valid());
    };
    if (look(from))
        forEachAncestor(trace, from, look);
}

/// The other ends of the forward-backward arrows of a slice. `wanted` is the phase of these ends: 's' or 'f'.
std::vector<SliceId> partners(const Trace &trace, SliceId slice, char wanted)
{
    std::vector<SliceId> found;
    const auto row = [&](uint32_t at) { return trace.flows.slice.at(trace.flowsBySlice[at], SliceId::kNone); };
    uint32_t low = 0;
    uint32_t high = static_cast<uint32_t>(trace.flowsBySlice.size());
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (row(middle) < slice.value)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < trace.flowsBySlice.size() && row(low) == slice.value; ++low) {
        const uint32_t own = trace.flowsBySlice[low];
        if (own >= trace.flows.id.size() || trace.string(trace.flows.category[own]) != "fwdbwd")
            continue;
        const auto same = [&](size_t other) {
            return trace.flows.id[other] == trace.flows.id[own] &&
                   trace.flows.category[other] == trace.flows.category[own];
        };
        size_t first = own;
        while (first > 0 && same(first - 1))
            --first;
        for (size_t at = first; at < trace.flows.id.size() && same(at); ++at) {
            const SliceId other(trace.flows.slice[at]);
            if (at != own && other.valid() && other != slice && trace.flows.phase[at] == wanted)
                found.push_back(other);
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

bool isBackward(const Trace &trace, const Slice &slice)
{
    const std::optional<Slice> around = trace.slice(slice.parent);
    return isBackwardName(trace.string(slice.data.name), around ? trace.string(around->data.name) : std::string_view());
}

/// The forward operator of a backward slice in a trace without arrows, such as a log of Riffle's
/// recorder: the last operator with its Sequence number before it that is not backward itself.
SliceId forwardBySequence(const Trace &trace, const Slice &from)
{
    std::optional<Slice> backward = from;
    int64_t sequence = kNoInt;
    for (size_t steps = 0; backward && steps < kMaxAncestors; ++steps) {
        const auto detail = trace.detailOf(&Segment::operators, backward->id);
        if (detail && detail[&OperatorTable::sequence] != kNoInt && detail[&OperatorTable::forwardThread] != 0 &&
            isBackward(trace, *backward)) {
            sequence = detail[&OperatorTable::sequence];
            break;
        }
        backward = trace.slice(backward->parent);
    }
    SliceId found;
    if (!backward)
        return found;
    Ns latest = INT64_MIN;
    forEachDetail(trace, &Segment::operators, [&](const Segment &segment, uint32_t at, uint32_t row) {
        const Ns start = segment.slices.start[at];
        if (segment.operators.sequence[row] != sequence || start >= backward->data.start || start < latest)
            return;
        const std::optional<Slice> slice = trace.slice(segment.idAt(at));
        if (isBackward(trace, *slice))
            return;
        found = slice->id;
        latest = start;
    });
    return found;
}

/// The forward operator of a backward slice, found by its own arrow, by that of the nearest ancestor that has one, or
/// by the Sequence number.
SliceId forwardOf(const Trace &trace, const Slice &from)
{
    SliceId found;
    const auto look = [&](const Slice &slice) {
        const std::vector<SliceId> sources = partners(trace, slice.id, 's');
        if (!sources.empty())
            found = sources.front();
        return !found.valid();
    };
    if (look(from))
        forEachAncestor(trace, from, look);
    return found.valid() ? found : forwardBySequence(trace, from);
}

/// Adds the device work that slices with ids [firstSlice, lastSlice) launched.
void addLaunchedBy(const Trace &trace, uint32_t firstSlice, uint32_t lastSlice, size_t limit, SliceLinks &links)
{
    trace.launches.forEachLaunchedBy(SliceId(firstSlice), SliceId(lastSlice), [&](SliceId, SliceId linked) {
        const std::optional<Slice> work = trace.slice(linked);
        if (!work)
            return;
        ++links.deviceWorkCount;
        links.deviceTime += work->data.duration;
        if (links.deviceWork.size() < limit)
            links.deviceWork.push_back(work->id);
    });
}

/// Adds the device work of a host slice and of everything inside it, i.e. of the slices in deeper rows of its lane
/// within its time.
void addDeviceWork(const Trace &trace, const Slice &slice, size_t limit, SliceLinks &links)
{
    addLaunchedBy(trace, slice.id.value, slice.id.value + 1, limit, links);
    if (slice.lane.value >= trace.lanes.size() || slice.data.duration == 0)
        return;
    const TimeSpan span{slice.data.start, slice.end()};
    for (const uint32_t index : trace.lanes[slice.lane.value].segments) {
        const Segment &segment = *trace.segments[index];
        if (!segment.span.overlaps(span))
            continue;
        for (uint32_t row = slice.row + 1; row < segment.rows(); ++row) {
            auto [first, last] = segment.overlapping(row, span);
            // Only slices that are wholly inside; a neighbour that crosses the boundary is not part of it.
            while (first < last && segment.slices.start[first] < span.begin)
                ++first;
            while (first < last && segment.end(last - 1) > span.end)
                --last;
            if (segment.ids.empty() && first < last)
                addLaunchedBy(trace, segment.idAt(first).value, segment.idAt(last).value, limit, links);
            for (; !segment.ids.empty() && first < last; ++first)
                addLaunchedBy(trace, segment.idAt(first).value, segment.idAt(first).value + 1, limit, links);
        }
    }
}

} // namespace

bool isOperator(const Slice &slice)
{
    // A user annotation may be recorded as an operator, but it launches nothing itself.
    return slice.data.detail == SliceDetail::Operator && !(slice.data.flags & slice_flag::Annotation);
}

bool isPythonFrame(const Slice &slice) { return slice.data.detail == SliceDetail::Python; }

bool isModuleCall(const Trace &trace, const Slice &slice)
{
    return isPythonFrame(slice) && trace.string(slice.data.name).starts_with("nn.Module: ");
}

SliceLinks linksOf(const Trace &trace, SliceId id, size_t deviceLimit)
{
    SliceLinks links;
    const std::optional<Slice> slice = trace.slice(id);
    if (!slice)
        return links;
    std::optional<Slice> host = slice;
    if (slice->data.flags & slice_flag::OnStream) {
        links.launch = trace.launchOf(id);
        host = trace.slice(links.launch);
    } else {
        addDeviceWork(trace, *slice, deviceLimit, links);
        if (!trace.launchedBy(id).empty())
            links.launch = id;
        if (isOperator(*slice))
            links.backward = partners(trace, id, 'f');
    }
    if (!host)
        return links;
    climb(trace, *host, links);
    links.forward = forwardOf(trace, *host);
    if (const std::optional<Slice> forward = trace.slice(links.forward); forward && !links.frame.valid()) {
        SliceLinks of;
        climb(trace, *forward, of);
        links.frame = of.frame;
        links.module = of.module;
        links.throughForward = of.frame.valid() || of.module.valid();
    }
    return links;
}

} // namespace riffle
