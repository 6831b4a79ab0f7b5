// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/idle/host_pieces.h"
#include "model/base/parallel.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

namespace riffle {

namespace {

using Piece = std::tuple<Ns, Ns, uint32_t, bool>;

Piece pieceOf(const HostPiece &piece) { return {piece.span.begin, piece.span.end, piece.slice, piece.working}; }

std::vector<Piece> listOf(const ThreadPieces &thread)
{
    std::vector<Piece> list;
    thread.forEach([&](const HostPiece &piece) { list.push_back(pieceOf(piece)); });
    EXPECT_EQ(list.size(), thread.count());
    return list;
}

std::optional<Piece> pieceOf(const HostPiece *piece) { return piece ? std::optional(pieceOf(*piece)) : std::nullopt; }

/// The last (working) piece of a list that starts before a time.
std::optional<Piece> lastOf(const std::vector<Piece> &list, Ns time, bool working)
{
    std::optional<Piece> last;
    for (const Piece &piece : list)
        if (std::get<0>(piece) < time && (!working || std::get<3>(piece)))
            last = piece;
    return last;
}

ThreadPieces cut(const Trace &trace, uint32_t lane, TimeSpan window, size_t slicesPerPart)
{
    const std::array lanes{LaneId(lane)};
    return std::move(cutThreads(trace, SliceClasses(trace), lanes, window, slicesPerPart).front());
}

TEST(HostPieces, PartsGiveTheSamePieces)
{
    test::SmallTrace small;
    std::mt19937 random(5);
    const uint32_t lane = small.thread(10);
    for (int step = 0; step < 20; ++step) {
        const Ns begin = 10'000 * step;
        small.step(lane, step, begin, 9'000);
        small.frame(lane, "loop.py(3): step", begin, 8'900);
        for (Ns at = begin + 100; at < begin + 8'000; at += 700) {
            small.operation(lane, "outer", at, 500);
            small.operation(lane, "inner", at + 50, 100 + static_cast<Ns>(random() % 200));
            small.launch(lane, at + 60, 20, step);
        }
    }
    const auto trace = small.seal(16);
    for (const TimeSpan window : {trace->span, TimeSpan{12'345, 150'007}}) {
        const std::vector<Piece> whole = listOf(cut(*trace, lane, window, SIZE_MAX));
        ASSERT_GT(whole.size(), 100u);
        for (const size_t slices : {1u, 3u, 16u, 100u, UINT32_MAX}) {
            const ThreadPieces parts = cut(*trace, lane, window, slices);
            EXPECT_EQ(listOf(parts), whole) << slices;
            EXPECT_TRUE(parts.hasOperators());
            for (Ns time = window.begin; time < window.end; time += 333) {
                EXPECT_EQ(pieceOf(parts.lastBefore(time)), lastOf(whole, time, false)) << slices << ' ' << time;
                EXPECT_EQ(pieceOf(parts.lastWorkingBefore(time)), lastOf(whole, time, true)) << slices << ' ' << time;
            }
        }
    }
}

TEST(HostPieces, WorkBeforeALongPauseIsFound)
{
    // One operator, then frames without work in all parts but the first; the frame around them crosses their borders.
    test::SmallTrace small;
    const uint32_t lane = small.thread(10), other = small.thread(11);
    small.operation(lane, "aten::mm", 1'000, 500);
    small.frame(lane, "wait.py(1): wait", 2'000, 100'000);
    for (Ns at = 2'000; at < 90'000; at += 100)
        small.frame(lane, "wait.py(2): poll", at + 10, 50);
    small.frame(other, "idle.py(1): idle", 500, 50'000);
    const auto trace = small.seal(16);
    ASSERT_EQ(trace->slice(test::sliceNamed(*trace, "aten::mm"))->lane.value, lane);
    const std::vector<Piece> whole = listOf(cut(*trace, lane, trace->span, SIZE_MAX));
    for (const size_t slices : {1u, 7u, 100u, UINT32_MAX}) {
        const ThreadPieces parts = cut(*trace, lane, trace->span, slices);
        EXPECT_EQ(listOf(parts), whole);
        for (const Ns time : {1'000, 1'001, 1'500, 2'000, 50'000, 101'000})
            EXPECT_EQ(pieceOf(parts.lastWorkingBefore(time)), lastOf(whole, time, true)) << slices << ' ' << time;
        EXPECT_EQ(parts.lastBefore(1'000), nullptr);
        const ThreadPieces idle = cut(*trace, other, trace->span, slices);
        EXPECT_EQ(idle.count(), 1u); // no border between parts is left in it
        EXPECT_FALSE(idle.hasOperators());
        EXPECT_EQ(idle.lastWorkingBefore(60'000), nullptr);
    }
}

TEST(HostPieces, OfSeveralThreadsDoNotDependOnTheWorkers)
{
    test::SmallTrace small;
    std::mt19937 random(7);
    std::vector<LaneId> lanes;
    for (int thread = 1; thread < 6; ++thread) {
        const uint32_t lane = small.thread(10 + thread);
        lanes.emplace_back(lane);
        for (int at = 0; at < 40 * thread; ++at)
            small.operation(lane, "op", at * 100, 20 + static_cast<Ns>(random() % 80));
    }
    const auto trace = small.seal(16);
    const SliceClasses classes(*trace);
    std::vector<std::vector<Piece>> expected;
    for (const unsigned workers : {1u, 2u, 3u, 8u}) {
        setWorkerCount(workers);
        std::vector<std::vector<Piece>> found;
        for (const ThreadPieces &thread : cutThreads(*trace, classes, lanes, trace->span, 10))
            found.push_back(listOf(thread));
        setWorkerCount(0);
        ASSERT_EQ(found.size(), lanes.size());
        for (const std::vector<Piece> &pieces : found)
            EXPECT_GE(pieces.size(), 40u);
        if (expected.empty())
            expected = found;
        EXPECT_EQ(found, expected) << workers;
    }
}

} // namespace

} // namespace riffle
