// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace_set.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

constexpr Ns kSecond = 1'000'000'000;

std::shared_ptr<const Trace> recorded(TimeSpan span, std::optional<Ns> base = std::nullopt)
{
    auto trace = std::make_shared<Trace>();
    trace->span = trace->info.recorded = span;
    trace->info.baseTimeNs = base;
    return trace;
}

/// The start of the second of two traces in their set.
Ns beginOfSecond(std::shared_ptr<const Trace> first, std::shared_ptr<const Trace> second)
{
    const TraceSet set = TraceSet::of({first, second});
    EXPECT_TRUE(set.members[0].time.identity());
    return set.members[1].time.toSet(second->span.begin);
}

TEST(TraceSet, RanksOfOneRunKeepTheirTimes)
{
    EXPECT_EQ(beginOfSecond(recorded({100, 900}), recorded({300, 1200})), 300);
    EXPECT_EQ(beginOfSecond(recorded({100, 900}, 7), recorded({300, 1200}, 7)), 300);
    EXPECT_EQ(beginOfSecond(recorded({100, 900}, 7), recorded({300, 1200})), 300) << "only one has a base time";
    EXPECT_EQ(beginOfSecond(recorded({0, 900}), recorded({2000, 2900})), 2000) << "one after the other";
}

TEST(TraceSet, ClocksOfOneMachineAreOneThoughTheirBaseWasReadTwice)
{
    EXPECT_EQ(beginOfSecond(recorded({0, kSecond}, 5 * kSecond), recorded({10, kSecond}, 5 * kSecond + 800'000)), 10);
}

TEST(TraceSet, ClocksOfTwoMachinesAreComparedByRealTime)
{
    const Ns begin = beginOfSecond(recorded({50 * kSecond, 60 * kSecond}, 1000 * kSecond),
                                   recorded({3 * kSecond, 9 * kSecond}, 1049 * kSecond));
    EXPECT_EQ(begin, 52 * kSecond);
}

TEST(TraceSet, WhatIsFromAnotherTimeBeginsWithTheFirst)
{
    EXPECT_EQ(beginOfSecond(recorded({100, 900}), recorded({kSecond, 2 * kSecond + 5})), kSecond)
        << "near enough to be on one clock";
    EXPECT_EQ(beginOfSecond(recorded({100, 900}), recorded({kSecond, kSecond + 800})), 100);
    EXPECT_EQ(beginOfSecond(recorded({kSecond, kSecond + 800}), recorded({100, 900})), kSecond);
    EXPECT_EQ(beginOfSecond(recorded({100, 900}, 0), recorded({100, 900}, 3600 * kSecond)), 100) << "an hour later";
}

TEST(TraceSet, RanksFromAnotherTimeStayTogether)
{
    const TraceSet set = TraceSet::of(
        {recorded({100, 900}), recorded({kSecond, kSecond + 800}), recorded({kSecond + 35, kSecond + 900})});
    EXPECT_EQ(set.members[1].time.toSet(kSecond), 100);
    EXPECT_EQ(set.members[2].time.toSet(kSecond + 35), 135);
}

TEST(TraceSet, TitlesAreRanksOrNames)
{
    const auto titled = [](std::string path, std::optional<int64_t> rank) {
        auto trace = std::make_shared<Trace>();
        trace->info.path = std::move(path);
        trace->info.rank = rank;
        return trace;
    };
    const TraceSet ranked = TraceSet::of(
        {titled("a/one.json", 3), titled("a/run.rifflelog", {}), titled("a/run.rifflelog/000002.part", {})});
    EXPECT_EQ(ranked.title(0), "Rank 3");
    EXPECT_EQ(ranked.title(1), "run.rifflelog (run.rifflelog)");
    EXPECT_EQ(ranked.title(2), "run.rifflelog (000002.part)");
    const TraceSet plain = TraceSet::of({titled("one.json", {}), titled("two.json", {})});
    EXPECT_EQ(plain.title(1), "Rank 1");
}

TEST(TraceSet, NoTwoTracesHaveTheSameTitle)
{
    const auto titles = [](const std::vector<std::pair<const char *, std::optional<int64_t>>> &traces) {
        std::vector<std::shared_ptr<const Trace>> made;
        for (const auto &[path, rank] : traces) {
            auto trace = std::make_shared<Trace>();
            trace->info.path = path;
            trace->info.rank = rank;
            made.push_back(std::move(trace));
        }
        const TraceSet set = TraceSet::of(std::move(made));
        std::vector<std::string> found;
        for (uint32_t at = 0; at < set.members.size(); ++at)
            found.push_back(set.title(at));
        return found;
    };
    using Titles = std::vector<std::string>;
    EXPECT_EQ(titles({{"a/before.json", 0}, {"a/after.json", 0}, {"a/other.json", 1}}),
              (Titles{"Rank 0 (before.json)", "Rank 0 (after.json)", "Rank 1"}));
    EXPECT_EQ(titles({{"/x/before/t.json", 0}, {"/x/after/t.json", 0}}),
              (Titles{"Rank 0 (before/t.json)", "Rank 0 (after/t.json)"}));
    EXPECT_EQ(titles({{"t.json", 0}, {"/t.json", 0}, {"a/t.json", 0}}),
              (Titles{"Rank 0 (t.json)", "Rank 0 (/t.json)", "Rank 0 (a/t.json)"}));
    EXPECT_EQ(titles({{"t.json", 0}, {"t.json", 0}}), (Titles{"Rank 0 (1)", "Rank 0 (2)"}));
    EXPECT_EQ(titles({{"t.json", 0}, {"u.json", 0}, {"t.json", 0}}),
              (Titles{"Rank 0 (t.json, 1)", "Rank 0 (u.json)", "Rank 0 (t.json, 2)"}));
    EXPECT_EQ(titles({{"t.json", {}}, {"t.json", {}}}), (Titles{"Rank 0", "Rank 1"}));
    EXPECT_EQ(titles({{"a.json", 0}, {"x/t.json", {}}, {"y/t.json/", {}}}),
              (Titles{"Rank 0", "t.json (x/t.json)", "t.json (y/t.json)"}));
}

TEST(TraceSet, AbsurdTimesMoveNothing)
{
    EXPECT_EQ(beginOfSecond(recorded({0, 10}, INT64_MIN), recorded({5, 15}, INT64_MAX)), 5);
    const TimeSpan all{kEarliestTime, kLatestTime};
    EXPECT_EQ(beginOfSecond(recorded(all, 0), recorded(all, INT64_MAX)), kEarliestTime);
    EXPECT_EQ(beginOfSecond(recorded({0, 10}, 0), recorded({}, 3600 * kSecond)), 0) << "empty";
}

} // namespace
} // namespace riffle
