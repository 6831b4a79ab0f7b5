// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Jobs whose ranks, waits and stragglers are computed here, on one true clock that the analysis does not see.
#include "model/analysis/ranks/stragglers.h"

#include "model/analysis/facts/collective_kind.h"
#include "model/analysis/ranks/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace riffle {
namespace {

constexpr Ns kUs = 1000, kMs = 1'000'000;

struct JobPlan {
    uint32_t ranks = 8, steps = 6, callsPerStep = 5;
    uint32_t groupSize = 0; ///< of small groups, each with two calls before each call of all ranks; 0 for none
    Ns work = 8 * kMs, tail = 4 * kMs, transfer = 2 * kMs;
    double jitter = 0.01; ///< of the work
    Ns resolution = 1;
    Ns leaveNoise = 0;     ///< ranks leave a call up to this late
    bool isMasked = false; ///< the calls of all ranks run under kernels, but for the last one of a step
    bool areTwins = false; ///< two lists each say that they are of the same rank
    uint32_t seed = 1;
    /// The factors of the work of a rank in a step, and of the transfers of a small group.
    std::function<double(uint32_t rank, uint32_t step)> slowness = [](uint32_t, uint32_t) { return 1.0; };
    std::function<double(uint32_t group)> linkSlowness = [](uint32_t) { return 1.0; };
};

/// The recordings of the ranks of a job, and the truth.
class Job {
public:
    explicit Job(const JobPlan &plan) : m_plan(plan), m_random(plan.seed), m_now(plan.ranks, 0), m_steps(plan.ranks)
    {
        for (uint32_t rank = 0; rank < plan.ranks; ++rank)
            m_offsets.push_back(static_cast<Ns>(m_random() % 1'000'000'000));
        m_rows.resize(plan.ranks);
        m_counts.resize(plan.ranks);
        m_blocks.resize(plan.ranks);
        m_begin.assign(plan.ranks, 0);
        for (uint32_t step = 0; step < plan.steps; ++step)
            addStep(step);
        makeLists();
    }

    const std::vector<RankTimeline> &timelines() const { return m_timelines; }
    const MatchedCalls &matched() const { return m_matched; }
    /// The lengths of the steps on their slowest ranks.
    Ns length() const
    {
        Ns all = 0;
        for (uint32_t step = 0; step < m_plan.steps; ++step) {
            Ns longest = 0;
            for (const auto &steps : m_steps)
                longest = std::max(longest, steps[step].end - steps[step].begin);
            all += longest;
        }
        return all;
    }

private:
    void addStep(uint32_t step)
    {
        for (uint32_t call = 0; call < m_plan.callsPerStep; ++call) {
            if (m_plan.groupSize)
                for (int again = 0; again < 2; ++again)
                    for (uint32_t first = 0; first < m_plan.ranks; first += m_plan.groupSize) {
                        for (uint32_t rank = first; rank < first + m_plan.groupSize; ++rank)
                            compute(rank, step, m_plan.work / 4);
                        collective(first, m_plan.groupSize, 1 + first / m_plan.groupSize, m_plan.transfer / 4, true);
                    }
            for (uint32_t rank = 0; rank < m_plan.ranks; ++rank)
                compute(rank, step, m_plan.work);
            collective(0, m_plan.ranks, 0, m_plan.transfer, !m_plan.isMasked || call + 1 == m_plan.callsPerStep);
        }
        for (uint32_t rank = 0; rank < m_plan.ranks; ++rank) {
            compute(rank, step, m_plan.tail);
            const Ns end = recorded(rank, m_now[rank]);
            m_steps[rank].push_back(
                {static_cast<int64_t>(step), step ? m_steps[rank].back().end : recorded(rank, 0), end, 0});
        }
    }
    void compute(uint32_t rank, uint32_t step, Ns work)
    {
        std::normal_distribution<double> noise;
        const double factor = m_plan.slowness(rank, step) * std::max(0.5, 1 + m_plan.jitter * noise(m_random));
        m_now[rank] += static_cast<Ns>(std::llround(static_cast<double>(work) * factor));
    }
    /// A masked call begins with the work before it ends, and the rank goes on without waiting for it.
    void collective(uint32_t first, uint32_t count, uint32_t group, Ns transfer, bool isBlocking)
    {
        const double slowness = group ? m_plan.linkSlowness(group - 1) : 1.0;
        Ns leave = 0;
        for (uint32_t rank = first; rank < first + count; ++rank)
            leave = std::max(leave, m_now[rank]);
        leave += static_cast<Ns>(std::llround(static_cast<double>(transfer) * slowness));
        for (uint32_t rank = first; rank < first + count; ++rank) {
            const Ns own =
                leave +
                (m_plan.leaveNoise ? static_cast<Ns>(m_random() % static_cast<uint64_t>(m_plan.leaveNoise)) : 0);
            CallRow row{};
            row.start = recorded(rank, m_now[rank]);
            row.end = recorded(rank, own);
            row.hostStart = row.start;
            row.bytes = 1 << 20;
            row.number = m_counts[rank][group]++;
            row.step = kNoInt;
            row.sender = row.receiver = -1;
            row.slice = static_cast<uint32_t>(m_rows[rank].size());
            row.group = group ? 1 : 0;
            row.stream = isBlocking ? 0 : 1;
            row.dataType = 1;
            row.flags = call_flag::Timed | call_flag::Numbered;
            row.kind = static_cast<uint8_t>(CollectiveKind::AllReduce);
            m_rows[rank].push_back(row);
            m_blocks[rank].push_back(isBlocking);
            if (isBlocking)
                m_now[rank] = own;
        }
    }
    Ns recorded(uint32_t rank, Ns time) const
    {
        return (time + m_offsets[rank]) / m_plan.resolution * m_plan.resolution;
    }
    void makeLists()
    {
        m_lists.resize(m_plan.ranks);
        std::vector<int64_t> all(m_plan.ranks);
        std::iota(all.begin(), all.end(), 0);
        for (uint32_t rank = 0; rank < m_plan.ranks; ++rank) {
            CallList &list = m_lists[rank];
            list.rank = m_plan.areTwins ? rank / 2 : rank;
            list.worldSize = m_plan.ranks;
            list.resolution = m_plan.resolution;
            list.texts = {"all_reduce", "Float"};
            list.groups.push_back({"0", "default_pg", RankList(all), {}, m_plan.ranks, false});
            if (m_plan.groupSize) {
                const uint32_t first = rank / m_plan.groupSize * m_plan.groupSize;
                list.groups.push_back(
                    {"1",
                     "tp",
                     RankList(std::vector<int64_t>(all.begin() + first, all.begin() + first + m_plan.groupSize)),
                     {},
                     m_plan.groupSize,
                     false});
            }
            list.table = callTableOf(m_rows[rank]);
            RankTimeline timeline{&list, {}, m_steps[rank]};
            for (size_t call = 0; call < list.size(); ++call) // the slice is the place of the row
                timeline.blocks.push_back(m_blocks[rank][list.table.slice[call]]);
            m_timelines.push_back(std::move(timeline));
        }
        std::vector<const CallList *> refs;
        for (const CallList &list : m_lists)
            refs.push_back(&list);
        m_matched = matchCalls(refs);
    }

    JobPlan m_plan;
    std::mt19937 m_random;
    std::vector<Ns> m_now, m_offsets, m_begin;
    std::vector<std::vector<DeviceStep>> m_steps;
    std::vector<std::vector<CallRow>> m_rows;
    std::vector<std::map<uint32_t, int64_t>> m_counts;
    std::vector<std::vector<uint8_t>> m_blocks;
    std::vector<CallList> m_lists;
    std::vector<RankTimeline> m_timelines;
    MatchedCalls m_matched;
};

StragglerReport reportOf(const Job &job) { return stragglersOf(CallWaits(job.matched(), job.timelines())); }

void expectExactSums(const StragglerReport &report)
{
    Ns figure = 0;
    for (const StepPath &path : report.paths) {
        const Ns own = std::accumulate(path.own.begin(), path.own.end(), Ns(0));
        EXPECT_EQ(own + path.transfer + path.within + path.unmatched + path.unexplained, path.figure);
        figure += path.figure;
    }
    EXPECT_EQ(figure, report.figure);
}

double share(Ns part, Ns whole) { return static_cast<double>(part) / static_cast<double>(whole); }

constexpr uint32_t kSlow = 5;

JobPlan withStraggler(double factor)
{
    JobPlan plan;
    plan.slowness = [factor](uint32_t rank, uint32_t) { return rank == kSlow ? factor : 1.0; };
    return plan;
}

TEST(Stragglers, OneSlowRankIsNamedWithWhatItCosts)
{
    for (const uint32_t groupSize : {0u, 2u, 4u})
        for (const bool isMasked : {false, true}) {
            JobPlan plan = withStraggler(1.3);
            plan.groupSize = groupSize;
            plan.isMasked = isMasked;
            const Job job(plan);
            const StragglerReport report = reportOf(job);
            expectExactSums(report);
            ASSERT_EQ(report.paths.size(), plan.steps);
            EXPECT_EQ(report.figure, job.length());
            EXPECT_EQ(report.verdict, StragglerVerdict::One);
            EXPECT_EQ(report.culprit, kSlow);
            EXPECT_EQ(report.ranks[kSlow].steps, plan.steps);
            EXPECT_LE(share(std::abs(report.unexplained) + report.within + report.unmatched, report.figure), 0.05);
            EXPECT_FALSE(report.slowFamily);
            ASSERT_TRUE(report.replayed);
            EXPECT_LE(report.worstReplay, 0.01);
            // The same job, in which this rank is like the others.
            plan.slowness = [](uint32_t, uint32_t) { return 1.0; };
            const Ns truth = Job(plan).length();
            ASSERT_TRUE(report.ranks[kSlow].saved);
            EXPECT_NEAR(share(report.figure - *report.ranks[kSlow].saved, truth), 1, 0.02) << groupSize << isMasked;
            EXPECT_LE(share(report.ranks[0].saved.value_or(0), report.figure), 0.01);
        }
}

TEST(Stragglers, NobodyIsAccusedInACleanRun)
{
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        JobPlan plan;
        plan.seed = seed;
        plan.groupSize = seed % 3 == 0 ? 4 : 0;
        plan.jitter = seed % 2 ? 0.003 : 0.03;
        plan.resolution = seed % 2 ? 1 : kUs;
        plan.leaveNoise = seed % 4 ? 0 : 20 * kUs;
        const StragglerReport report = reportOf(Job(plan));
        expectExactSums(report);
        EXPECT_TRUE(report.verdict == StragglerVerdict::Nobody || report.verdict == StragglerVerdict::Spread) << seed;
        EXPECT_FALSE(report.slowFamily) << seed;
        EXPECT_LE(share(std::abs(report.unexplained) + report.within + report.unmatched, report.figure), 0.05) << seed;
        EXPECT_LE(report.worstReplay, 0.01) << seed;
    }
}

TEST(Stragglers, ARotatingCulpritIsToldFromOneRank)
{
    JobPlan plan;
    plan.slowness = [](uint32_t rank, uint32_t step) { return rank == step % 8 ? 1.4 : 1.0; };
    const StragglerReport report = reportOf(Job(plan));
    expectExactSums(report);
    EXPECT_EQ(report.verdict, StragglerVerdict::Rotates);
    for (uint32_t rank = 0; rank < 6; ++rank)
        EXPECT_EQ(report.ranks[rank].steps, 1u) << rank;
}

TEST(Stragglers, ASlowLinkIsAGroupAndNoRank)
{
    JobPlan plan;
    plan.groupSize = 4;
    plan.jitter = 0.003;
    plan.transfer = 4 * kMs;
    plan.linkSlowness = [](uint32_t group) { return group == 1 ? 4.0 : 1.0; };
    const Job job(plan);
    const StragglerReport report = reportOf(job);
    expectExactSums(report);
    EXPECT_NE(report.verdict, StragglerVerdict::One);
    ASSERT_TRUE(report.slowFamily);
    Ns excess = 0; // each call takes 4 ms where those of the other group take 1 ms
    for (const StepPath &path : report.paths)
        for (const StepPath::Call &call : path.calls)
            excess += job.matched().matches[call.match].family == *report.slowFamily ? 3 * kMs : 0;
    EXPECT_GT(excess, 0);
    EXPECT_EQ(report.slowExcess, excess);
    EXPECT_EQ(job.matched().families[*report.slowFamily].ranks, RankList({4, 5, 6, 7}));
}

/// All ranks behind the slow link come equally late, so none of them is the last one.
TEST(Stragglers, RanksThatComeTogetherShareTheCost)
{
    JobPlan plan;
    plan.groupSize = 4;
    plan.jitter = 0;
    plan.linkSlowness = [](uint32_t group) { return group == 1 ? 8.0 : 1.0; };
    const StragglerReport report = reportOf(Job(plan));
    expectExactSums(report);
    EXPECT_GT(report.cost, 0);
    EXPECT_NE(report.verdict, StragglerVerdict::One);
    for (uint32_t rank = 4; rank < 8; ++rank)
        EXPECT_NEAR(share(report.ranks[rank].cost, report.cost), 0.25, 0.001);
    EXPECT_TRUE(report.slowFamily);
}

TEST(Stragglers, OneRankInSeveralFilesLeavesTheAnswerOpen)
{
    JobPlan plan = withStraggler(1.3);
    plan.areTwins = true;
    const StragglerReport report = reportOf(Job(plan));
    expectExactSums(report);
    EXPECT_EQ(report.twins, (std::vector<int64_t>{0, 1, 2, 3}));
    EXPECT_TRUE(report.verdict == StragglerVerdict::Undecided || report.verdict == StragglerVerdict::Nothing);
}

TEST(Stragglers, HugeStepsOverflowNothing)
{
    CallList empty;
    empty.table = callTableOf({});
    constexpr Ns kFar = Ns(1) << 60;
    const std::vector<DeviceStep> steps{
        {1, -kFar, kFar, 0}, {2, -kFar, kFar, 1}, {3, -kFar, kFar, 2}, {4, -kFar, kFar, 3}, {5, -kFar, kFar, 4}};
    const std::vector<RankTimeline> ranks(2, RankTimeline{&empty, {}, steps});
    const MatchedCalls none;
    const StragglerReport report = stragglersOf(CallWaits(none, ranks));
    EXPECT_GT(report.figure, 0);
    EXPECT_EQ(report.verdict, StragglerVerdict::Nothing);
}

/// The last one to come to each call is known from the true clock: with one group, the increments of a stage are the
/// largest own times of all ranks.
TEST(Stragglers, OwnTimesAreTheLargestOfEachStage)
{
    for (uint32_t seed = 1; seed <= 10; ++seed) {
        JobPlan plan;
        plan.seed = seed;
        plan.jitter = 0.1;
        plan.ranks = 2 + seed % 5;
        const Job job(plan);
        const StragglerReport report = reportOf(job);
        expectExactSums(report);
        for (size_t step = 1; step < report.paths.size(); ++step) {
            const StepPath &path = report.paths[step];
            EXPECT_EQ(path.unexplained, 0);
            Ns stages = 0; // own times between the calls of the step
            for (uint32_t call = 1; call < plan.callsPerStep; ++call) {
                Ns most = 0;
                for (const RankTimeline &rank : job.timelines()) {
                    const CallTable &calls = rank.calls->table;
                    const size_t at = step * plan.callsPerStep + call;
                    most = std::max(most, calls.start[at] - calls.end[at - 1]);
                }
                stages += most;
            }
            // The first stage is cut by the begin of the step, the last one by its end; both on the slowest rank's own.
            const CallTable &slowest = job.timelines()[path.rank].calls->table;
            const size_t first = step * plan.callsPerStep, last = first + plan.callsPerStep - 1;
            Ns head = 0;
            for (const RankTimeline &rank : job.timelines())
                head = std::max(head, rank.calls->table.start[first] - rank.calls->table.end[first - 1]);
            head -= path.step.begin - slowest.end[first - 1];
            const Ns own = std::accumulate(path.own.begin(), path.own.end(), Ns(0));
            EXPECT_EQ(own, head + stages + path.step.end - slowest.end[last]);
            EXPECT_EQ(path.calls.size(), plan.callsPerStep);
        }
    }
}

TEST(Stragglers, UnmatchedCallsAreARowOfTheirOwn)
{
    const Job job(withStraggler(1.3));
    MatchedCalls some = job.matched();
    for (size_t at = 0; at < some.matches.size(); at += 7)
        some.matches[at].confidence = MatchConfidence::Ambiguous;
    const StragglerReport report = stragglersOf(CallWaits(some, job.timelines()));
    expectExactSums(report);
    EXPECT_GT(report.unmatched, 0);
    for (MatchedCalls::Match &match : some.matches)
        match.confidence = MatchConfidence::Ambiguous;
    some.matches.back().confidence = MatchConfidence::Sure;
    EXPECT_EQ(stragglersOf(CallWaits(some, job.timelines())).verdict, StragglerVerdict::Undecided);
    const MatchedCalls none;
    const StragglerReport nothing = stragglersOf(CallWaits(none, job.timelines()));
    expectExactSums(nothing);
    EXPECT_EQ(nothing.verdict, StragglerVerdict::Nothing);
    EXPECT_EQ(nothing.transfer, 0);
}

TEST(Stragglers, MatchesThatContradictEachOtherGiveNoReplay)
{
    const Job job(withStraggler(1.3));
    MatchedCalls crossed = job.matched();
    // Two calls of rank 0 change their places.
    CallRef *first = nullptr;
    for (CallRef &call : crossed.members)
        if (call.rank == 0 && call.call == 3)
            first = &call;
        else if (call.rank == 0 && call.call == 9 && first)
            std::swap(first->call, call.call);
    const StragglerReport report = stragglersOf(CallWaits(crossed, job.timelines()));
    expectExactSums(report);
    EXPECT_FALSE(report.replayed);
}

TEST(Stragglers, RanksWithoutStepsOrCallsAreNothingToCompare)
{
    CallList empty;
    empty.table = callTableOf({});
    const std::vector<RankTimeline> ranks(3, RankTimeline{&empty, {}, {}});
    const MatchedCalls none;
    const StragglerReport report = stragglersOf(CallWaits(none, ranks));
    EXPECT_EQ(report.verdict, StragglerVerdict::Nothing);
    EXPECT_TRUE(report.paths.empty());
    EXPECT_EQ(report.ranks.size(), 3u);
}

} // namespace
} // namespace riffle
