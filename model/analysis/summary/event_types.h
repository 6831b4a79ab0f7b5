// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <string>
#include <vector>

namespace riffle {

/// The times at which events of one type happened.
struct EventType {
    std::string name;
    uint64_t calls = 0;
    IntervalSet times; ///< union over all threads, or over all devices
};

/// The types of events on the host: the categories of a Paddle trace; for other traces CudaRuntime, Operator (not
/// inside another operator), OperatorInner, PythonFunction and UserDefined. Steps, stages and communication are not
/// included.
std::vector<EventType> hostEventTypes(const Scope &scope);
/// The types of events on devices: Kernel (communication included), Memcpy, Memset and Communication, without those
/// that do not occur. Everything that runs inside the chosen steps counts, no matter which step launched it.
std::vector<EventType> deviceEventTypes(const Scope &scope);
/// Communication on the host: slices of Paddle's category, and operators whose names say that they communicate.
EventType hostCommunication(const Scope &scope);

/// The chosen steps' own times, which shares are relative to.
IntervalSet stepTimes(const Scope &scope);

/// The scope without its steps that never ended (R14).
Scope ofEndedSteps(const Scope &scope);

/// The scope without its steps that never ended, and with all other marked steps chosen if it chooses none itself.
/// Tables with shares of the steps use it to leave out the time outside steps.
Scope withinSteps(const Scope &scope);

} // namespace riffle
