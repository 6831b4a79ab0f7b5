// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/import_text.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

std::string event(const std::string &name, int start, const std::string &argument)
{
    return R"({"ph":"X","pid":1,"tid":1,"name":")" + name + R"(","ts":)" + std::to_string(start) +
           R"(,"dur":1,"args":{"a":")" + argument + "\"}}";
}

struct Case {
    size_t argumentBytes;
    size_t chunk; ///< 0: a plain file
    bool fits;
};

TEST(OversizedEvent, IsSkippedAloneAndSaysWhereItWas)
{
    for (const Case &one : {Case{15 << 20, 0, true}, Case{15 << 20, 1 << 20, true}, Case{17 << 20, 0, false},
                            Case{17 << 20, 1 << 20, false}, Case{40 << 20, 300'001, false}}) {
        SCOPED_TRACE(std::to_string(one.argumentBytes) + " in pieces of " + std::to_string(one.chunk));
        const std::string before = "{\"traceEvents\":[\n" + event("first", 10, "x") + ",\n";
        const std::string text = before + event("long", 20, std::string(one.argumentBytes, 'y')) + ",\n" +
                                 event("third", 30, "z") + ",\n" + event("last", 40, "z") + "]}";
        const auto trace = importText(text, one.chunk);
        ASSERT_TRUE(trace);
        const TroubleCount &found = (*trace)->report.of(Trouble::OversizedEvent);
        if (one.fits) {
            EXPECT_EQ(sliceNames(**trace), (std::vector<std::string>{"first", "long", "third", "last"}));
            EXPECT_EQ(found.count, 0u);
            continue;
        }
        EXPECT_EQ(sliceNames(**trace), (std::vector<std::string>{"first", "third", "last"}));
        EXPECT_EQ(found.count, 1u);
        ASSERT_FALSE(found.examples.empty());
        EXPECT_EQ(found.examples[0].offset, before.size());
        EXPECT_EQ(found.examples[0].text.find(R"({"ph":"X","pid":1,"tid":1,"name":"long")"), 0u);
    }
}

} // namespace
} // namespace riffle
