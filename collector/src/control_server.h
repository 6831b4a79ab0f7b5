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

/// Listens on the socket of riffle/control.h in a thread of its own, which sleeps until somebody says something. It
/// never waits for a peer: who is not quick enough is disconnected.
class ControlServer {
public:
    explicit ControlServer(Engine &engine) : m_engine(engine) {}

    /// Begins to listen unless it does so already. Why that cannot be, else empty.
    std::string listen();
    /// Ends it and takes the socket away. What was asked for before is answered first.
    void close();
    /// In the child of a fork: gives back what is the parent's, and nothing else.
    void closeInChild();
    /// The log has grown or the state has changed: subscribers are told. From any thread, and never waits.
    void notify();

private:
    struct Client {
        OwnFile socket; ///< none: nobody
        bool subscribed = false;
        control::CommittedPart told{};
    };

    std::string open();
    void run();
    /// False when there is no descriptor left for who wants to connect.
    bool accept();
    /// Takes one packet and answers it; false when the client is to be disconnected.
    bool serve(Client &client);
    void tellSubscribers();

    Engine &m_engine;
    std::mutex m_mutex; ///< listen and close, one at a time
    std::thread m_thread;
    std::string m_path;
    OwnFile m_listening, m_wake;
    std::atomic<bool> m_closing{false}, m_isSubscribed{false};
    std::array<Client, control::kMaxClients> m_clients;
};

} // namespace riffle::collector
