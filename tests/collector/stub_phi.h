// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

// The class of Paddle's events, with the names and the arguments that Paddle's libraries export.
namespace phi {

enum class TracerEventType { Operator = 0 };
enum class EventRole { Ordinary = 0 };

class RecordEvent {
public:
    RecordEvent(const char *name, TracerEventType type, uint32_t level, EventRole role);
    RecordEvent(const std::string &name, TracerEventType type, uint32_t level, EventRole role);
    ~RecordEvent() { End(); }
    void End();
};

} // namespace phi
