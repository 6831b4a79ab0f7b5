// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/idle/host_pieces.h"

#include "model/base/merge_sort.h"
#include "model/base/parallel.h"

#include <algorithm>

namespace riffle {

namespace {

bool isWork(SliceClass kind)
{
    return kind == SliceClass::Operator || kind == SliceClass::Dataloader || isRuntimeCall(kind);
}

/// Cuts nested slices into pieces. Slices must be opened in order of their start, outer ones first.
class Cutter {
public:
    explicit Cutter(BigVector<HostPiece> &pieces) : m_pieces(pieces) {}

    void open(const HostPiece &slice)
    {
        closeUntil(slice.span.begin);
        emit(slice.span.begin);
        m_working += isWork(slice.kind);
        m_open.push_back(slice);
        m_at = std::max(m_at, slice.span.begin);
    }
    void closeUntil(Ns time)
    {
        while (!m_open.empty() && m_open.back().span.end <= time) {
            emit(m_open.back().span.end);
            m_at = std::max(m_at, m_open.back().span.end);
            m_working -= isWork(m_open.back().kind);
            m_open.pop_back();
        }
    }

private:
    void emit(Ns until)
    {
        if (!m_open.empty() && m_at < until)
            m_pieces.push_back({{m_at, until}, m_open.back().slice, m_open.back().kind, m_working > 0});
    }

    BigVector<HostPiece> &m_pieces;
    std::vector<HostPiece> m_open;
    Ns m_at = kEarliestTime;
    int m_working = 0; ///< number of open slices that are work
};

/// The pieces of a part of the window.
struct Part {
    BigVector<HostPiece> pieces;
    bool hasOperators = false;
};

Part cutPart(const Trace &trace, const SliceClasses &classes, LaneId lane, TimeSpan window)
{
    struct Slice {
        TimeSpan whole; ///< not clipped, so that parts nest slices alike
        HostPiece piece;
    };
    Part part;
    BigVector<Slice> slices;
    for (const uint32_t index : trace.lanes[lane.value].segments) {
        const Segment &segment = *trace.segments[index];
        for (uint32_t row = 0; row < segment.rows(); ++row) {
            const auto [first, last] = segment.overlapping(row, window);
            for (uint32_t at = first; at < last; ++at) {
                const SliceClass kind = classes.of(segment, at);
                const TimeSpan whole{segment.slices.start[at], segment.end(at)}, span = whole.clipped(window);
                if ((isWork(kind) || isHostCode(kind)) && !span.empty())
                    slices.push_back({whole, {span, segment.firstSlice + at, kind, false}});
                part.hasOperators |= kind == SliceClass::Operator;
            }
        }
    }
    mergeSortRuns(slices, [](const Slice &a, const Slice &b) {
        return a.whole.begin != b.whole.begin ? a.whole.begin < b.whole.begin : a.whole.end > b.whole.end;
    });
    Cutter cutter(part.pieces);
    for (const Slice &slice : slices)
        cutter.open(slice.piece);
    cutter.closeUntil(INT64_MAX);
    return part;
}

/// Divides the window into parts of equal length, with about `slicesPerPart` slices each on average.
std::vector<TimeSpan> partsOf(const Trace &trace, LaneId lane, TimeSpan window, size_t slicesPerPart)
{
    size_t slices = 0;
    for (const uint32_t index : trace.lanes[lane.value].segments)
        for (uint32_t row = 0; row < trace.segments[index]->rows(); ++row) {
            const auto [first, last] = trace.segments[index]->overlapping(row, window);
            slices += last - first;
        }
    const Ns length = std::max<Ns>(1, window.duration() / static_cast<Ns>(slices / slicesPerPart + 1));
    std::vector<TimeSpan> parts;
    for (Ns begin = window.begin; begin < window.end;) {
        const Ns end = (window.end - begin) / 2 < length ? window.end : begin + length;
        parts.push_back({begin, end});
        begin = end;
    }
    return parts;
}

} // namespace

ThreadPieces::ThreadPieces(const Trace &trace, const SliceClasses &classes, LaneId lane, TimeSpan window,
                           size_t slicesPerPart)
{
    const std::vector<TimeSpan> parts = partsOf(trace, lane, window, slicesPerPart);
    std::vector<Part> cut(parts.size());
    parallelFor(parts.size(), [&](size_t at) { cut[at] = cutPart(trace, classes, lane, parts[at]); });
    for (Part &part : cut) {
        m_hasOperators |= part.hasOperators;
        auto first = part.pieces.begin();
        if (!m_pieces.empty() && first != part.pieces.end() && m_pieces.back().slice == first->slice &&
            m_pieces.back().working == first->working && m_pieces.back().span.end == first->span.begin) {
            m_pieces.back().span.end = first->span.end; // the border between the parts had cut it
            ++first;
        }
        m_pieces.insert(m_pieces.end(), first, part.pieces.end());
        part.pieces = {};
    }
    uint32_t working = UINT32_MAX;
    m_working.reserve(m_pieces.size());
    for (uint32_t at = 0; at < m_pieces.size(); ++at)
        m_working.push_back(working = m_pieces[at].working ? at : working);
}

std::optional<size_t> ThreadPieces::lastBefore(Ns time) const
{
    const auto after = std::lower_bound(m_pieces.begin(), m_pieces.end(), time,
                                        [](const HostPiece &piece, Ns value) { return piece.span.begin < value; });
    return after == m_pieces.begin() ? std::nullopt : std::optional(static_cast<size_t>(after - m_pieces.begin() - 1));
}

std::optional<size_t> ThreadPieces::lastWorkingBefore(Ns time) const
{
    const auto last = lastBefore(time);
    return last && m_working[*last] != UINT32_MAX ? std::optional<size_t>(m_working[*last]) : std::nullopt;
}

} // namespace riffle
