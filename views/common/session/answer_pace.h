// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>

namespace riffle {

/// When answers about traces that grow are made anew: at most once a second, at most a tenth of the time, and never
/// before all answers of the last time are there. The work for them is done one piece after another. Owned by the
/// session; turns are used by jobs.
class AnswerPace {
public:
    class Turn;
    class Place; ///< the right to work, until it is destroyed
    using PlacePtr = std::shared_ptr<Place>;

    AnswerPace();
    AnswerPace(const AnswerPace &) = delete;
    ~AnswerPace();
    /// True if the answers may be made anew.
    bool isDue() const;
    /// Starts a turn: the answers are made anew now.
    void begin();
    /// The present turn. It lasts as long as a job has it; null before the first one.
    std::shared_ptr<Turn> turn() const { return m_turn; }
    /// Waits until no other work of the turn is running. Does not wait without a turn, or when stopped.
    static PlacePtr waitFor(const std::shared_ptr<Turn> &turn, const std::stop_token &stop);

private:
    std::shared_ptr<Turn> m_turn;
    std::chrono::steady_clock::time_point m_begun{};
};

} // namespace riffle
