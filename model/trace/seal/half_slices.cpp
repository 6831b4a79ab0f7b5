// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/half_slices.h"

#include <algorithm>

namespace riffle {

namespace {

bool isBegin(char phase) { return phase == 'B' || phase == 'b' || phase == 'S'; }

PairedSlice sliceOf(const HalfRow &begin, Ns end)
{
    PairedSlice slice;
    slice.row.start = begin.time;
    slice.row.duration = std::max<Ns>(0, end - begin.time);
    slice.row.sourceOffset = begin.sourceOffset;
    slice.row.sourceLength = begin.sourceLength;
    slice.row.correlation = begin.correlation;
    slice.row.externalId = begin.externalId;
    slice.row.name = begin.name;
    slice.row.category = begin.category;
    slice.row.flags = begin.flags;
    slice.row.phase = begin.phase;
    slice.row.detail = SliceDetail::None;
    slice.lane = begin.lane;
    slice.group = begin.group;
    return slice;
}

/// The open begin that \p end closes: the innermost of that name, or the innermost of all when none is named so.
size_t matchOf(const std::vector<HalfRow> &open, const HalfRow &end)
{
    if (end.name == 0)
        return open.size() - 1;
    for (size_t at = open.size(); at > 0; --at)
        if (open[at - 1].name == end.name)
            return at - 1;
    return open.size();
}

} // namespace

std::vector<PairedSlice> pairHalves(std::vector<HalfRow> halves, Ns traceEnd, ImportReport &report)
{
    // At one time ends come before begins unless the file says otherwise by its order: file order decides among equals.
    // Async ids hold across processes, so their lane does not count.
    const auto laneOf = [](const HalfRow &half) { return half.group ? LaneId::kNone : half.lane; };
    std::stable_sort(halves.begin(), halves.end(), [&](const HalfRow &a, const HalfRow &b) {
        return std::tuple(laneOf(a), a.group, a.time) < std::tuple(laneOf(b), b.group, b.time);
    });
    std::vector<PairedSlice> slices;
    slices.reserve(halves.size() / 2);
    std::vector<HalfRow> open;
    for (size_t at = 0; at < halves.size();) {
        const size_t first = at;
        const auto sameTrack = [&](const HalfRow &row) {
            return laneOf(row) == laneOf(halves[first]) && row.group == halves[first].group;
        };
        for (; at < halves.size() && sameTrack(halves[at]); ++at) {
            const HalfRow &half = halves[at];
            if (isBegin(half.phase)) {
                open.push_back(half);
                continue;
            }
            const size_t match = open.empty() ? 0 : matchOf(open, half);
            if (match >= open.size()) {
                report.add(Trouble::UnmatchedEnd, half.sourceOffset, {});
                continue;
            }
            if (match + 1 != open.size())
                report.add(Trouble::NameMismatch, half.sourceOffset, {});
            slices.push_back(sliceOf(open[match], half.time));
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(match));
        }
        for (const HalfRow &begin : open) {
            PairedSlice slice = sliceOf(begin, traceEnd);
            slice.row.flags |= slice_flag::Unfinished;
            report.add(Trouble::UnfinishedBegin, begin.sourceOffset, {});
            slices.push_back(slice);
        }
        open.clear();
    }
    return slices;
}

} // namespace riffle
