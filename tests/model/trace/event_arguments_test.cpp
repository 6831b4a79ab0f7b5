// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/event_arguments.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace riffle {
namespace {

TEST(EventArgumentsTest, JsonKeepsItsBytes)
{
    const EventArguments arguments = argumentsOfJson(R"({"a": 1.50, "b": "x\ny", "c": [1, {"d": 2}], "e": null})");
    ASSERT_EQ(arguments.size(), 4u);
    EXPECT_EQ(argumentJson(arguments, {"a"}), "1.50");
    EXPECT_EQ(argumentJson(arguments, {"b"}), R"("x\ny")");
    EXPECT_EQ(argumentText(arguments, {"b"}), "x\ny");
    EXPECT_EQ(argumentText(arguments, {"c"}), R"([1, {"d": 2}])");
    EXPECT_EQ(argumentText(arguments, {"e"}), "null");
    EXPECT_EQ(argumentText(arguments, {"f"}), "");
    EXPECT_EQ(findArgument(arguments, {"f"}), nullptr);
}

TEST(EventArgumentsTest, TheLastOfSeveralCounts)
{
    const EventArguments arguments = argumentsOfJson(R"({"Input Dims": [1], "Input dims": [2], "x": 3})");
    EXPECT_EQ(argumentJson(arguments, kShapeKeys), "[2]");
}

TEST(EventArgumentsTest, TypedValuesAsJsonAndText)
{
    EXPECT_EQ(ArgumentValue(INT64_MIN).json(), "-9223372036854775808");
    EXPECT_EQ(ArgumentValue(UINT64_MAX).json(), "18446744073709551615");
    EXPECT_EQ(ArgumentValue(0.1).text(), "0.1");
    EXPECT_EQ(ArgumentValue::ofText("a \"b\"").json(), R"("a \"b\"")");
    EXPECT_EQ(ArgumentValue::ofText("a \"b\"").text(), "a \"b\"");
    EXPECT_EQ(ArgumentValue::ofText("\"b\"").text(), "\"b\"") << "quotes of a text are part of it";
}

TEST(EventArgumentsTest, WholeNumbers)
{
    const auto signedNumber = [](int64_t bits) { return RawId{bits, RawId::Kind::Signed}; };
    EXPECT_EQ(ArgumentValue(int64_t{-7}).integer(), signedNumber(-7));
    EXPECT_EQ(ArgumentValue::ofJson("12").integer(), signedNumber(12));
    EXPECT_EQ(ArgumentValue::ofJson("\"0x10\"").integer(), signedNumber(16));
    EXPECT_EQ(ArgumentValue(UINT64_MAX).integer(), (RawId{-1, RawId::Kind::Unsigned}));
    EXPECT_EQ(ArgumentValue(2.0).integer(), std::nullopt);
    EXPECT_EQ(ArgumentValue::ofJson("[1]").integer(), std::nullopt);
}

} // namespace
} // namespace riffle
