// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/regular_marks.h"

#include "tests/support/import_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace riffle::test {
namespace {

/// A trace of annotations, in microseconds from start to end.
class Annotations {
public:
    void add(std::string_view name, int start, int end, int thread = 1)
    {
        m_text += fmt::format(R"(,{{"ph":"X","cat":"user_annotation","name":"{}","pid":1,"tid":{},"ts":{},"dur":{}}})",
                              name, thread, start, end - start);
    }
    std::vector<RegularMark> marks(size_t most = 2) const
    {
        const auto trace = importText(R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"all","pid":1,"tid":9,)"
                                      R"("ts":0,"dur":1000})" +
                                      m_text + "]}");
        return trace ? regularMarks(**trace, most) : std::vector<RegularMark>{};
    }

private:
    std::string m_text;
};

TEST(RegularMarks, TheMostEvenOnesThatCoverTheTraceComeFirst)
{
    Annotations trace;
    for (int i = 0; i < 10; ++i) {
        trace.add("decode", 100 * i, 100 * i + 90);                       // even, over 990 of 1,000 µs
        trace.add("sample", 100 * i + (i % 2 ? 30 : 0), 100 * i + 40, 2); // 130 and 70 µs in turn
        trace.add("burst", 20 * i, 20 * i + 10, 3);                       // even, over 190 µs only
    }
    const auto marks = trace.marks();
    ASSERT_EQ(marks.size(), 2u);
    EXPECT_EQ(marks[0].mark, "decode");
    EXPECT_EQ(marks[0].count, 10u);
    EXPECT_EQ(marks[0].period, 100'000);
    EXPECT_DOUBLE_EQ(marks[0].evenness, 1);
    EXPECT_DOUBLE_EQ(marks[0].coverage, 0.99);
    EXPECT_EQ(marks[1].mark, "sample");
    EXPECT_EQ(marks[1].period, 130'000); // the median of five times 130 and four times 70
    EXPECT_DOUBLE_EQ(marks[1].evenness, 1);
    EXPECT_EQ(trace.marks(1).size(), 1u);
}

TEST(RegularMarks, NumbersInNamesDoNotTellMarksApart)
{
    Annotations trace;
    for (int i = 0; i < 5; ++i)
        trace.add(fmt::format("batch#{}", i), 200 * i, 200 * i + 150);
    const auto marks = trace.marks();
    ASSERT_EQ(marks.size(), 1u);
    EXPECT_EQ(marks[0].mark, "batch");
    EXPECT_EQ(marks[0].count, 5u);
}

TEST(RegularMarks, FewOnesOverlappingOnesAndUnevenOnesAreNone)
{
    Annotations trace;
    for (int i = 0; i < 2; ++i)
        trace.add("two", 400 * i, 400 * i + 90);
    for (int i = 0; i < 5; ++i)
        trace.add("overlapping", 100 * i, 100 * i + 150, 2 + i);
    int at = 0;
    for (const int length : {10, 100, 300, 30, 200, 150})
        trace.add("uneven", at, at + 1, 20), at += length;
    EXPECT_TRUE(trace.marks().empty());
    EXPECT_TRUE(Annotations().marks().empty());
}

} // namespace
} // namespace riffle::test
