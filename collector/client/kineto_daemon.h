// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace riffle::record {

struct KinetoPoll;

/// In the daemon's folder: a configuration with which Kineto polls every second, where it would every five.
inline constexpr const char *kKinetoConfigFile = "kineto.conf";

/// Stands where Kineto, the profiler in PyTorch, expects the daemon from which it takes requests (dynolog), for the
/// processes of one job. A thread of its own answers every poll at once, with nothing where there is nothing to ask:
/// Kineto waits 90 ms, ends its process when an answer comes from another address, and complains when there is nobody.
class KinetoDaemon {
public:
    using Clock = std::chrono::steady_clock;

    /// A process that polls.
    struct Client {
        int pid = 0;               ///< as we number it
        std::vector<int32_t> pids; ///< itself and its ancestors, as it numbers them
        std::optional<int> rank;   ///< by the environment with which it was started
        Clock::time_point since;   ///< its first poll
        bool worked = false;       ///< it was busy since the last request
    };

    KinetoDaemon() = default;
    ~KinetoDaemon();
    KinetoDaemon(const KinetoDaemon &) = delete;
    KinetoDaemon &operator=(const KinetoDaemon &) = delete;

    /// From now on polls of our own user are answered in `folder`, which is ours alone (0700). A sentence in `error`.
    bool start(const std::string &folder, std::string &error);
    std::vector<Client> clients() const;
    /// Sends `request` once, with the answer to the next poll at which the client is idle.
    void ask(int pid, const std::string &request);

private:
    void answerPolls(const std::stop_token &stop);
    bool answerOne();
    std::string requestFor(int pid, const KinetoPoll &poll);

    int m_socket = -1;
    mutable std::mutex m_lock; ///< held for moments only
    std::map<int, Client> m_clients;
    std::map<int, std::string> m_requests; ///< that were not sent yet
    std::jthread m_thread;
};

} // namespace riffle::record
