// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importer.h"

#include "tests/support/archives.h"
#include "tests/support/import_text.h"
#include "tests/support/trace_difference.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

struct Document {
    const char *what;
    std::string text;
    size_t metadata; ///< top-level keys beside the events
};

/// The same events in every outer shape.
std::vector<Document> documents(int events)
{
    std::vector<std::string> list;
    for (int i = 0; i < events; ++i)
        list.push_back(R"({"ph":"X","pid":1,"tid":)" + std::to_string(i % 3) + R"(,"name":"n)" + std::to_string(i) +
                       R"(","ts":)" + std::to_string(i * 10) + R"(,"dur":5,"args":{"k":[{"name":1}],"External id":)" +
                       std::to_string(i) + "}}");
    const auto joined = [&](const std::string &separator) {
        std::string all;
        for (const std::string &event : list)
            all += (all.empty() ? "" : separator) + event;
        return all;
    };
    const std::string array = "[" + joined(",\n  ") + "]";
    return {
        {"array", array, 0},
        {"array with blanks around", " \n" + array + "\n\n", 0},
        {"events alone", "{\"traceEvents\":" + array + "}", 0},
        {"events first", "{\"traceEvents\": " + array + R"(, "a": [{"ph": "X"}], "b": "}]"})", 2},
        {"events last", R"({"a": {"traceEvents": [1]}, "b": [[]], "traceEvents": )" + array + "}\n", 2},
        {"events in the middle", R"({"schemaVersion": 1, "traceEvents": )" + array + R"(, "traceName": "x"})", 2},
        {"byte order mark", "\xEF\xBB\xBF{\"traceEvents\": " + array + "}", 0},
        {"lines", joined("\n") + "\n", 0},
        {"lines with carriage returns", joined("\r\n"), 0},
        {"lines with commas", joined(",\n"), 0},
    };
}

class ImportFormats : public testing::Test {
protected:
    Result<std::shared_ptr<const Trace>> import(std::string_view bytes)
    {
        writeFile(m_folder.file("trace"), bytes);
        ImportOptions options;
        options.spillFolder = m_folder.path();
        return importTrace(m_folder.file("trace"), options, {});
    }
    TemporaryFolder m_folder;
};

TEST_F(ImportFormats, EveryShapeInEveryContainer)
{
    for (const int events : {0, 1, 3, 20'000}) {
        std::vector<std::string> names;
        for (int i = 0; i < events; ++i)
            names.push_back("n" + std::to_string(i));
        for (const Document &document : documents(events)) {
            SCOPED_TRACE(document.what);
            const std::string &text = document.text;
            if (text.find_first_not_of(" \r\n") == std::string::npos)
                continue; // it has no lines
            const auto plain = import(text);
            ASSERT_TRUE(plain) << plain.error().text();
            EXPECT_EQ(sliceNames(**plain), names);
            EXPECT_EQ((*plain)->info.metadata.size(), document.metadata);
            EXPECT_EQ((*plain)->info.textBytes, text.size());
            EXPECT_EQ(sealProblem(**plain), "");
            EXPECT_TRUE((*plain)->report.empty());
            const size_t third = text.size() / 3;
            const std::string parts[] = {text.substr(0, third), text.substr(third, third), text.substr(2 * third)};
            for (const std::string &archive :
                 {gzipped(text), gzipped(parts[0]) + gzipped(parts[1]) + gzipped("") + gzipped(parts[2]),
                  zstdCompressed(text), zstdCompressed(text, false),
                  zstdCompressed(parts[0]) + skippableFrame("index") + zstdCompressed(parts[1], false) +
                      zstdCompressed(parts[2])}) {
                const auto inflated = import(archive);
                ASSERT_TRUE(inflated) << inflated.error().text();
                EXPECT_EQ(traceDifference(**inflated, **plain), "");
                EXPECT_EQ((*inflated)->info.textBytes, text.size());
            }
        }
    }
}

TEST_F(ImportFormats, SourceOffsetsGiveTheEventsBack)
{
    for (const Document &document : documents(300))
        for (const std::string &bytes : {document.text, gzipped(document.text), zstdCompressed(document.text)}) {
            const auto trace = import(bytes);
            ASSERT_TRUE(trace);
            for (uint32_t id = 0; id < (*trace)->sliceCount(); id += 7) {
                const auto slice = (*trace)->slice(SliceId(id));
                const auto event = (*trace)->source->read(slice->data.sourceOffset, slice->data.sourceLength);
                ASSERT_TRUE(event);
                EXPECT_TRUE(event->starts_with('{') && event->ends_with('}')) << document.what;
                EXPECT_NE(event->find('"' + std::string((*trace)->string(slice->data.name)) + '"'), std::string::npos);
            }
        }
}

TEST_F(ImportFormats, ArchivesThatEndEarlyKeepWhatCame)
{
    const std::string text = documents(20'000)[2].text;
    for (const std::string &archive : {gzipped(text), zstdCompressed(text, false)}) {
        const auto trace = import(std::string_view(archive).substr(0, archive.size() / 2));
        ASSERT_TRUE(trace) << trace.error().text();
        EXPECT_EQ((*trace)->report.of(Trouble::TruncatedArchive).count, 1u);
        EXPECT_GT((*trace)->sliceCount(), 1000u);
        EXPECT_LT((*trace)->sliceCount(), 19'999u);
        const std::vector<std::string> names = sliceNames(**trace);
        EXPECT_EQ(names.back(), "n" + std::to_string(names.size() - 1));
    }
}

TEST_F(ImportFormats, WhatIsNoTraceIsAnError)
{
    for (const char *text :
         {"", " ", "{", "{}", "[1, 2]", "{\"traceEvents\"", "{\"traceEvents\":", "{\"traceEvents\": 5}", "true",
          "\"x\"", "x", "{\"a\": 1}", "[\"ph\"]", "{\"traceEvents\": [7]}", "\xEF\xBB\xBF", "{]", "{\"a\" 5}"})
        EXPECT_FALSE(import(text)) << text;
    for (const char *text :
         {"[", "[]", "[{}]", "{\"traceEvents\": [", "{\"traceEvents\": []", "{\"ph\":\"X\",\"ts\":1}"})
        EXPECT_TRUE(import(text)) << text;
}

} // namespace
} // namespace riffle
