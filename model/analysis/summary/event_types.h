// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <string>
#include <vector>

namespace riffle {

/// When anything of one type happened.
struct EventType {
    std::string name;
    uint64_t calls = 0;
    IntervalSet times; ///< of all threads, or of all devices
};

/// Types of what the host did: of a Paddle trace the categories that it has, of others CudaRuntime, Operator (in no
/// other operator), OperatorInner, PythonFunction and UserDefined. Steps, stages and communication are not among them.
std::vector<EventType> hostEventTypes(const Scope &scope);
/// Kernel (communication included), Memcpy, Memset and Communication, as far as they occur: what runs inside the chosen
/// steps, whoever launched it.
std::vector<EventType> deviceEventTypes(const Scope &scope);
/// What the host does about communication: Paddle's category, and operators named so.
EventType hostCommunication(const Scope &scope);

/// The chosen steps' own times: what shares are relative to.
IntervalSet stepTimes(const Scope &scope);

/// The scope, with all marked steps chosen where nothing is: tables of shares of the steps leave out what is outside.
Scope withinSteps(const Scope &scope);

} // namespace riffle
