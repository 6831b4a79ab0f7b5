// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/text_matcher.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace riffle {
namespace {

using namespace std::string_literals;

bool found(const std::string &expression, const std::string &text, bool caseSensitive = true)
{
    const auto matches = regexMatcher(expression, caseSensitive);
    return matches ? (*matches)(text) : (ADD_FAILURE() << matches.error().message, false);
}

TEST(RegexMatcher, SearchesTheWholeText)
{
    const std::string filler(5'000'000, 'x');
    EXPECT_TRUE(found("a.*b", "a" + filler + "b"));
    EXPECT_FALSE(found("a.*b", "a" + filler));
    EXPECT_TRUE(found("b$", filler + "b"));
    EXPECT_TRUE(found("^nccl(Dev)?Kernel_\\w+<\\d", "ncclDevKernel_Sum<3>"));
    EXPECT_FALSE(found("^nccl", "a nccl"));
}

TEST(RegexMatcher, TakesNoLongerForHardExpressions)
{
    const auto began = std::chrono::steady_clock::now();
    EXPECT_FALSE(found("(a+)+b", std::string(1'000'000, 'a')));
    EXPECT_FALSE(found("(a|aa)*c(.*.*)*=", std::string(1'000'000, 'a')));
    std::string mixed;
    for (uint32_t i = 0, state = 1; i < 200'000; ++i, state = state * 1664525 + 1013904223)
        mixed += state >> 31 ? 'a' : 'b';
    EXPECT_FALSE(found("a[ab]{25}c", mixed)); // as a deterministic automaton, this has 2^25 states
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

TEST(RegexMatcher, LettersInEitherCaseWhenAskedFor)
{
    EXPECT_TRUE(found("NCCL|Größe", "my_nccl_kernel", false));
    EXPECT_TRUE(found("grö", "GRÖ", false));
    EXPECT_FALSE(found("NCCL", "my_nccl_kernel"));
}

TEST(RegexMatcher, AnyCharacterIsOneOfUtf8)
{
    EXPECT_TRUE(found("^.$", "é"));
    EXPECT_TRUE(found("^[äöü]+$", "öä"));
    EXPECT_FALSE(found("^..$", "é"));
}

TEST(RegexMatcher, BrokenTextIsReadByteByByte)
{
    EXPECT_TRUE(found("a.*b", "a\xFF\xED\xA0\x80"s + "b"));
    EXPECT_TRUE(found("é.b", "é\xFF"s + "b"));
    EXPECT_FALSE(found("^b", "\xFF"s + "b"));
    EXPECT_TRUE(found("\xFF"s + "b", "a\xFF"s + "b"));
    EXPECT_TRUE(found("\xFF?b", "é b")); // with damaged UTF-8 in the expression, all text is matched byte by byte
}

TEST(RegexMatcher, SaysWhatIsWrong)
{
    const auto message = [](const std::string &expression) {
        const auto matches = regexMatcher(expression, true);
        return matches ? std::string() : matches.error().message;
    };
    EXPECT_EQ(message("("), "'(' is not a regular expression: a parenthesis is not closed.");
    EXPECT_EQ(message("a)"), "'a)' is not a regular expression: a closing parenthesis has no opening one.");
    EXPECT_EQ(message("[a"), "'[a' is not a regular expression: the bracket in '[a' is not closed.");
    EXPECT_EQ(message("*"), "'*' is not a regular expression: '*' has nothing to repeat.");
    EXPECT_EQ(message("a{1001}"),
              "'a{1001}' is not a regular expression: '{1001}' repeats too many times (at most 1000).");
    EXPECT_NE(message("(a)\\1").find("'\\1' is not valid here (look-around and backreferences are not supported)"),
              std::string::npos);
    EXPECT_NE(message("a(?=b)").find("look-around and backreferences are not supported"), std::string::npos);
    EXPECT_NE(message("((((x{100}){10}){100}){10})").find("is not a regular expression: "), std::string::npos);
    EXPECT_NE(message("\xFF("), "");
}

TEST(RegexMatcher, NothingMatchesNothing) { EXPECT_FALSE(found("", "a")); }

TEST(WholeTextMatcher, EitherCaseAndNothingAround)
{
    const TextMatcher matches = wholeTextMatcher("Cpu_Op");
    EXPECT_TRUE(matches("cpu_op"));
    EXPECT_TRUE(matches("CPU_OP"));
    EXPECT_FALSE(matches("cpu_op2"));
    EXPECT_FALSE(matches("acpu_op"));
    EXPECT_FALSE(matches(""));
    EXPECT_TRUE(wholeTextMatcher("")(""));
}

} // namespace
} // namespace riffle
