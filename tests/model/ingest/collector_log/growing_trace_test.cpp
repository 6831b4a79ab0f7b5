// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/importer.h"
#include "tests/support/followed_log.h"
#include "tests/support/grown_difference.h"
#include "tests/support/recorded_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

namespace riffle {
namespace {

using namespace test;

/// References to slices that were handed out in one generation and must mean the same in all later ones.
class References {
public:
    explicit References(uint32_t seed) : m_random(seed) {}

    void takeSome(const Trace &trace)
    {
        for (int count = 0; count < 40 && m_known.size() < 1'000 && !trace.segments.empty(); ++count) {
            const Segment &segment = *trace.segments[m_random() % trace.segments.size()];
            const uint32_t index = static_cast<uint32_t>(m_random() % segment.size());
            m_known.try_emplace(segment.idAt(index), meaningOf(trace, segment.idAt(index)));
        }
    }
    void check(const Trace &trace)
    {
        for (auto &[id, meaning] : m_known) {
            const Meaning now = meaningOf(trace, id);
            if (meaning.address == 0)
                meaning.address = now.address;
            ASSERT_EQ(now, meaning) << "id " << id.value;
        }
    }

private:
    /// What stays of a slice: what is open may change its name, its end and its place in the source until it ends.
    struct Meaning {
        Ns start = 0;
        LaneId lane;
        uint64_t address = 0; ///< 0 while it is open
        bool operator==(const Meaning &) const = default;
    };
    static Meaning meaningOf(const Trace &trace, SliceId id)
    {
        const std::optional<Slice> slice = trace.slice(id);
        if (!slice)
            return {};
        const bool isOpen = slice->data.flags & slice_flag::Unfinished;
        return {slice->data.start, slice->lane, isOpen ? 0 : slice->data.sourceOffset};
    }

    std::mt19937 m_random;
    std::map<SliceId, Meaning> m_known;
};

/// Follows a log in random steps; the last generation says what is said of a log that is read at once.
void follow(const LogFolder &whole, const FollowSchedule &schedule)
{
    SCOPED_TRACE(fmt::format("seed {}, at most {} chunks", schedule.seed, schedule.mostChunks));
    References references(schedule.seed);
    const auto last = followedLog(whole, schedule, [&](const Trace &generation) {
        references.check(generation);
        references.takeSome(generation);
    });
    const auto atOnce = importCollectorLog(whole.path(), {}, {});
    ASSERT_TRUE(last) << last.error().text();
    ASSERT_TRUE(atOnce);
    EXPECT_EQ(grownDifference(**last, **atOnce), "");
}

TEST(GrowingTrace, TheLastGenerationSaysWhatTheLogSaysAtOnce)
{
    for (const auto &log : logsOfAllKinds(20'000))
        for (const FollowSchedule &schedule : {FollowSchedule{1, 1}, FollowSchedule{2, 7}, FollowSchedule{3, 1'000'000},
                                               FollowSchedule{4, 20, Files::RollAway}})
            follow(*log, schedule);
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
            follow(whole, schedule);
        }
}

} // namespace
} // namespace riffle
