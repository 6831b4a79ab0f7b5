// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/settled_figures.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

namespace riffle::cli {

/// Makes the figures of logs beside their reading, one log after another, so that slow ones hold up nobody. One thread
/// asks, and one works.
class TailAnalyst {
public:
    using Clock = std::chrono::steady_clock;
    struct Question {
        std::shared_ptr<const Trace> trace;
        Ns settled = 0;
    };
    struct Answer {
        SettledFigures figures;
        Question of;
        Clock::time_point askedAt;
        Clock::duration cost{};
    };

    /// Asks for the figures of a log. `log` is any key; there must be no other question with it that waits.
    void ask(const void *log, Question question);
    /// True if a question with this key waits or is worked on.
    bool isAsked(const void *log) const;
    /// Takes the answer with this key; nothing if there is none that is new. Throws what ended the work.
    std::optional<Answer> take(const void *log);
    /// True if any question waits or is worked on.
    bool isBusy() const;
    /// Waits until everything is answered, or `until`.
    void waitUntil(Clock::time_point until);

    /// Answers until end(). Only the first thread that calls it works; the others return at once.
    void work();
    /// Answers what waits in the calling thread if there is no other one for it.
    void workHere();
    /// Stops the work that is running, and drops what waits.
    void end();

private:
    struct Waiting {
        const void *log;
        Question question;
        Clock::time_point askedAt;
    };
    void answerOldest(std::unique_lock<std::mutex> &lock);

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::stop_source m_stop;
    std::deque<Waiting> m_waiting; ///< the first one is worked on if m_isWorking
    std::map<const void *, Answer> m_answers;
    std::exception_ptr m_failure;
    bool m_hasWorker = false, m_isWorking = false;
};

} // namespace riffle::cli
