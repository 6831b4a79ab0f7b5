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

/// A message from a collector; a copy of the packet.
struct Reply {
    control::Kind kind{};
    uint32_t request = 0; ///< 0: a notification to a subscriber
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

    /// Connects to the socket. Returns false with a message in `error` when no process of this user listens there.
    bool connect(const std::string &path, std::string &error);
    /// Sends a request and waits for its answer. Returns nullopt with a message in `error` if there is no answer in
    /// time; for an Error, the message is that of the answer. Notifications to a subscriber that arrive meanwhile are
    /// skipped.
    std::optional<Reply> ask(control::Kind kind, std::string_view text, std::string &error,
                             std::chrono::milliseconds patience = std::chrono::seconds(15));
    /// The next message; nullopt if none arrived in time or the connection has ended.
    std::optional<Reply> next(std::chrono::milliseconds patience);
    /// The id of the process in our own pid namespace; 0 if it is not visible there, because it is in another
    /// container.
    int peer() const;
    int socket() const { return m_socket; } ///< for a poll() together with other files; -1 if not connected

private:
    int m_socket = -1;
    uint32_t m_request = 0;
};

/// A socket that a collector of this user may listen on.
struct Listening {
    int pid = 0; ///< in the process's own pid namespace
    std::string path;
};
/// The sockets in the user's own folders, ordered by process id.
std::vector<Listening> listeningCollectors();

} // namespace riffle::record
