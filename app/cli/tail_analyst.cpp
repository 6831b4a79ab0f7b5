// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/tail_analyst.h"

#include "model/base/stopping.h"

#include <algorithm>
#include <utility>

namespace riffle::cli {

void TailAnalyst::ask(const void *log, Question question)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_waiting.push_back({log, std::move(question), Clock::now()});
    }
    m_changed.notify_all();
}

bool TailAnalyst::isAsked(const void *log) const
{
    const std::scoped_lock lock(m_mutex);
    return std::ranges::find(m_waiting, log, &Waiting::log) != m_waiting.end();
}

std::optional<TailAnalyst::Answer> TailAnalyst::take(const void *log)
{
    const std::scoped_lock lock(m_mutex);
    if (m_failure)
        std::rethrow_exception(m_failure);
    auto found = m_answers.extract(log);
    return found ? std::optional(std::move(found.mapped())) : std::nullopt;
}

bool TailAnalyst::isBusy() const
{
    const std::scoped_lock lock(m_mutex);
    return !m_waiting.empty();
}

void TailAnalyst::waitUntil(Clock::time_point until)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_until(lock, until, [&] { return m_waiting.empty(); });
}

void TailAnalyst::answerOldest(std::unique_lock<std::mutex> &lock)
{
    const Waiting asked = m_waiting.front();
    m_isWorking = true;
    lock.unlock();
    const auto begin = Clock::now();
    std::optional<SettledFigures> figures;
    std::exception_ptr failure;
    try {
        figures = untilStopped(m_stop.get_token(),
                               [&] { return settledFigures(asked.question.trace, asked.question.settled); });
    } catch (const std::exception &) {
        failure = std::current_exception();
    }
    const auto cost = Clock::now() - begin;
    lock.lock();
    m_isWorking = false;
    if (failure)
        m_failure = failure;
    if (!m_waiting.empty()) // otherwise end() has dropped it
        m_waiting.pop_front();
    if (figures)
        m_answers.insert_or_assign(asked.log, Answer{*figures, asked.question, asked.askedAt, cost});
    m_changed.notify_all();
}

void TailAnalyst::work()
{
    std::unique_lock lock(m_mutex);
    if (std::exchange(m_hasWorker, true))
        return;
    while (true) {
        m_changed.wait(lock, [&] { return m_stop.stop_requested() || (!m_waiting.empty() && !m_isWorking); });
        if (m_stop.stop_requested())
            return;
        answerOldest(lock);
    }
}

void TailAnalyst::workHere()
{
    std::unique_lock lock(m_mutex);
    while (!m_hasWorker && !m_waiting.empty())
        answerOldest(lock);
}

void TailAnalyst::end()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_stop.request_stop();
        m_waiting.clear();
    }
    m_changed.notify_all();
}

} // namespace riffle::cli
