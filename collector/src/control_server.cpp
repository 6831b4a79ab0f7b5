// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/control_server.h"

#include "collector/src/clock.h"
#include "collector/src/control_answer.h"
#include "collector/src/engine.h"
#include "riffle/control_folder.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <limits>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <system_error>
#include <utility>

namespace riffle::collector {

namespace {

constexpr int kShortOfFiles = 100; ///< ms between attempts while no descriptor is free
constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kAgentPatience = 1000 * kMillisecond; ///< how long an answer waits for the Python part
constexpr size_t kMaxOwed = 64;                         ///< per client; one more is answered without waiting

int newSocket() { return ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

/// True if a process listens on the socket, or if that cannot be determined.
bool isAlive(const std::string &path)
{
    const auto address = control::socketAddress(path);
    const int file = newSocket();
    if (!address || file < 0)
        return true;
    const bool refused =
        connect(file, reinterpret_cast<const sockaddr *>(&*address), sizeof(*address)) != 0 && errno == ECONNREFUSED;
    ::close(file);
    return !refused;
}

/// True if the socket may be about to be renamed to its final name and does not answer yet: see ControlServer::open().
bool isBeingMade(const std::string &path)
{
    constexpr time_t kMoment = 60;
    struct stat is {};
    return lstat(path.c_str(), &is) != 0 || time(nullptr) - is.st_mtime < kMoment;
}

/// Removes the sockets that killed processes left behind.
void removeStale(const std::string &folder)
{
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string path = entry.path().string(), name = entry.path().filename().string();
        const bool unnamed = name.size() > 1 && name[0] == '.' && std::isdigit(static_cast<unsigned char>(name[1]));
        if ((name.ends_with(".sock") || (unnamed && !isBeingMade(path))) && !isAlive(path))
            unlink(path.c_str());
    }
}

bool sendNow(int socket, const std::string &packet)
{
    return send(socket, packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
           static_cast<ssize_t>(packet.size());
}

pid_t peerOf(int socket)
{
    ucred peer{};
    socklen_t size = sizeof(peer);
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

} // namespace

std::string ControlServer::open()
{
    std::string problem;
    for (const std::string &folder : control::socketFolders()) {
        mkdir(folder.c_str(), 0700);
        m_path = folder + "/" + std::to_string(getpid()) + ".sock";
        const std::string made = folder + "/." + std::to_string(getpid());
        const auto address = control::socketAddress(made);
        problem = address ? control::folderProblem(folder) : "the path " + folder + " is too long for a socket";
        if (!problem.empty())
            continue;
        removeStale(folder);
        if (isAlive(m_path) && access(m_path.c_str(), F_OK) == 0)
            return m_path + " is in use by a process of another container";
        // The socket gets its final name only when it answers, so that no other collector removes it as stale.
        unlink(made.c_str());
        const int file = newSocket();
        m_listening.take(file);
        if (file >= 0 && ::bind(file, reinterpret_cast<const sockaddr *>(&*address), sizeof(*address)) == 0 &&
            ::listen(file, control::kMaxClients) == 0 && std::rename(made.c_str(), m_path.c_str()) == 0)
            return {};
        problem = m_path + ": " + std::strerror(errno);
        m_listening.close();
        unlink(made.c_str());
    }
    return problem;
}

std::string ControlServer::listen()
{
    std::scoped_lock lock(m_mutex);
    if (m_thread.joinable() || m_closing)
        return {};
    if (!m_wake.isOpen())
        m_wake.take(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!m_wake.isOpen())
        return std::strerror(errno);
    if (std::string problem = open(); !problem.empty())
        return problem;
    // The new thread must not take the signals that the program waits for.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::string problem;
    try {
        m_thread = std::thread([this] { run(); });
    } catch (const std::system_error &error) {
        problem = error.what();
        m_listening.close();
        unlink(m_path.c_str());
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return problem;
}

void ControlServer::close()
{
    std::scoped_lock lock(m_mutex);
    m_closing = true;
    if (!m_thread.joinable())
        return;
    if (eventfd_write(m_wake.get(), 1) == 0) {
        m_thread.join(); // m_wake stays open: the drain thread may be about to use it
    } else {             // the program has closed our descriptors, so that nothing can wake the thread
        m_thread.detach();
        unlink(m_path.c_str());
    }
}

void ControlServer::closeInChild()
{
    for (Client &client : m_clients)
        client.socket.close();
    m_listening.close();
    m_wake.close();
}

void ControlServer::notify()
{
    if (m_isSubscribed.load(std::memory_order_relaxed))
        eventfd_write(m_wake.get(), 1);
}

void ControlServer::wake() { eventfd_write(m_wake.get(), 1); }

void ControlServer::Client::restart(int file)
{
    subscribed = false;
    owed.clear();
    flushes.clear();
    flushesLeft = control::kMaxFlushesPerSecond;
    flushesAt = now();
    socket.take(file);
}

/// Counts a request for a flush; false if it is beyond the limit.
bool ControlServer::Client::mayFlush(int64_t time)
{
    constexpr double kMost = control::kMaxFlushesPerSecond;
    flushesLeft = std::min(kMost, flushesLeft + static_cast<double>(time - flushesAt) * 1e-9 * kMost);
    flushesAt = time;
    if (flushesLeft < 1)
        return false;
    flushesLeft -= 1;
    return true;
}

void ControlServer::drop(Client &client)
{
    // A stop is carried out even if nobody waits for its answer any more.
    std::erase_if(client.owed, [](const Owed &owed) { return owed.kind != control::Kind::Stop; });
    client.flushes.clear();
    client.socket.close();
}

/// Writes the log once for all clients that wait for it.
void ControlServer::flush(int64_t time)
{
    m_nextFlush = time + 1000 * kMillisecond / control::kMaxFlushesPerSecond;
    const Answer answer = m_engine.flush();
    for (Client &client : m_clients)
        for (const uint32_t request : std::exchange(client.flushes, {}))
            if (client.socket.isOpen() &&
                !sendNow(client.socket.get(), answer.code == RIFFLE_OK
                                                  ? control::makePacket(control::Kind::Flush, request, {}, {})
                                                  : errorPacket(request, answer)))
                drop(client);
}

int ControlServer::answerOwed()
{
    const int64_t time = now();
    int64_t next = std::numeric_limits<int64_t>::max();
    bool flushes = false;
    for (Client &client : m_clients) {
        flushes |= !client.flushes.empty();
        for (size_t at = 0; at < client.owed.size();) {
            const Owed owed = client.owed[at];
            const bool isHeard = static_cast<int32_t>(m_engine.agent().answered() - owed.changes) >= 0;
            if (!isHeard && time < owed.until) {
                next = std::min(next, owed.until);
                ++at;
                continue;
            }
            client.owed.erase(client.owed.begin() + static_cast<ptrdiff_t>(at));
            const std::string packet = agentAnswer(m_engine, owed.kind, owed.request, owed.text, isHeard);
            if (client.socket.isOpen() && !sendNow(client.socket.get(), packet)) {
                drop(client);
                break;
            }
        }
    }
    if (flushes && time >= m_nextFlush)
        flush(time);
    else if (flushes)
        next = std::min(next, m_nextFlush);
    if (next == std::numeric_limits<int64_t>::max())
        return -1; // a thread that nobody asks for anything never wakes
    return static_cast<int>(std::max<int64_t>(0, next - time + kMillisecond - 1) / kMillisecond);
}

void ControlServer::run()
{
    pthread_setname_np(pthread_self(), "riffle-control");
    bool isShort = false;
    while (!m_closing && m_listening.get() >= 0 && m_wake.get() >= 0) {
        const int patience = answerOwed();
        std::array<pollfd, control::kMaxClients + 2> files{};
        for (size_t at = 0; at < m_clients.size(); ++at)
            files[at] = {m_clients[at].socket.get(), POLLIN, 0};
        files[control::kMaxClients] = {isShort ? -1 : m_listening.get(), POLLIN, 0};
        files[control::kMaxClients + 1] = {m_wake.get(), POLLIN, 0};
        const int wait = !isShort ? patience : patience < 0 ? kShortOfFiles : std::min(patience, kShortOfFiles);
        if (poll(files.data(), files.size(), wait) < 0) {
            std::this_thread::sleep_for(
                std::chrono::milliseconds(kShortOfFiles)); // poll() fails while the limit of descriptors is too low
            continue;
        }
        for (size_t at = 0; at < m_clients.size(); ++at)
            if (files[at].revents && !serve(m_clients[at]))
                drop(m_clients[at]);
        isShort = files[control::kMaxClients].revents && !accept();
        eventfd_t count = 0;
        if (files[control::kMaxClients + 1].revents && eventfd_read(m_wake.get(), &count) == 0)
            tellSubscribers();
    }
    m_isSubscribed = false;
    unlink(m_path.c_str());
    for (Client &client : m_clients)
        drop(client);
    m_listening.close();
}

bool ControlServer::accept()
{
    const int file = accept4(m_listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (file < 0)
        return errno == EAGAIN || errno == ECONNABORTED; // the client has disconnected
    if (control::isOurs(file)) {
        for (Client &client : m_clients)
            if (!client.socket.isOpen() && client.owed.empty()) {
                client.restart(file);
                return true;
            }
        char request[control::kMaxMessageBytes]; // if it were left unread, the client's end would lose our answer
        [[maybe_unused]] const ssize_t unread = recv(file, request, sizeof(request), MSG_DONTWAIT);
        sendNow(file, errorPacket(0, {RIFFLE_ESTATE, "Too many viewers are connected to this process: " +
                                                         std::to_string(control::kMaxClients) + " is the limit."}));
    }
    ::close(file);
    return true;
}

bool ControlServer::serve(Client &client)
{
    char bytes[control::kMaxMessageBytes];
    const ssize_t size = recv(client.socket.get(), bytes, sizeof(bytes), MSG_DONTWAIT | MSG_TRUNC);
    if (size <= 0 || size > static_cast<ssize_t>(sizeof(bytes)))
        return size < 0 && errno == EAGAIN;
    const auto message = control::readPacket({bytes, static_cast<size_t>(size)});
    if (!message)
        return false;
    if (message->version == control::kVersion && message->kind == control::Kind::Subscribe) {
        client.told = m_engine.statistics().committed;
        client.subscribed = m_isSubscribed = true;
        return sendNow(client.socket.get(), control::makePacket(control::Kind::Committed, message->request,
                                                                control::bytesOf(client.told), {}));
    }
    if (message->version == control::kVersion && message->kind == control::Kind::Flush && m_engine.follows()) {
        if (!client.mayFlush(now()))
            return sendNow(client.socket.get(),
                           errorPacket(message->request,
                                       {RIFFLE_ESTATE, "A viewer may request at most " +
                                                           std::to_string(control::kMaxFlushesPerSecond) +
                                                           " flushes per second; this request was not followed."}));
        client.flushes.push_back(message->request);
        return true;
    }
    const Reply reply = answerTo(m_engine, *message, peerOf(client.socket.get()));
    if (!reply.changes)
        return sendNow(client.socket.get(), reply.packet);
    if (client.owed.size() >= kMaxOwed)
        return sendNow(client.socket.get(),
                       agentAnswer(m_engine, message->kind, message->request, message->text, false));
    client.owed.push_back(
        {message->kind, message->request, *reply.changes, std::string(message->text), now() + kAgentPatience});
    return true;
}

void ControlServer::tellSubscribers()
{
    const control::CommittedPart committed = m_engine.statistics().committed;
    bool any = false;
    for (Client &client : m_clients) {
        if (client.socket.get() < 0 || !client.subscribed)
            continue;
        any = true;
        if (std::memcmp(&client.told, &committed, sizeof(committed)) == 0)
            continue;
        client.told = committed;
        if (!sendNow(client.socket.get(),
                     control::makePacket(control::Kind::Committed, 0, control::bytesOf(committed), {})))
            drop(client);
    }
    m_isSubscribed = any;
}

} // namespace riffle::collector
