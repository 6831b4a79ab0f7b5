// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/own_file.h"

#include "riffle/control.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace riffle::collector {

class Engine;

/// Listens on the socket of riffle/control.h in a separate thread, which sleeps until a message arrives. It never waits
/// for a peer: one that does not read quickly enough is disconnected.
class ControlServer {
public:
    explicit ControlServer(Engine &engine) : m_engine(engine) {}

    /// Starts listening unless it already listens. Returns the reason as a part of a sentence if it cannot, otherwise
    /// an empty string.
    std::string listen();
    /// Stops listening and removes the socket. Requests that arrived before are answered first.
    void close();
    /// Closes the parent's descriptors in the child of a fork, and does nothing else.
    void closeInChild();
    /// Notifies the subscribers that the log has grown or the state has changed. Callable from any thread; never waits.
    void notify();
    /// Makes the thread look at answers that it still owes.
    void wake();

private:
    /// An answer that waits until the Python part has followed a request.
    struct Owed {
        control::Kind kind{};
        uint32_t request = 0;
        uint32_t changes = 0; ///< the wishes that the Python part must have followed
        std::string text;     ///< of the request
        int64_t until = 0;    ///< when the client is answered without it
    };
    struct Client {
        OwnFile socket; ///< closed while this entry is unused
        bool subscribed = false;
        control::CommittedPart told{};
        std::vector<Owed> owed;
        std::vector<uint32_t> flushes; ///< the requests that wait for the next flush
        double flushesLeft = 0;        ///< how many flushes the client may request now
        int64_t flushesAt = 0;         ///< the time of that number
        void restart(int file);
        bool mayFlush(int64_t time);
    };

    std::string open();
    void run();
    /// Accepts one connection; false if there is no free descriptor for it.
    bool accept();
    /// Receives one packet and answers it; false if the client must be disconnected.
    bool serve(Client &client);
    void tellSubscribers();
    /// Sends the answers that are due. Returns the time in ms until the next one may be due; -1 if none is owed.
    int answerOwed();
    void flush(int64_t time);
    void drop(Client &client);

    Engine &m_engine;
    std::mutex m_mutex; ///< held by listen() and close(), so that only one of them runs
    std::thread m_thread;
    std::string m_path;
    OwnFile m_listening, m_wake;
    std::atomic<bool> m_closing{false}, m_isSubscribed{false};
    std::array<Client, control::kMaxClients> m_clients;
    int64_t m_nextFlush = 0; ///< the time from which clients may get another flush
};

} // namespace riffle::collector
