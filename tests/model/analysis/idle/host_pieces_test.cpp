// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/idle/host_pieces.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace riffle {

namespace {

std::vector<std::tuple<Ns, Ns, uint32_t, bool>> listOf(const ThreadPieces &thread)
{
    std::vector<std::tuple<Ns, Ns, uint32_t, bool>> list;
    for (const HostPiece &piece : thread.pieces())
        list.emplace_back(piece.span.begin, piece.span.end, piece.slice, piece.working);
    return list;
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
    const SliceClasses classes(*trace);
    for (const TimeSpan window : {trace->span, TimeSpan{12'345, 150'007}}) {
        const ThreadPieces whole(*trace, classes, LaneId(lane), window, SIZE_MAX);
        ASSERT_GT(whole.pieces().size(), 100u);
        for (const size_t slices : {1u, 3u, 16u, 100u}) {
            const ThreadPieces parts(*trace, classes, LaneId(lane), window, slices);
            EXPECT_EQ(listOf(parts), listOf(whole)) << slices;
            EXPECT_TRUE(parts.hasOperators());
            for (Ns time = window.begin; time < window.end; time += 333) {
                EXPECT_EQ(parts.lastBefore(time), whole.lastBefore(time));
                EXPECT_EQ(parts.lastWorkingBefore(time), whole.lastWorkingBefore(time));
            }
        }
    }
}

} // namespace

} // namespace riffle
