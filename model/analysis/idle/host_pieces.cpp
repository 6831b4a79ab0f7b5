// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/idle/host_pieces.h"

#include "model/base/merge_sort.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <span>

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

/// A slice of a thread. Its times are not clipped to the window, so that all parts nest slices alike.
struct ThreadSlice {
    TimeSpan whole;
    uint32_t slice;
    SliceClass kind;
};

void collectSlices(const Trace &trace, const SliceClasses &classes, LaneId lane, TimeSpan window,
                   BigVector<ThreadSlice> &slices)
{
    slices.clear();
    for (const uint32_t index : trace.lanes[lane.value].segments) {
        const Segment &segment = *trace.segments[index];
        const std::span<const SliceClass> kinds = classes.of(segment);
        for (uint32_t row = 0; row < segment.rows(); ++row) {
            const auto [first, last] = segment.overlapping(row, window);
            for (uint32_t at = first; at < last; ++at) {
                const SliceClass kind = kinds[at];
                if (isWork(kind) || isHostCode(kind))
                    slices.push_back({{segment.slices.start[at], segment.end(at)}, segment.idAt(at).value, kind});
            }
        }
    }
    mergeSortRuns(slices, [](const ThreadSlice &a, const ThreadSlice &b) {
        return a.whole.begin != b.whole.begin ? a.whole.begin < b.whole.begin : a.whole.end > b.whole.end;
    });
}

ThreadPieces::Part cutPart(const Trace &trace, const SliceClasses &classes, LaneId lane, TimeSpan window,
                           BigVector<ThreadSlice> &slices)
{
    collectSlices(trace, classes, lane, window, slices);
    ThreadPieces::Part part;
    part.pieces.reserve(2 * slices.size()); // each slice ends one piece where it starts and one where it ends
    Cutter cutter(part.pieces);
    for (const ThreadSlice &slice : slices) {
        const TimeSpan span = slice.whole.clipped(window);
        part.hasOperators |= slice.kind == SliceClass::Operator;
        if (!span.empty())
            cutter.open({span, slice.slice, slice.kind, false});
    }
    cutter.closeUntil(INT64_MAX);
    uint32_t working = ThreadPieces::kNone;
    for (uint32_t at = 0; at < part.pieces.size(); ++at) {
        if (at % ThreadPieces::kBlock == 0)
            part.workingBefore.push_back(working);
        if (part.pieces[at].working)
            working = at;
    }
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

ThreadPieces::ThreadPieces(std::vector<Part> parts)
{
    for (Part &part : parts) {
        m_hasOperators |= part.hasOperators;
        if (part.pieces.empty())
            continue;
        const HostPiece &first = part.pieces.front();
        if (!m_parts.empty()) {
            HostPiece &last = m_parts.back().pieces.back();
            if (last.slice == first.slice && last.working == first.working && last.span.end == first.span.begin) {
                last.span.end = first.span.end; // the border between the parts had cut it
                part.first = 1;
            }
        }
        m_count += part.pieces.size() - part.first;
        if (part.first < part.pieces.size())
            m_parts.push_back(std::move(part));
    }
}

ThreadPieces::Place ThreadPieces::placeBefore(Ns time) const
{
    const auto startsBefore = [](const HostPiece &piece, Ns value) { return piece.span.begin < value; };
    const auto behindPart = std::lower_bound(m_parts.begin(), m_parts.end(), time, [&](const Part &part, Ns value) {
        return startsBefore(part.pieces[part.first], value);
    });
    if (behindPart == m_parts.begin())
        return {0, 0};
    const BigVector<HostPiece> &pieces = (behindPart - 1)->pieces;
    return {static_cast<size_t>(behindPart - 1 - m_parts.begin()),
            static_cast<size_t>(std::lower_bound(pieces.begin(), pieces.end(), time, startsBefore) - pieces.begin())};
}

const HostPiece *ThreadPieces::lastBefore(Ns time) const
{
    const Place place = placeBefore(time);
    return place.behind == 0 ? nullptr : &m_parts[place.part].pieces[place.behind - 1];
}

const HostPiece *ThreadPieces::lastWorkingBefore(Ns time) const
{
    Place place = placeBefore(time);
    while (place.behind > 0) {
        const Part &part = m_parts[place.part];
        const size_t block = (place.behind - 1) / kBlock;
        for (size_t at = place.behind; at-- > std::max<size_t>(part.first, block * kBlock);)
            if (part.pieces[at].working)
                return &part.pieces[at];
        if (const uint32_t before = part.workingBefore[block]; before != kNone && before >= part.first)
            return &part.pieces[before];
        if (place.part == 0)
            return nullptr;
        --place.part;
        place.behind = m_parts[place.part].pieces.size();
    }
    return nullptr;
}

std::vector<ThreadPieces> cutThreads(const Trace &trace, const SliceClasses &classes, std::span<const LaneId> lanes,
                                     TimeSpan window, size_t slicesPerPart)
{
    struct Cut {
        LaneId lane;
        TimeSpan window;
        ThreadPieces::Part part;
    };
    std::vector<Cut> cuts;
    std::vector<size_t> firstCut; // per lane, then the end
    for (const LaneId lane : lanes) {
        firstCut.push_back(cuts.size());
        for (const TimeSpan &part : partsOf(trace, lane, window, slicesPerPart))
            cuts.push_back({lane, part, {}});
    }
    firstCut.push_back(cuts.size());
    std::atomic<size_t> next{0};
    parallelFor(std::min<size_t>(workerCount(), cuts.size()), [&](size_t) {
        BigVector<ThreadSlice> slices; // used for one part after another, because its memory is mapped only once
        for (size_t at = next++; at < cuts.size(); at = next++) {
            throwIfStopped();
            cuts[at].part = cutPart(trace, classes, cuts[at].lane, cuts[at].window, slices);
        }
    });
    std::vector<ThreadPieces> threads;
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
        std::vector<ThreadPieces::Part> parts;
        for (size_t at = firstCut[lane]; at < firstCut[lane + 1]; ++at)
            parts.push_back(std::move(cuts[at].part));
        threads.emplace_back(std::move(parts));
    }
    assert(threads.size() == lanes.size());
    return threads;
}

} // namespace riffle
