// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace_builder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

namespace riffle {
namespace {

/// Collects one slice on each of many threads, so that the stages before the sorting take a while, too.
void addThreads(TraceBuilder &builder)
{
    TraceWriter &writer = builder.newWriter();
    writer.beginBatch(0);
    for (int64_t thread = 0; thread < 3'000; ++thread) {
        const RawId process{1, RawId::Kind::Signed}, id{thread, RawId::Kind::Signed};
        const auto offset = static_cast<uint64_t>(thread);
        const uint32_t name = writer.intern("thread " + std::to_string(thread), offset);
        writer.metadata({MetadataRow::Kind::ThreadName, process, id, name, kNoInt, offset});
        SliceRow slice{};
        slice.start = thread;
        slice.duration = 1;
        slice.name = slice.category = name;
        slice.correlation = slice.externalId = kNoInt;
        slice.sourceOffset = offset;
        writer.slice(slice, writer.lane({process, id, LaneKind::Thread, 0}, offset));
    }
}

TEST(CancelledSeal, EndsWithAnErrorInEveryStage)
{
    constexpr int kTries = 150;
    for (int at = 0; at < kTries; ++at) {
        TraceBuilder builder;
        addThreads(builder);
        std::stop_source source;
        Progress progress;
        std::jthread stopper([&] {
            while (progress.stage == Progress::Stage::Reading)
                std::this_thread::yield();
            const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20 * at);
            while (std::chrono::steady_clock::now() < end)
                std::this_thread::yield();
            source.request_stop();
        });
        const auto trace = builder.seal({}, nullptr, {}, {source.get_token(), &progress});
        if (!trace)
            EXPECT_EQ(trace.error().kind, ErrorKind::Cancelled);
        else
            EXPECT_EQ((*trace)->sliceCount(), 3'000u);
    }
}

} // namespace
} // namespace riffle
