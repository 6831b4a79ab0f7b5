// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// A recorder writes from several threads while its log is followed and the generations are read.
// RIFFLE_FOLLOW_SECONDS sets for how long; ten minutes are run by hand, also under the thread sanitizer.

#include "model/ingest/collector_log/growing_log.h"
#include "model/ingest/importer.h"
#include "riffle/collector.h"
#include "tests/support/archives.h"
#include "tests/support/grown_difference.h"
#include "tests/support/slice_references.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace riffle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kWriters = 4;
constexpr double kEventsPerSecond = 30'000, kMostEvents = 1'500'000; ///< the comparison takes 1 KB and 20 µs for each
constexpr int kBurst = 2'000;                                        ///< events that a thread records without a rest

double followSeconds()
{
    const char *text = std::getenv("RIFFLE_FOLLOW_SECONDS");
    return text ? std::max(0.5, std::strtod(text, nullptr)) : 2;
}

Clock::duration after(double seconds)
{
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// A thread of a program: bursts of nested ranges, marks and counters; the first one also marks steps.
void runThread(uint32_t seed, double seconds)
{
    std::mt19937 random(seed);
    const double perSecond = std::min(kEventsPerSecond, kMostEvents / seconds) / kWriters;
    const auto begin = Clock::now(), end = begin + after(seconds);
    int depth = 0;
    int64_t recorded = 0;
    for (int64_t step = 0; Clock::now() < end; ++step) {
        if (seed == 0)
            riffle_step(step);
        for (int at = 0; at < kBurst; ++at, ++recorded)
            if (const uint32_t what = random() % 20; what == 0)
                riffle_mark("mark");
            else if (what == 1)
                riffle_counter("loss", fmt::format("of {}", seed).c_str(), static_cast<double>(random() % 1'000));
            else if (depth < 12 && what < 11)
                riffle_range_push(fmt::format("range {}", random() % 50).c_str()), ++depth;
            else if (depth > 0)
                riffle_range_pop(), --depth;
        const auto rest = std::chrono::milliseconds(random() % 20);
        std::this_thread::sleep_until(std::min(end, begin + after(static_cast<double>(recorded) / perSecond) + rest));
    }
    for (; depth > 0; --depth)
        riffle_range_pop();
}

/// Reads the newest generation over and over while later ones are made.
class GenerationReader {
public:
    void show(std::shared_ptr<const Trace> trace)
    {
        const std::scoped_lock lock(m_mutex);
        m_newest = std::move(trace);
    }
    void run()
    {
        while (!m_stops) {
            std::shared_ptr<const Trace> trace;
            {
                const std::scoped_lock lock(m_mutex);
                trace = m_newest;
            }
            if (trace)
                read(*trace);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    void stop() { m_stops = true; }
    uint64_t slicesRead() const { return m_slices; }
    uint64_t wrong() const { return m_wrong; }

private:
    void read(const Trace &trace)
    {
        for (const auto &segment : trace.segments)
            for (uint32_t index = 0; index < segment->size(); index += 1 + segment->size() / 256) {
                const std::optional<Slice> slice = trace.slice(segment->idAt(index));
                const std::optional<Slice> parent = slice ? trace.slice(slice->parent) : std::nullopt;
                m_wrong += !slice || trace.string(slice->data.name).empty() || slice->self > slice->data.duration ||
                           (parent && parent->data.start > slice->data.start);
                ++m_slices;
            }
    }

    std::mutex m_mutex;
    std::shared_ptr<const Trace> m_newest;
    std::atomic<bool> m_stops{false};
    uint64_t m_slices = 0, m_wrong = 0;
};

TEST(FollowedRecording, IsTheSameAsItsLogReadAtOnce)
{
    const double seconds = followSeconds();
    const test::TemporaryFolder folder;
    ASSERT_EQ(riffle_start(("dir=" + folder.path() + "\ncupti=0\nquiet=1\nsample_ms=20\ncontrol=0").c_str()), RIFFLE_OK)
        << riffle_last_error();
    riffle_stats stats{};
    stats.size = sizeof(stats);
    riffle_get_stats(&stats);
    const auto growing = GrowingLog::open(stats.path);
    ASSERT_TRUE(growing) << growing.error().text();

    std::atomic<uint32_t> writing{kWriters};
    std::vector<std::thread> writers;
    for (uint32_t seed = 0; seed < kWriters; ++seed)
        writers.emplace_back([&writing, seed, seconds] {
            runThread(seed, seconds);
            --writing;
        });
    GenerationReader reader;
    std::thread reading([&reader] { reader.run(); });

    test::SliceReferences references(1);
    std::mt19937 random(1);
    std::shared_ptr<const Trace> last;
    uint64_t generations = 0, unsettled = 0;
    std::string problem;
    for (bool isStopped = false; problem.empty() && !(*growing)->isFinished();) {
        if (!isStopped && writing == 0) {
            for (std::thread &writer : writers)
                writer.join();
            isStopped = true;
            EXPECT_EQ(riffle_stop(), RIFFLE_OK) << riffle_last_error();
        }
        // At first, reads end inside of what the recorder has just written, so that the log is not settled up to its
        // end.
        const uint64_t limit = unsettled == 0 ? 1 : random() % 2 ? UINT64_MAX : 100'000;
        auto next = (*growing)->next(limit);
        if (!next) {
            problem = next.error().text();
        } else if (*next) {
            last = std::move(*next);
            ++generations;
            unsettled += (*growing)->marks().of(LaneKind::Thread) < last->recordedSpan().end;
            problem = references.check(*last);
            references.takeSome(*last);
            reader.show(last);
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(random() % 50));
        }
    }
    reader.stop();
    reading.join();
    for (std::thread &writer : writers)
        if (writer.joinable())
            writer.join();
    ASSERT_EQ(problem, "");
    EXPECT_EQ(reader.wrong(), 0u);
    EXPECT_GT(reader.slicesRead(), 1'000u);
    EXPECT_GT(generations, 2u);
    EXPECT_GT(unsettled, 0u);
    const auto atOnce = importTrace(stats.path, {}, {});
    ASSERT_TRUE(atOnce) << atOnce.error().text();
    EXPECT_GT(last->sliceCount(), 1'000u);
    EXPECT_GT(last->steps.size(), 1u);
    EXPECT_EQ(test::grownDifference(*last, **atOnce), "");
    std::printf("%llu generations of %llu slices in %g s\n", static_cast<unsigned long long>(generations),
                static_cast<unsigned long long>(last->sliceCount()), seconds);
}

} // namespace
} // namespace riffle
