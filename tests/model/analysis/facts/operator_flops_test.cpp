// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/trace_facts.h"
#include "model/base/big_vector.h"
#include "tests/model/analysis/findings/kineto_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace riffle {
namespace {

using test::KinetoText;

void operation(KinetoText &text, std::string_view name, Ns start, Ns duration, std::string_view shapes)
{
    text.slice("cpu_op", name, 4000, KinetoText::kThread, start, duration, fmt::format(R"("Input Dims":{})", shapes));
}

std::map<std::string, int64_t> byName(const TraceFacts &facts)
{
    std::map<std::string, int64_t> sums;
    for (const OperatorFlops::Call &call : facts.flops().calls)
        sums[std::string(facts.trace().string(call.name))] += call.flops;
    return sums;
}

using Sums = std::map<std::string, int64_t>;

TEST(OperatorFlops, TheInnermostProductCounts)
{
    KinetoText text;
    operation(text, "aten::matmul", 0, 100'000, "[[8,16],[16,4]]");
    operation(text, "aten::reshape", 10'000, 80'000, "[[8,16]]"); // an operator without a formula between them
    operation(text, "aten::mm", 20'000, 50'000, "[[8,16],[16,4]]");
    EXPECT_EQ(byName(TraceFacts(text.trace())), (Sums{{"aten::mm", 1024}}));
}

TEST(OperatorFlops, ElementsInsideAProductDoNotStandForIt)
{
    KinetoText text;
    operation(text, "aten::matmul", 0, 100'000, "[[8,16],[16,4]]");
    operation(text, "aten::mul", 20'000, 50'000, "[[8,16],[8,16]]");
    operation(text, "aten::add", 200'000, 50'000, "[[7],[7]]");
    operation(text, "aten::add", 210'000, 20'000, "[[5],[5]]");
    EXPECT_EQ(byName(TraceFacts(text.trace())), (Sums{{"aten::matmul", 1024}, {"aten::mul", 128}, {"aten::add", 5}}));
}

TEST(OperatorFlops, WhatHasNoFiguresInsideCountsItself)
{
    KinetoText text;
    operation(text, "aten::matmul", 0, 100'000, "[[8,16],[16,4]]");
    text.operation("aten::mm", 20'000, 50'000);
    operation(text, "aten::matmul", 200'000, 100'000, "[[8,16],[16,4]]");
    operation(text, "aten::mm", 220'000, 50'000, "[[8,16],[15,4]]"); // shapes that do not fit
    EXPECT_EQ(byName(TraceFacts(text.trace())), (Sums{{"aten::matmul", 2048}}));
}

TEST(OperatorFlops, WorkBelongsToTheNearestCountedCall)
{
    KinetoText text;
    operation(text, "aten::mm", 0, 100'000, "[[8,16],[16,4]]");
    text.operation("aten::fill_", 10'000, 20'000);
    text.kernel("fill", 7, 50'000, 3'000, 15'000);
    text.kernel("ampere_bf16_s16816gemm_bf16_128x128", 7, 60'000, 9'000, 40'000, 1'000, "", 0);
    text.operation("aten::relu", 200'000, 20'000);
    text.kernel("relu", 7, 250'000, 5'000, 210'000);
    const TraceFacts facts(text.trace());
    ASSERT_EQ(facts.flops().calls.size(), 1u);
    const OperatorFlops::Call &call = facts.flops().calls[0];
    EXPECT_EQ(call.deviceTime, 12'000);
    EXPECT_EQ(call.type, ComputeType::Bf16);
    EXPECT_EQ(call.device, 0u);
    EXPECT_EQ(facts.flops().ofWork, (BigVector<uint32_t>{0, 0, OperatorFlops::kNone}));
}

TEST(OperatorFlops, TheMostUsualShapesAreRead)
{
    KinetoText text;
    const int64_t shapes = OperatorFlops::kMostCombinations + 10;
    for (int64_t shape = 1; shape <= shapes; ++shape)
        operation(text, "aten::mm", shape * 10'000, 5'000, fmt::format("[[1,{}],[{},1]]", shape, shape));
    // The last ones are called twice, so ten of the others are left out.
    for (int64_t shape = shapes - 9; shape <= shapes; ++shape)
        operation(text, "aten::mm", (shapes + shape) * 10'000, 5'000, fmt::format("[[1,{}],[{},1]]", shape, shape));
    const TraceFacts facts(text.trace());
    EXPECT_EQ(facts.flops().notRead, 10u);
    EXPECT_EQ(facts.flops().calls.size(), static_cast<size_t>(OperatorFlops::kMostCombinations) + 10);
    int64_t last = 0;
    for (const OperatorFlops::Call &call : facts.flops().calls)
        last += call.flops == 2 * shapes;
    EXPECT_EQ(last, 2);
}

TEST(OperatorFlops, WithoutShapesThereAreNone)
{
    KinetoText text;
    text.operation("aten::mm", 0, 100'000);
    text.kernel("gemm", 7, 50'000, 3'000, 15'000);
    const TraceFacts facts(text.trace());
    EXPECT_FALSE(facts.flops().anyShapes);
    EXPECT_TRUE(facts.flops().calls.empty());
    EXPECT_EQ(facts.flops().ofWork, (BigVector<uint32_t>{OperatorFlops::kNone}));
}

TEST(OperatorFlops, SumsDoNotWrap)
{
    EXPECT_EQ(addedFlops(3, 4), 7);
    EXPECT_EQ(addedFlops(INT64_MAX - 1, 2), INT64_MAX);
}

} // namespace
} // namespace riffle
