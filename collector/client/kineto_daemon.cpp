// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/kineto_daemon.h"

#include "collector/client/kineto_wire.h"
#include "collector/client/rank.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace riffle::record {

namespace {

constexpr int kStopMs = 100;
constexpr const char *kSocketName = "/dynolog";
/// The name of Kineto's own socket in the folder, with an example UUID. If the path is too long, Kineto terminates its
/// process.
constexpr std::string_view kLongestName = "/dynoconfigclient01234567-89ab-cdef-0123-456789abcdef";

sockaddr_un addressOf(const std::string &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

/// The credentials of the sender, as reported by the kernel.
std::optional<ucred> senderOf(msghdr &message)
{
    for (const cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, const_cast<cmsghdr *>(part)))
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS) {
            ucred sender;
            std::memcpy(&sender, CMSG_DATA(part), sizeof(sender));
            return sender;
        }
    return std::nullopt;
}

/// The rank according to the environment with which the process was started.
std::optional<int> rankOf(int pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
    std::map<std::string, std::string, std::less<>> variables;
    for (std::string entry; std::getline(file, entry, '\0');)
        if (const size_t equals = entry.find('='); equals != std::string::npos)
            variables[entry.substr(0, equals)] = entry.substr(equals + 1);
    return rankFromEnvironment([&](const char *name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

} // namespace

KinetoDaemon::~KinetoDaemon()
{
    m_thread = {};
    if (m_socket >= 0)
        close(m_socket);
}

bool KinetoDaemon::start(const std::string &folder, std::string &error)
{
    if (folder.empty() || folder.size() + kLongestName.size() >= sizeof(sockaddr_un::sun_path)) {
        error = "The folder '" + folder +
                "' cannot be used for Kineto's sockets. Set TMPDIR to a writable folder with a short path.";
        return false;
    }
    std::ofstream(folder + "/" + kKinetoConfigFile) << "ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n";
    m_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const sockaddr_un address = addressOf(folder + kSocketName);
    const int yes = 1;
    if (m_socket < 0 || setsockopt(m_socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) != 0 ||
        bind(m_socket, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0) {
        error = "Cannot create a socket for Kineto in " + folder + ": " + std::strerror(errno) + ".";
        return false;
    }
    // The main thread takes the signals that record passes on, so this thread blocks all of them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    m_thread = std::jthread([this](const std::stop_token &stop) { answerPolls(stop); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return true;
}

std::vector<KinetoDaemon::Client> KinetoDaemon::clients() const
{
    const std::lock_guard lock(m_lock);
    std::vector<Client> all;
    for (const auto &[pid, client] : m_clients)
        all.push_back(client);
    return all;
}

void KinetoDaemon::ask(int pid, const std::string &request)
{
    const std::lock_guard lock(m_lock);
    m_requests[pid] = request;
}

void KinetoDaemon::answerPolls(const std::stop_token &stop)
{
    while (!stop.stop_requested()) {
        pollfd ready{m_socket, POLLIN, 0};
        if (poll(&ready, 1, kStopMs) > 0)
            while (answerOne()) {
            }
    }
}

/// Answers one poll; returns false if none is waiting.
bool KinetoDaemon::answerOne()
{
    char bytes[kMaxKinetoBytes];
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
    sockaddr_un from{};
    iovec part{bytes, sizeof(bytes)};
    msghdr message{&from, sizeof(from), &part, 1, control, sizeof(control), 0};
    const ssize_t size = recvmsg(m_socket, &message, MSG_DONTWAIT);
    if (size < 0)
        return errno == EINTR;
    const auto sender = senderOf(message);
    const auto poll = parseKinetoPoll({bytes, static_cast<size_t>(size)});
    if (!poll || !sender || sender->uid != geteuid() || (message.msg_flags & MSG_TRUNC))
        return true;
    const std::string request = requestFor(sender->pid, *poll);
    const std::string answer = formatKinetoAnswer(request);
    if (sendto(m_socket, answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL, reinterpret_cast<sockaddr *>(&from),
               message.msg_namelen) < 0 &&
        !request.empty()) {
        const std::lock_guard lock(m_lock);
        m_requests.try_emplace(sender->pid, request);
    }
    return true;
}

/// Records the poll and returns the request for its answer, which is then no longer pending; empty if there is none.
std::string KinetoDaemon::requestFor(int pid, const KinetoPoll &poll)
{
    const std::lock_guard lock(m_lock);
    Client &client = m_clients[pid];
    if (!client.pid) {
        client.pid = pid;
        client.rank = rankOf(pid);
        client.since = Clock::now();
    }
    client.pids = poll.pids;
    client.worked |= !poll.idle;
    const auto request = m_requests.find(pid);
    if (!poll.idle || request == m_requests.end())
        return {};
    client.worked = false;
    return std::move(m_requests.extract(request).mapped());
}

} // namespace riffle::record
