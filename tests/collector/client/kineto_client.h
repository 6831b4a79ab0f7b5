// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace riffle::record {

inline constexpr int kBusy = 0, kIdle = 2;

/// A datagram like Kineto's: the size of the body, the type, the body.
inline std::string kinetoMessage(const std::string &body, const char *type = "req")
{
    const uint64_t bytes = body.size();
    char padded[32] = {};
    std::strncpy(padded, type, sizeof(padded) - 1);
    return std::string(reinterpret_cast<const char *>(&bytes), sizeof(bytes)) + std::string(padded, sizeof(padded)) +
           body;
}

inline std::string pollBody(int32_t wanted, const std::vector<int32_t> &pids, int32_t count)
{
    std::string body(16 + 4 * pids.size(), '\0');
    std::memcpy(body.data(), &wanted, 4);
    std::memcpy(body.data() + 4, &count, 4);
    std::memcpy(body.data() + 16, pids.data(), 4 * pids.size());
    return body;
}

inline std::string kinetoPoll(int32_t wanted, const std::vector<int32_t> &pids)
{
    return kinetoMessage(pollBody(wanted, pids, static_cast<int32_t>(pids.size())));
}

/// The process's side of the conversation with the daemon.
class KinetoClient {
public:
    explicit KinetoClient(const std::string &folder, const std::string &name = "dynoconfigclient0")
        : m_daemon(folder + "/dynolog")
        , m_path(folder + "/" + name)
        , m_socket(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0))
    {
        const sockaddr_un own = addressOf(m_path);
        m_bound = bind(m_socket, reinterpret_cast<const sockaddr *>(&own), sizeof(own)) == 0;
    }
    ~KinetoClient()
    {
        close(m_socket);
        unlink(m_path.c_str());
    }
    KinetoClient(const KinetoClient &) = delete;
    KinetoClient &operator=(const KinetoClient &) = delete;

    bool send(const std::string &datagram) const
    {
        const sockaddr_un to = addressOf(m_daemon);
        return m_bound && sendto(m_socket, datagram.data(), datagram.size(), 0, reinterpret_cast<const sockaddr *>(&to),
                                 sizeof(to)) >= 0;
    }
    /// The body of the answer; nullopt if no answer came, or one that would make Kineto fail.
    std::optional<std::string> answer(int timeoutMs = 5000) const
    {
        pollfd ready{m_socket, POLLIN, 0};
        if (::poll(&ready, 1, timeoutMs) <= 0)
            return std::nullopt;
        char bytes[4096];
        sockaddr_un from{};
        socklen_t length = sizeof(from);
        const ssize_t size = recvfrom(m_socket, bytes, sizeof(bytes), 0, reinterpret_cast<sockaddr *>(&from), &length);
        uint64_t body = 0;
        std::memcpy(&body, bytes, sizeof(body));
        if (size < 40 || body != static_cast<uint64_t>(size) - 40 || std::strcmp(bytes + 8, "req") != 0 ||
            m_daemon != from.sun_path)
            return std::nullopt;
        return std::string(bytes + 40, body);
    }
    std::optional<std::string> poll(int32_t wanted = kIdle,
                                    const std::vector<int32_t> &pids = {getpid(), getppid()}) const
    {
        return send(kinetoPoll(wanted, pids)) ? answer() : std::nullopt;
    }

private:
    static sockaddr_un addressOf(const std::string &path)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
        return address;
    }

    std::string m_daemon, m_path;
    int m_socket;
    bool m_bound = false;
};

} // namespace riffle::record
