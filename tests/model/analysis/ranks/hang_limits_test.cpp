// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang.h"
#include "model/ingest/flight_recorder/flight_recorder.h"
#include "tests/support/chunked_source.h"
#include "tests/support/flight_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace riffle {
namespace {

using test::FlightJob;
using test::JobCall;
using Ranks = std::vector<int64_t>;
using Dumps = std::vector<std::shared_ptr<const FlightDump>>;

std::shared_ptr<FlightDump> copyOf(const FlightJob &job, int64_t rank, size_t ring = 0)
{
    return std::make_shared<FlightDump>(*job.dump(rank, ring));
}

/// A dump whose pickle is cut off after this share of it.
std::shared_ptr<const FlightDump> cutDump(const FlightJob &job, int64_t rank, size_t percent)
{
    std::string bytes = job.pickle(rank);
    bytes.resize(bytes.size() * percent / 100);
    test::ChunkedSource source(bytes);
    return *readFlightDumpText(source, bytes, "nccl_trace_rank_" + std::to_string(rank), {});
}

const HangMember &memberOfRank(const Divergence &found, int64_t rank)
{
    return *std::ranges::find(found.members, rank, &HangMember::rank);
}

bool saysAny(const std::vector<std::string> &sentences, const std::string &words)
{
    return std::ranges::any_of(sentences, [&](const std::string &one) { return one.find(words) != one.npos; });
}

/// Keeps the entries that did not complete, as a dump of active calls does.
void keepActive(FlightDump &dump)
{
    std::erase_if(dump.entries, [](const FlightEntry &entry) { return entry.state == FlightState::Completed; });
    dump.discovered.resize(dump.entries.size());
}

TEST(HangLimits, ADumpThatEndsEarlyAccusesNobody)
{
    FlightJob job({{"0", "default_pg", {0, 1}}, {"1", "late", {0, 1}}});
    for (int at = 0; at < 20; ++at)
        job.all(0, "all_reduce");
    for (const int64_t rank : {0, 1}) {
        FlightJob::wait(job.call(rank, 0, "all_gather"));
        FlightJob::wait(job.call(rank, 1, "all_gather"));
        FlightJob::wait(rank == 0 ? job.send(0, 0, 0, 1) : job.receive(1, 0, 0, 1));
    }
    const auto cut = cutDump(job, 1, 75);
    ASSERT_TRUE(cut->damage && cut->entries.size() > 10 && cut->entries.size() < 20);
    const HangReport report = hangOf(Dumps{job.dump(0), cut}, {});
    ASSERT_EQ(report.found.size(), 3u); // in two groups, and between the two peers
    for (const Divergence &found : report.found) {
        EXPECT_TRUE(found.culprits.empty()) << divergenceName(found.kind);
        EXPECT_EQ(found.kind, DivergenceKind::StuckInside);
        EXPECT_EQ(found.sureness, Sureness::Likely);
        EXPECT_EQ(memberOfRank(found, 1).part, HangMember::Part::Unknown);
        EXPECT_TRUE(saysAny(found.evidence, "is not known"));
    }
}

TEST(HangLimits, AnEntryThatIsNoneMayHaveBeenTheCall)
{
    // The last entry of rank 1 is a number in place of a dict.
    FlightJob job({{"0", "default_pg", {0, 1}}});
    job.all(0, "all_reduce");
    FlightJob::wait(job.call(0, 0, "all_reduce"));
    std::string json = job.json(1);
    json.replace(json.find("],\"pg_config\""), 1, ",7]");
    test::ChunkedSource source(json);
    const auto dump = readFlightDumpText(source, json, "nccl_trace_rank_1", {});
    ASSERT_TRUE(dump);
    const HangReport report = hangOf(Dumps{job.dump(0), *dump}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_TRUE(report.found[0].culprits.empty());
    EXPECT_EQ(memberOfRank(report.found[0], 1).part, HangMember::Part::Unknown);
}

TEST(HangLimits, TheFirstCallOfNcclThatTimedOutWaits)
{
    FlightJob job({{"0", "default_pg", {0, 1}}});
    for (const int64_t rank : {0, 1})
        FlightJob::wait(job.call(rank, 0, "all_reduce"), false, true);
    const HangReport report = hangOf(Dumps{job.dump(0), job.dump(1)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::StuckInside);
    EXPECT_EQ(report.found[0].sureness, Sureness::Sure);
}

TEST(HangLimits, UnlistedGroupsOfOneNameAreToldApart)
{
    FlightJob job({{"0", "default_pg", {0, 1}}, {"t", "tp", {0, 1}}, {"t", "tp", {0, 1}}});
    job.listsGroups = false;
    for (const size_t group : {0, 1})
        job.all(group, "all_reduce");
    job.all(2, "all_gather");
    FlightJob::wait(job.call(0, 1, "all_reduce"));
    const HangReport report = hangOf(Dumps{job.dump(0), job.dump(1)}, {});
    EXPECT_EQ(report.groups, 3u);
    EXPECT_EQ(report.compared, 3u);
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].sequence, 2);
    EXPECT_EQ(report.found[0].culprits, Ranks{1});
    EXPECT_EQ(report.found[0].sureness, Sureness::Likely);
}

TEST(HangLimits, ACoalescedLaunchThatTheRingCutIsNotCompared)
{
    // Launches of two operations and the entry that follows them, with one number, between single calls.
    FlightJob job({{"0", "default_pg", {0, 1, 2}}});
    int64_t sequence = 0;
    for (int step = 0; step < 4; ++step) {
        ++sequence;
        for (const char *kind : {"all_reduce", "_reduce_scatter_base", "coalesced"})
            for (const int64_t rank : {0, 1, 2})
                job.call(rank, 0, kind).sequence = sequence;
        ++sequence;
        for (const int64_t rank : {0, 1, 2})
            job.call(rank, 0, "all_gather").sequence = sequence;
    }
    for (size_t first = 0; first <= 16; ++first)
        for (size_t second = 0; second <= 16; ++second) {
            const HangReport report = hangOf(Dumps{job.dump(0, first), job.dump(1, second), job.dump(2, 5)}, {});
            EXPECT_TRUE(report.found.empty()) << "rings " << first << ", " << second;
        }
}

TEST(HangLimits, APartOfALaunchNeitherFormsAPartyNorIsWrong)
{
    FlightJob job({{"0", "default_pg", {0, 1, 2, 3}}});
    job.all(0, "all_reduce");
    for (const char *kind : {"all_reduce", "all_gather", "coalesced"})
        for (const int64_t rank : {0, 1, 2, 3}) {
            JobCall &call = job.call(rank, 0, kind);
            call.sequence = 2;
            FlightJob::wait(call, false, false);
            if (rank == 2 && std::string(kind) == "all_reduce")
                call.inputs = call.outputs = {99};
        }
    const HangReport report = hangOf(Dumps{job.dump(0), job.dump(1), job.dump(2), job.dump(3, 2)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::OtherSize);
    EXPECT_EQ(report.found[0].culprits, Ranks{2});
}

/// Two groups of the same two ranks, whose names differ between the ranks.
std::pair<FlightJob, FlightJob> renamed(const std::string &first, const std::string &second)
{
    const auto named = [&](const char *one, const char *other) {
        return FlightJob({{one, first, {0, 1}}, {other, second, {0, 1}}});
    };
    return {named("9", "10"), named("19", "20")};
}

TEST(HangLimits, DescriptionsPairGroupsBeforeTheirOrderDoes)
{
    // Each rank waits in the group in which the other one made no call.
    auto [left, right] = renamed("tp", "cp");
    FlightJob::wait(left.call(0, 0, "all_reduce"));
    FlightJob::wait(right.call(1, 1, "all_reduce"));
    HangReport report = hangOf(Dumps{left.dump(0), right.dump(1)}, {});
    ASSERT_EQ(report.found.size(), 2u);
    for (const Divergence &found : report.found) {
        EXPECT_EQ(found.kind, DivergenceKind::MissingEntry);
        EXPECT_EQ(found.culprits, found.groupDescription == "tp" ? Ranks{1} : Ranks{0});
    }
    // A ring that has lost the calls of one group is not paired with the other one.
    std::tie(left, right) = renamed("tp", "cp");
    left.call(0, 0, "all_reduce");
    left.call(0, 1, "all_gather");
    right.call(1, 0, "all_reduce");
    right.call(1, 1, "all_gather");
    EXPECT_TRUE(hangOf(Dumps{left.dump(0), right.dump(1, 1)}, {}).found.empty());
}

TEST(HangLimits, TheOrderOfGroupsIsThatOfAllListedOnesAndIsSaid)
{
    auto [left, right] = renamed("undefined", "undefined");
    left.call(0, 0, "all_reduce");
    left.call(0, 1, "all_gather");
    right.call(1, 0, "all_reduce");
    right.call(1, 1, "all_gather");
    EXPECT_TRUE(hangOf(Dumps{left.dump(0), right.dump(1, 1)}, {}).found.empty());
    FlightJob::wait(left.call(0, 1, "all_gather"));
    const HangReport report = hangOf(Dumps{left.dump(0), right.dump(1)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].sequence, 2);
    EXPECT_EQ(report.found[0].culprits, Ranks{1});
    EXPECT_EQ(report.found[0].sureness, Sureness::Likely);
    EXPECT_TRUE(saysAny(report.found[0].evidence, "in the order"));
}

TEST(HangLimits, ADumpOfActiveCallsIsNotWhole)
{
    FlightJob job({{"0", "default_pg", {0, 1}}, {"7", "side", {0, 1}}});
    for (const int64_t rank : {0, 1})
        FlightJob::wait(job.call(rank, 1, "all_reduce"), false, false);
    for (int at = 0; at < 3; ++at)
        job.all(0, "all_reduce");
    FlightJob::wait(job.call(0, 0, "all_reduce"));
    job.call(1, 0, "all_reduce");
    FlightJob::wait(job.call(1, 1, "all_reduce"), false, false);
    for (const bool hasStatus : {false, true}) {
        Dumps dumps;
        for (const int64_t rank : {0, 1}) {
            const auto dump = copyOf(job, rank);
            keepActive(*dump);
            ASSERT_EQ(dump->entries.front().record, 0);
            dump->statuses = hasStatus ? 2 : 0;
            for (FlightGroup &group : dump->groups)
                if (hasStatus && group.name == "0")
                    group.lastEnqueued = 4;
            dumps.push_back(dump);
        }
        for (const Divergence &found : hangOf(dumps, {}).found)
            if (found.groupName == "0") {
                EXPECT_TRUE(found.culprits.empty()) << hasStatus;
                EXPECT_EQ(memberOfRank(found, 1).part, HangMember::Part::Unknown);
            }
    }
}

TEST(HangLimits, AStatusSaysWhichCallsTheDumpLacks)
{
    FlightJob job({{"0", "default_pg", {0, 1}}});
    job.all(0, "all_reduce");
    const auto earlier = copyOf(job, 1);
    FlightJob::wait(job.call(0, 0, "all_reduce"));
    for (const bool hasStatus : {false, true}) {
        earlier->groups[0].lastEnqueued = hasStatus ? 2 : FlightEntry::kNone;
        earlier->statuses = hasStatus;
        const HangReport report = hangOf(Dumps{job.dump(0), earlier}, {});
        ASSERT_EQ(report.found.size(), 1u);
        EXPECT_EQ(report.found[0].sequence, 2);
        EXPECT_EQ(report.found[0].culprits, hasStatus ? Ranks{} : Ranks{1});
    }
}

TEST(HangLimits, WithLostRingsAFinishedSideIsNotBlamed)
{
    for (const bool isSendOpen : {false, true}) {
        FlightJob job({{"0", "default_pg", {0, 1}}});
        for (int at = 0; at < 4; ++at) {
            JobCall &send = job.send(0, 0, 0, 1);
            if (at == 3 && isSendOpen)
                FlightJob::wait(send);
            JobCall &receive = job.receive(1, 0, 0, 1);
            if (at == 3 && !isSendOpen)
                FlightJob::wait(receive);
        }
        const HangReport report = hangOf(Dumps{job.dump(0, 3), job.dump(1, 3)}, {});
        ASSERT_EQ(report.found.size(), 1u);
        EXPECT_TRUE(report.found[0].culprits.empty());
        EXPECT_EQ(report.found[0].kind, DivergenceKind::StuckInside);
        EXPECT_EQ(report.found[0].sureness, Sureness::Likely);
        EXPECT_EQ(memberOfRank(report.found[0], isSendOpen ? 1 : 0).part, HangMember::Part::Unknown);
    }
}

TEST(HangLimits, AMissingDumpIsNotTheReasonIfAnotherRankIsUnknown)
{
    // The ring of rank 1 has only calls of a group of its own.
    FlightJob job({{"0", "default_pg", {0, 1, 2}}, {"s", "solo", {1}}});
    job.all(0, "all_reduce");
    FlightJob::wait(job.call(0, 0, "all_gather"), true, false);
    job.call(1, 0, "all_gather");
    for (int at = 0; at < 5; ++at)
        job.call(1, 1, "barrier");
    const HangReport report = hangOf(Dumps{job.dump(0), job.dump(1, 3)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::StuckInside);
    EXPECT_TRUE(report.found[0].culprits.empty());
    EXPECT_TRUE(saysAny(report.found[0].evidence, "No dump of 1"));
}

TEST(HangLimits, CallsThatCouldNotBeComparedAreCounted)
{
    const auto withCall = [](const std::string &name, bool isListed) {
        FlightJob job({{"0", "default_pg", {0, 1}}, {"7", "pipe", {0, 1}}});
        job.listsGroups = isListed;
        job.all(0, "all_reduce");
        JobCall &call = job.receive(0, 1, 1, 0);
        call.name = name;
        FlightJob::wait(call, false, false);
        return job;
    };
    // From anybody, without a peer, as another rank, with itself, and with a rank that the group does not have.
    for (const char *name : {"nccl:recv 0<-?", "nccl:send", "nccl:recv", "nccl:send 1->0", "nccl:send 0->0",
                             "nccl:send 0->77", "nccl:coalesced"}) {
        const FlightJob job = withCall(name, true);
        const HangReport report = hangOf(Dumps{job.dump(0), job.dump(1)}, {});
        EXPECT_TRUE(report.found.empty()) << name;
        EXPECT_EQ(report.unplaced, 1u) << name;
        EXPECT_TRUE(saysAny(report.remarks, "1 call did not end")) << name;
    }
    // Nobody lists the group, and the peer has no calls in it: it may be another rank.
    const FlightJob job = withCall("nccl:recv 0<-1", false);
    HangReport report = hangOf(Dumps{job.dump(0), job.dump(1)}, {});
    EXPECT_TRUE(report.found.empty());
    EXPECT_EQ(report.unplaced, 1u);
    report = hangOf(Dumps{job.dump(0)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::NoDump);
    EXPECT_EQ(report.found[0].culprits, Ranks{1});
    EXPECT_EQ(report.found[0].sureness, Sureness::Likely);
    // Entries without the number of their collective.
    const auto old = copyOf(job, 1);
    old->entries[0].sequence = FlightEntry::kNone;
    report = hangOf(Dumps{job.dump(0), old}, {});
    EXPECT_EQ(report.dropped, 1u);
    EXPECT_TRUE(saysAny(report.remarks, "1 entry without a number"));
}

TEST(HangLimits, CallsInTheNameOfAnotherRankAreNoneOfIts)
{
    // The calls of rank 2 name ranks 0 and 1, whose dumps have fewer entries than its own.
    FlightJob job({{"0", "default_pg", {0, 1, 2}}});
    job.all(0, "all_reduce");
    for (int at = 0; at < 50; ++at) {
        FlightJob::wait(job.send(2, 0, 0, 1));
        FlightJob::wait(job.receive(2, 0, 0, 1));
    }
    const HangReport report = hangOf(Dumps{job.dump(0), job.dump(1), job.dump(2)}, {});
    EXPECT_TRUE(report.found.empty());
    EXPECT_EQ(report.unplaced, 100u);
}

TEST(HangLimits, AMillionRanksWithoutADumpCostNothing)
{
    // The name of one file tells a high rank, and no group lists its ranks. With a list of ranks per group and a step
    // per rank and call, this would take gigabytes and minutes.
    FlightJob job({});
    constexpr size_t kGroups = 400;
    for (size_t at = 0; at < kGroups; ++at) {
        job.groups.push_back({std::to_string(at), "default_pg", {0}});
        for (int call = 0; call < 5; ++call)
            job.call(0, at, "all_reduce");
        FlightJob::wait(job.call(0, at, "all_reduce"));
    }
    job.listsGroups = false;
    const auto high = copyOf(job, 0);
    for (FlightGroup &group : high->groups)
        group.ranks.clear();
    constexpr int64_t kRank = (1 << 20) - 1;
    high->rank = kRank;
    const HangReport report = hangOf(Dumps{high}, {});
    EXPECT_EQ(report.worldSize, kRank + 1);
    EXPECT_EQ(report.missing.size(), static_cast<size_t>(kRank));
    ASSERT_EQ(report.found.size(), kGroups);
    for (const Divergence &found : report.found) {
        EXPECT_EQ(found.kind, DivergenceKind::NoDump);
        EXPECT_EQ(found.members.size(), 1u);
        EXPECT_EQ(found.withoutDump, report.missing);
        EXPECT_EQ(found.culprits, report.missing);
        EXPECT_EQ(found.groupRanks.size(), static_cast<size_t>(kRank) + 1);
    }
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(hangOf(Dumps{high}, {.stop = stop.get_token()}).found.empty());
}

TEST(HangLimits, RankListsAreSetsOfRanks)
{
    const Ranks some = {0, 1, 2, 5, 7, 8};
    const RankList list(some);
    EXPECT_EQ(list.size(), some.size());
    EXPECT_EQ(rankListText(list), "0-2, 5, 7, 8");
    for (int64_t at = -1; at < 10; ++at) {
        EXPECT_EQ(list.contains(at), std::ranges::count(some, at) == 1) << at;
        const bool isIn = at >= 0 && at < static_cast<int64_t>(some.size());
        EXPECT_EQ(list.at(at), isIn ? some[static_cast<size_t>(at)] : -1) << at;
    }
    Ranks seen;
    list.forEach([&](int64_t rank) { seen.push_back(rank); });
    EXPECT_EQ(seen, some);
    EXPECT_EQ(list.without({0, 2, 3, 8, 9}), (Ranks{1, 5, 7}));
    EXPECT_EQ(list.without(some), RankList());
    EXPECT_EQ(RankList::firstRanks(3), (Ranks{0, 1, 2}));
    EXPECT_EQ(rankListText(Ranks{7, 0, 7, 1}), "0, 1, 7");
    EXPECT_TRUE(RankList::firstRanks(0).empty());
}

TEST(HangLimits, ADumpOfAnEarlierRunIsSaid)
{
    FlightJob job({{"0", "default_pg", {0, 1}}}), earlier = job;
    earlier.now -= 86'400'000'000'000;
    earlier.all(0, "all_reduce");
    for (int at = 0; at < 3; ++at)
        job.all(0, "all_reduce");
    FlightJob::wait(job.call(0, 0, "all_reduce"));
    const HangReport report = hangOf(Dumps{job.dump(0), earlier.dump(1)}, {});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].sureness, Sureness::Likely);
    EXPECT_TRUE(saysAny(report.remarks, "rank 1"));
    EXPECT_TRUE(saysAny(report.found[0].evidence, "another run"));
}

} // namespace
} // namespace riffle
