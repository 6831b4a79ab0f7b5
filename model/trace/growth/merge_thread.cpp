// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/merge_thread.h"

namespace riffle {

MergeThread::~MergeThread()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stops = true;
    }
    m_wake.notify_one();
    if (m_thread.joinable())
        m_thread.join();
}

void MergeThread::run(uint64_t rows, std::function<void()> job)
{
    if (rows <= m_atOnce) {
        job();
        return;
    }
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back(std::move(job));
    }
    if (!m_thread.joinable())
        m_thread = std::thread([this] { work(); });
    m_wake.notify_one();
}

void MergeThread::work()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_wake.wait(lock, [this] { return m_stops || !m_waiting.empty(); });
        if (m_stops)
            return;
        std::function<void()> job = std::move(m_waiting.front());
        m_waiting.pop_front();
        lock.unlock();
        job();
        job = nullptr; // frees what the job owns
        lock.lock();
    }
}

} // namespace riffle
