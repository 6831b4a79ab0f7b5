// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/snapshot_difference.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace riffle::test {

namespace {

template <typename T>
bool sameColumn(const Column<T> &left, const Column<T> &right)
{
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

template <typename T>
bool below(const Column<T> &column, uint64_t end)
{
    return std::all_of(column.begin(), column.end(), [&](T value) { return value < end; });
}

} // namespace

std::string snapshotDifference(const MemorySnapshot &left, const MemorySnapshot &right)
{
    if (left.protocol != right.protocol || left.stateOnly != right.stateOnly || left.pickleBytes != right.pickleBytes)
        return "protocol, form or length";
    if (!sameColumn(left.strings.bytes, right.strings.bytes) || !sameColumn(left.strings.begins, right.strings.begins))
        return "strings";
    if (!sameColumn(left.frames, right.frames) || !sameColumn(left.stacks.begin, right.stacks.begin) ||
        !sameColumn(left.stacks.frames, right.stacks.frames))
        return "stacks";
    const MemoryEventTable &a = left.events, &b = right.events;
    if (!sameColumn(a.action, b.action) || !sameColumn(a.address, b.address) || !sameColumn(a.size, b.size) ||
        !sameColumn(a.stream, b.stream) || !sameColumn(a.stack, b.stack) || !sameColumn(a.time, b.time) ||
        !sameColumn(a.pool, b.pool) || !sameColumn(a.metadata, b.metadata) ||
        !sameColumn(a.compileContext, b.compileContext) || !sameColumn(a.category, b.category) ||
        !sameColumn(a.forwardStack, b.forwardStack))
        return "events";
    const auto sameBlock = [](const MemoryBlock &x, const MemoryBlock &y) {
        return x.address == y.address && x.size == y.size && x.requested == y.requested && x.stack == y.stack &&
               x.state == y.state;
    };
    if (!std::equal(left.blocks.begin(), left.blocks.end(), right.blocks.begin(), right.blocks.end(), sameBlock))
        return "blocks";
    const auto sameSegment = [](const MemorySegment &x, const MemorySegment &y) {
        return x.address == y.address && x.total == y.total && x.allocated == y.allocated && x.active == y.active &&
               x.requested == y.requested && x.stream == y.stream && x.device == y.device && x.type == y.type &&
               x.pool == y.pool && x.stack == y.stack && x.firstBlock == y.firstBlock && x.blocks == y.blocks &&
               x.expandable == y.expandable && x.host == y.host;
    };
    if (!std::equal(left.segments.begin(), left.segments.end(), right.segments.begin(), right.segments.end(),
                    sameSegment))
        return "segments";
    const auto sameTrace = [](const MemoryDeviceTrace &x, const MemoryDeviceTrace &y) {
        return x.device == y.device && x.host == y.host && x.first == y.first && x.count == y.count;
    };
    if (!std::equal(left.devices.begin(), left.devices.end(), right.devices.begin(), right.devices.end(), sameTrace))
        return "devices";
    if (left.streams != right.streams || left.pools != right.pools || left.settings != right.settings)
        return "streams, pools or settings";
    if (left.annotations.size() != right.annotations.size())
        return "annotations";
    if (left.oddities.unreadableFields != right.oddities.unreadableFields ||
        left.oddities.repeatedEntries != right.oddities.repeatedEntries ||
        left.oddities.strangeItems != right.oddities.strangeItems ||
        left.oddities.otherActions != right.oddities.otherActions ||
        left.oddities.otherKeys != right.oddities.otherKeys || left.otherSnapshots != right.otherSnapshots)
        return "oddities";
    if (left.damage.has_value() != right.damage.has_value() ||
        (left.damage && (left.damage->message != right.damage->message || left.damage->offset != right.damage->offset)))
        return "damage";
    return {};
}

std::string snapshotProblem(const MemorySnapshot &snapshot)
{
    const MemoryEventTable &events = snapshot.events;
    const size_t rows = events.action.size();
    const uint32_t strings = snapshot.strings.count(), stacks = snapshot.stacks.count();
    for (const size_t size : {events.address.size(), events.size.size(), events.stream.size(), events.stack.size()})
        if (size != rows)
            return "columns of the events differ in length";
    for (const size_t size : {events.time.size(), events.pool.size(), events.metadata.size(),
                              events.compileContext.size(), events.category.size(), events.forwardStack.size()})
        if (size != rows && size != 0)
            return "columns of some events differ in length";
    if (!below(events.stack, stacks) || !below(events.forwardStack, stacks) ||
        !below(events.stream, snapshot.streams.size()) || !below(events.pool, snapshot.pools.size()) ||
        !below(events.metadata, strings) || !below(events.compileContext, strings) || !below(events.category, strings))
        return "an event refers to nothing";
    if (!below(snapshot.stacks.frames, snapshot.frames.size()) ||
        !below(snapshot.stacks.begin, snapshot.stacks.frames.size() + 1))
        return "a stack refers to nothing";
    for (const MemoryFrame &frame : snapshot.frames)
        if (frame.name >= strings || frame.file >= strings)
            return "a frame refers to nothing";
    for (const MemoryBlock &block : snapshot.blocks)
        if (block.stack >= stacks)
            return "a block refers to nothing";
    for (const MemorySegment &segment : snapshot.segments)
        if (segment.stack >= stacks || segment.pool >= snapshot.pools.size() || segment.type >= strings ||
            uint64_t(segment.firstBlock) + segment.blocks > snapshot.blocks.size())
            return "a segment refers to nothing";
    for (const MemoryDeviceTrace &trace : snapshot.devices)
        if (uint64_t(trace.first) + trace.count > rows)
            return "a device refers to nothing";
    return {};
}

} // namespace riffle::test
