// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_memory.h"
#include "collector/src/sources/python_text.h"
#include "collector/src/sources/python_threads.h"

#include <atomic>

namespace riffle::collector {

/// The interpreter of this process, as far as stacks need it. Nothing of Python is linked: its functions are looked up.
class PythonRuntime {
public:
    /// Finds the interpreter and checks on the calling thread, which holds the GIL, that a walk gives what Python's own
    /// functions give. False, and a sentence that says why, if stacks cannot be read. Walks are off until allow().
    bool attach(const char *&why);
    /// Allows walks.
    void allow() { m_allowed.store(true); }
    /// Ends walks, and waits until none goes on: before the interpreter ends, which frees the states of other threads.
    void forbid();
    /// For the child of a fork, in which the walks of other threads do not go on.
    void forked() { m_walking.store(0); }

    /// True if the calling thread may walk now; then leave() must follow.
    bool enter()
    {
        if (!m_allowed.load(std::memory_order_relaxed))
            return false;
        m_walking.fetch_add(1); // before the second look, so that forbid() sees it
        if (m_allowed.load() && !m_isEnding())
            return true;
        leave();
        return false;
    }
    void leave() { m_walking.fetch_sub(1, std::memory_order_release); }

    /// The calling thread's own state; null if Python does not know the thread. Needs no GIL.
    PythonAddress threadState() const { return static_cast<PythonAddress>(m_threadState()); }
    const PythonLayout &layout() const { return *m_layout; }
    const PythonTypes &types() const { return m_types; }
    /// For samples of all threads; without an interpreter if the list could not be found.
    const PythonThreadList &threads() const { return m_threads; }

private:
    bool verify() const;

    void *(*m_threadState)() = nullptr;
    int (*m_isEnding)() = nullptr;
    const PythonLayout *m_layout = nullptr;
    PythonTypes m_types{};
    PythonThreadList m_threads;
    std::atomic<bool> m_allowed{false};
    std::atomic<uint32_t> m_walking{0};
};

} // namespace riffle::collector
