// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importer.h"

#include "model/ingest/stored_trace.h"
#include "tests/model/ingest/chrome_json/random_event.h"
#include "tests/support/archives.h"
#include "tests/support/import_text.h"
#include "tests/support/trace_difference.h"
#include "tests/support/trace_generator.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

std::string kinetoText(uint64_t bytes, uint32_t seed = 1)
{
    TraceOptions options;
    options.targetBytes = bytes;
    options.seed = seed;
    options.layers = 2;
    std::string text;
    ByteSink sink(ByteSink::toString(text));
    generateTrace(options, sink);
    sink.flush();
    return text;
}

/// Events of all kinds, of which a third is damaged.
std::string wildText(uint32_t seed, size_t bytes)
{
    RandomEvent random(seed);
    std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
    while (text.size() < bytes) {
        text += random.below(3) ? random.event() : random.damaged(random.event());
        text += random.below(300) ? ",\n" : "\n";
    }
    return text + "]}";
}

TEST(ImportSame, WhateverTheNumberOfThreads)
{
    for (const std::string &text : {kinetoText(12'000'000), wildText(5, 4'000'000)}) {
        std::shared_ptr<const Trace> expected;
        for (const unsigned workers : {1u, 2u, 3u, 8u})
            for (const size_t chunk : {size_t{0}, size_t{70'001}}) {
                const WorkerCount count(workers);
                const auto trace = importText(text, chunk);
                ASSERT_TRUE(trace) << trace.error().text();
                EXPECT_EQ(sealProblem(**trace), "");
                if (!expected)
                    expected = *trace;
                EXPECT_EQ(traceDifference(**trace, *expected), "") << workers << " workers, pieces of " << chunk;
            }
    }
}

/// Workers number the texts that they read on their own, so those numbers must not become ids.
TEST(ImportSame, TextsAsIdsOfFlows)
{
    constexpr int kFlows = 20'000;
    std::string text = "[";
    for (const char *phase : {"s", "f"})
        for (int flow = 0; flow < kFlows; ++flow)
            text += std::string(R"({"ph":")") + phase + R"(","bp":"e","cat":"c","pid":1,"tid":1,"ts":)" +
                    std::to_string(flow) + R"(,"id":"0x)" + std::to_string(flow) + R"(","args":{"pad":")" +
                    std::string(60, 'x') + "\"}},\n";
    text.replace(text.size() - 2, 2, "]");
    const WorkerCount count(3);
    const auto trace = importText(text);
    ASSERT_TRUE(trace) << trace.error().text();
    const FlowTable &flows = (*trace)->flows;
    ASSERT_EQ(flows.id.size(), 2u * kFlows);
    for (uint32_t row = 0; row < flows.id.size(); row += 2) {
        ASSERT_EQ(flows.id[row], flows.id[row + 1]);
        ASSERT_EQ(flows.time[row], flows.time[row + 1]);
    }
}

TEST(ImportSame, StoresAreTheSameFiles)
{
    TemporaryFolder folder;
    const std::string path = folder.file("trace");
    writeFile(path, zstdCompressed(kinetoText(6'000'000)));
    const auto identity = SourceIdentity::of(path);
    ASSERT_TRUE(identity);
    std::vector<std::string> stores;
    for (const unsigned workers : {1u, 3u}) {
        const WorkerCount count(workers);
        const auto trace = importTrace(path, {}, {});
        ASSERT_TRUE(trace);
        const StoreFolder stored(folder.file("stores " + std::to_string(workers)));
        ASSERT_TRUE(storeTrace(stored, **trace, path, *identity, {}));
        stores.push_back(readFile(stored.storePath(path)));
    }
    EXPECT_TRUE(stores[0] == stores[1]) << stores[0].size() << ' ' << stores[1].size();
}

TEST(ImportSame, WithoutMemoryForColumns)
{
    TemporaryFolder folder;
    const std::string text = kinetoText(10'000'000, 7);
    const auto expected = importText(text);
    ASSERT_TRUE(expected);
    for (const uint64_t limit : {uint64_t{0}, uint64_t{1} << 20, uint64_t{20} << 20})
        for (const unsigned workers : {1u, 3u}) {
            const WorkerCount count(workers);
            ImportOptions options;
            options.memoryLimit = limit;
            options.spillFolder = folder.path();
            const auto trace = importText(text, 0, options);
            ASSERT_TRUE(trace) << trace.error().text();
            EXPECT_EQ(traceDifference(**trace, **expected), "") << limit;
        }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ImportSame, ARangeHoldsThatPartOfTheWhole)
{
    const std::string text = kinetoText(6'000'000, 3);
    const auto whole = importText(text);
    ASSERT_TRUE(whole);
    const Ns begin = (*whole)->info.recorded.begin, length = (*whole)->info.recorded.duration();
    for (const TimeSpan range : {TimeSpan{0, length + 1}, TimeSpan{length / 3, length / 2},
                                 TimeSpan{length / 2, length / 2 + 1000}, TimeSpan{length + 10, length + 20}}) {
        ImportOptions options;
        options.range = range;
        for (const size_t chunk : {size_t{0}, size_t{100'000}}) {
            const auto part = importText(text, chunk, options);
            ASSERT_TRUE(part) << part.error().text();
            EXPECT_EQ((*part)->info.part, (TimeSpan{begin + range.begin, begin + range.end}));
            EXPECT_EQ(sealProblem(**part), "");
            std::vector<std::string> expected, found = sliceNames(**part);
            uint64_t outside = 0;
            for (const auto &segment : (*whole)->segments)
                for (uint32_t at = 0; at < segment->size(); ++at) {
                    const Ns start = segment->slices.start[at] - begin, end = segment->end(at) - begin;
                    if (start < range.end && (end > range.begin || (start == end && start == range.begin)))
                        expected.emplace_back((*whole)->string(segment->slices.name[at]));
                    else
                        ++outside;
                }
            std::sort(found.begin(), found.end());
            std::sort(expected.begin(), expected.end());
            // The part also contains what its own slices need: launches, their work, and the calls around them
            // (part_test.cpp).
            EXPECT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
            const size_t more = found.size() - expected.size();
            EXPECT_GE((*part)->report.of(Trouble::OutsideRange).count, outside - more);
            EXPECT_LE(more, expected.empty() ? 0 : outside / 2);
        }
    }
}

TEST(ImportSame, OnTheHostStepsAreTheRangeOfTheirSpans)
{
    const std::string text = kinetoText(6'000'000, 4);
    const auto whole = importText(text);
    ASSERT_TRUE(whole);
    const std::vector<Step> &steps = (*whole)->steps;
    ASSERT_GT(steps.size(), 3u);
    ImportOptions bySteps, byRange;
    bySteps.steps = TimeSpan{steps[1].number, steps[2].number};
    const Ns begin = (*whole)->info.recorded.begin;
    byRange.range = TimeSpan{steps[1].span.begin - begin, steps[2].span.end - begin};
    const auto first = importText(text, 0, bySteps), second = importText(text, 0, byRange);
    ASSERT_TRUE(first && second);
    const auto hostNames = [](const Trace &trace) {
        std::vector<std::string> names;
        for (uint32_t id = 0; id < trace.sliceCount(); ++id)
            if (const auto slice = trace.slice(SliceId(id)); !(slice->data.flags & slice_flag::OnStream))
                names.emplace_back(trace.string(slice->data.name));
        std::sort(names.begin(), names.end());
        return names;
    };
    EXPECT_EQ(hostNames(**first), hostNames(**second)); // the launch decides about device work
    EXPECT_GT((*first)->sliceCount(), 0u);
    EXPECT_LT((*first)->sliceCount(), (*whole)->sliceCount());
    bySteps.steps = TimeSpan{1'000'000, 1'000'001};
    EXPECT_FALSE(importText(text, 0, bySteps));
}

} // namespace
} // namespace riffle
