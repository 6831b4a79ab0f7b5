// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/timed_rows.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace riffle {
namespace {

/// Adds rows in random order and compares the table with sorted rows.
class TimedRowsTest : public testing::TestWithParam<uint64_t> {
protected:
    void addSome(uint32_t seed, int count)
    {
        std::mt19937 random(seed);
        for (int at = 0; at < count; ++at) {
            InstantRow row{};
            row.lane = random() % 5;
            row.time = static_cast<Ns>(random() % 10'000);
            row.sourceOffset = m_added.size();
            row.name = static_cast<uint32_t>(m_added.size());
            m_added.push_back(row);
            m_rows.add(row);
        }
    }
    /// The numbers of the rows that were added, in the order of the table.
    std::vector<uint32_t> found() const { return {m_rows.table().name.begin(), m_rows.table().name.end()}; }
    std::vector<uint32_t> expected(Ns first = INT64_MIN) const
    {
        std::vector<InstantRow> sorted = m_added;
        std::erase_if(sorted, [&](const InstantRow &row) { return row.time < first; });
        std::ranges::sort(sorted, {}, [](const InstantRow &row) { return std::tuple(row.lane, row.time, row.name); });
        std::vector<uint32_t> numbers;
        for (const InstantRow &row : sorted)
            numbers.push_back(row.name);
        return numbers;
    }
    void expectSound() const
    {
        const InstantTable &table = m_rows.table();
        for (size_t row = 1; row < table.time.size(); ++row)
            ASSERT_LE(std::pair(table.lane[row - 1], table.time[row - 1]), std::pair(table.lane[row], table.time[row]));
        uint32_t end = 0;
        for (const TimedRange &range : m_rows.ranges()) {
            ASSERT_EQ(range.begin, end);
            for (uint32_t row = range.begin; row < range.end; ++row)
                ASSERT_EQ(table.lane[row], range.lane);
            ASSERT_EQ(range.span, (TimeSpan{table.time[range.begin], table.time[range.end - 1]}));
            end = range.end;
        }
        ASSERT_EQ(end, table.time.size());
    }

    GrowthMemory m_memory;
    MergeThread m_merger{GetParam()};
    TimedRows<InstantTableT> m_rows{m_memory, m_merger};
    std::vector<InstantRow> m_added;
};

TEST_P(TimedRowsTest, AllRowsAreInTheTableInTheEndAndInOrderAllTheTime)
{
    for (uint32_t tick = 0; tick < 200; ++tick) {
        addSome(tick, static_cast<int>(tick % 40));
        m_rows.advance();
        expectSound();
        ASSERT_LE(found().size(), m_added.size());
    }
    m_rows.finish();
    expectSound();
    EXPECT_EQ(found(), expected());
}

TEST_P(TimedRowsTest, RowsLeaveAtATime)
{
    addSome(1, 1'000);
    m_rows.advance();
    m_rows.leaveBefore(5'000);
    addSome(2, 1'000);
    m_rows.finish();
    expectSound();
    EXPECT_EQ(found(), expected(5'000));
}

TEST_P(TimedRowsTest, ATableThatWasGivenOutStaysAsItWas)
{
    addSome(1, 500);
    m_rows.finish();
    const InstantTable before = m_rows.table();
    const std::vector<uint32_t> numbers = found();
    addSome(2, 500);
    m_rows.finish();
    EXPECT_EQ(std::vector<uint32_t>(before.name.begin(), before.name.end()), numbers);
    EXPECT_EQ(found(), expected());
}

INSTANTIATE_TEST_SUITE_P(Merges, TimedRowsTest, testing::Values(0, MergeThread::kAtOnce),
                         [](const auto &at) { return at.param ? "AtOnce" : "Beside"; });

TEST(TimedRows, WithoutMemoryTheRowsWait)
{
    GrowthWindow window;
    window.memoryBytes = window.diskBytes = 0;
    window.countedFrom = 0;
    GrowthMemory memory(window);
    MergeThread merger;
    TimedRows<MemoryTableT> rows(memory, merger);
    rows.add(MemoryRow{});
    rows.advance();
    rows.advance();
    EXPECT_EQ(rows.table().time.size(), 0u);
    EXPECT_TRUE(memory.wasRefused());
    rows.finish(); // the finished table has them nevertheless
    EXPECT_EQ(rows.table().time.size(), 1u);
}

} // namespace
} // namespace riffle
