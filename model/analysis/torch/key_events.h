// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// One event as PyTorch's key_averages() counts it. Times in ns.
struct KeyEvent {
    enum class Kind : uint8_t {
        Operator,
        Annotation,       ///< record_function and the like, on the host
        Frame,            ///< of Python: takes time from what is around it, but has no row
        Runtime,          ///< calls of the runtime and driver, and the profiler's own overhead
        Memory,           ///< an allocation outside of everything else: no time, only bytes
        Device,           ///< kernels, copies, memsets, and what streams waited for
        DeviceAnnotation, ///< an annotation as a stream saw it
    };
    static constexpr uint32_t kNone = UINT32_MAX;

    Ns start = 0, end = 0;
    Ns hostInside = 0;       ///< of the events directly inside it
    Ns deviceSelf = 0;       ///< of device events with the same External id; of a device event its own
    Ns deviceTotal = 0;      ///< that, and of all events inside it
    uint32_t slice = kNone;  ///< SliceId; of Memory the row of Trace::memory
    uint32_t name = 0;       ///< StringId; all ProfilerStep#N have that of the first
    uint32_t lane = 0;       ///< LaneId of the thread it counts on
    uint32_t parent = kNone; ///< index of the event around it
    Kind kind = Kind::Operator;
    bool merged = false; ///< the only one inside an event of the same name: counts as that one

    bool onDevice() const { return kind >= Kind::Device; }
    bool isAnnotation() const { return kind == Kind::Annotation || kind == Kind::DeviceAnnotation; }
    bool hasRow() const { return !merged && kind != Kind::Frame; }
    Ns duration() const { return end - start; }
};

/// What was allocated less what was freed while an event ran, on whatever thread; in bytes.
struct KeyMemory {
    int64_t host = 0, device = 0;
    int64_t hostInside = 0, deviceInside = 0; ///< of the events directly inside it
};

/// The events of a trace as key_averages() has them: ordered by their start, longer ones first, and nested by thread.
/// Device events belong to the operator or annotation with their External id, wherever their launch lies. A call of the
/// runtime counts on the thread of the operator with its External id; one without, as the profiler's overhead, on the
/// thread that ran the profiler: that of the steps, else that of the first operator. An event is inside the last one
/// that began before it and does not end before it does; those that cross are not nested.
struct KeyEvents {
    std::vector<KeyEvent> events;
    std::vector<KeyMemory> memory; ///< beside them; empty when no memory was recorded
    std::string device = "CUDA";   ///< what PyTorch calls the device
    uint64_t unlinked = 0;         ///< calls of the runtime without an operator

    explicit KeyEvents(const Trace &trace);
};

} // namespace riffle
