// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/slice_details.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(ElementsOf, KeepsNestingAndQuotes)
{
    EXPECT_EQ(elementsOf(R"([[1, 2], [], "a,]b", {"k": [1]}, 3.5])"),
              (std::vector<std::string>{"[1, 2]", "[]", R"("a,]b")", R"({"k": [1]})", "3.5"}));
    EXPECT_EQ(elementsOf("[]").size(), 0u);
    EXPECT_EQ(elementsOf("[1,,2]").size(), 3u);
    EXPECT_EQ(elementsOf("7").size(), 0u);
    EXPECT_EQ(elementsOf("[[1, 2").size(), 0u);
}

TEST(TensorArguments, OneRowPerInput)
{
    const auto tensors = tensorArguments(argumentsOfJson(
        R"({"Input Dims": [[2, 3], []], "Input type": ["float", "Scalar"], "Concrete Inputs": ["", "1.5"]})"));
    ASSERT_EQ(tensors.size(), 2u);
    EXPECT_EQ(tensors[0].shape, "[2, 3]");
    EXPECT_EQ(tensors[0].type, "float");
    EXPECT_EQ(tensors[1].value, "1.5");
    EXPECT_EQ(tensors[1].strides, "");
}

TEST(SliceDetails, SaysAllThereIs)
{
    const auto trace = test::trainingTrace();
    const auto details = detailsOf(*trace, test::sliceNamed(*trace, "aten::linear"), {});
    ASSERT_TRUE(details);
    EXPECT_EQ(details->name, "aten::linear");
    EXPECT_EQ(details->category, "cpu_op");
    EXPECT_EQ(details->arguments.size(), 2u);
    EXPECT_EQ(details->tensors.size(), 3u);
    EXPECT_EQ(details->tensors[0].shape, "[32, 64]");
    EXPECT_EQ(details->childCount, 1u);
    EXPECT_EQ(details->stack.size(), 3u);
    EXPECT_EQ(details->links.deviceWorkCount, 1u);
    EXPECT_FALSE(detailsOf(*trace, SliceId(99999), {}));
}

TEST(SliceDetails, BackwardWorkShowsTheForwardStack)
{
    const auto trace = test::trainingTrace();
    const auto details = detailsOf(*trace, test::sliceNamed(*trace, "sgemm_bwd"), {});
    ASSERT_TRUE(details);
    EXPECT_TRUE(details->links.throughForward);
    EXPECT_EQ(details->stack.size(), 3u);
}

} // namespace
} // namespace riffle
