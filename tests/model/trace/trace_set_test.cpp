// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace_set.h"

#include "model/trace/run/rank_facts.h"

#include <gtest/gtest.h>

#include <random>

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
    EXPECT_TRUE(set.loaded()[0].time.identity());
    return set.loaded()[1].time.toSet(second->span.begin);
}

TEST(TraceSet, RanksOfOneRunKeepTheirTimes)
{
    EXPECT_EQ(beginOfSecond(recorded({100, 900}), recorded({300, 1200})), 300);
    EXPECT_EQ(beginOfSecond(recorded({100, 900}, 7), recorded({300, 1200}, 7)), 300);
    EXPECT_EQ(beginOfSecond(recorded({100, 900}, 7), recorded({300, 1200})), 300) << "only one has a base time";
    EXPECT_EQ(beginOfSecond(recorded({0, 900}), recorded({2000, 2900})), 2000) << "one after the other";
}

TEST(TraceSet, AnOffsetUnderAMillisecondCounts)
{
    EXPECT_EQ(beginOfSecond(recorded({0, kSecond}, 5 * kSecond), recorded({10, kSecond}, 5 * kSecond + 800'000)),
              800'010);
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
    EXPECT_EQ(set.loaded()[1].time.toSet(kSecond), 100);
    EXPECT_EQ(set.loaded()[2].time.toSet(kSecond + 35), 135);
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
    EXPECT_EQ(ranked.title(TraceId(0)), "Rank 3");
    EXPECT_EQ(ranked.title(TraceId(1)), "run.rifflelog (run.rifflelog)");
    EXPECT_EQ(ranked.title(TraceId(2)), "run.rifflelog (000002.part)");
    const TraceSet plain = TraceSet::of({titled("one.json", {}), titled("two.json", {})});
    EXPECT_EQ(plain.title(TraceId(1)), "Rank 1");
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
        for (const LoadedTrace &member : set.loaded())
            found.push_back(set.title(member.id));
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

TEST(TraceSet, APartHasTheTitlesAndTheOriginOfTheWhole)
{
    std::vector<std::shared_ptr<const Trace>> made;
    for (const char *path : {"before.json", "after.json"}) {
        auto trace = std::make_shared<Trace>();
        trace->info.path = path;
        trace->info.rank = 0;
        made.push_back(std::move(trace));
    }
    const TraceSet set = TraceSet::of(std::move(made));
    const std::vector<TraceId> second{TraceId(1)};
    const TraceSet part = set.part(second), again = part.part(second);
    EXPECT_EQ(part.size(), 1u);
    EXPECT_EQ(part.members().size(), 1u);
    EXPECT_EQ(part.title(TraceId(1)), "Rank 0 (after.json)");
    EXPECT_EQ(again.title(TraceId(1)), "Rank 0 (after.json)");
    EXPECT_EQ(part.origin(), set.origin());
    EXPECT_EQ(part.idsEnd(), set.idsEnd());
    EXPECT_FALSE(part.member(TraceId(0)));
    EXPECT_EQ(&set.whole(), &set);
    EXPECT_EQ(again.whole().size(), 2u);
}

std::vector<uint32_t> idsOf(const TraceSet &set)
{
    std::vector<uint32_t> ids;
    for (const LoadedTrace &member : set.loaded())
        ids.push_back(member.id.value);
    return ids;
}

TEST(TraceSet, IdsStayWhenMembersComeGoAndMove)
{
    const auto a = recorded({0, 10}), b = recorded({0, 20}), c = recorded({0, 30});
    TraceSet set = TraceSet::of({a, b, c});
    set.remove(TraceId(0));
    EXPECT_EQ(set.trace(TraceId(0)), nullptr);
    EXPECT_EQ(set.trace(TraceId(2)), c.get());
    EXPECT_EQ(set.add(a), TraceId(3)) << "an id is never used again";
    set.move(TraceId(3), 0);
    EXPECT_EQ(idsOf(set), (std::vector<uint32_t>{3, 1, 2}));
    set.move(TraceId(3), 9);
    EXPECT_EQ(idsOf(set), (std::vector<uint32_t>{1, 2, 3}));
    EXPECT_EQ(set.trace(TraceId(1)), b.get());
}

TEST(TraceSet, AMemberIsKnownFromItsFirstLoadOn)
{
    const auto trace = std::make_shared<Trace>();
    trace->info.path = "b.json";
    trace->info.format = "Kineto JSON";
    trace->info.fileBytes = 12;
    trace->info.rank = 3;
    trace->info.worldSize = 8;
    trace->span = {5, 9};
    TraceSet set;
    const TraceId first = set.expect("a.json"), second = set.expect("b.json");
    EXPECT_EQ(set.member(second)->state, MemberState::Loading);
    EXPECT_FALSE(set.member(second)->isKnown);
    EXPECT_TRUE(set.empty());
    set.load(second, trace);
    set.fail(first, "why");
    set.unload(second);
    const TraceMember &known = *set.member(second);
    EXPECT_TRUE(known.isKnown);
    EXPECT_EQ(known.format, "Kineto JSON");
    EXPECT_EQ(known.bytes, 12u);
    EXPECT_EQ(known.rank, 3);
    EXPECT_EQ(known.worldSize, 8);
    EXPECT_EQ(known.span, (TimeSpan{5, 9}));
    for (const TraceId id : {first, second}) {
        set.expectAgain(id);
        EXPECT_EQ(set.member(id)->state, MemberState::Loading);
        EXPECT_EQ(set.member(id)->why, "");
    }
    EXPECT_TRUE(set.member(second)->isKnown);
}

TEST(TraceSet, ATimeThatWasSetIsTold)
{
    TraceSet set = TraceSet::of({recorded({0, 10}), recorded({0, 20})});
    EXPECT_FALSE(set.isTimeSet(TraceId(1)));
    set.setTime(TraceId(1), TimeMap({{0, 7}}));
    set.unload(TraceId(1));
    set.load(TraceId(1), recorded({0, 20}));
    EXPECT_TRUE(set.isTimeSet(TraceId(1)));
    EXPECT_EQ(set.time(TraceId(1)).toSet(Ns{0}), 7);
    set.load(TraceId(1), recorded({0, 20}, 5)); // a trace of another time has another clock
    EXPECT_FALSE(set.isTimeSet(TraceId(1)));
    EXPECT_FALSE(set.isTimeSet(TraceId(9)));
}

TEST(TraceSet, SetTimeHangsOnNoMember)
{
    TraceSet set = TraceSet::of({recorded({0, kSecond}, 100 * kSecond), recorded({0, kSecond}, 101 * kSecond)});
    EXPECT_EQ(set.time(TraceId(1)).toSet(0), kSecond);
    set.remove(TraceId(0));
    EXPECT_EQ(set.time(TraceId(1)).toSet(0), kSecond) << "nothing moves";
    const TraceId third = set.add(recorded({0, kSecond}, 102 * kSecond));
    EXPECT_EQ(set.time(third).toSet(0), 2 * kSecond);
}

TEST(TraceSet, AMemberWithoutWallClockDoesNotHideThatOfTheOthers)
{
    const TraceSet set = TraceSet::of(
        {recorded({0, kSecond}), recorded({0, kSecond}, 100 * kSecond), recorded({0, kSecond}, 100 * kSecond + 5)});
    EXPECT_EQ(set.time(TraceId(2)).toSet(0) - set.time(TraceId(1)).toSet(0), 5);
}

TEST(TraceSet, AMemberThatIsUnloadedKeepsItsPlaceAndItsClock)
{
    const auto late = recorded({0, kSecond}, 101 * kSecond);
    TraceSet set = TraceSet::of({recorded({0, kSecond}, 100 * kSecond), late, recorded({0, kSecond})});
    set.setTime(TraceId(1), TimeMap({{0, 42}}));
    set.unload(TraceId(1));
    EXPECT_EQ(set.member(TraceId(1))->state, MemberState::Unloaded);
    EXPECT_EQ(set.trace(TraceId(1)), nullptr);
    EXPECT_EQ(set.time(TraceId(1)).toSet(0), 42) << "marks on it stay in place";
    EXPECT_EQ(set.size(), 2u);
    set.load(TraceId(1), late);
    EXPECT_EQ(idsOf(set), (std::vector<uint32_t>{0, 1, 2}));
    EXPECT_EQ(set.time(TraceId(1)).toSet(0), 42);
    set.load(TraceId(1), recorded({0, kSecond}, 102 * kSecond));
    EXPECT_EQ(set.time(TraceId(1)).toSet(0), 2 * kSecond) << "it was recorded at another time";
}

TEST(TraceSet, UnloadingATraceMovesNoTime)
{
    TraceSet set = TraceSet::of({recorded({0, kSecond}, 100 * kSecond), recorded({0, kSecond}, 105 * kSecond)});
    const Ns origin = set.origin();
    const TimeSpan span = set.span(), asked = set.askedSpan();
    EXPECT_EQ(span, (TimeSpan{0, 6 * kSecond}));
    for (const uint32_t id : {0, 1}) {
        set.unload(TraceId(id));
        EXPECT_EQ(set.origin(), origin);
        EXPECT_EQ(set.span(), span);
        EXPECT_EQ(set.askedSpan(), asked);
    }
    set.fail(TraceId(0), "The file is gone.");
    EXPECT_EQ(set.span(), span);
    set.remove(TraceId(0));
    EXPECT_EQ(set.origin(), 5 * kSecond);
    EXPECT_EQ(set.span(), (TimeSpan{5 * kSecond, 6 * kSecond}));
}

TEST(TraceSet, AMemberThatFailsSaysWhy)
{
    TraceSet set = TraceSet::of({recorded({0, 10})});
    const TraceId id = set.expect("b.json");
    EXPECT_EQ(set.member(id)->state, MemberState::Loading);
    EXPECT_EQ(set.title(id), "Rank 1");
    set.fail(id, "The file is gone.");
    EXPECT_EQ(set.member(id)->state, MemberState::Failed);
    EXPECT_EQ(set.member(id)->why, "The file is gone.");
    EXPECT_EQ(set.size(), 1u);
}

TEST(TraceSet, AnySequenceOfChangesKeepsIdsTracesAndOrder)
{
    std::mt19937 random(7);
    TraceSet set;
    std::vector<std::pair<uint32_t, std::shared_ptr<const Trace>>> expected; // null: not loaded
    for (uint32_t round = 0, next = 0; round < 2000; ++round) {
        const auto trace =
            recorded({0, Ns{round} + 1}, random() % 2 ? std::optional<Ns>(random() % 100) : std::nullopt);
        const size_t at = expected.empty() ? 0 : random() % expected.size();
        const TraceId id(expected.empty() ? 0 : expected[at].first);
        switch (expected.size() < 3 ? 0 : random() % 5) {
        case 0:
            EXPECT_EQ(set.add(trace), TraceId(next));
            expected.emplace_back(next++, trace);
            break;
        case 1:
            set.remove(id);
            expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(at));
            break;
        case 2:
            set.unload(id);
            expected[at].second = nullptr;
            break;
        case 3:
            set.load(id, trace);
            expected[at].second = trace;
            break;
        default: {
            const size_t to = random() % expected.size();
            set.move(id, to);
            const auto moved = expected[at];
            expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(at));
            expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(to), moved);
        }
        }
        ASSERT_EQ(set.members().size(), expected.size());
        std::vector<uint32_t> loaded;
        for (size_t member = 0; member < expected.size(); ++member) {
            ASSERT_EQ(set.members()[member].id.value, expected[member].first);
            ASSERT_EQ(set.trace(TraceId(expected[member].first)), expected[member].second.get());
            if (expected[member].second)
                loaded.push_back(expected[member].first);
        }
        ASSERT_EQ(idsOf(set), loaded);
        if (expected.size() > 12)
            for (; expected.size() > 4; expected.pop_back())
                set.remove(TraceId(expected.back().first));
    }
}

TEST(TraceSet, AbsurdTimesMoveNothing)
{
    EXPECT_EQ(beginOfSecond(recorded({0, 10}, INT64_MIN), recorded({5, 15}, INT64_MAX)), 5);
    const TimeSpan all{kEarliestTime, kLatestTime};
    EXPECT_EQ(beginOfSecond(recorded(all, 0), recorded(all, INT64_MAX)), kEarliestTime);
    EXPECT_EQ(beginOfSecond(recorded({0, 10}, 0), recorded({}, 3600 * kSecond)), 0) << "empty";
}

TEST(TraceSet, AMemberThatGrowsKeepsItsPlaceAndItsReading)
{
    TraceSet set = TraceSet::of({recorded({100, 900}, 7), recorded({300, 1200}, 7)});
    const uint32_t reading = set.find(TraceId(1))->reading;
    set.setTime(TraceId(1), TimeMap({{0, 50}}));
    set.grow(TraceId(1), recorded({300, 2000}, 7), Growing{1800});
    const LoadedTrace &grown = *set.find(TraceId(1));
    EXPECT_EQ(grown.reading, reading);
    EXPECT_EQ(grown.settled(), std::optional<Ns>(1800));
    EXPECT_EQ(grown.time.toSet(Ns{300}), 350);
    EXPECT_EQ(set.span(), (TimeSpan{100, 2050}));
    set.grow(TraceId(1), recorded({300, 2100}, 7), std::nullopt);
    EXPECT_FALSE(set.find(TraceId(1))->growing);
    set.load(TraceId(1), recorded({300, 2100}, 7));
    EXPECT_NE(set.find(TraceId(1))->reading, reading) << "its ids may differ";
}

std::shared_ptr<RankFacts> factsAbout(int64_t rank, TimeSpan span, std::optional<Ns> base)
{
    auto facts = std::make_shared<RankFacts>();
    facts->rank = rank;
    facts->span = facts->asked = facts->recorded = span;
    facts->baseTimeNs = base;
    facts->slices = 5;
    return facts;
}

TEST(TraceSet, AMemberIsKnownWithoutItsTrace)
{
    TraceSet set;
    const TraceId first = set.add(recorded({0, 900}, 1'000));
    const TraceId known = set.expect("run/a.json"), later = set.expect("run/b.json");
    set.know(known, factsAbout(3, {100, 800}, 1'500));
    EXPECT_EQ(set.title(known), "Rank 3");
    EXPECT_EQ(set.title(later), "b.json") << "titles follow what is known";
    EXPECT_EQ(set.member(known)->state, MemberState::Loading);
    EXPECT_TRUE(set.member(known)->isKnown);
    EXPECT_EQ(set.find(known), nullptr);
    EXPECT_EQ(set.time(known).toSet(100), 600) << "its place on the clock of the set";
    EXPECT_EQ(set.span(), (TimeSpan{0, 1'300}));
    EXPECT_EQ(set.size(), 1u);

    const auto fitting = std::make_shared<Trace>(*recorded({100, 800}, 1'500));
    fitting->info.rank = 3;
    fitting->info.path = "run/a.json";
    set.know(first, factsAbout(0, {0, 1}, 1'000));
    EXPECT_EQ(set.member(first)->facts, nullptr) << "facts about another trace are left out";
    set.load(known, fitting);
    EXPECT_EQ(set.member(known)->facts, nullptr) << "the trace has no slices, and the facts are about five";
    auto facts = factsAbout(3, {100, 800}, 1'500);
    facts->slices = 0;
    set.know(known, facts);
    EXPECT_EQ(set.member(known)->facts, facts);
    set.unload(known);
    EXPECT_EQ(set.member(known)->facts, facts);
    EXPECT_EQ(set.time(known).toSet(100), 600);
}

TEST(TraceSet, MembersAreFoundByIdInAnyOrder)
{
    TraceSet set;
    for (int64_t rank = 0; rank < 6; ++rank) {
        const TraceId id = set.expect("rank" + std::to_string(rank) + ".json");
        set.know(id, factsAbout(rank % 3, {0, 10}, {}));
    }
    std::mt19937 random(7);
    for (int change = 0; change < 200; ++change) {
        const auto members = set.members();
        const TraceId one = members[random() % members.size()].id;
        switch (random() % 6) {
        case 0: set.move(one, random() % members.size()); break;
        case 1: {
            const auto trace = std::make_shared<Trace>(*recorded({0, static_cast<Ns>(random() % 50)}));
            trace->info.path = set.member(one)->path;
            set.load(one, trace);
            break;
        }
        case 2: set.unload(one); break;
        case 3: set.expect("more" + std::to_string(change) + ".json"); break;
        case 4: set = set.part(std::vector{one, members[random() % members.size()].id}).whole(); break;
        default:
            if (members.size() > 2)
                set.remove(one);
        }
        size_t loaded = 0;
        for (const TraceMember &member : set.members()) {
            ASSERT_EQ(set.member(member.id), &member);
            const bool isLoaded = member.state == MemberState::Loaded;
            ASSERT_EQ(set.find(member.id) != nullptr, isLoaded);
            ASSERT_FALSE(set.title(member.id).empty());
            if (isLoaded) {
                ASSERT_EQ(set.find(member.id), &set.loaded()[loaded++]) << "in the order of the members";
            }
        }
        ASSERT_EQ(set.size(), loaded);
        ASSERT_EQ(set.member(TraceId(set.idsEnd())), nullptr);
    }
}

} // namespace
} // namespace riffle
