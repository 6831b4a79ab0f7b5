// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "riffle/control.h"

#include <string>
#include <sys/types.h>

namespace riffle::collector {

class Engine;
struct Answer;

/// Carries out the request in a message from the process `peer` and returns the packet that answers it.
std::string answerTo(Engine &engine, const control::Message &message, pid_t peer);
std::string errorPacket(uint32_t request, const Answer &answer);

} // namespace riffle::collector
