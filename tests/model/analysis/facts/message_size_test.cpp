// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/message_size.h"

#include <gtest/gtest.h>

#include <limits>

namespace riffle {
namespace {

TEST(MessageSize, BytesOfAnElement)
{
    const std::pair<const char *, int64_t> cases[]{
        {"Float", 4},         {"Int", 4},          {"Long", 8},          {"Double", 8},
        {"BFloat16", 2},      {"Half", 2},         {"Short", 2},         {"Bool", 1},
        {"Byte", 1},          {"Char", 1},         {"float", 4},         {"long int", 8},
        {"Float8_e4m3fn", 1}, {"ComplexFloat", 8}, {"c10::BFloat16", 2}, {"unsigned char", 1}};
    for (const auto &[type, bytes] : cases)
        EXPECT_EQ(elementBytes(type), bytes) << type;
    for (const char *type : {"", "Undefined", "QInt3", "floaty"})
        EXPECT_FALSE(elementBytes(type)) << type;
}

TEST(MessageSize, TheWholeMessage)
{
    EXPECT_EQ(messageBytes("allreduce", 1000, 1000, "BFloat16"), 2000);
    EXPECT_EQ(messageBytes("_allgather_base", 1000, 8000, "Float"), 32000);
    EXPECT_EQ(messageBytes("all_gather", 1000, 8000, "Float"), 32000);
    EXPECT_EQ(messageBytes("_reduce_scatter_base", 8000, 1000, "Float"), 32000);
    EXPECT_EQ(messageBytes("reduce_scatter_tensor_coalesced", 8000, 1000, "Float"), 32000);
    EXPECT_EQ(messageBytes("all_to_allv", 700, 900, "Long"), 5600);
    EXPECT_EQ(messageBytes("send", 10, 10, "Half"), 20);
    EXPECT_EQ(messageBytes("broadcast", 0, 0, "Long"), 0);
}

TEST(MessageSize, NoneWhereItIsNotRecorded)
{
    constexpr int64_t kNo = std::numeric_limits<int64_t>::min();
    EXPECT_FALSE(messageBytes("allreduce", kNo, 5, "Float"));
    EXPECT_FALSE(messageBytes("all_gather", 5, kNo, "Float"));
    EXPECT_FALSE(messageBytes("allreduce", 5, 5, ""));
    EXPECT_FALSE(messageBytes("wait", 5, 5, "Byte"));
    EXPECT_FALSE(messageBytes("init", 5, 5, "Byte"));
    EXPECT_FALSE(messageBytes("", 5, 5, "Byte"));
    EXPECT_FALSE(messageBytes("allreduce", std::numeric_limits<int64_t>::max() / 2, 5, "Float"));
}

} // namespace
} // namespace riffle
