// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Files and stores that shrink while a trace is in use: what is missing reads as zeros and must not go unnoticed.
#include "model/analysis/summary/summary.h"
#include "model/ingest/importer.h"
#include "model/ingest/stored_trace.h"
#include "tests/support/archives.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace riffle {
namespace {

using testing::HasSubstr;

/// Operators with shapes, which are read again for a grouping by shapes.
std::string operators(int count)
{
    std::string text = "[";
    for (int at = 0; at < count; ++at)
        text += (at ? ",\n" : "\n") +
                std::string(R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":)") +
                std::to_string(at) + R"(,"dur":1,"args":{"Input Dims":[[)" + std::to_string(at % 7) + "]]}}";
    return text + "]";
}

class CutSourceTest : public testing::TestWithParam<const char *> {
protected:
    std::string packed(const std::string &text) const
    {
        const std::string_view kind = GetParam();
        return kind == "gzip" ? test::gzipped(text) : kind == "zstd" ? test::zstdCompressed(text) : text;
    }
    std::shared_ptr<const Trace> open(const std::string &text)
    {
        test::writeFile(m_path, packed(text));
        const auto trace = importTrace(m_path, {}, {});
        return trace ? *trace : nullptr;
    }
    static Result<ResultTable> byShapes(const std::shared_ptr<const Trace> &trace)
    {
        SummaryRequest request;
        request.view = "operators";
        request.groupBy = "name,shapes";
        return summarize(SetFacts(TraceSet::of({trace})), request, {});
    }

    test::TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("trace");
};

TEST_P(CutSourceTest, AnAnswerThatLacksTextsSaysSo)
{
    const auto trace = open(operators(400'000)); // more text than the windows that stay in memory
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->failure(), std::nullopt);
    std::filesystem::resize_file(m_path, 5000);
    ASSERT_TRUE(byShapes(trace)) << "the texts are missing, which is no error of the request";
    const auto failure = trace->failure();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, ErrorKind::Changed);
    EXPECT_THAT(failure->text(), HasSubstr("changed while"));
    // Each of these reads would inflate 8 MiB if it were tried.
    for (uint64_t at = 0; at < 20'000; ++at)
        EXPECT_FALSE(trace->source->read(at * 1000, 10));
}

TEST_P(CutSourceTest, ACutInsideTheLastPageIsNoticed)
{
    const auto trace = open(operators(3)); // one page, which stays mapped and reads as zeros
    ASSERT_TRUE(trace);
    std::filesystem::resize_file(m_path, 20);
    EXPECT_EQ(trace->failure(), std::nullopt) << "nothing was read from the file since then";
    static_cast<void>(trace->source->read(0, 5));
    const auto failure = trace->failure();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, ErrorKind::Changed);
}

TEST_P(CutSourceTest, AFileThatIsReplacedOrGrowsIsWhole)
{
    const auto trace = open(operators(3));
    ASSERT_TRUE(trace);
    ASSERT_TRUE(trace->source->read(0, 5));
    std::filesystem::resize_file(m_path, std::filesystem::file_size(m_path) + 100);
    EXPECT_EQ(trace->failure(), std::nullopt);
    test::writeFile(m_folder.file("other"), "[]");
    std::filesystem::rename(m_folder.file("other"), m_path);
    EXPECT_EQ(trace->failure(), std::nullopt);
    std::filesystem::remove(m_path);
    EXPECT_EQ(trace->failure(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Containers, CutSourceTest, testing::Values("plain", "gzip", "zstd"),
                         [](const auto &one) { return std::string(one.param); });

TEST(CutStores, AreNoticed)
{
    const test::TemporaryFolder folder;
    const std::string path = folder.file("trace.json");
    test::writeFile(path, operators(100'000));
    const StoreFolder stores(folder.file("stores"));
    const auto identity = SourceIdentity::of(path);
    const auto read = importTrace(path, {}, {});
    ASSERT_TRUE(identity && read);
    ASSERT_TRUE(storeTrace(stores, **read, path, *identity, {}));
    const auto stored = openStoredTrace(stores, path, *identity);
    ASSERT_TRUE(stored && stored->file->verify({}));
    EXPECT_EQ(stored->trace->failure(), std::nullopt);
    std::filesystem::resize_file(stored->file->path(), 4096);
    uint64_t sum = 0;
    for (const auto &segment : stored->trace->segments)
        for (const Ns start : segment->slices.start)
            sum += static_cast<uint64_t>(start);
    EXPECT_LT(sum, 100'000ull * 99'999 / 2 * 1000); // the rest reads as zeros
    const auto failure = stored->trace->failure();
    ASSERT_TRUE(failure);
    EXPECT_THAT(failure->text(), HasSubstr("trace.json: Its copy in the cache was cut"));
}

} // namespace
} // namespace riffle
