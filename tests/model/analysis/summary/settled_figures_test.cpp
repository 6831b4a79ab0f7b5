// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/settled_figures.h"
#include "model/ingest/collector_log/growing_log.h"
#include "model/ingest/collector_log/importer.h"
#include "tests/support/log_replay.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace riffle {
namespace {

using namespace test;
using wire::ChunkType;
using wire::Field;

constexpr Ns kFirst = 1'000'000, kFlushLength = 1'000;
constexpr int kDevices = 2, kFlushes = 40;

struct Work {
    int64_t device;
    Ns start, end;
    bool communicates;
};
struct MarkedStep {
    int64_t number;
    Ns start, end;
};
struct Level {
    Ns time;
    int64_t device, allocated, reserved;
};

/// A recorded log with short times, and all that happened in it. What a flush says is settled is in it.
class ShortLog {
public:
    std::vector<MarkedStep> steps; ///< in order
    std::vector<Work> works;
    std::vector<Level> levels;
    std::vector<std::pair<Ns, int64_t>> used; ///< on each of the GPUs

    ShortLog(uint32_t seed, bool hasSteps, bool hasLevels) : m_random(seed)
    {
        m_file.process({{"executable", "/usr/bin/python3"}})
            .clocks(kFirst, 1'700'000'000'000'000'000)
            .thread(0, 1, "main");
        Ns stepStart = kFirst;
        for (int flush = 0; flush < kFlushes; ++flush) {
            const Ns begin = kFirst + flush * kFlushLength, end = begin + kFlushLength;
            if (hasSteps && m_random() % 3 == 0) {
                steps.push_back({static_cast<int64_t>(steps.size()) + 5, stepStart, begin + one(900)});
                stepStart = steps.back().end + one(50);
                addStep(steps.back());
            }
            for (int64_t device = 0; flush == 0 && device < kDevices; ++device)
                addWork(device, begin + 10, end - 1);
            for (uint32_t count = one(6); count > 0; --count)
                addWork(one(kDevices), begin + 10, end - 1);
            if (hasLevels)
                addLevel(begin + one(900));
            addMeasured(begin + one(900));
            m_file.add(LogChunkText(ChunkType::Settled)
                           .delta(Field::Category, m_file.ids({wire::kThreadSource, wire::kCudaSource}))
                           .delta(Field::Time, {end, end})
                           .times(end, end));
        }
        m_folder.write("000001.part", m_file.end().bytes());
    }
    const LogFolder &folder() const { return m_folder; }

private:
    uint32_t one(uint32_t of) { return static_cast<uint32_t>(m_random() % of); }
    void addStep(const MarkedStep &step)
    {
        const int64_t name = m_file.id(fmt::format("ProfilerStep#{}", step.number)), category = m_file.id("step");
        m_file.add(LogChunkText(ChunkType::Ranges)
                       .delta(Field::Thread, {0})
                       .delta(Field::Start, {step.start})
                       .plain(Field::Duration, {step.end - step.start})
                       .delta(Field::Name, {name})
                       .delta(Field::Category, {category})
                       .times(step.start, step.end));
    }
    void addWork(int64_t device, Ns from, Ns to)
    {
        const Ns start = from + one(static_cast<uint32_t>(to - from)),
                 end = start + 1 + one(static_cast<uint32_t>(to - start));
        const Work work{device, start, end, one(2) == 0};
        works.push_back(work);
        const int64_t name = m_file.id(work.communicates ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL" : "gemm");
        m_file.add(LogChunkText(ChunkType::Kernels)
                       .delta(Field::Start, {start})
                       .plain(Field::Duration, {end - start})
                       .delta(Field::Name, {name})
                       .delta(Field::Device, {work.device})
                       .delta(Field::Context, {1})
                       .delta(Field::Stream, {7 + static_cast<int64_t>(works.size()) % 3})
                       .times(start, end));
    }
    void addLevel(Ns time)
    {
        const Level level{time, one(kDevices), 1 + one(1'000'000), 1'000'000 + one(1'000'000)};
        levels.push_back(level);
        m_file.add(LogChunkText(ChunkType::Allocations)
                       .delta(Field::Thread, {0, 0})
                       .delta(Field::Time, {time, time})
                       .delta(Field::Address, {4'096, 8'192})
                       .delta(Field::Bytes, {512, 512})
                       .delta(Field::Device, {level.device, -1})
                       .plain(Field::Allocated, {level.allocated, 77})
                       .plain(Field::Reserved, {level.reserved, 77})
                       .times(time, time));
    }
    void addMeasured(Ns time)
    {
        const int64_t bytes = one(1'000'000);
        used.emplace_back(time, bytes);
        const std::vector<int64_t> names =
            m_file.ids({"GPU 0 memory (bytes)", "GPU 1 memory (bytes)", "GPU 1 power (W)"});
        const int64_t series = m_file.id("used");
        const auto value = static_cast<double>(bytes);
        m_file.add(LogChunkText(ChunkType::Counters)
                       .delta(Field::Time, {time, time, time})
                       .delta(Field::Name, names)
                       .delta(Field::Series, {series, series, series})
                       .doubles(Field::Number, {value, value, value})
                       .times(time, time));
    }

    std::mt19937 m_random;
    LogFileText m_file;
    const LogFolder m_folder;
};

/// The share of the nanoseconds of a span in which something is true on a device, over all devices.
double shareOf(TimeSpan span, const std::function<bool(Ns, int64_t)> &holds)
{
    Ns count = 0;
    for (Ns time = span.begin; time < span.end; ++time)
        for (int64_t device = 0; device < kDevices; ++device)
            count += holds(time, device);
    return static_cast<double>(count) / static_cast<double>(span.duration() * kDevices);
}

/// The memory at a time: bytes allocated and reserved, and what NVML measured.
struct MemoryThen {
    int64_t allocated = kNoInt, reserved = kNoInt, gpuUsed = kNoInt;
};

MemoryThen memoryBefore(const ShortLog &log, Ns time)
{
    MemoryThen then;
    std::map<int64_t, Level> last;
    for (const Level &level : log.levels)
        if (level.time < time)
            last[level.device] = level;
    for (const auto &[device, level] : last) {
        then.allocated = (then.allocated == kNoInt ? 0 : then.allocated) + level.allocated;
        then.reserved = (then.reserved == kNoInt ? 0 : then.reserved) + level.reserved;
    }
    for (const auto &[at, bytes] : log.used)
        if (at < time)
            then.gpuUsed = 2 * bytes;
    return then;
}

/// The memory of a generation is that of the mark or of an earlier flush, because its newest events may be missing.
void expectMemory(const SettledFigures &found, const ShortLog &log, Ns settled, bool isLast)
{
    const MemoryThen now = memoryBefore(log, settled);
    bool isLevel = found.allocated == now.allocated && found.reserved == now.reserved;
    bool isUsed = found.gpuUsed == now.gpuUsed;
    for (Ns time = kFirst; !isLast && time < std::min(settled, kFirst + kFlushes * kFlushLength);
         time += kFlushLength) {
        const MemoryThen then = memoryBefore(log, time);
        isLevel |= found.allocated == then.allocated && found.reserved == then.reserved;
        isUsed |= found.gpuUsed == then.gpuUsed;
    }
    EXPECT_TRUE(isLevel) << found.allocated << " instead of " << now.allocated;
    EXPECT_TRUE(isUsed) << found.gpuUsed << " instead of " << now.gpuUsed;
}

/// The other figures, nanosecond by nanosecond. `end` is that of the last event if everything is settled.
SettledFigures expectedFigures(const ShortLog &log, Ns settled, Ns end)
{
    SettledFigures figures;
    TimeSpan span{kFirst, std::min(settled, end)};
    std::optional<MarkedStep> step;
    for (const MarkedStep &one : log.steps)
        if (one.end <= std::min(settled, end))
            step = one;
    if (step) {
        figures.step = step->number;
        span = {step->start, step->end};
    } else if (!log.steps.empty()) {
        return figures;
    }
    figures.duration = span.duration();
    const auto runs = [&](Ns time, int64_t device, std::optional<bool> communicates) {
        return std::ranges::any_of(log.works, [&](const Work &work) {
            return work.device == device && work.start <= time && time < work.end && work.end <= settled &&
                   (!communicates || work.communicates == *communicates);
        });
    };
    figures.busy = shareOf(span, [&](Ns time, int64_t device) { return runs(time, device, {}); });
    figures.exposed =
        shareOf(span, [&](Ns time, int64_t device) { return runs(time, device, true) && !runs(time, device, false); });
    return figures;
}

void expectSame(const SettledFigures &found, const SettledFigures &expected)
{
    EXPECT_EQ(found.step, expected.step);
    EXPECT_EQ(found.duration, expected.duration);
    EXPECT_EQ(std::isnan(found.busy), std::isnan(expected.busy));
    EXPECT_EQ(std::isnan(found.exposed), std::isnan(expected.exposed));
    if (!std::isnan(expected.busy)) {
        EXPECT_NEAR(found.busy, expected.busy, 1e-12);
        EXPECT_NEAR(found.exposed, expected.exposed, 1e-12);
    }
}

TEST(SettledFigures, OfEachGenerationAreThoseOfItsLastStepThatIsThere)
{
    std::set<int64_t> seen;
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const ShortLog log(seed, true, seed % 2);
        LogReplay writer(log.folder());
        writer.write(1);
        const auto growing = GrowingLog::open(writer.path());
        ASSERT_TRUE(growing);
        for (bool isLast = false; !isLast; writer.write(1 + seed)) {
            isLast = writer.isDone();
            const auto next = (*growing)->next();
            ASSERT_TRUE(next);
            const Ns settled = (*growing)->marks().of(LaneKind::Thread);
            if (!*next || settled == SettledMarks::kNothing)
                continue;
            const SettledFigures figures = settledFigures(*next, settled);
            expectMemory(figures, log, settled, (*growing)->isFinished());
            if (!(*next)->steps.empty())
                expectSame(figures, expectedFigures(log, settled, (*next)->recordedSpan().end));
            if (figures.step)
                seen.insert(*figures.step);
        }
    }
    EXPECT_GT(seen.size(), 8u);
}

TEST(SettledFigures, WithoutStepsAreThoseOfTheLastSecond)
{
    const ShortLog log(7, false, true);
    const auto trace = importCollectorLog(log.folder().path(), {}, {});
    ASSERT_TRUE(trace);
    const TimeSpan recorded = (*trace)->recordedSpan();
    const SettledFigures figures = settledFigures(*trace, SettledMarks::kEverything);
    EXPECT_FALSE(figures.step);
    EXPECT_EQ(figures.duration, recorded.duration());
    EXPECT_GT(figures.busy, 0);
    EXPECT_LE(figures.exposed, figures.busy);
    EXPECT_EQ(settledFigures(*trace, SettledMarks::kNothing).duration, kNoInt);
}

} // namespace
} // namespace riffle
