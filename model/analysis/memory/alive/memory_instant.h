// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The allocations that are alive on one device after one event.
struct MemoryInstant {
    uint32_t device = 0;                       ///< row of MemoryReplay::devices
    uint32_t event = MemoryAllocations::kNone; ///< row of MemorySnapshot::events; kNone for the time before the history
    std::vector<uint32_t> rows;                ///< rows of DeviceReplay::allocations, ascending
};

MemoryInstant memoryInstant(const SnapshotFacts &facts, uint32_t device, uint32_t event);

/// An instant as the user specifies it, without a device.
struct MemoryMoment {
    enum class Kind : uint8_t {
        Event,       ///< after the event with this number in the device's history
        Time,        ///< after the device's last event up to `value` ns after the earliest event of any device
        Peak,        ///< after the first event that brings allocated to its maximum
        OutOfMemory, ///< after the first `oom` event
        Begin,       ///< before the first event
        End,
    };
    Kind kind = Kind::Peak;
    int64_t value = 0; ///< the event number, or ns
};

inline constexpr const char *kMomentForm = "peak, oom (the first one, on devices that ran out of memory), begin, end, "
                                           "the number of an event in the device's history (1234 or #1234), "
                                           "or a time after the first event of all devices (1.5s, 20ms)";

/// Reads "peak", "oom", "begin", "end", "1234", "#1234" or "1.5s". A number with a fraction but no unit is a time in
/// seconds.
Result<MemoryMoment> parseMemoryMoment(std::string_view text);

/// The last event of a device at the moment; kNone if the moment is before its first event. The Error says why the
/// device does not have the moment.
Result<uint32_t> eventAt(const SnapshotFacts &facts, uint32_t device, const MemoryMoment &moment);

/// The Unix ns of a device's first event that has a time; MemoryEventTable::kNoTime if none has.
int64_t memoryOrigin(const MemorySnapshot &snapshot, const DeviceReplay &device);

/// The earliest event time of any device. Times are shown relative to it on all devices, which share one clock.
int64_t snapshotOrigin(const MemorySnapshot &snapshot);

/// "device 0 after event 1234 (of events 0 to 6444), 1.234 s after the first: 3.2 GiB allocated, 3.3 GiB active, 4 GiB
/// reserved."
std::string describeInstant(const SnapshotFacts &facts, uint32_t device, uint32_t event);

} // namespace riffle
