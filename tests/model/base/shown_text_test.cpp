// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(ShownTexts, NothingCommandsATerminal)
{
    EXPECT_EQ(shownText("evil\x1b[31mred"), "evil\\x1b[31mred");
    EXPECT_EQ(shownText(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(shownText("\a\b\t\r\x7f"), "\\x07\\x08\\x09\\x0d\\x7f");
    EXPECT_EQ(shownText("\u009b31m \u0085"), "\\u009b31m \\u0085") << "control characters of eight bits";
    EXPECT_EQ(shownText("\x9b"), "\\x9b") << "not valid UTF-8";
}

TEST(ShownTexts, NothingTurnsTextAround)
{
    for (const auto &[text, shown] : {std::pair("\u202a", "\\u202a"),
                                      {"\u202e", "\\u202e"},
                                      {"\u2066", "\\u2066"},
                                      {"\u2069", "\\u2069"},
                                      {"\u2028", "\\u2028"}})
        EXPECT_EQ(shownText(std::string("a") + text + "b"), std::string("a") + shown + "b");
}

TEST(ShownTexts, OtherTextStays)
{
    for (const std::string text : {"", "void at::native::<lambda>(int)",
                                   "Größe 1.50\u00a0GiB · µs – 日本 \U0001F600 שלום", "two\nlines", "\u2029a"})
        EXPECT_EQ(shownText(text), text == "\u2029a" ? "\\u2029a" : text);
}

TEST(ShownTexts, CsvHoldsNoControlCharactersButThoseThatQuotesAllow)
{
    EXPECT_EQ(csvField("evil\x1b[31mred"), "evil\\x1b[31mred");
    EXPECT_EQ(csvField(std::string_view("a\0,b", 4)), "\"a\\x00,b\"");
    EXPECT_EQ(csvField("two\nlines\tand \u202e"), "\"two\nlines\tand \u202e\"");
    EXPECT_EQ(csvField("\x7f \u009b31m \u0080,"), "\"\\x7f \\u009b31m \\u0080,\"");
    EXPECT_EQ(csvField("a\x9b\xff\xc2"), "a\\x9b\xff\xc2") << "a lone byte commands a terminal that does not use UTF-8";
    EXPECT_EQ(csvField("\u00a0Größe \u00bf日本\U0001F600"), "\u00a0Größe \u00bf日本\U0001F600");
}

TEST(ShownTexts, JsonEscapesAllControlCharacters)
{
    for (const auto &[text, json] : {std::pair("a\x1b[1m\n", R"("a\u001b[1m\n")"),
                                     {"\x7f", R"("\u007f")"},
                                     {"\u009b31m\u0080\u009f\u00a0", "\"\\u009b31m\\u0080\\u009f\u00a0\""},
                                     {"Größe 日本", "\"Größe 日本\""}}) {
        EXPECT_EQ(jsonString(text), json);
        EXPECT_EQ(jsonStringBytes(text), std::string(json).size());
    }
    EXPECT_EQ(jsonString("\xc2"), R"("\ufffd")");
    EXPECT_EQ(jsonString("\x9b"), R"("\ufffd")");
}

} // namespace
} // namespace riffle
