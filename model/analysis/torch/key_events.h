// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// One event as PyTorch's key_averages() counts it. Times in ns.
struct KeyEvent {
    enum class Kind : uint8_t {
        Operator,
        Annotation,       ///< record_function and the like, on the host
        Frame,            ///< a Python frame: reduces the self time of the event around it, but has no row
        Runtime,          ///< calls of the runtime and driver, and the profiler's own overhead
        Memory,           ///< an allocation outside all other events: no time, only bytes
        Device,           ///< kernels, copies, memsets, and waits of streams
        DeviceAnnotation, ///< the copy of an annotation on a stream
    };
    static constexpr uint32_t kNone = UINT32_MAX;

    Ns start = 0, end = 0;
    Ns hostInside = 0;       ///< time of the events directly inside it
    Ns deviceSelf = 0;       ///< time of the device events with its External id; a device event's own time
    Ns deviceTotal = 0;      ///< deviceSelf, plus that of all events inside it
    uint32_t slice = kNone;  ///< SliceId; for Memory, the row of Trace::memory
    uint32_t name = 0;       ///< StringId; all ProfilerStep#N have the name of the first
    uint32_t lane = 0;       ///< LaneId of the thread it counts on
    uint32_t parent = kNone; ///< index of the event around it
    Kind kind = Kind::Operator;
    bool merged = false; ///< true for the only event inside an event of the same name, as part of which it counts

    bool onDevice() const { return kind >= Kind::Device; }
    bool isAnnotation() const { return kind == Kind::Annotation || kind == Kind::DeviceAnnotation; }
    bool hasRow() const { return !merged && kind != Kind::Frame; }
    Ns duration() const { return end - start; }
};

/// The bytes allocated minus the bytes freed while an event ran, on any thread.
struct KeyMemory {
    int64_t host = 0, device = 0;
    int64_t hostInside = 0, deviceInside = 0; ///< of the events directly inside it
};

/// The events of a trace as key_averages() sees them: ordered by start, the longer ones of equal starts first, and
/// nested per thread. Device events belong to the operator or annotation with their External id, wherever their launch
/// is. A runtime call counts on the thread of the operator with its External id. One without an External id, like the
/// profiler's overhead, counts on the thread that ran the profiler: that of the steps, otherwise that of the first
/// operator. An event is inside the last event that started before it and does not end before it; events that cross are
/// not nested.
struct KeyEvents {
    BigVector<KeyEvent> events;
    BigVector<KeyMemory> memory; ///< parallel to `events`; empty if no memory was recorded
    std::string device = "CUDA"; ///< PyTorch's name of the device type
    uint64_t unlinked = 0;       ///< runtime calls without an operator

    explicit KeyEvents(const Trace &trace);
};

} // namespace riffle
