// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/result_table.h"

#include <gmock/gmock.h>

using namespace riffle;

namespace {

ResultTable tableOf(std::vector<std::string> names, bool hidden)
{
    ResultTable table;
    ResultColumn &column = table.add("name", "Name", CellKind::Text);
    column.texts = std::move(names);
    column.hidden = hidden;
    if (table.rows() == 0)
        table.absence = "There is nothing here.";
    return table;
}

} // namespace

TEST(ResultTableAppend, RowsFollowInOrder)
{
    ResultTable all;
    all.append(tableOf({"a", "b"}, true));
    all.append(tableOf({"c"}, true));
    EXPECT_THAT(all.columns.at(0).texts, testing::ElementsAre("a", "b", "c"));
    EXPECT_TRUE(all.columns.at(0).hidden);
}

TEST(ResultTableAppend, AbsenceEndsWithTheFirstRow)
{
    ResultTable all;
    all.append(tableOf({}, false));
    EXPECT_EQ(all.absence, "There is nothing here.");
    all.append(tableOf({}, false));
    EXPECT_EQ(all.absence, "There is nothing here.");
    all.append(tableOf({"a"}, false));
    EXPECT_EQ(all.absence, "");
    all.append(tableOf({}, false));
    EXPECT_EQ(all.absence, "");
}

TEST(ResultTableAppend, AColumnThatOneTableShowsIsShown)
{
    ResultTable all;
    all.append(tableOf({"a"}, true));
    all.append(tableOf({"b"}, false));
    EXPECT_FALSE(all.columns.at(0).hidden);
}
