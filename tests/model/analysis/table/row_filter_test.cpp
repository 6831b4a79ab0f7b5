// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/row_filter.h"

#include "tests/model/analysis/table/small_table.h"

#include <gmock/gmock.h>

namespace riffle {
namespace {

using testing::ElementsAre;

std::vector<uint32_t> passing(std::string_view filter, std::string_view preferred = {})
{
    const auto mask = rowsPassing(test::smallTable(), filter, preferred);
    EXPECT_TRUE(mask) << filter;
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; mask && row < mask->size(); ++row)
        if ((*mask)[row])
            rows.push_back(row);
    return rows;
}

std::string complaint(std::string_view filter)
{
    const auto mask = rowsPassing(test::smallTable(), filter);
    return mask ? std::string() : mask.error().message;
}

TEST(RowFilter, NothingLetsAllPass) { EXPECT_EQ(passing("  ").size(), 5u); }

TEST(RowFilter, TextIsFoundInAnyColumnInEitherCase)
{
    EXPECT_THAT(passing("ATEN"), ElementsAre(0, 1));
    EXPECT_THAT(passing("annotation"), ElementsAre(3));
    EXPECT_THAT(passing("\"int, int\""), ElementsAre(2));
    EXPECT_THAT(passing("aten add"), ElementsAre(1));
}

TEST(RowFilter, ExpressionsStandBetweenSlashes)
{
    EXPECT_THAT(passing("/^aten::(mm|bmm)$/"), ElementsAre(0));
    EXPECT_THAT(passing("/int, INT/ gemm"), ElementsAre(2));
    EXPECT_NE(complaint("/(/"), "");
}

TEST(RowFilter, ComparisonsNameTheirColumn)
{
    EXPECT_THAT(passing("calls>100"), ElementsAre(1));
    EXPECT_THAT(passing("calls>=100"), ElementsAre(0, 1, 3));
    EXPECT_THAT(passing("calls!=100"), ElementsAre(1, 2)); // the last row has no value
    EXPECT_THAT(passing("share>=5%"), ElementsAre(0, 1, 2));
    EXPECT_THAT(passing("share<0.05"), ElementsAre(3));
    EXPECT_THAT(passing("tot=10ms"), ElementsAre(3));
    EXPECT_THAT(passing("size>1KB"), ElementsAre(0, 2)); // by the title of the column; 1024 is more than 1000
    EXPECT_THAT(passing("size>=1KiB calls<0.05k"), ElementsAre(2));
    EXPECT_THAT(passing("category=CPU_OP"), ElementsAre(0, 1));
}

TEST(RowFilter, WithoutAColumnTheUnitDecidesAndThePreferredOneWins)
{
    EXPECT_THAT(passing(">10ms"), ElementsAre(0, 2));
    EXPECT_THAT(passing(">10ms gemm"), ElementsAre(2));
    EXPECT_THAT(passing("<1000µs"), ElementsAre(1));
    EXPECT_THAT(passing(">50%"), ElementsAre(2));
    EXPECT_THAT(passing("=0"), ElementsAre());
    EXPECT_THAT(passing("=0", "bytes"), ElementsAre(1));
}

TEST(RowFilter, WhatOnlyLooksLikeAComparisonIsText)
{
    EXPECT_THAT(passing("gemm<float>(int,"), ElementsAre(2));
    EXPECT_THAT(passing("kernel<4"), ElementsAre());
    EXPECT_THAT(passing("/unclosed"), ElementsAre());
}

TEST(RowFilter, SaysWhatItDoesNotUnderstand)
{
    EXPECT_EQ(complaint("total>10"), "total>10: Add a unit, as in 10ms.");
    EXPECT_EQ(complaint("calls>10ms"), "calls>10ms: The column Calls has another unit.");
    EXPECT_EQ(complaint("total>0"), "");
    EXPECT_THAT(complaint("nosuch>10"), testing::StartsWith("There is no column nosuch. The columns are "));
    EXPECT_THAT(complaint("nosuch<10ms"), testing::StartsWith("There is no column nosuch"));
    EXPECT_EQ(complaint(">10m"), ">10m: This is not a number with a known unit."); // half typed: the unit is still open
}

} // namespace
} // namespace riffle
