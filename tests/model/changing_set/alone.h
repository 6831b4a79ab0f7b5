// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/model/changing_set/questions.h"
#include "tests/model/changing_set/stress_files.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace riffle::test {

/// The answers to questions about one trace when it is asked alone: with facts of its own, on its own clock, in a set
/// that never changes. Thread-safe.
class Alone {
public:
    explicit Alone(const StressFiles &files) : m_files(files) {}

    /// The answer about the trace with this label, as text, with its moments on a set's clock. If `isOneOfSeveral`, a
    /// trace without events is open beside it, because advice depends on that.
    std::string answer(const std::string &label, size_t question, bool isOneOfSeveral, const TimeMap &time)
    {
        const auto key = std::make_pair(label, std::make_pair(question, isOneOfSeveral));
        const std::scoped_lock lock(m_mutex);
        auto known = m_answers.find(key);
        if (known == m_answers.end())
            known = m_answers.emplace(key, ask(label, question, isOneOfSeveral)).first;
        return textOfMember(known->second, time);
    }

private:
    Result<ResultTable> ask(const std::string &label, size_t question, bool isOneOfSeveral) const
    {
        TraceSet set = TraceSet::of({m_files.atRest(label)});
        if (isOneOfSeveral)
            set.add(std::make_shared<Trace>());
        Result<ResultTable> answer = memberQuestion(question, TraceId(0)).ask(SetFacts(std::move(set)), {});
        if (answer)
            answer->slices.reset(); // they count as memory in use
        return answer;
    }

    const StressFiles &m_files;
    std::mutex m_mutex;
    std::map<std::pair<std::string, std::pair<size_t, bool>>, Result<ResultTable>> m_answers;
};

} // namespace riffle::test
