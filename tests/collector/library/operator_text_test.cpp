// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/operator_text.h"
#include "riffle/wire.h"

#include <gtest/gtest.h>

namespace riffle::collector {
namespace {

TEST(OperatorText, isSplitIntoItsParts)
{
    const auto op = operatorText("aten::mm, seq = 12, op_id = 3, sizes = [[2, 3], []], input_op_ids = [(1,0), (0,-1)]");
    ASSERT_TRUE(op);
    EXPECT_EQ(op->name, "aten::mm");
    EXPECT_EQ(op->sequence, 12);
    EXPECT_EQ(op->operatorId, 3);
    EXPECT_EQ(op->shapes, "[[2, 3], []]");
    EXPECT_TRUE(op->isOperator);
}

TEST(OperatorText, textOfTheUserIsNotAnOperator)
{
    for (const char *text :
         {"step, sizes = foo", "a, seq = 3", "a, op_id = b", "a, op_id = 3, sizes = foo",
          "a, op_id = 3, sizes = [[2]]!", "a, op_id = 3 more", ", op_id = 3", "a, input_op_ids = [(1,0)]", ""})
        EXPECT_FALSE(operatorText(text)) << text;
}

TEST(OperatorText, detachIsAnOperatorWithoutANamespace)
{
    for (const char *text : {"detach, op_id = 9", "detach_, op_id = 9"})
        EXPECT_TRUE(operatorText(text) && operatorText(text)->isOperator) << text;
}

TEST(OperatorText, aLabelKeepsWhatLooksLikeParts)
{
    const auto label = operatorText("fwd, sizes = foo, seq = x, op_id = 9");
    ASSERT_TRUE(label);
    EXPECT_EQ(label->name, "fwd, sizes = foo, seq = x");
    EXPECT_EQ(label->operatorId, 9);
    EXPECT_EQ(label->sequence, wire::kAbsent);
    EXPECT_FALSE(label->isOperator);
    const auto twice = operatorText("a, op_id = 1, op_id = 2");
    ASSERT_TRUE(twice);
    EXPECT_EQ(twice->name, "a, op_id = 1");
    EXPECT_EQ(twice->operatorId, 2);
}

TEST(OperatorText, aCollectiveOfAProcessGroupIsNotAnOperator)
{
    const auto range = operatorText("gloo:all_reduce, op_id = 3, sizes = [[1000]]");
    ASSERT_TRUE(range);
    EXPECT_EQ(range->shapes, "[[1000]]");
    EXPECT_FALSE(range->isOperator);
    EXPECT_TRUE(operatorText("c10d::allreduce_, op_id = 3, sizes = [[1000], []]")->isOperator);
}

TEST(OperatorText, aTextThatWasCutHasNoShapes)
{
    const auto op = operatorText("aten::cat, op_id = 3, sizes = [[2, 3], [2");
    ASSERT_TRUE(op);
    EXPECT_EQ(op->name, "aten::cat");
    EXPECT_EQ(op->shapes, "");
    EXPECT_TRUE(op->isOperator);
}

} // namespace
} // namespace riffle::collector
