// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "riffle/control.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace riffle::record {

/// What a collector said; a copy of the packet.
struct Reply {
    control::Kind kind{};
    uint32_t request = 0; ///< 0: told to a subscriber
    std::string fixed, text;

    template <typename T>
    T as() const
    {
        return control::Message{kind, control::kVersion, request, fixed, text}.as<T>();
    }
};

/// A connection to the collector of one process (riffle/control.h). Used by one thread at a time.
class ControlClient {
public:
    ControlClient() = default;
    ~ControlClient();
    ControlClient(ControlClient &&other) noexcept
        : m_socket(std::exchange(other.m_socket, -1))
        , m_request(other.m_request)
    {
    }
    ControlClient &operator=(ControlClient &&) = delete;

    /// False with a sentence when nobody of this user listens there.
    bool connect(const std::string &path, std::string &error);
    /// Asks and waits for the answer. Nothing, with a sentence, when there is none in time, or it is an Error: that
    /// one's sentence. What a subscriber is told meanwhile is left out.
    std::optional<Reply> ask(control::Kind kind, std::string_view text, std::string &error,
                             std::chrono::milliseconds patience = std::chrono::seconds(15));
    /// The next message; nothing when none came in time or the connection has ended.
    std::optional<Reply> next(std::chrono::milliseconds patience);
    int socket() const { return m_socket; } ///< to wait for together with other files; -1: not connected

private:
    int m_socket = -1;
    uint32_t m_request = 0;
};

/// A socket that a collector of this user may listen on.
struct Listening {
    int pid = 0;
    std::string path;
};
/// Those in the user's own folders, by process id.
std::vector<Listening> listeningCollectors();

} // namespace riffle::record
