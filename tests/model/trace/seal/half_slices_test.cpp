// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/half_slices.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace riffle {
namespace {

HalfRow half(char phase, Ns time, uint32_t name, uint64_t offset, uint32_t lane = 0, uint64_t group = 0)
{
    HalfRow row{};
    row.phase = phase;
    row.time = time;
    row.name = name;
    row.sourceOffset = offset;
    row.lane = lane;
    row.group = group;
    return row;
}

struct Pairing {
    std::map<uint64_t, Ns> ends; ///< by the offset of the begin event
    std::vector<uint64_t> unfinished, unmatched, mismatched;
    bool operator==(const Pairing &) const = default;
};

/// The pairs by definition: every end looks through everything that is open.
Pairing pairedByDefinition(std::vector<HalfRow> halves, Ns traceEnd)
{
    std::stable_sort(halves.begin(), halves.end(), [](const auto &a, const auto &b) { return a.time < b.time; });
    Pairing pairing;
    std::vector<HalfRow> open;
    for (const HalfRow &end : halves) {
        if (end.phase != 'E' && end.phase != 'e' && end.phase != 'F') {
            open.push_back(end);
            continue;
        }
        std::vector<size_t> track;
        for (size_t at = 0; at < open.size(); ++at)
            if (end.group ? open[at].group == end.group : open[at].group == 0 && open[at].lane == end.lane)
                track.push_back(at);
        const auto match = std::find_if(track.rbegin(), track.rend(),
                                        [&](size_t at) { return end.name == 0 || open[at].name == end.name; });
        if (match == track.rend()) {
            pairing.unmatched.push_back(end.sourceOffset);
            continue;
        }
        if (match != track.rbegin())
            pairing.mismatched.push_back(end.sourceOffset);
        pairing.ends[open[*match].sourceOffset] = end.time;
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(*match));
    }
    for (const HalfRow &begin : open) {
        pairing.unfinished.push_back(begin.sourceOffset);
        pairing.ends[begin.sourceOffset] = std::max(begin.time, traceEnd);
    }
    for (auto *offsets : {&pairing.unfinished, &pairing.unmatched, &pairing.mismatched})
        std::sort(offsets->begin(), offsets->end());
    return pairing;
}

std::vector<uint64_t> firstOffsets(const ImportReport &report, Trouble kind)
{
    std::vector<uint64_t> offsets;
    for (const TroubleExample &example : report.of(kind).examples)
        offsets.push_back(example.offset);
    return offsets;
}

std::vector<uint64_t> firstOf(std::vector<uint64_t> offsets)
{
    offsets.resize(std::min(offsets.size(), ImportReport::kExamples));
    return offsets;
}

TEST(HalfSlices, RandomHalvesPairAsDefined)
{
    std::mt19937 random(5);
    const auto below = [&](unsigned limit) { return static_cast<uint32_t>(random() % limit); };
    for (int round = 0; round < 3000 && !testing::Test::HasFailure(); ++round) {
        std::vector<HalfRow> halves;
        const uint32_t count = 1 + below(24), names = 1 + below(4), tracks = 1 + below(3), times = 1 + below(30);
        for (uint32_t i = 0; i < count; ++i) {
            const bool async = below(3) == 0;
            const char phase = async ? "beSF"[below(4)] : "BE"[below(2)];
            halves.push_back(
                half(phase, below(times), below(names + 1), i, below(tracks), async ? 1 + below(tracks) : 0));
        }
        const Ns traceEnd = 10;
        const Pairing expected = pairedByDefinition(halves, traceEnd);
        ImportReport report;
        std::vector<uint64_t> unfinished;
        std::map<uint64_t, Ns> ends;
        for (const PairedSlice &slice : pairHalves(halves, traceEnd, report)) {
            const HalfRow &begin = halves[slice.row.sourceOffset];
            EXPECT_TRUE(ends.emplace(slice.row.sourceOffset, slice.row.start + slice.row.duration).second);
            EXPECT_EQ(slice.row.start, begin.time);
            EXPECT_EQ(slice.row.name, begin.name);
            EXPECT_EQ(slice.row.phase, begin.phase);
            EXPECT_EQ(slice.lane, begin.lane);
            EXPECT_EQ(slice.group, begin.group);
            if (slice.row.flags & slice_flag::Unfinished)
                unfinished.push_back(slice.row.sourceOffset);
        }
        std::sort(unfinished.begin(), unfinished.end());
        EXPECT_EQ(ends, expected.ends);
        EXPECT_EQ(unfinished, expected.unfinished);
        EXPECT_EQ(report.of(Trouble::UnfinishedBegin).count, expected.unfinished.size());
        EXPECT_EQ(report.of(Trouble::UnmatchedEnd).count, expected.unmatched.size());
        EXPECT_EQ(report.of(Trouble::NameMismatch).count, expected.mismatched.size());
        EXPECT_EQ(firstOffsets(report, Trouble::UnmatchedEnd), firstOf(expected.unmatched));
        EXPECT_EQ(firstOffsets(report, Trouble::NameMismatch), firstOf(expected.mismatched));
    }
}

TEST(HalfSlices, AnUnnamedEndTakesTheInnermostAndLeavesTheOutersOfItsName)
{
    ImportReport report;
    const auto slices = pairHalves({half('B', 0, 1, 0), half('B', 1, 2, 1), half('B', 2, 1, 2), half('E', 3, 0, 3),
                                    half('E', 4, 1, 4), half('E', 5, 0, 5)},
                                   9, report);
    ASSERT_EQ(slices.size(), 3u);
    EXPECT_EQ(slices[0].row.sourceOffset, 2u); // closed by the unnamed end
    EXPECT_EQ(slices[1].row.sourceOffset, 0u); // the other one of that name, below
    EXPECT_EQ(slices[2].row.sourceOffset, 1u);
    EXPECT_EQ(report.of(Trouble::NameMismatch).count, 1u);
    EXPECT_EQ(report.of(Trouble::UnfinishedBegin).count, 0u);
}

TEST(HalfSlices, NothingIsLongerThanTimeAllows)
{
    ImportReport report;
    const auto slices = pairHalves({half('B', 50, 1, 0)}, 20, report); // starts after the last recorded time
    ASSERT_EQ(slices.size(), 1u);
    EXPECT_EQ(slices[0].row.duration, 0);
    EXPECT_TRUE(pairHalves({}, 0, report).empty());
}

} // namespace
} // namespace riffle
