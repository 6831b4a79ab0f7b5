// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/ingest/chrome_json/random_event.h"
#include "tests/support/event_difference.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

/// The text after an event in a trace, long enough for the fast reader, which looks ahead.
const std::string kTail = ",\n  {\"ph\": \"X\", \"name\": \"next\", \"ts\": 1}" + std::string(160, ' ');

void expectAgreement(ReaderPair &readers, const std::string &event, int &taken)
{
    const ReaderPair::Answer answer = readers.read(event + kTail);
    ASSERT_EQ(answer.difference, "") << event;
    taken += answer.fast;
}

TEST(FastReader, ReadsGeneratedEventsAsTheStrictReaderDoes)
{
    RandomEvent random(1);
    ReaderPair readers;
    int taken = 0;
    for (int i = 0; i < 60'000; ++i) {
        if (i % 500 == 0)
            readers.forget(); // the layouts of so many shapes fill its memory up
        ASSERT_NO_FATAL_FAILURE(expectAgreement(readers, random.event(), taken));
    }
    EXPECT_GT(taken, 6'000);
}

TEST(FastReader, TakesNoDamagedEventThatTheStrictReaderDeclines)
{
    RandomEvent random(2);
    ReaderPair readers;
    int taken = 0;
    for (int i = 0; i < 60'000; ++i) {
        if (i % 200 == 0)
            readers.forget();
        const std::string event = random.event();
        ASSERT_NO_FATAL_FAILURE(expectAgreement(readers, event, taken)); // the reader learns the layout
        ASSERT_NO_FATAL_FAILURE(expectAgreement(readers, random.damaged(event), taken));
    }
}

TEST(FastReader, AgreesAfterEveryCut)
{
    RandomEvent random(3);
    for (int i = 0; i < 60; ++i) {
        const std::string event = random.event();
        ReaderPair readers;
        int taken = 0;
        expectAgreement(readers, event, taken);
        for (size_t cut = 1; cut <= event.size(); ++cut) {
            // Nothing follows, because the memory ends here.
            ASSERT_EQ(readers.read(event.substr(0, cut)).difference, "") << event.substr(0, cut);
            ASSERT_NO_FATAL_FAILURE(expectAgreement(readers, event.substr(0, cut), taken));
        }
    }
}

/// Fails only under the address sanitizer.
TEST(FastReader, ReadsNothingBehindTheText)
{
    const std::string blanks(50, ' ');
    for (const char *value :
         {"1234567890123.456", "[12345678901234567, 12345678901234567]", "[[[[1]]]]", "true", "\"text\""}) {
        const std::string event = "{\"ph\":\"X\"," + blanks + "\"ts\":" + value + "," + blanks + "\"tid\":" + value +
                                  "," + blanks + "\"args\":" + value + "}";
        ReaderPair readers;
        int taken = 0;
        expectAgreement(readers, event, taken);
        EXPECT_EQ(taken, 1) << event;
        for (size_t cut = 1; cut <= event.size(); ++cut)
            EXPECT_FALSE(readers.read(event.substr(0, cut)).fast);
    }
}

TEST(FastReader, TakesTheLayoutsOfRealWriters)
{
    for (
        const std::string &event : std::vector<std::string>{
            R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 12.345, "dur": 1.5, "args": {"External id": 4, "Input Dims": [[2, 3], []], "Ev Idx": 3}})",
            R"({"ph":"X","cat":"kernel","name":"void k<float>","pid":0,"tid":7,"ts":1712195000000123.456,"dur":0,"args":{"device":0,"grid":[1,2,3],"est. achieved occupancy %":12.5,"stream":7}})",
            R"({"ph": "f", "id": 3, "pid": 0, "tid": "stream 7 ", "ts": "1.5", "cat": "ac2g", "name": "ac2g", "bp": "e"})",
            R"({"name":"caf)"
            "\xC3\xA9"
            R"(","ph":"i","s":"t","ts":-5,"pid":1,"tid":2,"args":{"x":{"y":[1e3,true,null,{"z":[]}]}}})"}) {
        ReaderPair readers;
        for (int time = 0; time < 2; ++time) {
            const ReaderPair::Answer answer = readers.read(event + kTail);
            EXPECT_TRUE(answer.fast) << event;
            EXPECT_EQ(answer.length, event.size());
            EXPECT_EQ(answer.difference, "") << event;
        }
    }
}

TEST(FastReader, KnowsGrammarInsideValues)
{
    for (const char *value : {"[1,,2]",
                              "[1 2]",
                              "[,1]",
                              "[1,]",
                              "{1:2}",
                              "{\"a\" 1}",
                              "{\"a\":}",
                              "{\"a\":1,}",
                              "[}",
                              "{]",
                              "[1}",
                              "{\"a\":[}]",
                              "[\"a\":1]",
                              "[:]",
                              "[tru]",
                              "[nul]",
                              "[01]",
                              "[1.]",
                              "[-]",
                              "[1e]",
                              "[+1]",
                              "[\"\x01\"]",
                              "[\"\xFF\"]",
                              "[\"\\x\"]",
                              "[\"\\ud800\"]",
                              "tru",
                              "nulll",
                              "[]]",
                              ",",
                              ":",
                              " ",
                              ""}) {
        ReaderPair readers;
        int taken = 0;
        expectAgreement(readers, R"({"ph":"X","ts":1,"args":{"a":5,"b":7}})", taken);
        ASSERT_EQ(taken, 1);
        for (const std::string &event :
             std::vector<std::string>{R"({"ph":"X","ts":1,"args":{"a":5,"b":)" + std::string(value) + "}}",
                                      R"({"ph":"X","ts":)" + std::string(value) + R"(,"args":{"a":5,"b":7}})"})
            EXPECT_FALSE(readers.read(event + kTail).fast) << event;
    }
    ReaderPair readers;
    for (const int depth : {1, 5, 60, 64, 65, 200, 600}) {
        const std::string nested =
            std::string(static_cast<size_t>(depth), '[') + std::string(static_cast<size_t>(depth), ']');
        EXPECT_EQ(readers.read("{\"ph\":\"X\",\"args\":{\"a\":" + nested + "}}" + kTail).difference, "") << depth;
    }
}

TEST(FastReader, ReadsArgsThatFollowArgsWhichWereNoObject)
{
    ReaderPair readers;
    for (const std::string &event :
         std::vector<std::string>{R"({"ph":"X","args":null,"ts":1})", R"({"ph":"X","args":{"correlation":7},"ts":1})",
                                  R"({"ph":"X","args":{},"ts":1})", R"({"ph":"X","args":[{"correlation":7}],"ts":1})"})
        EXPECT_EQ(readers.read(event + kTail).difference, "") << event;
}

TEST(FastReader, DeclinesKeysThatAreNoText)
{
    for (const char *key : {"\x01", "a\tb", "\xFF", "\xC3", "a\\u0041", "a\\"}) {
        ReaderPair readers;
        EXPECT_FALSE(readers.read("{\"ph\":\"X\",\"" + std::string(key) + "\":1}" + kTail).fast);
        EXPECT_FALSE(readers.read("{\"ph\":\"X\",\"args\":{\"" + std::string(key) + "\":1}}" + kTail).fast);
    }
}

TEST(FastReader, DeclinesWhenItsMemoryIsFull)
{
    ReaderPair readers;
    int taken = 0;
    for (int i = 0; i < 20'000; ++i)
        expectAgreement(readers,
                        "{\"ph\":\"X\",\"args\":{\"key " + std::to_string(i * 7919 % 5000) + "\":1,\"correlation\":5}}",
                        taken);
    EXPECT_LT(taken, 20'000);
    EXPECT_GT(taken, 0);
}

} // namespace
} // namespace riffle
