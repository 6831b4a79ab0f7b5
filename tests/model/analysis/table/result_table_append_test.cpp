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

TEST(ResultTableAppend, OneTableMayBeATree)
{
    ResultTable tree = tableOf({"a", "b"}, false);
    tree.depth = {0, 1};
    tree.evidence = {{riffle::TraceId(0), riffle::SliceId(3)}, {}};
    ResultTable before = tree;
    before.append(tableOf({"c"}, false));
    EXPECT_TRUE(before.isRectangular());
    EXPECT_THAT(before.depth, testing::ElementsAre(0, 1, 0));
    ResultTable after = tableOf({"c"}, false);
    after.append(tree);
    EXPECT_TRUE(after.isRectangular());
    EXPECT_THAT(after.depth, testing::ElementsAre(0, 0, 1));
    EXPECT_EQ(after.evidence.at(1).slice, riffle::SliceId(3));
}

TEST(ResultTableAppend, AColumnThatOneTableShowsIsShown)
{
    ResultTable all;
    all.append(tableOf({"a"}, true));
    all.append(tableOf({"b"}, false));
    EXPECT_FALSE(all.columns.at(0).hidden);
}
