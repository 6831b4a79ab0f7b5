// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/event_splitter.h"

#include "tests/model/ingest/chrome_json/random_event.h"
#include "tests/support/naive_splitter.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

constexpr size_t kNone = std::string_view::npos;

TEST(EventSplitter, FindsWhatANaiveSearchFinds)
{
    RandomEvent random(11);
    for (int i = 0; i < 3000; ++i) {
        std::string text = i % 3 ? "{\"traceEvents\": [" : "[";
        for (size_t events = random.below(6); events > 0; --events)
            text +=
                (random.below(4) ? random.event() : random.damaged(random.event())) + (random.below(8) ? ",\n" : "");
        text += i % 2 ? "], \"k\": {}}" : "]\n";
        for (int place = 0; place < 12; ++place) {
            const size_t at = random.below(text.size());
            ASSERT_EQ(findEventStart(text, at), naiveEventStart(text, at)) << text << at;
            ASSERT_EQ(findLastEventStart(text, at), naiveLastEventStart(text, at)) << text << at;
            ASSERT_EQ(findEventListEnd(text, at), naiveListEnd(text, at)) << text << at;
            const size_t limit = random.below(2 * text.size());
            if (text[at] == '{' || text[at] == '[' || text[at] == '"') {
                ASSERT_EQ(endOfJsonValue(text, at, limit), naiveValueEnd(text, at, limit).value_or(kNone))
                    << text << at;
            }
        }
    }
}

TEST(EventSplitter, EveryEventOfAValidListIsAStart)
{
    RandomEvent random(12);
    for (int i = 0; i < 500; ++i) {
        std::string text = "[";
        std::vector<size_t> starts;
        for (int events = 0; events < 5; ++events) {
            text += events ? ",\n  " : "";
            starts.push_back(text.size());
            text += R"({"ph": "X", "name": )" + random.value(3) + ", \"args\": {\"x\": " + random.value(4) + "}}";
        }
        text += "]";
        std::vector<size_t> found;
        for (size_t at = findEventStart(text, 0); at != kNone; at = findEventStart(text, at + 1))
            found.push_back(at);
        EXPECT_TRUE(std::includes(found.begin(), found.end(), starts.begin(), starts.end())) << text;
        size_t at = 1;
        for (const size_t start : starts) {
            ASSERT_EQ(start, skipJsonBlanks(text, at)) << text;
            at = endOfJsonValue(text, start, text.size()) + 1;
        }
    }
}

TEST(EventSplitter, BracesInStringsAreText)
{
    const std::string text = R"([{"ph":"X","name":"}, {\"name\": \\","cat":"]}"},{"ph":"X"}])";
    const size_t second = text.rfind('{');
    EXPECT_EQ(findEventStart(text, 0), 1u);
    EXPECT_EQ(findEventStart(text, 2), second);
    EXPECT_EQ(findLastEventStart(text, text.size()), second);
    EXPECT_EQ(endOfJsonValue(text, 1, text.size()), second - 1);
    EXPECT_EQ(findEventListEnd(text, 0), text.size());
}

TEST(EventSplitter, ReadingGoesOnBehindDamage)
{
    // A stray quote swaps text and strings; the next event is found all the same.
    const std::string text = R"([{"ph":"X","name":"a "quoted" {name},"ts":1}, {"ts": 5, "ph": "X"}])";
    EXPECT_EQ(findEventStart(text, 2), text.rfind('{'));
    EXPECT_EQ(endOfJsonValue(R"({"name":"never closed})", 0, 100), kNone);
    EXPECT_EQ(endOfJsonValue(R"({"a":[1,2})", 0, 100), kNone);
}

TEST(EventSplitter, ListEndsBeforeAKeyABraceOrTheEnd)
{
    EXPECT_EQ(findEventListEnd("{}]", 0), 3u);
    EXPECT_EQ(findEventListEnd("{} ] }", 0), 4u);
    EXPECT_EQ(findEventListEnd(R"({}], "traceName": "x"})", 0), 3u);
    EXPECT_EQ(findEventListEnd(R"({"a":[{}], "b"})", 0), kNone);
    EXPECT_EQ(findEventListEnd("[1, 2]", 0), kNone);
    EXPECT_EQ(findEventListEnd("{}], 5", 0), kNone);
}

TEST(EventSplitter, LimitEndsTheMatching)
{
    const std::string text = "{\"args\":\"" + std::string(kMaxEventBytes, 'x') + "\"}";
    EXPECT_EQ(endOfJsonValue(text, 0, kMaxEventBytes), kNone);
    EXPECT_EQ(endOfJsonValue(text, 0, text.size()), text.size());
    EXPECT_EQ(endOfJsonValue(text, 0, text.size() - 1), kNone);
    EXPECT_EQ(endOfJsonValue(text, 0, SIZE_MAX), text.size());
}

} // namespace
} // namespace riffle
