// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/own_file.h"

#include "riffle/control.h"

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>

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

private:
    struct Client {
        OwnFile socket; ///< closed while this entry is unused
        bool subscribed = false;
        control::CommittedPart told{};
    };

    std::string open();
    void run();
    /// Accepts one connection; false if there is no free descriptor for it.
    bool accept();
    /// Receives one packet and answers it; false if the client must be disconnected.
    bool serve(Client &client);
    void tellSubscribers();

    Engine &m_engine;
    std::mutex m_mutex; ///< held by listen() and close(), so that only one of them runs
    std::thread m_thread;
    std::string m_path;
    OwnFile m_listening, m_wake;
    std::atomic<bool> m_closing{false}, m_isSubscribed{false};
    std::array<Client, control::kMaxClients> m_clients;
};

} // namespace riffle::collector
