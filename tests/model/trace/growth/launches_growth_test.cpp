// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/launches_growth.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace riffle {
namespace {

using Member = LaunchesGrowth::Member;

/// Calls and work in random order: each correlation has one call, sometimes a second one inside of it or none, and up
/// to three pieces of work, which come at most a hundred correlations later or earlier.
class RandomLaunches {
public:
    explicit RandomLaunches(uint32_t seed) : m_random(seed) {}

    void add(LaunchesGrowth &launches, int64_t correlation)
    {
        const uint32_t calls = m_random() % 20 == 0 ? 0 : 1 + m_random() % 2;
        SliceId launch;
        for (uint32_t at = 0; at < calls; ++at) {
            const Member call = next(correlation * 10 + at);
            if (!launch.valid())
                launch = call.slice;
            m_waiting.push_back({true, correlation, call});
        }
        const uint32_t works = m_random() % 4;
        for (uint32_t at = 0; at < works; ++at) {
            const Member work = next(correlation * 10 + 5);
            if (launch.valid())
                links.emplace(launch, work.slice);
            else
                launchless.insert(work.slice);
            m_waiting.push_back({false, correlation, work});
        }
        while (m_waiting.size() > 100)
            deliver(launches);
    }
    void deliver(LaunchesGrowth &launches)
    {
        std::swap(m_waiting[m_random() % m_waiting.size()], m_waiting.back());
        const Waiting one = m_waiting.back();
        m_waiting.pop_back();
        if (one.isCall)
            launches.addCall(one.correlation, one.member);
        else
            launches.addWork(one.correlation, one.member);
    }
    void deliverAll(LaunchesGrowth &launches)
    {
        while (!m_waiting.empty())
            deliver(launches);
    }

    std::set<std::pair<SliceId, SliceId>> links;
    std::set<SliceId> launchless;

private:
    struct Waiting {
        bool isCall;
        int64_t correlation;
        Member member;
    };
    Member next(Ns start)
    {
        Member member;
        member.slice = SliceId(++m_id * 7 % 10'000'019);
        member.start = start;
        member.offset = m_id;
        return member;
    }
    std::mt19937 m_random;
    std::vector<Waiting> m_waiting;
    uint32_t m_id = 0;
};

std::set<std::pair<SliceId, SliceId>> linksIn(const LaunchLinks &links)
{
    std::set<std::pair<SliceId, SliceId>> found;
    for (size_t link = 0; link < links.size(); ++link)
        found.emplace(links.launch(link), links.work(link));
    EXPECT_EQ(found.size(), links.size());
    return found;
}

class LaunchesGrowthTest : public testing::TestWithParam<uint64_t> {};

TEST_P(LaunchesGrowthTest, LinksAreTheSameWheneverTheyAreMade)
{
    GrowthMemory memory;
    MergeThread merger(GetParam());
    LaunchesGrowth launches(memory, merger);
    RandomLaunches random(1);
    constexpr int64_t kCount = 2 * LaunchesGrowth::kMostWaiting; // half of them leave the table
    for (int64_t correlation = 0; correlation < kCount; ++correlation) {
        random.add(launches, correlation);
        if (correlation % 5'000 == 0)
            (void)launches.links();
    }
    random.deliverAll(launches);
    const LaunchLinks links = launches.links();
    EXPECT_EQ(linksIn(links), random.links);
    EXPECT_GT(links.runs().size(), 2u);
    for (const SliceId work : random.launchless)
        ASSERT_FALSE(links.launchOf(work).valid());
    size_t at = 0;
    for (const auto &[launch, work] : random.links) {
        if (++at % 50 != 0)
            continue;
        ASSERT_EQ(links.launchOf(work), launch);
        std::set<SliceId> works;
        links.forEachLaunchedBy(launch, SliceId(launch.value + 1), [&](SliceId by, SliceId one) {
            EXPECT_EQ(by, launch);
            works.insert(one);
        });
        ASSERT_TRUE(works.contains(work));
    }
    ImportReport report;
    launches.report(report, true);
    EXPECT_EQ(report.of(Trouble::LaunchlessKernel).count, random.launchless.size());
}

INSTANTIATE_TEST_SUITE_P(Merges, LaunchesGrowthTest, testing::Values(0, MergeThread::kAtOnce),
                         [](const auto &at) { return at.param ? "AtOnce" : "Beside"; });

TEST(LaunchesGrowth, ACorrelationThatIsUsedAgainDoesNotMeetTheOldOne)
{
    GrowthMemory memory;
    MergeThread merger;
    LaunchesGrowth launches(memory, merger);
    launches.addCall(1, {SliceId(1), 0, 10, 1});
    for (uint32_t other = 0; other < LaunchesGrowth::kMostWaiting + 5'000; ++other)
        launches.addCall(1'000 + other, {SliceId(1'000 + other), 0, 20, 1});
    (void)launches.links();
    launches.addWork(1, {SliceId(2), 1, 30, 2});
    EXPECT_FALSE(launches.links().launchOf(SliceId(2)).valid());
}

TEST(LaunchesGrowth, LinksOfTimesThatHaveLeftAreGone)
{
    GrowthMemory memory;
    MergeThread merger;
    LaunchesGrowth launches(memory, merger);
    launches.addCall(1, {SliceId(1), 0, 10, 1});
    launches.addWork(1, {SliceId(2), 1, 15, 2});
    for (uint32_t other = 0; other < LaunchesGrowth::kMostWaiting + 5'000; ++other)
        launches.addCall(1'000 + other, {SliceId(1'000 + other), 0, 20, 1});
    EXPECT_EQ(launches.links().launchOf(SliceId(2)), SliceId(1));
    launches.leaveBefore(100);
    EXPECT_FALSE(launches.links().launchOf(SliceId(2)).valid());
}

} // namespace
} // namespace riffle
