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

/// What is alive on one device after one event.
struct MemoryInstant {
    uint32_t device = 0;                       ///< row of MemoryReplay::devices
    uint32_t event = MemoryAllocations::kNone; ///< row of MemorySnapshot::events; kNone: before the history
    std::vector<uint32_t> rows;                ///< of DeviceReplay::allocations, ascending
};

MemoryInstant memoryInstant(const SnapshotFacts &facts, uint32_t device, uint32_t event);

/// An instant as people name it.
struct MemoryMoment {
    enum class Kind : uint8_t {
        Event, ///< after the event with this number in the device's history
        Time,  ///< so many ns after the first event of all devices: after the device's last event that is not later
        Peak,  ///< the first event after which allocated is largest
        OutOfMemory, ///< the first `oom`
        Begin,       ///< before the first event
        End,
    };
    Kind kind = Kind::Peak;
    int64_t value = 0; ///< number or ns
};

inline constexpr const char *kMomentForm = "peak, oom (the first, of devices whose memory ran out), begin, end, the "
                                           "number of an event in the device's history (1234 or #1234), "
                                           "or a time after the first event of all devices (1.5s, 20ms)";

/// "peak", "oom", "begin", "end", "1234", "#1234", "1.5s"; a number with a fraction and no unit is a time in s.
Result<MemoryMoment> parseMemoryMoment(std::string_view text);

/// After which event the moment is on a device; kNone: before the first one. An Error says why it has none.
Result<uint32_t> eventAt(const SnapshotFacts &facts, uint32_t device, const MemoryMoment &moment);

/// Unix ns of the first event of a device that has a time; MemoryEventTable::kNoTime: none has.
int64_t memoryOrigin(const MemorySnapshot &snapshot, const DeviceReplay &device);

/// The earliest time of any device's events, from which times of all devices count: one clock.
int64_t snapshotOrigin(const MemorySnapshot &snapshot);

/// "device 0 after event 1,234 of 6,445 (1.234 s): 3.2 GiB allocated, 3.3 GiB active, 4 GiB reserved"
std::string describeInstant(const SnapshotFacts &facts, uint32_t device, uint32_t event);

} // namespace riffle
