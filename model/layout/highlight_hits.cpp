// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/highlight_hits.h"

#include "model/base/parallel.h"
#include "model/trace/slice_positions.h"

#include <algorithm>

namespace riffle {

namespace {

/// The ascending SliceIds of the slices for which `passes(segment, index in it)` is true, in the segments for which
/// `counts(segment)` is.
template <typename Passes, typename Counts>
BigVector<uint32_t> slicesThatPass(const Trace &trace, const Task &task, Passes passes, Counts counts)
{
    std::vector<BigVector<uint32_t>> parts(trace.segments.size());
    parallelFor(parts.size(), [&](size_t index) {
        const Segment &segment = *trace.segments[index];
        if (task.stopped() || !counts(segment))
            return;
        for (uint32_t at = 0; at < segment.size(); ++at)
            if (passes(segment, at))
                parts[index].push_back(segment.idAt(at).value);
    });
    BigVector<uint32_t> all;
    for (const auto &part : parts)
        all.insert(all.end(), part.begin(), part.end());
    if (!std::ranges::is_sorted(all)) // ids do not have the order of slices in traces that grow
        std::ranges::sort(all);
    return all;
}

/// One byte per StringId of a trace: 1 if it is one of the names.
std::vector<uint8_t> marked(const Trace &trace, const std::vector<uint32_t> &names)
{
    std::vector<uint8_t> wanted(trace.strings.count(), 0);
    for (const uint32_t name : names)
        if (name < wanted.size())
            wanted[name] = 1;
    return wanted;
}

bool hasName(const std::vector<uint8_t> &wanted, const Segment &segment, uint32_t at)
{
    const uint32_t name = segment.slices.name[at];
    return name < wanted.size() && wanted[name];
}

} // namespace

PerTrace<BigVector<uint32_t>> slicesOfNames(const TraceSet &set, const PerTrace<std::vector<uint32_t>> &names,
                                            Task task)
{
    PerTrace<BigVector<uint32_t>> hits;
    for (const LoadedTrace &member : set.loaded()) {
        if (names[member.id].empty())
            continue;
        const std::vector<uint8_t> wanted = marked(*member.trace, names[member.id]);
        hits[member.id] = slicesThatPass(
            *member.trace, task, [&](const Segment &segment, uint32_t at) { return hasName(wanted, segment, at); },
            [](const Segment &) { return true; });
    }
    return hits;
}

PerTrace<BigVector<uint32_t>> slicesOfClasses(const TraceSet &set, const SetWorkClasses &classes, WorkClassSet wanted,
                                              const PerTrace<std::vector<uint32_t>> *names, Task task)
{
    PerTrace<BigVector<uint32_t>> hits;
    for (const LoadedTrace &member : set.loaded()) {
        BigVector<uint32_t> &own = hits[member.id]; // also if it stays empty: then nothing of the trace is emphasised
        const WorkClasses *known = classes[member.id].get();
        if (!known || !(known->present & wanted))
            continue;
        const std::vector<uint8_t> named = names ? marked(*member.trace, (*names)[member.id]) : std::vector<uint8_t>();
        const auto isKnown = [&](const Segment &segment) { return known->slices.positions().has(segment); };
        own = slicesThatPass(
            *member.trace, task,
            [&](const Segment &segment, uint32_t at) {
                return known->isOf(wanted, segment, at) && (!names || hasName(named, segment, at));
            },
            isKnown);
    }
    return hits;
}

BigVector<uint32_t> numbersOf(const Trace &trace, const SqueezedLanes &squeezed, std::span<const uint32_t> slices,
                              Task task)
{
    if (slices.empty())
        return {};
    const SlicePositions positions(trace);
    std::vector<bool> isHit(positions.size() + 1); // the last one stands for ids that the trace does not have
    for (const uint32_t slice : slices)
        isHit[positions.of(slice)] = true;
    isHit.back() = false;
    std::vector<BigVector<uint32_t>> parts(squeezed.lanes.size());
    parallelFor(parts.size(), [&](size_t index) {
        const std::optional<SqueezedLane> &lane = squeezed.lanes[index];
        for (size_t at = 0; lane && at < lane->slices.size() && !task.stopped(); ++at)
            if (isHit[positions.of(lane->slices[at])])
                parts[index].push_back(lane->firstNumber + static_cast<uint32_t>(at));
    });
    BigVector<uint32_t> numbers;
    for (const auto &part : parts)
        numbers.insert(numbers.end(), part.begin(), part.end());
    return numbers;
}

} // namespace riffle
