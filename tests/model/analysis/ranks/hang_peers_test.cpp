// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang.h"
#include "tests/support/flight_job.h"

#include <gtest/gtest.h>

#include <vector>

namespace riffle {
namespace {

using test::FlightJob;
using test::JobCall;
using Ranks = std::vector<int64_t>;

/// Four ranks; the group of the pipeline has ranks 2 and 3, which are 0 and 1 in it.
FlightJob pipeline(int exchanges)
{
    FlightJob job({{"0", "default_pg", {0, 1, 2, 3}}, {"9", "pipeline", {2, 3}}});
    for (int at = 0; at < exchanges; ++at) {
        job.send(2, 1, 0, 1);
        job.receive(3, 1, 0, 1);
        job.send(3, 1, 1, 0);
        job.receive(2, 1, 1, 0);
        job.all(0, "all_reduce");
    }
    return job;
}

HangReport reportOf(const FlightJob &job, size_t ring, int64_t without = -1)
{
    std::vector<std::shared_ptr<const FlightDump>> dumps;
    for (int64_t rank = 0; rank < 4; ++rank)
        if (rank != without)
            dumps.push_back(job.dump(rank, ring ? ring + static_cast<size_t>(rank) : 0));
    return hangOf(dumps, {});
}

TEST(HangOfPeers, ASendOrAReceiveWithoutItsPeer)
{
    for (const size_t ring : {0, 5})
        for (const bool isSend : {true, false}) {
            FlightJob job = pipeline(4);
            JobCall &call = isSend ? job.send(2, 1, 0, 1) : job.receive(2, 1, 1, 0);
            FlightJob::wait(call);
            const int64_t sequence = call.p2pSequence, line = call.line;
            const HangReport report = reportOf(job, ring);
            ASSERT_EQ(report.found.size(), 1u);
            const Divergence &found = report.found[0];
            EXPECT_EQ(found.kind, DivergenceKind::MissingPeer);
            EXPECT_TRUE(found.isP2p);
            EXPECT_EQ(found.culprits, Ranks{3});
            EXPECT_EQ(found.source, isSend ? 2 : 3);
            EXPECT_EQ(found.destination, isSend ? 3 : 2);
            EXPECT_EQ(found.sequence, sequence);
            EXPECT_EQ(found.groupRanks, (Ranks{2, 3}));
            EXPECT_EQ(found.sureness, ring ? Sureness::Likely : Sureness::Sure);
            const HangMember &waits = found.members[isSend ? 0 : 1];
            const FlightDump &dump = *report.dumps[static_cast<size_t>(waits.dump)];
            EXPECT_EQ(dump.frames[dump.stack(dump.entries[*waits.entry].stack)[0]].line, line);
            EXPECT_TRUE(found.members[isSend ? 1 : 0].last.has_value());
            // Without the peer's dump, the dump is what is missing.
            const HangReport without = reportOf(job, ring, 3);
            ASSERT_EQ(without.found.size(), 1u);
            EXPECT_EQ(without.found[0].kind, DivergenceKind::NoDump);
            EXPECT_EQ(without.found[0].culprits, Ranks{3});
        }
}

TEST(HangOfPeers, BothSidesStuckOrOfAnotherSize)
{
    for (const size_t ring : {0, 5})
        for (const int64_t received : {16, 17}) {
            FlightJob job = pipeline(4);
            FlightJob::wait(job.send(2, 1, 0, 1));
            FlightJob::wait(job.receive(3, 1, 0, 1, received));
            const HangReport report = reportOf(job, ring);
            ASSERT_EQ(report.found.size(), 1u);
            EXPECT_EQ(report.found[0].kind, received == 16 ? DivergenceKind::StuckInside : DivergenceKind::OtherSize);
            EXPECT_EQ(report.found[0].source, 2);
            EXPECT_EQ(report.found[0].destination, 3);
        }
}

TEST(HangOfPeers, WhatIsNoHang)
{
    // A small message is sent before it is received, and a receive from anybody may be its peer.
    FlightJob job = pipeline(3);
    job.send(2, 1, 0, 1);
    EXPECT_TRUE(reportOf(job, 0).found.empty());
    FlightJob::wait(job.send(2, 1, 0, 1));
    JobCall &any = job.receive(3, 1, 0, 1);
    any.name = "gloo:recv 1<-?";
    FlightJob::wait(any);
    EXPECT_TRUE(reportOf(job, 0).found.empty());
}

TEST(HangOfPeers, ABatchHasTheStateOfItsLaunch)
{
    // batch_isend_irecv: the operations stay at "scheduled", the entry behind them has the state of all.
    FlightJob job = pipeline(0);
    for (const bool isOpen : {false, true}) {
        for (const int64_t rank : {2, 3}) {
            for (const bool isSend : {true, false}) {
                const int64_t own = rank - 2;
                JobCall &call = isSend ? job.send(rank, 1, own, 1 - own) : job.receive(rank, 1, 1 - own, own);
                FlightJob::wait(call, false, false);
                call.p2pSequence = isOpen ? 2 : 1;
            }
            JobCall &launch = job.call(rank, 1, "coalesced");
            launch.isP2p = true;
            launch.p2pSequence = isOpen ? 2 : 1;
            if (isOpen)
                FlightJob::wait(launch);
        }
        const HangReport report = reportOf(job, 0);
        EXPECT_EQ(report.found.size(), isOpen ? 2u : 0u); // one per direction
    }
}

} // namespace
} // namespace riffle
