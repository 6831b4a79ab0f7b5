// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/utf8.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>

namespace riffle {
namespace {

/// True if every sequence is well-formed, found by a walk over the text.
bool wellFormed(const std::string &text)
{
    for (size_t at = 0; at < text.size();) {
        const size_t length = utf8SequenceLength(text, at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

TEST(Utf8, KnowsTheEdgesOfEveryLength)
{
    for (const std::string text : {"a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                   "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
        EXPECT_EQ(utf8SequenceLength(text, 0), text.size()) << testing::PrintToString(text);
    for (const std::string text : {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xE0\x9F\xBF", "\xED\xA0\x80",
                                   "\xED\xBF\xBF", "\xF0\x80\x80\xAF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                                   "\xF5\x80\x80\x80", "\xFF", "\xC2", "\xE2\x82", "\xF0\x9F\x98", "\xE2\x28\xA1"})
        EXPECT_EQ(utf8SequenceLength(text, 0), 0u) << testing::PrintToString(text);
    EXPECT_EQ(utf8SequenceLength("", 0), 0u);
}

TEST(Utf8, ShortenedTextsEndWithAWholeCharacter)
{
    EXPECT_EQ(shortened("abc", 3), "abc");
    EXPECT_EQ(shortened("abcd", 3), "abc…");
    EXPECT_EQ(shortened("aäb", 2), "a…");
    EXPECT_EQ(shortened("aäb", 3), "aä…");
    EXPECT_EQ(shortened("\xF0\x9F\x98\x80", 3), "…");
    EXPECT_EQ(shortened("\x80\x80", 1), "…") << "bytes that are no text";
    EXPECT_EQ(shortened("", 0), "");
}

TEST(Utf8, AgreesWithSimdjsonOnAllSequencesOfThreeBytes)
{
    std::string text(4, '\0');
    for (unsigned code = 0; code < 1u << 24; code += code % 7 ? 1 : 3) {
        for (size_t i = 0; i < 3; ++i)
            text[i] = static_cast<char>(code >> (16 - 8 * i));
        text[3] = '\x80';
        const bool four = static_cast<unsigned char>(text[0]) >= 0xF0;
        const std::string own = text.substr(0, four ? 4 : 3);
        ASSERT_EQ(wellFormed(own), simdjson::validate_utf8(own)) << std::hex << code;
    }
}

} // namespace
} // namespace riffle
