// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/half_slices.h"

#include <algorithm>
#include <cassert>
#include <utility>

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
    if (begin.flags & slice_flag::AbsurdTime)
        slice.row.duration = 0;
    slice.row.phase = begin.phase;
    slice.row.detail = SliceDetail::None;
    slice.lane = begin.lane;
    slice.group = begin.group;
    return slice;
}

/// The begins of one track that no end has closed yet. Every step takes amortized constant time, no matter how many are
/// open: begins with the same name are linked from the innermost outwards, and a begin that is closed out of order
/// keeps its place until those inside it are closed.
class OpenBegins {
public:
    explicit OpenBegins(size_t names) : m_innermost(names, kNone) {}

    void open(const HalfRow &begin)
    {
        m_begins.push_back({&begin, std::exchange(m_innermost[begin.name], static_cast<uint32_t>(m_begins.size()))});
    }
    /// Removes and returns the begin that \p end closes; null if there is none. Sets \p mismatch if others are open
    /// inside it.
    const HalfRow *close(const HalfRow &end, bool &mismatch)
    {
        while (!m_begins.empty() && !m_begins.back().half)
            m_begins.pop_back();
        if (m_begins.empty())
            return nullptr;
        const uint32_t at = end.name ? m_innermost[end.name] : static_cast<uint32_t>(m_begins.size() - 1);
        if (at == kNone)
            return nullptr;
        mismatch = at + 1 != m_begins.size();
        assert(at < m_begins.size() && m_begins[at].half);
        const HalfRow *begin = std::exchange(m_begins[at].half, nullptr);
        // An end without a name closes the innermost begin of all, which is also the innermost of its name.
        m_innermost[begin->name] = m_begins[at].outerOfName;
        return begin;
    }
    /// Calls left(begin) for each begin that is still open, outermost first, and removes them all.
    template <typename F>
    void finish(F left)
    {
        for (const Begin &begin : m_begins) {
            if (!begin.half)
                continue;
            m_innermost[begin.half->name] = kNone;
            left(*begin.half);
        }
        m_begins.clear();
    }

private:
    static constexpr uint32_t kNone = UINT32_MAX;
    struct Begin {
        const HalfRow *half;  ///< null once closed
        uint32_t outerOfName; ///< index in m_begins or kNone
    };
    std::vector<Begin> m_begins;
    std::vector<uint32_t> m_innermost; ///< per name: index in m_begins or kNone
};

} // namespace

std::vector<PairedSlice> pairHalves(std::vector<HalfRow> halves, Ns traceEnd, ImportReport &report)
{
    // The sort is stable, so events of the same time stay in file order. Async ids are valid across processes, so their
    // lanes are ignored.
    const auto laneOf = [](const HalfRow &half) { return half.group ? LaneId::kNone : half.lane; };
    std::stable_sort(halves.begin(), halves.end(), [&](const HalfRow &a, const HalfRow &b) {
        return std::tuple(laneOf(a), a.group, a.time) < std::tuple(laneOf(b), b.group, b.time);
    });
    std::vector<PairedSlice> slices;
    slices.reserve(halves.size() / 2);
    uint32_t names = 1;
    for (const HalfRow &half : halves)
        names = std::max(names, half.name + 1);
    OpenBegins open(names);
    for (size_t at = 0; at < halves.size();) {
        const size_t first = at;
        const auto sameTrack = [&](const HalfRow &row) {
            return laneOf(row) == laneOf(halves[first]) && row.group == halves[first].group;
        };
        for (; at < halves.size() && sameTrack(halves[at]); ++at) {
            const HalfRow &half = halves[at];
            if (isBegin(half.phase)) {
                open.open(half);
                continue;
            }
            bool mismatch = false;
            const HalfRow *begin = open.close(half, mismatch);
            if (!begin) {
                report.add(Trouble::UnmatchedEnd, half.sourceOffset, {});
                continue;
            }
            if (mismatch)
                report.add(Trouble::NameMismatch, half.sourceOffset, {});
            slices.push_back(sliceOf(*begin, half.time));
            slices.back().end = {half.sourceOffset, half.sourceLength};
        }
        open.finish([&](const HalfRow &begin) {
            PairedSlice slice = sliceOf(begin, traceEnd);
            slice.row.flags |= slice_flag::Unfinished;
            report.add(Trouble::UnfinishedBegin, begin.sourceOffset, {});
            slices.push_back(slice);
        });
    }
    return slices;
}

} // namespace riffle
