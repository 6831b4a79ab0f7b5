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

const HangMember &memberOfRank(const Divergence &found, int64_t rank)
{
    return *std::ranges::find(found.members, rank, &HangMember::rank);
}

/// Keeps the entries that did not complete, as a dump of active calls does.
void keepActive(FlightDump &dump)
{
    std::erase_if(dump.entries, [](const FlightEntry &entry) { return entry.state == FlightState::Completed; });
    dump.discovered.resize(dump.entries.size());
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
    const HangReport report = hangOf(Dumps{job.dump(0), *dump});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_TRUE(report.found[0].culprits.empty());
    EXPECT_EQ(memberOfRank(report.found[0], 1).part, HangMember::Part::Unknown);
}

TEST(HangLimits, TheFirstCallOfNcclThatTimedOutWaits)
{
    FlightJob job({{"0", "default_pg", {0, 1}}});
    for (const int64_t rank : {0, 1})
        FlightJob::wait(job.call(rank, 0, "all_reduce"), false, true);
    const HangReport report = hangOf(Dumps{job.dump(0), job.dump(1)});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::StuckInside);
    EXPECT_EQ(report.found[0].sureness, Sureness::Sure);
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
            const HangReport report = hangOf(Dumps{job.dump(0, first), job.dump(1, second), job.dump(2, 5)});
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
    const HangReport report = hangOf(Dumps{job.dump(0), job.dump(1), job.dump(2), job.dump(3, 2)});
    ASSERT_EQ(report.found.size(), 1u);
    EXPECT_EQ(report.found[0].kind, DivergenceKind::OtherSize);
    EXPECT_EQ(report.found[0].culprits, Ranks{2});
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
        for (const Divergence &found : hangOf(dumps).found)
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
        const HangReport report = hangOf(Dumps{job.dump(0), earlier});
        ASSERT_EQ(report.found.size(), 1u);
        EXPECT_EQ(report.found[0].sequence, 2);
        EXPECT_EQ(report.found[0].culprits, hasStatus ? Ranks{} : Ranks{1});
    }
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
    const HangReport report = hangOf(Dumps{job.dump(0), job.dump(1), job.dump(2)});
    EXPECT_TRUE(report.found.empty());
}

} // namespace
} // namespace riffle
