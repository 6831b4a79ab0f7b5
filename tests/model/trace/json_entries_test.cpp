// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/json_entries.h"

#include <gtest/gtest.h>
#include <random>

namespace riffle {
namespace {

std::string listed(std::string_view object)
{
    std::string text;
    for (const JsonEntry &entry : entriesOf(object))
        text += entry.key + "=" + entry.value + ";";
    return text;
}

TEST(JsonEntriesTest, FindsTheArguments)
{
    EXPECT_EQ(argsText(R"({"ph": "X", "args": {"a": [1, {"b": "}"}]}, "ts": 1})"), R"({"a": [1, {"b": "}"}]})");
    EXPECT_EQ(argsText(R"({"name": "\"args\": {}", "args" : {"x": 1} })"), R"({"x": 1})");
    EXPECT_EQ(argsText(R"({"in": {"args": {"not": 1}}, "ts": 1, "args": {"is": 2}})"), R"({"is": 2})");
    EXPECT_EQ(argsText(R"({"args": {"first": 1}, "args": {"last": 2}})"), R"({"last": 2})");
    EXPECT_EQ(argsText(R"({"ph": "X"})"), "");
    EXPECT_EQ(argsText(""), "");
}

TEST(JsonEntriesTest, FindsTheArgumentsOfDamagedEvents)
{
    EXPECT_EQ(argsText(R"({"ph": "X" "name": "x", "args": {"a": 1}})"), R"({"a": 1})");    // a comma is missing
    EXPECT_EQ(argsText(R"({"name": "a"b", "args": {"a": 1}})"), R"({"a": 1})");            // a quote is not escaped
    EXPECT_EQ(argsText(R"({"ts": 1, "args": {"a": 1, "b": "cu)"), R"({"a": 1, "b": "cu)"); // the text ends
    EXPECT_EQ(argsText(R"({"ts": 1, "args": {"a": "\)"), R"({"a": "\)");
    EXPECT_EQ(argsText(R"({"ts" 1, "args")"), "");
}

TEST(JsonEntriesTest, ListsTheEntriesRaw)
{
    EXPECT_EQ(listed(R"({"a": 1, "b" :"x,y" ,"c":[1, [2]], "d": {"e": {}}, "f": 1.50e+3})"),
              R"(a=1;b="x,y";c=[1, [2]];d={"e": {}};f=1.50e+3;)");
    EXPECT_EQ(listed(R"({"q\"\u0041": null, "same": 1, "same": 2})"), "q\"A=null;same=1;same=2;");
    EXPECT_EQ(listed(R"({"a": N/A, "b": nan,, "c": 3,})"), "a=N/A;b=nan;c=3;");
    EXPECT_EQ(listed("{\n\t\"a\"\r\n: 1 \n}"), "a=1;");
    EXPECT_EQ(listed("{}") + listed("[1]") + listed("5") + listed("") + listed("{"), "");
    EXPECT_EQ(listed(R"({"a": )"), "a=;");
    EXPECT_EQ(listed(R"({"a": 1, "b)"), "a=1;");
}

TEST(JsonEntriesTest, UnescapesStrings)
{
    EXPECT_EQ(plainText(R"("a\n\"b\"\\ \u00e9\ud83d\ude00")"), "a\n\"b\"\\ \u00e9\U0001F600");
    EXPECT_EQ(plainText(R"("C:\path")"), R"(C:\path)"); // not an escape of JSON: the text stays as written
    EXPECT_EQ(plainText(R"("")"), "");
    EXPECT_EQ(plainText(R"(")"), "\"");
    EXPECT_EQ(plainText("12.50"), "12.50");
    EXPECT_EQ(plainText(R"([1, "x"])"), R"([1, "x"])");
    EXPECT_EQ(plainText(""), "");
}

TEST(JsonEntriesTest, TakesAnyText)
{
    std::mt19937 random(6);
    constexpr std::string_view kPieces[] = {"{",  "}",        "[", "]", ",",  ":",      "\"",
                                            "\\", "\"args\"", " ", "1", "\n", "\"k\":", "\xff"};
    for (int round = 0; round < 20'000; ++round) {
        std::string text = "{";
        for (size_t left = random() % 20; left > 0; --left)
            text += kPieces[random() % std::size(kPieces)];
        const std::string args = argsText(text);
        EXPECT_NE(text.find(args), std::string::npos);
        for (const JsonEntry &entry : entriesOf(text))
            EXPECT_NE(text.find(entry.value), std::string::npos);
        plainText(text.substr(1));
    }
}

} // namespace
} // namespace riffle
