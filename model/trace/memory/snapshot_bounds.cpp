// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/snapshot_bounds.h"

#include "model/base/parallel.h"

#include <algorithm>
#include <functional>

namespace riffle {

namespace {

template <typename T>
bool allBelow(const Column<T> &column, uint64_t end)
{
    const auto cells = column.span();
    return std::all_of(cells.begin(), cells.end(), [end](T cell) { return static_cast<uint64_t>(cell) < end; });
}

bool stacksAreOrdered(const MemoryStackTable &stacks)
{
    const auto begins = stacks.begin.span();
    return !begins.empty() && begins.front() == 0 && begins.back() == stacks.frames.size() &&
           std::is_sorted(begins.begin(), begins.end());
}

bool segmentsExist(const MemorySnapshot &snapshot)
{
    return std::ranges::all_of(snapshot.segments, [&](const MemorySegment &segment) {
        return segment.stack < snapshot.stacks.count() && segment.pool < snapshot.pools.size() &&
               uint64_t(segment.firstBlock) + segment.blocks <= snapshot.blocks.size();
    });
}

bool blocksExist(const MemorySnapshot &snapshot)
{
    return std::ranges::all_of(snapshot.blocks.span(), [&](const MemoryBlock &block) {
        return block.stack < snapshot.stacks.count() && block.state <= BlockState::Inactive;
    });
}

bool framesExist(const MemorySnapshot &snapshot)
{
    const uint32_t strings = snapshot.strings.count();
    return std::ranges::all_of(snapshot.frames.span(), [&](const MemoryFrame &frame) {
        return frame.name < strings && frame.file < strings &&
               std::ranges::all_of(frame.fx, [&](uint32_t text) { return text < strings; });
    });
}

bool devicesExist(const MemorySnapshot &snapshot)
{
    return std::ranges::all_of(snapshot.devices, [&](const MemoryDeviceTrace &trace) {
        return uint64_t(trace.first) + trace.count <= snapshot.events.count();
    });
}

} // namespace

bool isWithinBounds(const MemorySnapshot &snapshot)
{
    const MemoryEventTable &events = snapshot.events;
    const size_t rows = events.action.size();
    for (const size_t size : {events.address.size(), events.size.size(), events.stream.size(), events.stack.size()})
        if (size != rows)
            return false;
    for (const size_t size : {events.time.size(), events.pool.size(), events.metadata.size(),
                              events.compileContext.size(), events.category.size(), events.forwardStack.size()})
        if (size != rows && size != 0)
            return false;
    const uint32_t strings = snapshot.strings.count();
    const std::function<bool()> checks[] = {
        [&] { return allBelow(events.action, static_cast<uint64_t>(MemoryAction::Count)); },
        [&] { return allBelow(events.stream, snapshot.streams.size()); },
        [&] { return allBelow(events.stack, snapshot.stacks.count()); },
        [&] { return allBelow(events.forwardStack, snapshot.stacks.count()); },
        [&] { return allBelow(events.pool, snapshot.pools.size()); },
        [&] { return allBelow(events.metadata, strings); },
        [&] { return allBelow(events.compileContext, strings); },
        [&] { return allBelow(events.category, strings); },
        [&] { return allBelow(snapshot.stacks.frames, snapshot.frames.size()) && framesExist(snapshot); },
        [&] { return stacksAreOrdered(snapshot.stacks); },
        [&] { return blocksExist(snapshot); },
        [&] { return segmentsExist(snapshot) && devicesExist(snapshot); },
    };
    uint8_t good[std::size(checks)] = {};
    parallelFor(std::size(checks), [&](size_t at) { good[at] = checks[at](); });
    return std::ranges::all_of(good, [](uint8_t one) { return one != 0; });
}

} // namespace riffle
