// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/batch_queue.h"

#include "tests/support/chunked_source.h"
#include "tests/support/import_text.h"
#include "tests/support/trace_difference.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

std::string eventNumber(int number, const std::string &more = {})
{
    const std::string count = std::to_string(number);
    return R"({"ph":"X","pid":1,"tid":)" + std::to_string(number % 7) + R"(,"name":"event )" + count + R"(","ts":)" +
           count + R"(,"dur":1)" + more + "}";
}

/// Events that contain lists of objects which look like events to the splitter, so that most cuts are wrong.
std::string misleadingText(size_t bytes)
{
    std::string text = "{\"traceEvents\": [";
    for (int number = 0; text.size() < bytes; ++number) {
        std::string inner;
        for (int i = 0; i < 3000; ++i)
            inner += R"(,{"name":"no event","ph":"X","ts":1})";
        text += (number ? "," : "") + eventNumber(number, R"(,"args":{"list":[)" + inner.substr(1) + "]}");
        for (int i = 0; i < 20; ++i)
            text += ',' + eventNumber(++number);
    }
    return text + R"(], "traceName": "misleading"})";
}

/// One worker that knows the true boundaries takes the batches one after the other.
TEST(BatchQueue, EveryByteIsHandedOutOnceWhenTheCutsAreRight)
{
    std::string list;
    std::vector<size_t> starts;
    for (int number = 0; list.size() < 3'000'000; ++number) {
        list += number ? ", " : "";
        starts.push_back(list.size());
        list += eventNumber(number);
    }
    const std::string text = list + "]";
    for (const size_t chunk : {size_t{0}, size_t{1}, size_t{7}, size_t{4096}, size_t{1'000'003}}) {
        ChunkedSource source(text, chunk);
        SourceFeed feed(source);
        BatchQueue queue(feed, 1);
        std::optional<uint64_t> discardFrom;
        uint64_t at = 0;
        int batches = 0;
        while (auto batch = queue.next(0, discardFrom)) {
            ASSERT_FALSE(discardFrom);
            ++batches;
            ASSERT_EQ(batch->windowOffset + batch->from, at) << chunk;
            ASSERT_EQ(batch->window.substr(batch->from, 40),
                      text.substr(at, std::min<size_t>(40, batch->window.size() - batch->from)));
            at = batch->windowOffset + batch->to;
            ASSERT_TRUE(at == text.size() || std::binary_search(starts.begin(), starts.end(), at)) << at;
            queue.done(*batch, {batch->to, at == text.size(), false});
        }
        EXPECT_EQ(at, text.size()) << chunk;
        EXPECT_TRUE(queue.listEnded());
        EXPECT_GT(batches, 4);
        queue.finish();
        EXPECT_EQ(feed.offset() + feed.text().size(), text.size());
        EXPECT_EQ(feed.text().size(), 0u);
    }
}

TEST(BatchQueue, WhatWasCutWrongIsTakenBack)
{
    std::string text;
    while (text.size() < 3'000'000)
        text += eventNumber(5) + ',';
    for (const size_t chunk : {size_t{0}, size_t{65'537}}) {
        ChunkedSource source(text, chunk);
        SourceFeed feed(source);
        BatchQueue queue(feed, 2);
        std::optional<uint64_t> discardFrom;
        const auto first = queue.next(0, discardFrom);
        const auto second = queue.next(1, discardFrom);
        const auto third = queue.next(1, discardFrom);
        ASSERT_TRUE(first && second && third);
        EXPECT_EQ(second->windowOffset + second->from, first->windowOffset + first->to);
        queue.done(*second, {second->to, false, false});
        // The first batch ends before its cut.
        queue.done(*first, {first->to - 100, false, false});
        for (const unsigned worker : {0u, 1u}) {
            const auto none = queue.next(worker, discardFrom);
            ASSERT_TRUE(none && discardFrom);
            EXPECT_EQ(*discardFrom, second->sequence);
        }
        queue.done(*third, {third->to, false, false}); // too late: no longer counts
        const auto again = queue.next(0, discardFrom);
        ASSERT_TRUE(again && !discardFrom);
        EXPECT_GT(again->sequence, third->sequence);
        EXPECT_EQ(again->windowOffset + again->from, first->windowOffset + first->to - 100);
        EXPECT_EQ(queue.bytesVerified(), first->windowOffset + first->to - 100);
        const auto whole = std::string_view(text).substr(again->windowOffset + again->from, again->to - again->from);
        EXPECT_EQ(again->window.substr(again->from, again->to - again->from), whole);
    }
}

TEST(BatchQueue, CancelEndsItForAll)
{
    std::string text;
    while (text.size() < 3'000'000)
        text += eventNumber(5) + ',';
    ChunkedSource source(text);
    SourceFeed feed(source);
    BatchQueue queue(feed, 3);
    std::optional<uint64_t> discardFrom;
    EXPECT_TRUE(queue.next(0, discardFrom));
    queue.cancel();
    for (const unsigned worker : {0u, 1u, 2u})
        EXPECT_FALSE(queue.next(worker, discardFrom));
}

TEST(BatchQueue, TextThatIsInflatedAheadIsBounded)
{
    std::string text;
    while (text.size() < (BatchQueue::kMaxAhead + 20) * BatchQueue::kBatchBytes)
        text += eventNumber(5) + ',';
    ChunkedSource source(text, 1'000'000);
    SourceFeed feed(source);
    BatchQueue queue(feed, 2);
    std::optional<uint64_t> discardFrom;
    const auto first = queue.next(0, discardFrom);
    for (size_t more = 1; more < BatchQueue::kMaxAhead; ++more) {
        const auto batch = queue.next(1, discardFrom);
        queue.done(*batch, {batch->to, false, false});
    }
    const uint64_t readBefore = source.fileBytesRead();
    auto next = std::async(std::launch::async, [&] { return queue.next(1, discardFrom); });
    EXPECT_EQ(next.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    EXPECT_EQ(source.fileBytesRead(), readBefore);
    queue.done(*first, {first->to, false, false});
    EXPECT_TRUE(next.get());
}

TEST(BatchQueue, MisleadingTextReadsTheSameInAnyPieces)
{
    const std::string text = misleadingText(4'000'000);
    const auto expected = [&] {
        const WorkerCount workers(1);
        return importText(text);
    }();
    ASSERT_TRUE(expected);
    EXPECT_GT((*expected)->sliceCount(), 700u);
    EXPECT_TRUE((*expected)->report.empty());
    EXPECT_EQ((*expected)->info.metadata.size(), 1u);
    for (const unsigned count : {1u, 2u, 5u})
        for (const size_t chunk :
             {size_t{0}, size_t{1}, size_t{7}, size_t{1000}, size_t{524'289}, size_t{10'000'000}}) {
            const WorkerCount workers(count);
            const auto trace = importText(text, chunk);
            ASSERT_TRUE(trace);
            EXPECT_EQ(traceDifference(**trace, **expected), "") << count << " workers, pieces of " << chunk;
        }
}

TEST(BatchQueue, EventsLargerThanABatch)
{
    std::string text = "[";
    std::vector<std::string> names;
    for (int number = 0; number < 12; ++number) {
        const size_t size = number % 3 == 0 ? 3'000'000 : number % 3 == 1 ? 700'000 : 10;
        text += (number ? "," : "") + eventNumber(number, R"(,"args":{"long":")" + std::string(size, 'x') + "\"}");
        names.push_back("event " + std::to_string(number));
    }
    text += "]";
    for (const size_t chunk : {size_t{0}, size_t{100'000}, size_t{5'000'000}}) {
        const WorkerCount workers(3);
        const auto trace = importText(text, chunk);
        ASSERT_TRUE(trace);
        EXPECT_TRUE((*trace)->report.empty());
        EXPECT_EQ(sliceNames(**trace), names) << chunk;
    }
}

} // namespace
} // namespace riffle
