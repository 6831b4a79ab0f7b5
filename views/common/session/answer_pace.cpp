// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/answer_pace.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace riffle {

namespace {

using PaceClock = std::chrono::steady_clock;
constexpr PaceClock::duration kLeastPause = std::chrono::seconds(1);
constexpr int kPausePerCost = 10;

} // namespace

class AnswerPace::Turn {
public:
    bool take(const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        if (!m_free.wait(lock, stop, [this] { return !m_isTaken; }))
            return false;
        return m_isTaken = true;
    }
    void give(PaceClock::duration cost)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_isTaken = false;
            m_cost += cost;
        }
        m_free.notify_all();
    }
    PaceClock::duration cost() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_cost;
    }

private:
    mutable std::mutex m_mutex;
    std::condition_variable_any m_free;
    bool m_isTaken = false;
    PaceClock::duration m_cost{};
};

class AnswerPace::Place {
public:
    explicit Place(std::shared_ptr<Turn> turn) : m_turn(std::move(turn)) {}
    Place(const Place &) = delete;
    ~Place() { m_turn->give(PaceClock::now() - m_begun); }

private:
    const std::shared_ptr<Turn> m_turn;
    const PaceClock::time_point m_begun = PaceClock::now();
};

AnswerPace::AnswerPace() = default;
AnswerPace::~AnswerPace() = default;

bool AnswerPace::isDue() const
{
    if (!m_turn)
        return true;
    return m_turn.use_count() == 1 &&
           PaceClock::now() - m_begun >= std::max(kLeastPause, kPausePerCost * m_turn->cost());
}

void AnswerPace::begin()
{
    m_turn = std::make_shared<Turn>();
    m_begun = PaceClock::now();
}

AnswerPace::PlacePtr AnswerPace::waitFor(const std::shared_ptr<Turn> &turn, const std::stop_token &stop)
{
    return turn && turn->take(stop) ? PlacePtr(new Place(turn)) : nullptr;
}

} // namespace riffle
