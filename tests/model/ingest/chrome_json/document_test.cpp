// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importer.h"
#include "tests/support/archives.h"

#include <chrono>
#include <gtest/gtest.h>

namespace riffle {
namespace {

Result<std::shared_ptr<const Trace>> importedDocument(const std::string &text)
{
    const test::TemporaryFolder folder;
    test::writeFile(folder.file("trace.json"), text);
    return importTrace(folder.file("trace.json"), {}, {});
}

TEST(ChromeDocuments, ManyTopLevelKeysTakeLittleTime)
{
    // Comparing each key with all others would take minutes.
    constexpr int kKeys = 300'000;
    std::string text = "{";
    for (int at = 0; at < kKeys; ++at)
        text += "\"k" + std::to_string(at) + "\":1,";
    text += R"("k7":2,"k8":3,"k7":4,"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]})";
    const auto began = std::chrono::steady_clock::now();
    const auto trace = importedDocument(text);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->info.metadata.size(), kKeys + 3u);
    EXPECT_EQ((*trace)->report.of(Trouble::DuplicateKey).count, 3u);
    EXPECT_EQ((*trace)->sliceCount(), 1u);
}

TEST(ChromeDocuments, EveryEndIsJudged)
{
    const std::string event = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1})";
    struct Case {
        std::string text;
        Trouble expected;
    };
    for (const Case &one : {
             Case{"[" + event, Trouble::MissingClose},
             Case{"[" + event + ",\n", Trouble::MissingClose},
             Case{R"({"traceEvents":[)" + event + "]", Trouble::MissingClose},
             Case{R"({"traceEvents":[)" + event + R"(],"a":1)", Trouble::MissingClose},
             Case{R"({"traceEvents":[)" + event, Trouble::CutDocument},
             Case{R"({"a":1,"traceEvents":[)" + event + ",\n", Trouble::CutDocument},
             Case{R"({"traceEvents":[)" + event + "],", Trouble::CutDocument},
             Case{R"({"traceEvents":[)" + event + R"(],"a)", Trouble::UnreadText},
             Case{R"({"traceEvents":[)" + event + R"(],"a":"b)", Trouble::UnreadText},
             Case{R"({"traceEvents":[)" + event + R"(]} {"traceEvents":[]})", Trouble::UnreadText},
             Case{"[" + event + "]]", Trouble::UnreadText},
             Case{"[" + event + "]" + std::string(3'000'000, '\0') + "[" + event + "]", Trouble::UnreadText},
             Case{"[" + event + "]" + std::string(3'000'000, '\0'), Trouble::TrailingText},
             Case{R"({"traceEvents":[)" + event + "]} \n" + std::string(1, '\0'), Trouble::TrailingText},
             Case{"[[" + event + "]," + event + "]", Trouble::SkippedText},
             Case{"[[1,2]," + event + "]", Trouble::NotAnEvent},
         }) {
        const auto trace = importedDocument(one.text);
        ASSERT_TRUE(trace) << one.text.substr(0, 200);
        EXPECT_EQ((*trace)->sliceCount(), 1u) << one.text.substr(0, 200);
        for (const Trouble kind : {Trouble::MissingClose, Trouble::CutDocument, Trouble::UnreadText,
                                   Trouble::TrailingText, Trouble::SkippedText, Trouble::NotAnEvent})
            EXPECT_EQ((*trace)->report.of(kind).count, kind == one.expected ? 1u : 0u)
                << ImportReport::name(kind) << " " << one.text.substr(0, 200);
    }
}

} // namespace
} // namespace riffle
