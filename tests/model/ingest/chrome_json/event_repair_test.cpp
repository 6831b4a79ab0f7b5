// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/event_repair.h"

#include "model/ingest/chrome_json/strict_reader.h"
#include "tests/model/ingest/chrome_json/random_event.h"
#include "tests/support/import_text.h"

#include <cstring>
#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

struct Case {
    const char *event;
    Trouble kind;
    const char *name; ///< of the resulting slice; null if there is none
};

const Case kCases[] = {
    {"{\"ph\":\"X\",\"name\":\"a\x01z\",\"ts\":5}", Trouble::ControlCharacter, "a\x01z"},
    {"{\"ph\":\"X\",\"name\":\"a\nz\",\"ts\":5}", Trouble::ControlCharacter, "a\nz"},
    {R"({"ph":"X","name":"say "hi" twice","ts":5})", Trouble::UnescapedQuote, "say \"hi\" twice"},
    {R"({"ph":"X","name":"mm","pid":0,tid":7,"ts":5})", Trouble::UnescapedQuote, "mm"},
    {R"({"ph":"X","name":"C:\dir\x","ts":5})", Trouble::BadEscape, "C:\\dir\\x"},
    {R"({"ph":"X","name":"a\ud800z","ts":5})", Trouble::LoneSurrogate, "a\xEF\xBF\xBDz"},
    {R"({"ph":"X","name":"mm","ts":5,"args":{"a":N/A}})", Trouble::BareWord, "mm"},
    {R"({"ph":"X","name":"mm","ts":5,"args":{"a":nan}})", Trouble::BareWord, "mm"},
    {R"({"ph":"X","name":"mm","ts":5,"args":{"a":-Infinity}})", Trouble::BareWord, "mm"},
    {R"({"ph":"X","name":"mm","ts":5,"args":{"a":True}})", Trouble::BareWord, "mm"},
    {R"({"ph":"X","name":"mm","ts":5,})", Trouble::TrailingComma, "mm"},
    {R"({"ph":"X","name":"mm","ts":5,"args":{"a":[1,2,]}})", Trouble::TrailingComma, "mm"},
    {"{\"ph\":\"X\",\"name\":\"a\xFFz\",\"ts\":5}", Trouble::BadUtf8, "a\xEF\xBF\xBDz"},
    {"{\"ph\":\"X\",\"name\":\"a\xED\xA0\x80z\",\"ts\":5}", Trouble::BadUtf8, "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz"},
    {R"({"ph":"X","name":"mm","ts":5,"args":{"a":123456789012345678901234567890}})", Trouble::NumberOutOfRange, "mm"},
    {R"({"ph":"X","name":"mm","ts":5,"args":{"a":007}})", Trouble::NumberOutOfRange, "mm"},
    {R"({"ph":"X","name":"mm","ts":5,"args":{"device":[]}})", Trouble::WrongType, "mm"},
    {R"({"ph":"X","name":"mm","ts":5,"ts":6})", Trouble::DuplicateKey, "mm"},
    {R"({"ph":"X","name":"mm"})", Trouble::MissingTimestamp, nullptr},
    {R"({"ph":"X","name":"mm","ts":"soon"})", Trouble::BadTimestamp, nullptr},
    {R"({"ph":"X","name":"mm","ts":1e300})", Trouble::AbsurdTime, "mm"},
    {R"({"ph":"X","name":"mm","ts":5,"dur":-1})", Trouble::NegativeDuration, "mm"},
    {R"({"ph":"X","name":"mm","ts":5,"dur":"long"})", Trouble::BadDuration, "mm"},
    {R"({"ph":"X","name":"mm","ts":5})", Trouble::NoDuration, "mm"},
    {R"({"name":"mm","ts":5})", Trouble::MissingPhase, nullptr},
    {R"({"ph":"?","name":"mm","ts":5})", Trouble::UnknownPhase, nullptr},
    {R"({"ph":"XX","name":"mm","ts":5})", Trouble::UnknownPhase, nullptr},
    {R"({"ph":"v","name":"mm","ts":5})", Trouble::IgnoredPhase, nullptr},
    {R"({"ph":"X","name" "mm" "ts" 5})", Trouble::BrokenEvent, nullptr},
    {R"("a text")", Trouble::NotAnEvent, nullptr},
    {"[1,2]", Trouble::NotAnEvent, nullptr},
    {"17", Trouble::NotAnEvent, nullptr},
    {"null", Trouble::NotAnEvent, nullptr},
    {"some words", Trouble::SkippedText, nullptr},
};

TEST(EventRepair, EveryTroubleIsCountedWhereItIs)
{
    const std::string before = R"({"traceEvents": [{"ph":"X","name":"first","ts":1,"dur":1},)";
    const std::string after = R"(,{"ph":"X","name":"last","ts":9,"dur":1}]})";
    for (const Case &one : kCases) {
        SCOPED_TRACE(one.event);
        const auto trace = importText(before + one.event + after);
        ASSERT_TRUE(trace);
        const TroubleCount &found = (*trace)->report.of(one.kind);
        EXPECT_EQ(found.count, 1u) << ImportReport::name(one.kind);
        ASSERT_FALSE(found.examples.empty());
        EXPECT_EQ(found.examples[0].offset, before.size());
        EXPECT_EQ(found.examples[0].text.substr(0, std::strlen(one.event)), one.event);
        std::vector<std::string> expected = {"first"};
        if (one.name)
            expected.push_back(one.name);
        expected.push_back("last");
        EXPECT_EQ(sliceNames(**trace), expected);
    }
}

TEST(EventRepair, MendedSlicesAreMarked)
{
    const auto trace =
        importText(R"([{"ph":"X","name":"a "b" c","ts":1,"dur":2},{"ph":"X","name":"d","ts":9,"dur":1}])");
    ASSERT_TRUE(trace);
    EXPECT_TRUE((*trace)->slice(SliceId(0))->data.flags & slice_flag::Repaired);
    EXPECT_FALSE((*trace)->slice(SliceId(1))->data.flags & slice_flag::Repaired);
}

TEST(EventRepair, ValidEventsStayValid)
{
    RandomEvent random(21);
    StrictReader strict;
    EventRecord record;
    int valid = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string event = i % 2 ? random.event() : random.damaged(random.event());
        record.clear();
        if (!event.starts_with('{') || !strict.read(event, record))
            continue;
        ++valid;
        record.clear();
        EXPECT_TRUE(strict.read(repairEvent(event).text, record)) << event;
    }
    EXPECT_GT(valid, 9000);
}

TEST(EventRepair, LongKeysAndEscapedKeysEndAString)
{
    const std::string longKey(5000, 'k');
    for (const std::string &key : {longKey, std::string("a \\\" b"), std::string("\\\\")}) {
        const std::string event = "{\"name\":\"a\x01\",\"" + key + "\":{\"b\":1},\"ph\":\"X\"}";
        const RepairedEvent mended = repairEvent(event);
        EXPECT_EQ(mended.troubles, std::vector{Trouble::ControlCharacter}) << event;
        EventRecord record;
        record.clear();
        EXPECT_TRUE(StrictReader().read(mended.text, record)) << mended.text;
    }
}

TEST(EventRepair, TextAtTheEndOfAFileThatWasCut)
{
    const std::string whole =
        R"({"traceEvents": [{"ph":"X","name":"first","ts":1,"dur":1},{"ph":"X","name":"last","ts":9,"dur":1}]})";
    const size_t second = whole.rfind('{');
    for (size_t cut = second + 1; cut + 3 < whole.size(); ++cut) {
        const auto trace = importText(whole.substr(0, cut));
        ASSERT_TRUE(trace) << cut;
        EXPECT_EQ((*trace)->report.of(Trouble::TruncatedText).count, 1u) << cut;
        EXPECT_EQ((*trace)->report.of(Trouble::TruncatedText).examples[0].offset, second) << cut;
        EXPECT_EQ(sliceNames(**trace), std::vector<std::string>{"first"}) << cut;
    }
}

TEST(EventRepair, ArgumentsNestedTooDeepDoNotTakeTheEventWithThem)
{
    const std::string deep = std::string(5000, '[') + std::string(5000, ']');
    const auto trace = importText(R"([{"ph":"X","name":"a","ts":1,"dur":2,"args":{"x":)" + deep +
                                  R"(,"correlation":7}},{"ph":"X","name":"b","ts":9,"dur":1}])");
    ASSERT_TRUE(trace);
    EXPECT_EQ(sliceNames(**trace), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ((*trace)->report.of(Trouble::DeepValue).count, 1u);
    EXPECT_EQ((*trace)->slice(SliceId(0))->data.correlation, 7);
}

} // namespace
} // namespace riffle
