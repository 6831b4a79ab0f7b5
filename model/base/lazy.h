// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/stopping.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

namespace riffle {

/// Work that is done once, by the first thread that needs it, while others that need it wait. A thread leaves with
/// Stopped when its own StopScope is stopped. The work itself goes on as long as any thread waits for it; if none does,
/// it ends with Stopped. Work that ended with an exception is done anew when it is next needed.
class SharedWork {
public:
    /// Returns after one call of work(), by this thread or another one, has returned. Passes on what work() throws, but
    /// only to the thread that called it: threads that waited for it try themselves.
    void once(const std::function<void()> &work);

private:
    struct Attempt {
        std::stop_source stop;
        size_t waiting = 1; ///< threads that want the result, including the one that works
    };
    void attempt(std::unique_lock<std::mutex> &lock, const std::function<void()> &work);
    void leave(Attempt &attempt);

    std::mutex m_mutex; ///< guards the members below and `waiting`
    std::condition_variable_any m_changed;
    std::shared_ptr<Attempt> m_attempt; ///< null while no thread works
    bool m_isDone = false;
};

/// A value that is computed when any thread first needs it. Thread-safe.
template <typename T>
class Lazy {
public:
    /// Returns the value; make() returns a unique_ptr to it. Throws Stopped and keeps nothing if the work was stopped.
    template <typename Make>
    const T &get(Make make) const
    {
        if (const T *made = m_made.load(std::memory_order_acquire)) // the fast path, because get() is called in loops
            return *made;
        m_making.once([&] {
            auto value = make();
            throwIfStopped(); // a function that asks the token itself returns what it has by then
            m_value = std::move(value);
            m_made.store(m_value.get(), std::memory_order_release);
        });
        return *m_value;
    }

private:
    mutable SharedWork m_making;
    mutable std::unique_ptr<const T> m_value;
    mutable std::atomic<const T *> m_made = nullptr;
};

} // namespace riffle
