// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/growing_log.h"
#include "model/ingest/collector_log/importer.h"
#include "tests/support/grown_difference.h"
#include "tests/support/log_replay.h"
#include "tests/support/recorded_log.h"
#include "tests/support/sample_log.h"
#include "tests/support/training_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

namespace riffle {
namespace {

using namespace test;

enum class Files : uint8_t { Kept, RollAway };

struct Schedule {
    uint32_t seed = 1;
    size_t mostChunks = 1; ///< of a step
    Files files = Files::Kept;
};

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
    void check(const Trace &trace) const
    {
        for (const auto &[id, meaning] : m_known)
            ASSERT_EQ(meaningOf(trace, id), meaning) << "id " << id.value;
    }

private:
    /// The lane and the start of a slice: what is open may change its name and its end.
    static std::string meaningOf(const Trace &trace, SliceId id)
    {
        const std::optional<Slice> slice = trace.slice(id);
        return slice ? fmt::format("{} of lane {}", slice->data.start, slice->lane.value) : "nothing";
    }

    std::mt19937 m_random;
    std::map<SliceId, std::string> m_known;
};

/// Follows a log in random steps; the last generation says what is said of a log that is read at once.
void follow(const LogFolder &whole, const Schedule &schedule)
{
    SCOPED_TRACE(fmt::format("seed {}, at most {} chunks", schedule.seed, schedule.mostChunks));
    std::mt19937 random(schedule.seed);
    LogReplay writer(whole);
    writer.write(1);
    const auto growing = GrowingLog::open(writer.path());
    ASSERT_TRUE(growing) << growing.error().text();
    std::shared_ptr<const Trace> last;
    References references(schedule.seed);
    while (true) {
        const auto next = (*growing)->next();
        ASSERT_TRUE(next) << next.error().text();
        if (*next) {
            last = *next;
            references.check(*last);
            references.takeSome(*last);
        }
        if (writer.isDone())
            break;
        if (schedule.files == Files::RollAway && random() % 2)
            writer.roll();
        writer.write(1 + random() % schedule.mostChunks, random() % 2 ? &random : nullptr);
    }
    if (!(*growing)->isFinished()) {
        const auto finished = (*growing)->finish();
        ASSERT_TRUE(finished);
        last = *finished;
    }
    const auto atOnce = importCollectorLog(whole.path(), {}, {});
    ASSERT_TRUE(atOnce);
    references.check(*last);
    EXPECT_EQ(grownDifference(*last, **atOnce), "");
}

TEST(GrowingTrace, TheLastGenerationSaysWhatTheLogSaysAtOnce)
{
    const LogFolder everything, memory, sample, training;
    everything.write("000001.part", everythingLog(true).bytes());
    memory.write("000001.part", memoryLog().bytes());
    sample.write("000001.part", sampleLog().bytes());
    writeTrainingLog(training, 20'000, 500'000);
    for (const LogFolder *log : {&everything, &memory, &sample, &training})
        for (const Schedule &schedule :
             {Schedule{1, 1}, Schedule{2, 7}, Schedule{3, 1'000'000}, Schedule{4, 20, Files::RollAway}})
            follow(*log, schedule);
}

TEST(GrowingTrace, RandomLogsSayTheSameAtOnce)
{
    for (uint32_t seed = 1; seed <= 4; ++seed)
        for (const Schedule &schedule :
             {Schedule{seed, 1}, Schedule{seed, 12}, Schedule{seed, 1'000'000}, Schedule{seed, 40, Files::RollAway}}) {
            SCOPED_TRACE(fmt::format("log {}", seed));
            const LogFolder whole;
            writeRecordedLog(whole, seed, seed % 2 ? Calls::AtOnce : Calls::HeldBack);
            follow(whole, schedule);
        }
}

} // namespace
} // namespace riffle
