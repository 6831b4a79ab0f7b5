// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/importer.h"
#include "model/ingest/collector_log/log_info.h"
#include "model/ingest/collector_log/log_tail.h"
#include "model/ingest/collector_log/log_text.h"
#include "tests/support/followed_log.h"
#include "tests/support/log_replay.h"
#include "tests/support/recorded_log.h"
#include "tests/support/trace_difference.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>

namespace riffle {
namespace {

using namespace test;

using Opened = std::shared_ptr<const CollectorLog>;

uint64_t chunksIn(const CollectorLog &log)
{
    uint64_t chunks = 0;
    for (const auto &part : log.parts())
        chunks += part->chunks().size();
    return chunks;
}

/// Follows a log while it is written, and puts the rows of all batches into one trace.
class Follower {
public:
    /// Reads what is new in batches of at most so many bytes.
    void read(const Opened &log, uint64_t mostBytes)
    {
        for (bool isComplete = false; !isComplete;) {
            TraceWriter &writer = m_builder.newWriter();
            writer.beginBatch(++m_batches);
            const SettledMarks marks = m_tail.marks();
            const auto batch = m_tail.next(log, writer, mostBytes);
            ASSERT_TRUE(batch) << batch.error().text();
            m_chunks += batch->chunks;
            m_ids.insert(batch->externalIds.begin(), batch->externalIds.end());
            isComplete = batch->isComplete;
            ASSERT_TRUE(isComplete || batch->chunks > 0);
            if (writer.outOfMemory())
                continue;
            writer.visitLastBatch([&](uint32_t, const LaneKey &lane, Ns start, Ns duration) {
                if (lane.pid.kind != RawId::Kind::Text) // otherwise it is a gap
                    m_late += start + duration < marks.of(lane.kind);
            });
        }
        EXPECT_EQ(m_chunks, chunksIn(*log));
    }
    /// Compares what is open with what is found in the whole log.
    void compareOpen(const Opened &log)
    {
        const auto index = LogIndex::of(*log);
        EXPECT_EQ(m_tail.index().lastTime, index->lastTime);
        EXPECT_EQ(m_tail.index().firstTime, index->firstTime);
        EXPECT_EQ(m_tail.index().clocks, index->clocks);
        EXPECT_EQ(m_tail.index().baseTimeNs, index->baseTimeNs);
        TraceBuilder builder;
        m_tail.addOpen(builder.newWriter());
        const auto trace = builder.seal({}, nullptr, {}, {});
        ASSERT_TRUE(trace);
        std::set<uint64_t> open, expected;
        for (const auto &segment : (*trace)->segments)
            for (uint32_t row = 0; row < segment->size(); ++row)
                if (segment->slices.phase[row] == 'B')
                    open.insert(segment->slices.sourceOffset[row]);
        for (const uint32_t row : index->unfinished)
            expected.insert(log->address(index->openChunk) + row);
        EXPECT_EQ(open, expected);
    }
    Result<std::shared_ptr<const Trace>> trace(const Opened &log, const std::string &path)
    {
        TraceWriter &last = m_builder.newWriter();
        last.beginBatch(++m_batches);
        m_tail.addOpen(last);
        m_tail.addNames(last);
        m_builder.completeWith([&](Trace &trace) {
            addLateIds(trace);
            trace.report = placedInFiles(trace.report, *log);
            trace.report.merge(log->report());
        });
        return m_builder.seal(traceInfoOf(path, *log, m_tail.index(), m_tail.facts()),
                              openLogText(log, LogIndex::of(*log)), m_tail.facts().report(), {});
    }
    const LogTail &tail() const { return m_tail; }
    uint64_t late() const { return m_late; }       ///< slices that came after a mark behind their end
    uint64_t lateIds() const { return m_lateIds; } ///< slices of earlier batches than their external id

private:
    void addLateIds(Trace &trace)
    {
        for (std::shared_ptr<const Segment> &segment : trace.segments) {
            const SliceTable &slices = segment->slices;
            const auto ids = std::make_shared<std::vector<int64_t>>(slices.externalId.begin(), slices.externalId.end());
            for (size_t row = 0; row < ids->size(); ++row) {
                const auto id = m_ids.find(slices.correlation[row]);
                if ((*ids)[row] != kNoInt || id == m_ids.end())
                    continue;
                (*ids)[row] = id->second;
                ++m_lateIds;
            }
            const auto changed = std::make_shared<Segment>(*segment);
            changed->slices.externalId = Column<int64_t>(ids, ids->data(), ids->size());
            segment = changed;
        }
    }

    TraceBuilder m_builder;
    LogTail m_tail;
    std::map<int64_t, int64_t> m_ids;
    uint64_t m_batches = 0, m_chunks = 0, m_late = 0, m_lateIds = 0;
};

struct Schedule {
    uint32_t seed = 1;
    size_t mostChunks = 1; ///< of a batch
    Files files = Files::Kept;
    uint64_t mostBytes = UINT64_MAX;
};

/// Follows a log in random batches; the trace is the one that is read at once.
void follow(const LogFolder &whole, const Schedule &schedule, Follower &follower)
{
    SCOPED_TRACE(fmt::format("seed {}, at most {} chunks, {} bytes, files {}", schedule.seed, schedule.mostChunks,
                             schedule.mostBytes, static_cast<int>(schedule.files)));
    std::mt19937 random(schedule.seed);
    LogReplay writer(whole);
    writer.write(1);
    Result<Opened> log = CollectorLog::open(writer.path());
    ASSERT_TRUE(log) << log.error().text();
    follower.read(*log, schedule.mostBytes);
    while (!writer.isDone()) {
        writer.write(1 + random() % schedule.mostChunks, random() % 2 ? &random : nullptr);
        Result<Opened> next = (*log)->advance();
        ASSERT_TRUE(next) << next.error().text();
        if (!*next)
            continue;
        log = next;
        follower.read(*log, schedule.mostBytes);
        if (schedule.files == Files::RollAway && random() % 2)
            writer.roll();
        if (random() % 8 == 0)
            follower.compareOpen(*log);
    }
    const Result<Opened> atOnce = CollectorLog::open(whole.path());
    ASSERT_TRUE(atOnce) << atOnce.error().text();
    const auto expected = importOpenLog(*atOnce, whole.path(), {}, {});
    const auto followed = follower.trace(*log, writer.path());
    ASSERT_TRUE(expected && followed);
    EXPECT_EQ(traceDifference(**followed, **expected), "");
    EXPECT_EQ((*followed)->info.metadata, (*expected)->info.metadata);
    EXPECT_EQ((*followed)->info.rank, (*expected)->info.rank);
    EXPECT_EQ(follower.tail().marks().of(LaneKind::Thread) == SettledMarks::kEverything, (*log)->closed());
}

TEST(LogTail, BatchesHaveTheRowsThatAreReadAtOnce)
{
    for (const auto &log : logsOfAllKinds(150'000))
        for (const Schedule &schedule :
             {Schedule{1, 1}, Schedule{2, 7}, Schedule{3, 1'000'000}, Schedule{4, 20, Files::RollAway, 100'000}}) {
            Follower follower;
            follow(*log, schedule, follower);
        }
}

TEST(LogTail, BatchesOfRandomLogsHaveTheRowsThatAreReadAtOnce)
{
    uint64_t lateIds = 0;
    for (uint32_t seed = 1; seed <= 8; ++seed)
        for (const Schedule &schedule : {Schedule{seed, 1}, Schedule{seed, 12}, Schedule{seed, 60, Files::RollAway},
                                         Schedule{seed, 40, Files::RollAway, 2'000}, Schedule{seed, 1'000'000}}) {
            SCOPED_TRACE(fmt::format("log {}", seed));
            const LogFolder whole;
            writeRecordedLog(whole, seed, seed % 2 ? Calls::AtOnce : Calls::HeldBack);
            Follower follower;
            follow(whole, schedule, follower);
            lateIds += follower.lateIds();
        }
    EXPECT_GT(lateIds, 50u); // otherwise the logs do not test ids that come late
}

TEST(LogTail, RandomPayloadsNeverHurt)
{
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        LogFileText text;
        for (int at = 0; at < 8; ++at) {
            LogChunkText chunk(static_cast<wire::ChunkType>(random() % 25 + 1));
            const auto rows = static_cast<uint32_t>(random() % 20);
            for (int column = 0; column < 8; ++column) {
                std::string bytes(random() % 3 ? rows : random() % 64, '\0');
                for (char &byte : bytes)
                    byte = static_cast<char>(random() % 3 ? random() & 0x7F : random());
                chunk.raw(static_cast<wire::Field>(random() % 50), static_cast<uint8_t>(random() % 6), bytes, rows);
            }
            text.add(chunk);
        }
        const LogFolder whole;
        whole.write("000001.part", text.bytes());
        LogReplay writer(whole);
        writer.write(1);
        Result<Opened> log = CollectorLog::open(writer.path());
        ASSERT_TRUE(log);
        Follower follower;
        follower.read(*log, UINT64_MAX);
        while (!writer.isDone()) {
            writer.write(1 + random() % 3);
            log = (*log)->advance();
            ASSERT_TRUE(log);
            ASSERT_TRUE(*log);
            follower.read(*log, UINT64_MAX);
        }
        const auto trace = follower.trace(*log, whole.path());
        ASSERT_TRUE(trace);
        EXPECT_EQ(sealProblem(**trace), "");
    }
}

TEST(LogTail, AFileThatComesLateIsRead)
{
    const LogFolder folder;
    const auto fileOf = [](uint32_t number) {
        LogFileText file(number);
        return file.thread(0, 100, "main")
            .add(LogChunkText(wire::ChunkType::Ranges)
                     .delta(wire::Field::Thread, {0})
                     .delta(wire::Field::Start, {1'000 * int64_t{number}})
                     .plain(wire::Field::Duration, {10})
                     .delta(wire::Field::Name, {file.id("range")}));
    };
    folder.write("000001.part", fileOf(1).bytes());
    folder.write("000003.part", fileOf(3).bytes());
    Result<Opened> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    Follower follower;
    follower.read(*log, UINT64_MAX);
    folder.write("000002.part", fileOf(2).bytes());
    folder.write("000003.part", fileOf(3).end().bytes());
    log = (*log)->advance();
    ASSERT_TRUE(log);
    ASSERT_TRUE(*log);
    follower.read(*log, UINT64_MAX);
    const auto followed = follower.trace(*log, folder.path());
    const auto expected = importCollectorLog(folder.path(), {}, {});
    ASSERT_TRUE(followed && expected);
    EXPECT_EQ((*followed)->sliceCount(), 3u);
    EXPECT_EQ(traceDifference(**followed, **expected), "");
}

TEST(LogTail, OnlyTheNewestExternalIdsAreKept)
{
    constexpr int64_t kMost = ExternalIds::kMostRecent;
    ExternalIds ids;
    for (int64_t at = 0; at < kMost + 10; ++at)
        ids.add(at, 5 * at);
    ids.add(3, 7);             // the correlation has begun again
    EXPECT_EQ(ids.find(0), 0); // a batch may have more
    ids.dropOldest();
    EXPECT_EQ(ids.find(0), wire::kAbsent);
    EXPECT_EQ(ids.find(10), wire::kAbsent);
    EXPECT_EQ(ids.find(11), 55);
    EXPECT_EQ(ids.find(3), 7);
    EXPECT_EQ(ids.find(kMost + 9), 5 * (kMost + 9));
    EXPECT_EQ(ids.dropped(), 9u); // 0 was found, and 3 has a newer id
}

TEST(SettledMarks, NeverGoBackAndFollowTheThreadsWhileCudaIsNotRecorded)
{
    const LogFolder folder;
    LogFileText text;
    const int64_t threads = text.id(wire::kThreadSource), cuda = text.id(wire::kCudaSource), other = text.id("other");
    const std::vector<std::vector<std::pair<int64_t, int64_t>>> chunks{{{threads, 1'000}},
                                                                       {{threads, 3'000}, {cuda, 2'000}},
                                                                       {{threads, 2'500}, {cuda, 1'500}},
                                                                       {{threads, INT64_MAX}, {other, 9'000}},
                                                                       {{threads, 4'000}}};
    for (const auto &rows : chunks) {
        std::vector<int64_t> sources, times;
        for (const auto &[source, time] : rows) {
            sources.push_back(source);
            times.push_back(time);
        }
        text.add(LogChunkText(wire::ChunkType::Settled)
                     .delta(wire::Field::Category, sources)
                     .delta(wire::Field::Time, times));
    }
    folder.write("000001.part", text.end().bytes());
    const Result<Opened> log = CollectorLog::open(folder.path());
    ASSERT_TRUE(log);
    LogTail tail;
    EXPECT_EQ(tail.marks().of(LaneKind::Thread), SettledMarks::kNothing);
    std::vector<std::vector<Ns>> marks;
    for (bool isComplete = false; !isComplete;) {
        TraceWriter writer(std::make_shared<ColumnMemory>());
        const auto batch = tail.next(*log, writer, 1);
        ASSERT_TRUE(batch);
        isComplete = batch->isComplete;
        marks.push_back({tail.marks().of(LaneKind::Counter), tail.marks().of(LaneKind::Stream),
                         tail.marks().of(LaneKind::Thread), tail.marks().isCudaRecorded()});
    }
    constexpr Ns kAll = SettledMarks::kEverything;
    const std::vector<std::vector<Ns>> expected{{1'000, 1'000, 1'000, 0}, {3'000, 2'000, 2'000, 1},
                                                {3'000, 2'000, 2'000, 1}, {3'000, 2'000, 2'000, 0},
                                                {4'000, 4'000, 4'000, 0}, {kAll, kAll, kAll, 0}};
    ASSERT_EQ(marks.size(), expected.size() + 3); // three chunks of strings come first
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), marks.begin() + 3));
}

TEST(LogTail, NoSliceThatEndsBeforeAMarkComesLater)
{
    uint64_t heldBack = 0;
    for (uint32_t seed = 100; seed < 110; ++seed) {
        const LogFolder whole, other;
        writeRecordedLog(whole, seed, Calls::AtOnce);
        Follower follower, ofOther;
        follow(whole, {seed, 9}, follower);
        EXPECT_EQ(follower.late(), 0u) << "log " << seed;
        // A call that CUPTI holds back comes later, with its kernel.
        writeRecordedLog(other, seed, Calls::HeldBack);
        follow(other, {seed, 9}, ofOther);
        heldBack += ofOther.late();
    }
    EXPECT_GT(heldBack, 0u);
}

} // namespace
} // namespace riffle
