// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/lazy.h"

#include "model/base/parallel.h"

#include <cassert>

namespace riffle {

void SharedWork::once(const std::function<void()> &work)
{
    const std::stop_token own = StopScope::current();
    std::unique_lock lock(m_mutex);
    while (!m_isDone) {
        throwIfStopped();
        if (!m_attempt)
            return attempt(lock, work);
        const std::shared_ptr<Attempt> awaited = m_attempt;
        ++awaited->waiting;
        {
            const WaitScope waits;
            m_changed.wait(lock, own, [&] { return m_attempt != awaited; });
        }
        if (m_attempt != awaited)
            continue;
        lock.unlock();
        leave(*awaited);
        throw Stopped();
    }
}

void SharedWork::attempt(std::unique_lock<std::mutex> &lock, const std::function<void()> &work)
{
    assert(!m_attempt && !m_isDone);
    const auto mine = std::make_shared<Attempt>();
    m_attempt = mine;
    lock.unlock();
    const auto end = [&](bool isDone) {
        lock.lock();
        m_attempt = nullptr;
        m_isDone = isDone;
        lock.unlock();
        m_changed.notify_all();
    };
    try {
        const std::stop_callback left(StopScope::current(), [&] { leave(*mine); });
        const StopScope scope(mine->stop.get_token());
        work();
    } catch (...) {
        end(false);
        throw;
    }
    end(true);
}

void SharedWork::leave(Attempt &attempt)
{
    {
        const std::scoped_lock lock(m_mutex);
        if (--attempt.waiting > 0)
            return;
    }
    attempt.stop.request_stop(); // without the mutex, because work inside this one may react at once
}

} // namespace riffle
