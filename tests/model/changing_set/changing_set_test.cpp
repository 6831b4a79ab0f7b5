// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Members of a set are opened, added, removed, unloaded, loaded again, reordered and shifted at random while threads
// ask questions about it, of which some are stopped. RIFFLE_STRESS_CHANGES sets the number of changes, and
// RIFFLE_STRESS_SEED selects them.

#include "model/base/memory_use.h"
#include "tests/model/changing_set/alone.h"
#include "tests/model/changing_set/changing_members.h"
#include "tests/support/import_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace riffle {
namespace {

using test::Alone;
using test::ChangingMembers;
using test::Question;
using test::StressFiles;
using namespace std::chrono_literals;

constexpr size_t kAskers = 4;
constexpr uint64_t kAnswersPerChange = 4;

uint64_t fromEnvironment(const char *name, uint64_t otherwise)
{
    const char *value = std::getenv(name);
    return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// Asks one question after another about the members, until it is told to end.
class Asker {
public:
    Asker(const ChangingMembers &members, Alone &alone, uint64_t seed)
        : m_members(members)
        , m_alone(alone)
        , m_random(seed)
    {
        m_thread = std::thread([this] { work(); });
    }
    ~Asker() { m_thread.join(); }

    void end() { m_isOver = true; }
    bool hasEnded() const { return m_hasEnded; }
    uint64_t answers() const { return m_answers; }

private:
    enum class Stop { Never, Before, Meanwhile };

    void work()
    {
        while (!m_isOver) {
            ask(*m_members.facts());
            ++m_answers;
        }
        m_hasEnded = true;
    }

    void ask(const SetFacts &facts)
    {
        const TraceSet &set = facts.set();
        const bool isAboutMember = !set.empty() && m_random() % 2;
        const TraceId member = isAboutMember ? set.loaded()[m_random() % set.size()].id : TraceId();
        const size_t number = m_random() % test::memberQuestionCount();
        const Question question =
            isAboutMember ? test::memberQuestion(number, member) : test::setQuestion(set, m_random);
        const auto stop = std::array{Stop::Before, Stop::Meanwhile, Stop::Meanwhile, Stop::Never}[m_random() % 4];
        const Result<ResultTable> answer = answerOf(question, facts, stop);
        SCOPED_TRACE(question.name);
        if (!answer && answer.error().kind == ErrorKind::Cancelled) {
            EXPECT_NE(stop, Stop::Never) << "nobody stopped the question";
            return;
        }
        EXPECT_NE(stop, Stop::Before) << "nobody waits for this answer";
        const std::string difference =
            isAboutMember ? test::answerDifference(test::textOfMember(answer),
                                                   m_alone.answer(StressFiles::labelOf(*set.trace(member)), number,
                                                                  set.size() > 1, set.time(member)))
                          : test::answerDifference(test::textOf(answer), test::textOf(question.ask(SetFacts(set), {})));
        EXPECT_EQ(difference, "") << "the answer depends on what else happens";
        if (answer)
            checkLinks(*answer, set);
    }

    Result<ResultTable> answerOf(const Question &question, const SetFacts &facts, Stop stop)
    {
        std::stop_source source;
        if (stop == Stop::Before)
            source.request_stop();
        std::jthread stopper;
        if (stop == Stop::Meanwhile)
            stopper = std::jthread([&source, delay = m_random() % 3'000] {
                std::this_thread::sleep_for(std::chrono::microseconds(delay));
                source.request_stop();
            });
        return question.ask(facts, {source.get_token(), nullptr});
    }

    /// The rows lead to slices of members.
    static void checkLinks(const ResultTable &answer, const TraceSet &set)
    {
        const auto exists = [&set](SliceRef slice) {
            const Trace *trace = set.trace(slice.trace);
            return trace && trace->slice(slice.slice);
        };
        for (const SliceRef &slice : answer.evidence)
            EXPECT_TRUE(!slice.valid() || exists(slice));
        for (uint32_t row = 0; answer.slices && row < std::min<size_t>(answer.rows(), 3); ++row) {
            const SliceRef first = answer.slices->neighbour(set, row, {}, 1);
            if (!first.valid())
                continue;
            EXPECT_TRUE(exists(first));
            EXPECT_LE(answer.slices->rowOf(first), std::optional(row)) << "it belongs to the first of its rows";
        }
    }

    const ChangingMembers &m_members;
    Alone &m_alone;
    std::mt19937_64 m_random;
    std::atomic<bool> m_isOver = false, m_hasEnded = false;
    std::atomic<uint64_t> m_answers = 0;
    std::thread m_thread; // last member: it uses the others
};

/// Waits until a condition holds. If it takes unreasonably long, the threads wait for each other: ends the process,
/// because they cannot be joined.
template <typename Condition>
void waitUntil(Condition condition, uint64_t seed, const char *what)
{
    const auto deadline = std::chrono::steady_clock::now() + 4min;
    while (!condition()) {
        std::this_thread::sleep_for(200us);
        if (std::chrono::steady_clock::now() > deadline) {
            fmt::print(stderr, "RIFFLE_STRESS_SEED={}: the threads stand still while they {}.\n", seed, what);
            std::abort();
        }
    }
}

TEST(ChangingSet, AnswersAreThoseOfMembersAtRest)
{
    const uint64_t seed = fromEnvironment("RIFFLE_STRESS_SEED", 1);
    const uint64_t changes = fromEnvironment("RIFFLE_STRESS_CHANGES", 60);
    SCOPED_TRACE(fmt::format("RIFFLE_STRESS_SEED={} RIFFLE_STRESS_CHANGES={}", seed, changes));
    const test::WorkerCount workers(3);
    const uint64_t memoryBefore = memoryInUse();
    {
        StressFiles files;
        Alone alone(files);
        auto members = std::make_unique<ChangingMembers>(files, seed);
        std::vector<std::unique_ptr<Asker>> askers;
        for (size_t at = 0; at < kAskers; ++at)
            askers.push_back(std::make_unique<Asker>(*members, alone, seed * kAskers + at));
        const auto answers = [&] {
            uint64_t sum = 0;
            for (const auto &asker : askers)
                sum += asker->answers();
            return sum;
        };
        for (uint64_t change = 0; change < changes && !HasFailure(); ++change) {
            members->change();
            const uint64_t wanted = answers() + kAnswersPerChange;
            waitUntil([&] { return answers() >= wanted; }, seed, "answer");
        }
        for (const auto &asker : askers)
            asker->end();
        waitUntil([&] { return std::ranges::all_of(askers, [](const auto &asker) { return asker->hasEnded(); }); },
                  seed, "end");
        askers.clear();
        const auto traces = members->traces();
        members.reset();
        EXPECT_TRUE(std::ranges::all_of(traces, [](const auto &trace) { return trace.expired(); }));
    }
    EXPECT_EQ(memoryInUse(), memoryBefore) << "something keeps a trace or facts";
}

} // namespace
} // namespace riffle
