// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/memory_instant.h"

#include "model/analysis/memory/memory_info.h"
#include "model/analysis/summary/step_lookup.h"
#include "model/base/format.h"
#include "model/base/ids.h"

#include <fmt/format.h>

#include <charconv>

namespace riffle {

namespace {

Error question(std::string message) { return Error{std::move(message), {}, std::nullopt, ErrorKind::Question}; }

int64_t firstTime(const MemorySnapshot &snapshot, uint32_t first, uint32_t count)
{
    for (const int64_t time : snapshot.events.time.slice(first, count))
        if (time != MemoryEventTable::kNoTime)
            return time;
    return MemoryEventTable::kNoTime;
}

Result<uint32_t> eventAtTime(const MemorySnapshot &snapshot, const DeviceReplay &device, int64_t after)
{
    const int64_t origin = snapshotOrigin(snapshot);
    if (memoryOrigin(snapshot, device) == MemoryEventTable::kNoTime)
        return question("No event of " + memoryDeviceName(device) + " has a time: give the number of an event.");
    const int64_t wanted = saturatedSum(origin, after);
    for (uint32_t at = device.events; at > 0; --at) {
        const int64_t time = snapshot.events.time[device.firstEvent + at - 1];
        if (time != MemoryEventTable::kNoTime && time <= wanted)
            return device.firstEvent + at - 1;
    }
    return kNoRow;
}

Result<uint32_t> firstOutOfMemory(const MemorySnapshot &snapshot, const DeviceReplay &device)
{
    for (uint32_t event = device.firstEvent; event < device.firstEvent + device.events; ++event)
        if (snapshot.events.action[event] == MemoryAction::OutOfMemory)
            return event;
    return question("The history of " + memoryDeviceName(device) + " does not contain an out-of-memory event.");
}

} // namespace

MemoryInstant memoryInstant(const SnapshotFacts &facts, uint32_t device, uint32_t event)
{
    return {device, event, facts.alive(device).at(event)};
}

Result<MemoryMoment> parseMemoryMoment(std::string_view text)
{
    using Kind = MemoryMoment::Kind;
    if (text == "peak")
        return MemoryMoment{Kind::Peak, 0};
    if (text == "oom")
        return MemoryMoment{Kind::OutOfMemory, 0};
    if (text == "begin")
        return MemoryMoment{Kind::Begin, 0};
    if (text == "end")
        return MemoryMoment{Kind::End, 0};
    const std::string_view digits = text.starts_with('#') ? text.substr(1) : text;
    int64_t number = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool whole = !digits.empty() && problem == std::errc() && end == digits.data() + digits.size();
    if (whole && number >= 0)
        return MemoryMoment{Kind::Event, number};
    if (!text.starts_with('#') && !whole)
        if (const auto time = parseTime(text))
            return MemoryMoment{Kind::Time, *time};
    return question(fmt::format("'{}' is not an instant. Instants are {}.", text, kMomentForm));
}

Result<uint32_t> eventAt(const SnapshotFacts &facts, uint32_t device, const MemoryMoment &moment)
{
    const DeviceReplay &replay = facts.replay().devices[device];
    switch (moment.kind) {
    case MemoryMoment::Kind::Event:
        if (moment.value < static_cast<int64_t>(replay.events))
            return replay.firstEvent + static_cast<uint32_t>(moment.value);
        if (replay.events == 0)
            return question("There is no history of " + memoryDeviceName(replay) + ": use begin or end.");
        return question(fmt::format("There is no event {} of {}: its events are 0 to {}.", moment.value,
                                    memoryDeviceName(replay), replay.events - 1));
    case MemoryMoment::Kind::Time: return eventAtTime(facts.snapshot(), replay, moment.value);
    case MemoryMoment::Kind::OutOfMemory: return firstOutOfMemory(facts.snapshot(), replay);
    case MemoryMoment::Kind::Begin: return kNoRow;
    case MemoryMoment::Kind::End: return replay.events ? replay.firstEvent + replay.events - 1 : kNoRow;
    case MemoryMoment::Kind::Peak: break;
    }
    return replay.peakAllocatedEvent;
}

int64_t memoryOrigin(const MemorySnapshot &snapshot, const DeviceReplay &device)
{
    return firstTime(snapshot, device.firstEvent, device.events);
}

int64_t snapshotOrigin(const MemorySnapshot &snapshot)
{
    int64_t first = MemoryEventTable::kNoTime;
    for (const MemoryDeviceTrace &device : snapshot.devices) {
        const int64_t time = firstTime(snapshot, device.first, device.count);
        if (time != MemoryEventTable::kNoTime && (first == MemoryEventTable::kNoTime || time < first))
            first = time;
    }
    return first;
}

std::string describeInstant(const SnapshotFacts &facts, uint32_t device, uint32_t event)
{
    const DeviceReplay &replay = facts.replay().devices[device];
    std::string out = memoryDeviceName(replay);
    if (event == kNoRow) {
        out += replay.events ? " before the first event" : ", which has no history";
    } else {
        out += fmt::format(" after event {} (of events 0 to {})", event - replay.firstEvent, replay.events - 1);
        const int64_t time = facts.snapshot().events.time.at(event, MemoryEventTable::kNoTime);
        if (time != MemoryEventTable::kNoTime)
            out += fmt::format(", {} after the first",
                               formatDuration(saturatedSum(time, -snapshotOrigin(facts.snapshot()))));
    }
    const MemoryLevel level = facts.alive(device).level(event);
    return out + ": " + formatBytes(level.allocated) + " allocated, " + formatBytes(level.active) + " active, " +
           formatBytes(level.reserved) + " reserved.";
}

} // namespace riffle
