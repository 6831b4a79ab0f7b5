// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace riffle {

/// Merges parts of a trace that grows beside its ticks: large ones in a thread of its own, small ones at once.
class MergeThread {
public:
    static constexpr uint64_t kAtOnce = 1u << 12;

    /// Parts with at most `atOnce` rows in all are merged by start().
    explicit MergeThread(uint64_t atOnce = kAtOnce) : m_atOnce(atOnce) {}
    ~MergeThread(); ///< waits for the merge that is running, and drops those that wait
    MergeThread(const MergeThread &) = delete;
    MergeThread &operator=(const MergeThread &) = delete;

    /// A merge that was started, and its result.
    template <typename T>
    class Merge {
    public:
        bool isDone() const
        {
            const std::lock_guard lock(m_mutex);
            return m_isDone;
        }
        /// The merged part; null while it is not done, and if there was no memory.
        std::shared_ptr<const T> result() const
        {
            const std::lock_guard lock(m_mutex);
            return m_result;
        }

    private:
        friend class MergeThread;
        void set(std::shared_ptr<const T> result)
        {
            const std::lock_guard lock(m_mutex);
            m_result = std::move(result);
            m_isDone = true;
        }

        mutable std::mutex m_mutex;
        bool m_isDone = false;
        std::shared_ptr<const T> m_result;
    };
    /// Starts a merge of `rows` rows. `make()` returns what they become; it owns or shares everything that it uses.
    template <typename T>
    std::shared_ptr<const Merge<T>> start(uint64_t rows, std::function<std::shared_ptr<const T>()> make)
    {
        auto merge = std::make_shared<Merge<T>>();
        run(rows, [merge, make = std::move(make)] {
            try {
                merge->set(make());
            } catch (const std::bad_alloc &) {
                merge->set(nullptr);
            }
        });
        return merge;
    }

    /// Frees something large in the thread.
    template <typename T>
    void release(T &&what)
    {
        if (m_thread.joinable())
            run(UINT64_MAX, [kept = std::make_shared<std::decay_t<T>>(std::forward<T>(what))] {});
    }

private:
    void run(uint64_t rows, std::function<void()> job);
    void work();

    const uint64_t m_atOnce;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::function<void()>> m_waiting;
    bool m_stops = false;
    std::thread m_thread; ///< started with the first large merge
};

} // namespace riffle
