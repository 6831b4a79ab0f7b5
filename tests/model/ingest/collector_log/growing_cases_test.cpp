// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Cases of a trace that grows in which what was closed may seem to change: each is a log that a recorder could have
// written, followed in small steps.

#include "model/ingest/collector_log/growing_log.h"
#include "model/ingest/collector_log/importer.h"
#include "tests/support/followed_log.h"
#include "tests/support/log_replay.h"
#include "tests/support/slice_references.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace riffle {
namespace {

using namespace test;
using wire::ChunkType;
using wire::Field;

constexpr Ns kMs = 1'000'000, kSecond = 1'000 * kMs;

struct WrittenRange {
    int64_t thread;
    Ns start, end;
    std::string name, category = "cpu_op";
};

/// A log that is written flush by flush.
class CaseLog {
public:
    CaseLog()
    {
        m_file.process({{"executable", "/usr/bin/python3"}, {"rank", "0"}, {"world_size", "1"}});
        m_file.clocks(kSecond, 1'700'000'000 * kSecond);
        m_file.thread(0, 100, "main");
    }
    void rename(int64_t thread, const std::string &name) { m_file.thread(thread, 100 + thread, name); }
    void ranges(const std::vector<WrittenRange> &rows)
    {
        std::vector<int64_t> thread, start, duration, name, category;
        for (const WrittenRange &row : rows) {
            thread.push_back(row.thread);
            start.push_back(row.start);
            duration.push_back(row.end - row.start);
            name.push_back(m_file.id(row.name));
            category.push_back(m_file.id(row.category));
        }
        m_file.add(LogChunkText(ChunkType::Ranges)
                       .compressed(rows.size() > 100)
                       .delta(Field::Thread, thread)
                       .delta(Field::Start, start)
                       .plain(Field::Duration, duration)
                       .delta(Field::Name, name)
                       .delta(Field::Category, category)
                       .times(start.front(), start.back() + duration.back()));
    }
    void kernel(Ns start, Ns duration, int64_t correlation)
    {
        m_file.add(LogChunkText(ChunkType::Kernels)
                       .delta(Field::Start, {start})
                       .plain(Field::Duration, {duration})
                       .delta(Field::Name, {m_file.id("gemm")})
                       .delta(Field::Device, {0})
                       .delta(Field::Context, {1})
                       .delta(Field::Stream, {7})
                       .delta(Field::Correlation, {correlation})
                       .times(start, start + duration));
    }
    void launch(Ns start, int64_t correlation)
    {
        m_file.add(LogChunkText(ChunkType::Calls)
                       .delta(Field::Thread, {0})
                       .delta(Field::Start, {start})
                       .plain(Field::Duration, {1'000})
                       .delta(Field::Name, {m_file.id("cudaLaunchKernel")})
                       .delta(Field::Category, {m_file.id("cuda_runtime")})
                       .delta(Field::Correlation, {correlation})
                       .times(start, start + 1'000));
    }
    /// Ends a flush: the ranges that are open, outer ones first, and up to when the log is complete.
    void flush(Ns mark, const std::vector<WrittenRange> &open, bool isCudaRecorded = false)
    {
        std::vector<int64_t> thread, start, name, category, stack(open.size());
        for (const WrittenRange &row : open) {
            thread.push_back(row.thread);
            start.push_back(row.start);
            name.push_back(m_file.id(row.name));
            category.push_back(m_file.id(row.category));
        }
        if (!open.empty() || m_hadOpen)
            m_file.add(LogChunkText(ChunkType::OpenRanges)
                           .delta(Field::Thread, thread)
                           .delta(Field::Start, start)
                           .delta(Field::Name, name)
                           .delta(Field::Category, category)
                           .plain(Field::Stack, stack)
                           .times(mark, mark));
        m_hadOpen = !open.empty();
        std::vector<int64_t> sources{m_file.id(wire::kThreadSource)}, marks{mark};
        if (isCudaRecorded) {
            sources.push_back(m_file.id(wire::kCudaSource));
            marks.push_back(mark);
        }
        m_file.add(LogChunkText(ChunkType::Settled)
                       .delta(Field::Category, sources)
                       .delta(Field::Time, marks)
                       .times(mark, mark));
    }
    void writeTo(const LogFolder &folder) { folder.write("000001.part", m_file.end().bytes()); }

private:
    LogFileText m_file;
    bool m_hadOpen = false;
};

void expectTheSameInAllSteps(const LogFolder &folder)
{
    for (const FollowSchedule &schedule : {FollowSchedule{1, 1}, FollowSchedule{2, 3}, FollowSchedule{3, 1'000'000}})
        EXPECT_EQ(followedDifference(folder, schedule), "");
}

std::vector<std::string> laneNames(const Trace &trace)
{
    std::vector<std::string> names;
    for (uint32_t lane = 0; lane < trace.lanes.size(); ++lane)
        if (!trace.lanes[lane].empty)
            names.push_back(trace.laneName(LaneId(lane)));
    return names;
}

TEST(GrowingCases, ACrossingPairWhoseChildrenAreClosed)
{
    // The first one of the pair ends inside of the second one, long after the children of both were closed.
    const WrittenRange first{0, 10 * kMs, 600 * kMs, "first"}, second{0, 300 * kMs, 900 * kMs, "second"};
    CaseLog log;
    for (int tick = 0; tick < 100; ++tick) {
        const Ns begin = tick * 10 * kMs, end = begin + 10 * kMs;
        std::vector<WrittenRange> rows;
        for (Ns start = begin + 100'000; start + 50'000 < end; start += 100'000)
            rows.push_back({0, start, start + 50'000, fmt::format("child {}", start % 7)});
        for (const WrittenRange &one : {first, second})
            if (one.end >= begin && one.end < end)
                rows.push_back(one);
        log.ranges(rows);
        std::vector<WrittenRange> open;
        for (const WrittenRange &one : {first, second})
            if (one.start < end && one.end >= end)
                open.push_back(one);
        log.flush(end, open);
    }
    const LogFolder folder;
    log.writeTo(folder);
    expectTheSameInAllSteps(folder);
    const auto last = followedLog(folder, {1, 2});
    ASSERT_TRUE(last);
    EXPECT_EQ((*last)->report.of(Trouble::CrossingSlices).count, 1u);
}

TEST(GrowingCases, DeviceRecordsFiveSecondsLateAndBeforeTheirLaunches)
{
    CaseLog log;
    std::vector<Ns> starts;
    for (int tick = 0; tick < 60;
         ++tick) { // of 200 ms: everything of CUDA comes 5 s after the mark says that it is there
        const Ns begin = tick * 200 * kMs, late = begin - 5 * kSecond;
        log.ranges({{0, begin + kMs, begin + 100 * kMs, "operator"}});
        if (late >= 0) {
            log.kernel(late + 10 * kMs, 5 * kMs, tick); // before its launch in the log,
            log.launch(late + 2 * kMs, tick);
            log.kernel(late + kMs, 500'000, 1'000 + tick); // and before its launch on the clock
            log.flush(begin + 150 * kMs, {}, true);
            log.launch(late + 3 * kMs, 1'000 + tick); // in another flush
        }
        log.flush(begin + 200 * kMs, {}, true);
    }
    const LogFolder folder;
    log.writeTo(folder);
    expectTheSameInAllSteps(folder);
    const auto last = followedLog(folder, {1, 1});
    ASSERT_TRUE(last);
    size_t linked = 0;
    for (const auto &segment : (*last)->segments)
        for (uint32_t row = 0; row < segment->device.slice.size(); ++row)
            linked += (*last)->slice((*last)->launchOf(*segment, row)).has_value();
    EXPECT_EQ(linked, 2u * (60 - 25)); // each kernel has its launch
}

TEST(GrowingCases, AThreadThatIsRenamed)
{
    CaseLog log;
    for (int tick = 0; tick < 30; ++tick) {
        const Ns begin = tick * 10 * kMs;
        log.rename(1, fmt::format("worker {}", tick / 10));
        log.ranges({{0, begin, begin + kMs, "main work"}, {1, begin, begin + kMs, "work"}});
        log.flush(begin + 10 * kMs, {});
    }
    const LogFolder folder;
    log.writeTo(folder);
    expectTheSameInAllSteps(folder);
    std::vector<std::string> names;
    const auto last = followedLog(folder, {1, 1}, [&](const Trace &generation) {
        EXPECT_LE(laneNames(generation).size(), 2u); // no name makes a lane of its own
        for (const std::string &name : laneNames(generation))
            if (name.find("worker") != std::string::npos && (names.empty() || names.back() != name))
                names.push_back(name);
    });
    ASSERT_TRUE(last);
    EXPECT_EQ(names.size(), 3u);
    EXPECT_NE(names.back().find("worker 2"), std::string::npos);
}

TEST(GrowingCases, AStepThatEnds)
{
    CaseLog log;
    for (int tick = 0; tick < 40; ++tick) { // each step takes ten flushes
        const Ns begin = tick * 10 * kMs, end = begin + 10 * kMs, stepBegin = tick / 10 * 100 * kMs;
        const WrittenRange step{0, stepBegin, stepBegin + 100 * kMs, fmt::format("ProfilerStep#{}", tick / 10), "step"};
        std::vector<WrittenRange> rows{{0, begin + kMs, begin + 2 * kMs, "operator"}};
        if (end == step.end)
            rows.push_back(step);
        log.ranges(rows);
        log.flush(end, end == step.end ? std::vector<WrittenRange>{} : std::vector<WrittenRange>{step});
    }
    const LogFolder folder;
    log.writeTo(folder);
    expectTheSameInAllSteps(folder);
    std::map<int64_t, SliceId> ids;
    size_t open = 0;
    const auto last = followedLog(folder, {1, 1}, [&](const Trace &generation) {
        for (size_t at = 0; at < generation.steps.size(); ++at) {
            const Step &step = generation.steps[at];
            const std::optional<Slice> slice = generation.slice(step.slice);
            ASSERT_TRUE(slice);
            EXPECT_EQ(step.number, static_cast<int64_t>(at));
            EXPECT_EQ(step.span, (TimeSpan{slice->data.start, slice->end()}));
            EXPECT_EQ(ids.try_emplace(step.number, step.slice).first->second, step.slice);
            const bool isOpen = slice->data.flags & slice_flag::Unfinished;
            open += isOpen;
            EXPECT_TRUE(isOpen || step.span.duration() == 100 * kMs);
            EXPECT_TRUE(!isOpen || at + 1 == generation.steps.size());
        }
    });
    ASSERT_TRUE(last);
    EXPECT_GT(open, 30u);
    ASSERT_EQ((*last)->steps.size(), 4u);
    EXPECT_EQ((*last)->steps.back().span, (TimeSpan{300 * kMs, 400 * kMs}));
}

/// The facts about a frame over very many children, without a text for each of them.
struct FrameFacts {
    uint64_t children = 0, inFrame = 0, deep = 0;
    Ns childTime = 0, frameSelf = 0, frameDuration = 0;
    uint64_t addresses = 0; ///< a sum
    bool isOpen = false;
    SliceId frame;
};

FrameFacts frameFacts(const Trace &trace)
{
    FrameFacts facts;
    for (const auto &segment : trace.segments)
        for (uint32_t index = 0; index < segment->size(); ++index) {
            if (trace.string(segment->slices.name[index]) != "frame")
                continue;
            facts.frame = segment->idAt(index);
            facts.frameSelf = trace.selfOf(*segment, index);
            facts.frameDuration = segment->slices.duration[index];
            facts.isOpen = segment->slices.flags[index] & slice_flag::Unfinished;
        }
    for (const auto &segment : trace.segments)
        for (uint32_t index = 0; index < segment->size(); ++index) {
            if (segment->idAt(index) == facts.frame)
                continue;
            ++facts.children;
            facts.inFrame += trace.parentOf(*segment, index) == facts.frame;
            facts.deep += trace.depthOf(*segment, index) == 1;
            facts.childTime += trace.selfOf(*segment, index);
            facts.addresses += segment->slices.sourceOffset[index];
        }
    return facts;
}

/// The slices in segments that both traces have.
uint64_t sharedSlices(const Trace &a, const Trace &b)
{
    std::set<const Segment *> mine;
    for (const auto &segment : a.segments)
        mine.insert(segment.get());
    uint64_t slices = 0;
    for (const auto &segment : b.segments)
        slices += mine.contains(segment.get()) ? segment->size() : 0;
    return slices;
}

TEST(GrowingCases, AFrameThatIsOpenOverAMillionClosedChildren)
{
    constexpr int kFlushes = 40, kPerFlush = 25'000;
    constexpr Ns kApart = 1'000, kLong = 600, kFlush = kPerFlush * kApart;
    const WrittenRange frame{0, kSecond, kSecond + kFlushes * kFlush + kMs, "frame"};
    CaseLog log;
    for (int flush = 0; flush < kFlushes; ++flush) {
        std::vector<WrittenRange> rows;
        const Ns begin = frame.start + flush * kFlush;
        for (int at = 0; at < kPerFlush; ++at)
            rows.push_back({0, begin + at * kApart + 100, begin + at * kApart + 100 + kLong, "child"});
        log.ranges(rows);
        log.flush(begin + kFlush, {frame});
    }
    log.ranges({frame});
    log.flush(frame.end + kMs, {});
    const LogFolder folder;
    log.writeTo(folder);

    LogReplay writer(folder);
    writer.write(1);
    const auto growing = GrowingLog::open(writer.path());
    ASSERT_TRUE(growing);
    SliceReferences references(1);
    std::shared_ptr<const Trace> last, open;
    while (true) {
        const auto next = (*growing)->next();
        ASSERT_TRUE(next) << next.error().text();
        if (*next) {
            last = *next;
            ASSERT_EQ(references.check(*last), "");
            references.takeSome(*last);
        }
        if (!open && last && (*growing)->marks().of(LaneKind::Thread) == frame.start + kFlushes * kFlush)
            open = last;
        if (writer.isDone())
            break;
        writer.write(1);
    }
    ASSERT_TRUE(open);
    ASSERT_TRUE((*growing)->isFinished());
    constexpr uint64_t kChildren = uint64_t{kFlushes} * kPerFlush;
    const auto atOnce = importCollectorLog(folder.path(), {}, {});
    ASSERT_TRUE(atOnce);
    const FrameFacts asRead = frameFacts(**atOnce);
    for (const auto &trace : {open, last, *atOnce}) {
        const FrameFacts facts = frameFacts(*trace);
        EXPECT_EQ(facts.isOpen, trace == open);
        EXPECT_EQ(facts.children, kChildren);
        EXPECT_EQ(facts.inFrame, kChildren);
        EXPECT_EQ(facts.deep, kChildren);
        EXPECT_EQ(facts.childTime, static_cast<Ns>(kChildren) * kLong);
        EXPECT_EQ(facts.frameSelf, facts.frameDuration - facts.childTime);
        EXPECT_EQ(facts.addresses, asRead.addresses);
    }
    EXPECT_EQ(frameFacts(*open).frame, frameFacts(*last).frame);
    EXPECT_EQ(frameFacts(*last).frameDuration, frame.end - frame.start);
    // The end of the frame changes what is near it, and not the children that were closed.
    EXPECT_GT(sharedSlices(*open, *last), kChildren * 9 / 10);
}

} // namespace
} // namespace riffle
