// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "riffle/control.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace riffle::collector {

class Engine;
struct Answer;

/// The packet that answers a request. With `changes`, agentAnswer() makes it instead, once the Python part has followed
/// the wishes with that number.
struct Reply {
    std::string packet;
    std::optional<uint32_t> changes;
};
/// Carries out the request in a message from the process `peer`, which is 0 if it is in another container.
Reply answerTo(Engine &engine, const control::Message &message, pid_t peer);
/// The answer to a request with this text that the Python part should follow; `isHeard` is false if it has not done so
/// in time.
std::string agentAnswer(Engine &engine, control::Kind kind, uint32_t request, std::string_view text, bool isHeard);
std::string errorPacket(uint32_t request, const Answer &answer);

} // namespace riffle::collector
