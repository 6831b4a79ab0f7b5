// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/parallel.h"
#include "model/trace/store.h"
#include "model/trace/trace_builder.h"
#include "tests/support/archives.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace riffle::test {
namespace {

constexpr uint32_t kBatches = 24;
constexpr uint32_t kEvents = 60;

/// Writes the events of one batch: events of every kind, the same for any writer at any time.
class BatchText {
public:
    BatchText(TraceWriter &writer, uint32_t batch) : m_writer(writer), m_batch(batch), m_random(batch + 1) {}

    void write()
    {
        m_writer.beginBatch(m_batch + 1);
        for (uint32_t event = 0; event < kEvents; ++event) {
            m_offset = (uint64_t(m_batch) * kEvents + event) * 100;
            m_time = static_cast<Ns>(m_batch * 500 + below(900));
            m_writer.countEvent('X');
            m_writer.noteTime(m_time);
            writeEvent(below(12));
        }
        m_writer.countPhaseText("phase" + std::to_string(m_batch % 3));
    }

private:
    uint32_t below(uint32_t limit) { return static_cast<uint32_t>(m_random() % limit); }
    uint32_t name(const char *prefix, uint32_t kinds = 20)
    {
        return m_writer.intern(prefix + std::to_string(below(kinds)), m_offset);
    }
    RawId textId(const char *prefix) { return {name(prefix, 3), RawId::Kind::Text}; }
    RawId number(uint32_t kinds) { return {below(kinds), RawId::Kind::Signed}; }
    uint32_t lane(LaneKind kind)
    {
        LaneKey key{below(4) ? number(3) : textId("pid"), below(4) ? number(4) : textId("tid"), kind, 0};
        if (kind == LaneKind::Async || kind == LaneKind::Counter)
            key.name = name("track", 4);
        return m_writer.lane(key, m_offset);
    }
    SliceRow slice(uint16_t flags)
    {
        return {m_time, below(300), m_offset,         static_cast<int64_t>(below(200)),
                kNoInt, 90,         name("slice"),    name("category", 5),
                flags,  'X',        SliceDetail::None};
    }

    void writeEvent(uint32_t kind)
    {
        switch (kind) {
        case 0: m_writer.slice(slice(slice_flag::Host), lane(LaneKind::Thread)); break;
        case 1:
            m_writer.slice(slice(0), lane(LaneKind::Thread), OperatorRow{0, below(9), 1, 2, 3, 4, 5, 6, 7, 8, 9});
            break;
        case 2: {
            SliceRow frame = slice(0);
            frame.start -= frame.start % 50; // many have the same interval: Python id and offset determine their order
            frame.duration = 40;
            m_writer.slice(frame, lane(LaneKind::Thread), PythonRow{0, below(30), 1, kNoInt, below(9)});
            break;
        }
        case 3: {
            DeviceRow device{};
            device.stream = below(4);
            m_writer.slice(slice(slice_flag::OnStream), lane(LaneKind::Stream), device);
            CollectiveRow collective{};
            collective.operation = name("collective", 3);
            collective.dataType = collective.group = collective.groupDescription = collective.groupRanks =
                StringId::kNone;
            m_writer.collective(collective);
            break;
        }
        case 4: {
            m_writer.slice(slice(slice_flag::OnStream), lane(LaneKind::Stream));
            m_writer.sync({0, name("sync", 3), below(9), 1, 2});
            break;
        }
        case 5:
        case 6: {
            HalfRow half{};
            half.time = m_time;
            half.sourceOffset = m_offset;
            half.correlation = half.externalId = kNoInt;
            half.name = name("half", 4);
            half.category = name("category", 5);
            const bool async = below(2);
            half.group = async ? 1 + below(4) : 0;
            half.lane = lane(async ? LaneKind::Async : LaneKind::Thread);
            half.phase = (async ? "be" : "BE")[below(2)];
            m_writer.half(half);
            break;
        }
        case 7:
            m_writer.memory({m_time, below(99), 8, 9, kNoInt, 1, m_offset, 90, lane(LaneKind::Thread), 1, 0});
            break;
        case 8:
            m_writer.instant(
                {m_time, m_offset, 90, name("mark"), name("category", 5), lane(LaneKind::Thread), 'i', 't'});
            break;
        case 9:
            m_writer.counter({m_time, 0.5 * below(9), m_offset, 90, lane(LaneKind::Counter), name("series", 2)});
            break;
        case 10:
            m_writer.flow({m_time, below(40), m_offset, 90, name("flow", 2), lane(LaneKind::Thread), SliceId::kNone,
                           "sf"[below(2)], static_cast<uint8_t>(below(2))});
            break;
        default:
            m_writer.metadata(
                {MetadataRow::Kind::ThreadName, number(3), number(4), name("thread", 6), kNoInt, m_offset});
            m_writer.report().add(Trouble::BareWord, m_offset, "N/A at " + std::to_string(m_offset));
        }
    }

    TraceWriter &m_writer;
    uint32_t m_batch;
    std::mt19937 m_random;
    uint64_t m_offset = 0;
    Ns m_time = 0;
};

class BatchesTest : public testing::TestWithParam<unsigned> {
protected:
    ~BatchesTest() override { setWorkerCount(0); }

    /// The store of a trace whose batches came in `order`, each to the writer that `writerOf` returns for its position.
    template <typename F>
    std::string storedBytes(const std::vector<uint32_t> &order, unsigned writers, F writerOf)
    {
        TraceBuilder builder;
        std::vector<TraceWriter *> all;
        for (unsigned writer = 0; writer < writers; ++writer)
            all.push_back(&builder.newWriter());
        for (const uint32_t batch : order)
            BatchText(*all[writerOf(batch)], batch).write();
        return stored(builder);
    }
    std::string stored(TraceBuilder &builder)
    {
        const auto trace = builder.seal({}, nullptr, {}, {}, 100);
        if (!trace || !writeStore(**trace, {}, {1, 2, 3}, m_folder.file("a.store"), {}))
            return {};
        return readFile(m_folder.file("a.store"));
    }
    static std::vector<uint32_t> inOrder()
    {
        std::vector<uint32_t> order(kBatches);
        std::iota(order.begin(), order.end(), 0u);
        return order;
    }
    std::string byOneWriter()
    {
        setWorkerCount(1);
        return storedBytes(inOrder(), 1, [](uint32_t) { return 0u; });
    }

    TemporaryFolder m_folder;
};

TEST_P(BatchesTest, AnyOrderOverAnyWritersGivesTheSameBytes)
{
    const std::string expected = byOneWriter();
    ASSERT_GT(expected.size(), 10'000u);
    std::mt19937 random(GetParam());
    for (int round = 0; round < 25; ++round) {
        std::vector<uint32_t> order = inOrder();
        std::shuffle(order.begin(), order.end(), random);
        setWorkerCount(1 + static_cast<unsigned>(round % 4));
        EXPECT_TRUE(storedBytes(order, GetParam(), [&](uint32_t) { return random() % GetParam(); }) == expected)
            << round;
    }
}

TEST_P(BatchesTest, WhatWasTakenBackLeavesNoTrace)
{
    const std::string expected = byOneWriter();
    std::mt19937 random(GetParam());
    for (int round = 0; round < 10; ++round) {
        TraceBuilder builder;
        std::vector<TraceWriter *> all;
        for (unsigned writer = 0; writer < GetParam(); ++writer)
            all.push_back(&builder.newWriter());
        const uint32_t kept = static_cast<uint32_t>(random() % kBatches);
        for (const uint32_t batch : inOrder()) // the later batches contain wrong text
            BatchText(*all[random() % GetParam()], batch < kept ? batch : batch + 1).write();
        for (TraceWriter *writer : all)
            writer->discardFrom(kept + 1);
        for (uint32_t batch = kept; batch < kBatches; ++batch)
            BatchText(*all[random() % GetParam()], batch).write();
        EXPECT_TRUE(stored(builder) == expected) << round;
    }
}

INSTANTIATE_TEST_SUITE_P(Writers, BatchesTest, testing::Values(1u, 2u, 3u, 8u));

} // namespace
} // namespace riffle::test
