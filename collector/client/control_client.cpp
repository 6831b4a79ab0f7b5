// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/control_client.h"

#include "collector/client/rank.h"
#include "riffle/control_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <poll.h>

namespace riffle::record {

namespace {

using Clock = std::chrono::steady_clock;

bool waitFor(int socket, Clock::time_point end)
{
    pollfd file{socket, POLLIN, 0};
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        const int ready = poll(&file, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30)));
        if (ready >= 0 || errno != EINTR)
            return ready > 0;
    }
}

} // namespace

ControlClient::~ControlClient()
{
    if (m_socket >= 0)
        close(m_socket);
}

bool ControlClient::connect(const std::string &path, std::string &error)
{
    const auto address = control::socketAddress(path);
    const int file = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (!address || file < 0 || ::connect(file, reinterpret_cast<const sockaddr *>(&*address), sizeof(*address)) != 0)
        error = path + ": " + (address ? std::strerror(errno) : "The path is too long for a socket") + ".";
    else if (!control::isOurs(file))
        error = path + ": The socket belongs to a process of another user.";
    else {
        if (m_socket >= 0)
            close(m_socket);
        m_socket = file;
        return true;
    }
    if (file >= 0)
        close(file);
    return false;
}

std::optional<Reply> ControlClient::next(std::chrono::milliseconds patience)
{
    char bytes[control::kMaxMessageBytes];
    if (m_socket < 0 || !waitFor(m_socket, Clock::now() + patience))
        return std::nullopt;
    ssize_t size = recv(m_socket, bytes, sizeof(bytes), MSG_TRUNC);
    if (size < 0 &&
        errno == ECONNRESET) // the other side has closed with a message of ours unread; its last one follows
        size = recv(m_socket, bytes, sizeof(bytes), MSG_TRUNC);
    const auto message = size > 0 && size <= static_cast<ssize_t>(sizeof(bytes))
                             ? control::readPacket({bytes, static_cast<size_t>(size)})
                             : std::nullopt;
    if (!message)
        return std::nullopt;
    return Reply{message->kind, message->request, std::string(message->fixed), std::string(message->text)};
}

std::optional<Reply> ControlClient::ask(control::Kind kind, std::string_view text, std::string &error,
                                        std::chrono::milliseconds patience)
{
    const std::string packet = control::makePacket(kind, ++m_request, {}, text);
    if (packet.size() < sizeof(control::Header) + text.size()) {
        error = "The request is too long to be sent.";
        return std::nullopt;
    }
    if (send(m_socket, packet.data(), packet.size(), MSG_NOSIGNAL) < 0) {
        error = std::string(std::strerror(errno)) + ".";
        // A process that refuses a viewer says why before it disconnects.
        while (const auto last = next(std::chrono::milliseconds(0)))
            if (last->kind == control::Kind::Error && last->request == 0)
                error = last->text;
        return std::nullopt;
    }
    for (const auto end = Clock::now() + patience;;) {
        auto reply = next(
            std::max(std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()), std::chrono::milliseconds(0)));
        if (!reply) {
            error = Clock::now() < end ? "The process has closed the connection." : "The process does not answer.";
            return std::nullopt;
        }
        if (reply->kind == control::Kind::Error && (reply->request == m_request || reply->request == 0)) {
            error = reply->text;
            return std::nullopt;
        }
        if (reply->request == m_request)
            return reply;
    }
}

int ControlClient::peer() const
{
    ucred peer{};
    socklen_t size = sizeof(peer);
    return m_socket >= 0 && getsockopt(m_socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

std::vector<Listening> listeningCollectors()
{
    std::vector<Listening> all;
    for (const std::string &folder : control::socketFolders()) {
        if (!control::folderProblem(folder).empty())
            continue;
        std::error_code error;
        for (const auto &entry : std::filesystem::directory_iterator(folder, error))
            if (const auto pid = wholeNumber(entry.path().stem().string()); pid && entry.path().extension() == ".sock")
                all.push_back({*pid, entry.path().string()});
    }
    std::sort(all.begin(), all.end(), [](const Listening &one, const Listening &other) { return one.pid < other.pid; });
    return all;
}

} // namespace riffle::record
