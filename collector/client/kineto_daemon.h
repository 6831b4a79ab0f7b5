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

/// The file in the daemon's folder with a configuration that makes Kineto poll every second instead of every five.
inline constexpr const char *kKinetoConfigFile = "kineto.conf";

/// Takes the place of the daemon (dynolog) from which Kineto, the profiler in PyTorch, takes requests, for the
/// processes of one job. A separate thread answers every poll immediately, with an empty answer if there is no request:
/// Kineto waits 90 ms, terminates its process when an answer comes from another address, and complains when nobody
/// answers.
class KinetoDaemon {
public:
    using Clock = std::chrono::steady_clock;

    /// A process that polls.
    struct Client {
        int pid = 0;               ///< in our pid namespace
        std::vector<int32_t> pids; ///< the process and its ancestors, in its pid namespace
        std::optional<int> rank;   ///< according to the environment with which it was started
        Clock::time_point since;   ///< time of its first poll
        bool worked = false;       ///< true if any poll since the last request said that it was busy
    };

    KinetoDaemon() = default;
    ~KinetoDaemon();
    KinetoDaemon(const KinetoDaemon &) = delete;
    KinetoDaemon &operator=(const KinetoDaemon &) = delete;

    /// Starts answering polls of our own user in `folder`, which only we can enter (0700). Returns false with a message
    /// in `error` on failure.
    bool start(const std::string &folder, std::string &error);
    std::vector<Client> clients() const;
    /// Sends `request` once, in the answer to the next poll at which the client is idle.
    void ask(int pid, const std::string &request);

private:
    void answerPolls(const std::stop_token &stop);
    bool answerOne();
    std::string requestFor(int pid, const KinetoPoll &poll);

    int m_socket = -1;
    mutable std::mutex m_lock; ///< held for moments only
    std::map<int, Client> m_clients;
    std::map<int, std::string> m_requests; ///< requests not sent yet, by pid
    std::jthread m_thread;
};

} // namespace riffle::record
