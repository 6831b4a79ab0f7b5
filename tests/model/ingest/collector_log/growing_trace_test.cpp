// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/importer.h"
#include "tests/support/followed_log.h"
#include "tests/support/recorded_log.h"
#include "tests/support/slice_references.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace riffle {
namespace {

using namespace test;

TEST(GrowingTrace, TheLastGenerationSaysWhatTheLogSaysAtOnce)
{
    for (const auto &log : logsOfAllKinds(20'000))
        for (const FollowSchedule &schedule : {FollowSchedule{1, 1}, FollowSchedule{2, 7}, FollowSchedule{3, 1'000'000},
                                               FollowSchedule{4, 20, Files::RollAway}})
            EXPECT_EQ(followedDifference(*log, schedule), "");
}

TEST(GrowingTrace, RandomLogsSayTheSameAtOnce)
{
    for (uint32_t seed = 1; seed <= 4; ++seed)
        for (const FollowSchedule &schedule :
             {FollowSchedule{seed, 1}, FollowSchedule{seed, 12}, FollowSchedule{seed, 1'000'000},
              FollowSchedule{seed, 40, Files::RollAway}}) {
            SCOPED_TRACE(fmt::format("log {}", seed));
            const LogFolder whole;
            writeRecordedLog(whole, seed, seed % 2 ? Calls::AtOnce : Calls::HeldBack);
            EXPECT_EQ(followedDifference(whole, schedule), "");
        }
}

/// The parts of a slice that do not depend on ids.
struct Told {
    std::string name;
    Ns start, duration, self;
    uint32_t depth;
    uint64_t parent; ///< its place in the source; 0 if there is none
    bool operator==(const Told &) const = default;
};

std::map<uint64_t, Told> toldByPlace(const Trace &trace)
{
    std::map<uint64_t, Told> all;
    for (const auto &segment : trace.segments)
        for (uint32_t index = 0; index < segment->size(); ++index) {
            const std::optional<Slice> parent = trace.slice(trace.parentOf(*segment, index));
            all[segment->slices.sourceOffset[index]] = {std::string(trace.string(segment->slices.name[index])),
                                                        segment->slices.start[index],
                                                        segment->slices.duration[index],
                                                        trace.selfOf(*segment, index),
                                                        trace.depthOf(*segment, index),
                                                        parent ? parent->data.sourceOffset : 0};
        }
    return all;
}

TEST(GrowingTrace, InASmallWindowTheOldestSlicesLeaveAndTheOthersStayAsTheyAre)
{
    const LogFolder whole;
    writeRecordedLog(whole, 7, Calls::HeldBack, 3);
    const auto atOnce = importCollectorLog(whole.path(), {}, {});
    ASSERT_TRUE(atOnce);
    const std::map<uint64_t, Told> expected = toldByPlace(**atOnce);
    for (const char *folder : {"", "/dev/null/no folder"}) {
        SCOPED_TRACE(folder);
        FollowSchedule schedule{5, 4};
        schedule.window = {30'000, *folder ? 0u : 30'000u, folder, 1'024};
        SliceReferences references(5);
        uint64_t most = 0;
        const auto last = followedLog(whole, schedule, [&](const Trace &generation) {
            ASSERT_EQ(references.check(generation), "");
            references.takeSome(generation);
            most = std::max(most, generation.sliceCount());
        });
        ASSERT_TRUE(last) << last.error().text();
        const std::map<uint64_t, Told> found = toldByPlace(**last);
        const uint64_t left = (*last)->report.of(Trouble::LeftWindow).count;
        EXPECT_GT(left, expected.size() / 4);
        EXPECT_EQ(found.size() + left, expected.size());
        for (const auto &[place, told] : found)
            ASSERT_EQ(told, expected.at(place)) << told.name;
        // The newest slices are there, and so are their launches.
        EXPECT_EQ(found.rbegin()->first, expected.rbegin()->first);
        EXPECT_LT(most, expected.size());
        for (const Step &step : (*last)->steps)
            EXPECT_TRUE((*last)->slice(step.slice));
    }
}

} // namespace
} // namespace riffle
