// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang.h"

#include "tests/support/flight_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace riffle {
namespace {

using test::FlightJob;
using test::JobCall;
using Ranks = std::vector<int64_t>;

constexpr size_t kWorld = 0, kFirstHalf = 1, kSecondHalf = 2;
constexpr int64_t kCulprit = 6, kBystander = 2;

/// Eight ranks in two halves, whose groups have the same name.
FlightJob job()
{
    Ranks all(8);
    std::iota(all.begin(), all.end(), 0);
    return FlightJob({{"0", "default_pg", all}, {"1", "data", {0, 1, 2, 3}}, {"1", "data", {4, 5, 6, 7}}});
}

void addSteps(FlightJob &job, int steps, bool hasP2p)
{
    for (int step = 0; step < steps; ++step) {
        job.all(kFirstHalf, "all_reduce", 64);
        job.all(kSecondHalf, "all_reduce", 64);
        if (hasP2p)
            for (const size_t group : {kFirstHalf, kSecondHalf}) {
                job.send(job.groups[group].ranks[0], group, 0, 1);
                job.receive(job.groups[group].ranks[1], group, 0, 1);
            }
        job.all(kSecondHalf, "_reduce_scatter_base", 32);
        job.all(kFirstHalf, "_reduce_scatter_base", 32);
        job.all(kWorld, "all_gather", 8);
    }
}

/// The place that a test expects, counted by the job.
struct Expected {
    int64_t sequence = 0;
    int64_t waitingLine = 0, culpritLine = 0; ///< of the stacks of rank 4 and of the culprit
};

Expected makeHang(FlightJob &job, DivergenceKind kind)
{
    Expected expected;
    const Ranks half = job.groups[kSecondHalf].ranks;
    job.now += 1'000'000;
    for (const int64_t rank : half) {
        const bool isCulprit = rank == kCulprit;
        if (isCulprit && kind == DivergenceKind::MissingEntry)
            continue;
        const bool isOther = isCulprit && kind == DivergenceKind::OtherCollective;
        JobCall &call = job.call(rank, kSecondHalf, isOther ? "broadcast" : "all_reduce", 64);
        FlightJob::wait(call, kind != DivergenceKind::StuckInside || !isCulprit);
        if (isCulprit && kind == DivergenceKind::OtherSize)
            call.inputs = call.outputs = {65};
        if (isCulprit && kind == DivergenceKind::LateEntry)
            call.created += 700'000'000'000; // the time of the others is 600 s
        if (rank == half[0]) {
            expected.sequence = call.sequence;
            expected.waitingLine = call.line;
        }
    }
    expected.culpritLine = job.calls[kCulprit].back().line;
    // The others go on and wait, too.
    job.now += 1'000'000;
    for (const int64_t rank : job.groups[kFirstHalf].ranks) {
        job.call(rank, kFirstHalf, "all_reduce", 64);
        FlightJob::wait(job.call(rank, kWorld, "all_gather", 8));
    }
    return expected;
}

int64_t lineOf(const HangReport &report, const HangMember &member)
{
    const FlightDump &dump = *report.dumps[static_cast<size_t>(member.dump)];
    const auto row = member.entry ? member.entry : member.last;
    return row ? dump.frames[dump.stack(dump.entries[*row].stack)[0]].line : 0;
}

const HangMember &memberOf(const Divergence &found, int64_t rank)
{
    return *std::ranges::find(found.members, rank, &HangMember::rank);
}

/// The sizes of rings: whole, all alike, and other ones on each rank.
size_t ringOf(int rings, int64_t rank) { return rings == 0 ? 0 : rings == 1 ? 12 : 5 + 2 * static_cast<size_t>(rank); }

TEST(Hang, EachKindIsFoundWithRingsMissingDumpsPeersAndNamesakes)
{
    for (const DivergenceKind kind :
         {DivergenceKind::MissingEntry, DivergenceKind::LateEntry, DivergenceKind::OtherCollective,
          DivergenceKind::OtherSize, DivergenceKind::StuckInside})
        for (const bool hasP2p : {false, true}) {
            FlightJob hanging = job();
            addSteps(hanging, 6, hasP2p);
            const Expected expected = makeHang(hanging, kind);
            for (int rings = 0; rings < 3; ++rings)
                for (const std::optional<int64_t> missing : {std::optional<int64_t>(), {kBystander}, {int64_t(7)}}) {
                    SCOPED_TRACE(std::string(divergenceName(kind)) + (hasP2p ? ", p2p" : "") + ", rings " +
                                 std::to_string(rings) + ", missing " + std::to_string(missing.value_or(-1)));
                    std::vector<std::shared_ptr<const FlightDump>> dumps;
                    for (int64_t rank = 7; rank >= 0; --rank)
                        if (rank != missing)
                            dumps.push_back(hanging.dump(rank, ringOf(rings, rank)));
                    const HangReport report = hangOf(dumps, {});
                    EXPECT_EQ(report.worldSize, 8);
                    EXPECT_TRUE(report.isWorldKnown);
                    EXPECT_EQ(report.missing, missing ? Ranks{*missing} : Ranks{});
                    ASSERT_FALSE(report.found.empty());
                    const Divergence &found = report.found.front();
                    EXPECT_EQ(found.kind, kind);
                    EXPECT_EQ(found.sequence, expected.sequence);
                    EXPECT_EQ(found.groupRanks, (Ranks{4, 5, 6, 7}));
                    EXPECT_EQ(found.groupName, "1");
                    EXPECT_TRUE(found.isGroupKnown);
                    EXPECT_FALSE(found.isP2p);
                    EXPECT_FALSE(found.isCircular);
                    EXPECT_EQ(found.culprits, Ranks{kCulprit});
                    EXPECT_EQ(lineOf(report, memberOf(found, 4)), expected.waitingLine);
                    EXPECT_EQ(lineOf(report, memberOf(found, kCulprit)), expected.culpritLine);
                    EXPECT_EQ(memberOf(found, kCulprit).entry.has_value(), kind != DivergenceKind::MissingEntry);
                    // The late call is judged by clocks of two hosts, and whether all ranks came by all dumps.
                    EXPECT_EQ(found.sureness == Sureness::Sure,
                              kind != DivergenceKind::LateEntry &&
                                  !(kind == DivergenceKind::StuckInside && missing == 7));
                    EXPECT_EQ(found.withoutDump, missing == 7 ? Ranks{7} : Ranks{});
                    // The call in which the others wait follows from it.
                    ASSERT_EQ(report.found.size(), 2u);
                    EXPECT_EQ(report.found[1].groupDescription, "default_pg");
                    EXPECT_EQ(report.found[1].kind, DivergenceKind::MissingEntry);
                    EXPECT_EQ(report.found[1].culprits, missing == 7 ? (Ranks{4, 5, 6}) : (Ranks{4, 5, 6, 7}));
                }
        }
}

TEST(Hang, AHealthySetHasNone)
{
    FlightJob healthy = job();
    addSteps(healthy, 6, true);
    for (int rings = 0; rings < 3; ++rings)
        for (const std::optional<int64_t> missing : {std::optional<int64_t>(), {kBystander}}) {
            std::vector<std::shared_ptr<const FlightDump>> dumps;
            for (int64_t rank = 0; rank < 8; ++rank)
                if (rank != missing)
                    dumps.push_back(healthy.dump(rank, ringOf(rings, rank)));
            const HangReport report = hangOf(dumps, {});
            EXPECT_TRUE(report.found.empty()) << divergenceName(report.found.front().kind);
            EXPECT_GT(report.compared, 6u);
        }
    // A dump that was written earlier lacks calls that ended on the others.
    std::vector<std::shared_ptr<const FlightDump>> dumps = {healthy.dump(0)};
    FlightJob later = healthy;
    addSteps(later, 1, true);
    for (int64_t rank = 1; rank < 8; ++rank)
        dumps.push_back(later.dump(rank, 10));
    EXPECT_TRUE(hangOf(dumps, {}).found.empty());
}

TEST(Hang, AMissingDumpIsEvidenceAndNeverLate)
{
    FlightJob hanging = job();
    addSteps(hanging, 3, false);
    for (const int64_t rank : {4, 5, 6})
        FlightJob::wait(hanging.call(rank, kSecondHalf, "all_reduce", 64));
    std::vector<std::shared_ptr<const FlightDump>> dumps;
    for (const int64_t rank : {0, 1, 2, 3, 4, 5, 6})
        dumps.push_back(hanging.dump(rank, 12));
    const HangReport report = hangOf(dumps, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::NoDump);
    EXPECT_EQ(report.found[0].culprits, Ranks{7});
    EXPECT_EQ(report.found[0].sureness, Sureness::Likely);
    EXPECT_EQ(report.found[0].sequence, 7);
    EXPECT_EQ(report.missing, Ranks{7});
}

TEST(Hang, ACallThatWasLeftOutIsToldByTheCallsAfterIt)
{
    // Asynchronous calls go on after the one that was left out, each in the place of the one before it.
    FlightJob hanging({{"0", "default_pg", {0, 1, 2}}});
    for (int step = 0; step < 4; ++step)
        for (const char *kind : {"all_reduce", "all_gather", "broadcast"})
            for (const int64_t rank : {0, 1, 2})
                if (rank != 1 || step != 2 || std::string(kind) != "all_gather") {
                    JobCall &call = hanging.call(rank, 0, kind);
                    if (step > 2 || (step == 2 && std::string(kind) != "all_reduce"))
                        FlightJob::wait(call, false, false);
                }
    const HangReport report = hangOf(std::vector{hanging.dump(0), hanging.dump(1), hanging.dump(2)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::MissingEntry);
    EXPECT_EQ(report.found[0].sequence, 8);
    EXPECT_EQ(report.found[0].culprits, Ranks{1});
    EXPECT_EQ(report.found[0].operation, "nccl:all_gather [[16]] Float");
}

TEST(Hang, OfTwoRanksTheHabitTellsWhoIsWrong)
{
    FlightJob hanging({{"0", "default_pg", {0, 1}}});
    for (int step = 0; step < 3; ++step) {
        hanging.all(0, "all_reduce");
        hanging.all(0, "all_gather");
    }
    hanging.all(0, "all_reduce");
    FlightJob::wait(hanging.call(0, 0, "all_gather"));
    FlightJob::wait(hanging.call(1, 0, "all_reduce"));
    HangReport report = hangOf(std::vector{hanging.dump(0), hanging.dump(1)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::OtherCollective);
    EXPECT_EQ(report.found[0].culprits, Ranks{1});
    // Without a habit, neither is accused.
    FlightJob first({{"0", "default_pg", {0, 1}}});
    FlightJob::wait(first.call(0, 0, "all_gather"));
    FlightJob::wait(first.call(1, 0, "all_reduce"));
    report = hangOf(std::vector{first.dump(0), first.dump(1)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_TRUE(report.found[0].culprits.empty());
}

TEST(Hang, RanksThatWaitForEachOtherAreACircle)
{
    // Two groups of the same ranks: rank 0 begins with one, rank 1 with the other.
    FlightJob hanging({{"a", "tensor", {0, 1}}, {"b", "pipeline", {0, 1}}});
    hanging.all(0, "all_reduce");
    hanging.all(1, "all_reduce");
    FlightJob::wait(hanging.call(0, 0, "all_reduce"));
    FlightJob::wait(hanging.call(1, 1, "all_reduce"));
    const HangReport report = hangOf(std::vector{hanging.dump(0), hanging.dump(1)}, {});
    ASSERT_EQ(report.found.size(), 2u);
    EXPECT_TRUE(report.found[0].isCircular && report.found[1].isCircular);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::MissingEntry);
}

TEST(Hang, GroupsAreRanksEvenIfTheirNamesDiffer)
{
    FlightJob hanging({{"x", "data", {0, 1}}});
    hanging.all(0, "all_reduce");
    FlightJob::wait(hanging.call(0, 0, "all_reduce"));
    FlightJob renamed = hanging;
    renamed.groups[0].name = "y";
    const HangReport report = hangOf(std::vector{hanging.dump(0), renamed.dump(1)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].culprits, Ranks{1});
    EXPECT_EQ(report.found[0].sequence, 2);
}

TEST(Hang, WithoutAListOfGroupsTheWorldIsTheDefaultGroup)
{
    // Dumps of gloo: states stay at "scheduled", and the list of groups has no names.
    FlightJob hanging({{"0", "default_pg", {0, 1}}});
    hanging.listsGroups = false;
    for (int step = 0; step < 4; ++step)
        hanging.all(0, "all_reduce");
    for (auto &[rank, calls] : hanging.calls)
        for (JobCall &call : calls) {
            call.state = "scheduled";
            call.name = "gloo:all_reduce";
        }
    JobCall &waiting = hanging.call(0, 0, "all_reduce");
    waiting.name = "gloo:all_reduce";
    for (const bool isRetired : {false, true}) { // after the time ran out, gloo is done with the call, too
        FlightJob::wait(waiting, false, isRetired);
        const HangReport report = hangOf(std::vector{hanging.dump(0), hanging.dump(1)}, {});
        ASSERT_EQ(report.found.size(), 1u);
        EXPECT_EQ(report.found[0].kind, DivergenceKind::MissingEntry);
        EXPECT_EQ(report.found[0].culprits, Ranks{1});
        EXPECT_EQ(report.found[0].sequence, 5);
        EXPECT_EQ(report.found[0].sureness, Sureness::Likely);
    }
}

TEST(Hang, AnEmptyDumpIsThatOfARankWithoutCallsUnlessItsStatusSaysOtherwise)
{
    FlightJob hanging({{"0", "default_pg", {0, 1, 2}}});
    for (const int64_t rank : {0, 2})
        FlightJob::wait(hanging.call(rank, 0, "all_reduce"));
    const auto none = std::make_shared<FlightDump>(*hanging.dump(1));
    HangReport report =
        hangOf(std::vector<std::shared_ptr<const FlightDump>>{hanging.dump(0), none, hanging.dump(2)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::MissingEntry);
    EXPECT_EQ(report.found[0].culprits, Ranks{1});
    none->statuses = 1; // a dump of active calls alone: all calls of this rank ended
    report = hangOf(std::vector<std::shared_ptr<const FlightDump>>{hanging.dump(0), none, hanging.dump(2)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::StuckInside);
    EXPECT_EQ(report.found[0].sureness, Sureness::Likely);
    EXPECT_TRUE(report.found[0].culprits.empty());
    EXPECT_EQ(memberOf(report.found[0], 1).part, HangMember::Part::Unknown);
}

TEST(Hang, AnAllToAllMustExchangeWhatIsExpected)
{
    for (const int64_t expected : {30, 31}) {
        FlightJob exchange({{"0", "default_pg", {0, 1}}});
        exchange.all(0, "all_reduce");
        exchange.call(0, 0, "alltoall_base", 10).outputs = {expected};
        exchange.call(1, 0, "alltoall_base", 40).outputs = {20};
        const HangReport report = hangOf(std::vector{exchange.dump(0), exchange.dump(1)}, {});
        ASSERT_EQ(report.found.size(), expected == 30 ? 0u : 1u);
        for (const Divergence &found : report.found) {
            EXPECT_EQ(found.kind, DivergenceKind::OtherSize);
            EXPECT_TRUE(found.culprits.empty());
        }
    }
}

TEST(Hang, ACallWithoutSizesAccusesNobody)
{
    FlightJob hanging({{"0", "default_pg", {0, 1, 2, 3}}});
    for (const int64_t rank : {0, 1, 2, 3}) {
        JobCall &call = hanging.call(rank, 0, "all_reduce");
        FlightJob::wait(call);
        if (rank == 0)
            call.inputs = call.outputs = {-1}; // not known
        if (rank == 2)
            call.inputs = call.outputs = {17};
    }
    std::vector<std::shared_ptr<const FlightDump>> dumps;
    for (const int64_t rank : {0, 1, 2, 3})
        dumps.push_back(hanging.dump(rank));
    const HangReport report = hangOf(dumps, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::OtherSize);
    EXPECT_EQ(report.found[0].culprits, Ranks{2});
}

TEST(Hang, DumpsThatCannotBePlacedAreSaid)
{
    FlightJob one({{"0", "default_pg", {0, 1}}});
    one.all(0, "all_reduce");
    auto nameless = std::make_shared<FlightDump>(*one.dump(0));
    nameless->rank.reset();
    FlightJob later = one;
    later.all(0, "all_reduce");
    const HangReport report =
        hangOf(std::vector{one.dump(0), later.dump(0), one.dump(1), std::shared_ptr<const FlightDump>(nameless)}, {});
    EXPECT_EQ(report.ranks, (Ranks{0, 1}));
    EXPECT_EQ(report.dumps[0]->entries.size(), 2u) << "the older dump of rank 0 was taken";
    EXPECT_EQ(report.remarks.size(), 2u);
    EXPECT_TRUE(report.found.empty());
    EXPECT_TRUE(hangOf({}, {}).found.empty());
}

} // namespace
} // namespace riffle
