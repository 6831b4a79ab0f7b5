// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/merge_sort.h"
#include "model/trace/seal/lane_nesting.h"
#include "model/trace/seal/sealer.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <vector>

namespace riffle {

namespace {

/// Calls body(begin, end) on pieces of a permutation that it permutes within themselves, so that scratch columns need
/// not be as long as the lane. Most permutations here have such pieces: segments, and stretches of a lane whose slices
/// are almost in order of time.
template <typename F>
void forEachPiece(std::span<const uint32_t> permutation, F body)
{
    for (size_t begin = 0, end = 0; begin < permutation.size(); begin = end) {
        end = std::min(begin + kPieceRows, permutation.size());
        for (size_t at = begin; at < end; ++at)
            end = std::max<size_t>(end, permutation[at] + size_t{1});
        assert(end <= permutation.size());
        body(begin, end);
    }
}

/// Replaces each values[i] by the former values[from[i]].
template <typename T>
void pick(std::span<T> values, std::span<const uint32_t> from, ScratchMemory *scratch)
{
    assert(from.size() == values.size());
    forEachPiece(from, [&](size_t begin, size_t end) {
        BigVector<T> picked(end - begin, scratch);
        for (size_t at = begin; at < end; ++at)
            picked[at - begin] = values[from[at]];
        std::copy(picked.begin(), picked.end(), values.begin() + static_cast<std::ptrdiff_t>(begin));
    });
}

/// Moves each values[i] to values[to[i]].
template <typename T>
void place(std::span<T> values, std::span<const uint32_t> to, ScratchMemory *scratch)
{
    assert(to.size() == values.size());
    forEachPiece(to, [&](size_t begin, size_t end) {
        BigVector<T> placed(end - begin, scratch);
        for (size_t at = begin; at < end; ++at)
            placed[to[at] - begin] = values[at];
        std::copy(placed.begin(), placed.end(), values.begin() + static_cast<std::ptrdiff_t>(begin));
    });
}

/// Runs jobs over the columns of a lane with \p rows slices, in parallel only if the lane is long: for short lanes, of
/// which there may be tens of thousands, threads cost more than they save.
void runColumnJobs(size_t rows, const std::vector<std::function<void()>> &jobs)
{
    if (rows >= kPieceRows)
        return parallelJobs(jobs);
    for (const auto &job : jobs)
        job();
}

} // namespace

/// The columns of one lane while it is sorted and nested, all in the memory of the sealed columns.
struct Sealer::LaneSlices {
    std::span<uint32_t> references;
    std::span<Ns> start, duration, self;
    std::span<uint32_t> parent, depth;
};

void Sealer::orderAndNest(Task task)
{
    const size_t lanes = m_trace->lanes.size();
    ColumnDraft<Ns> start(*m_memory, m_sliceCount), duration(*m_memory, m_sliceCount);
    if (!start.ok() || !duration.ok()) {
        m_outOfMemory = true;
        return;
    }
    gatherColumn<0>(m_slices, m_order, start.data());
    gatherColumn<1>(m_slices, m_order, duration.data());
    m_segmentEnds.resize(lanes);
    m_rowBegins.resize(lanes);
    // Largest lanes first, so that a long lane does not start only when the others are done.
    std::vector<uint32_t> order(lanes);
    std::iota(order.begin(), order.end(), 0u);
    const auto sizeOf = [&](uint32_t lane) { return m_laneBegin[lane + 1] - m_laneBegin[lane]; };
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return sizeOf(a) > sizeOf(b); });
    const auto forEachLane = [&](auto body) {
        parallelFor(lanes, [&](size_t at) {
            const uint32_t lane = order[at];
            const auto part = [&](auto all) { return all.subspan(m_laneBegin[lane], sizeOf(lane)); };
            if (!task.stopped())
                body(lane, part);
        });
    };
    forEachLane([&](uint32_t lane, auto part) {
        sortLane(lane, {part(std::span(m_order)), part(start.span()), part(duration.span()), {}, {}, {}});
    });
    // Allocated only now, so that these columns reuse the scratch memory of the sorts.
    ColumnDraft<Ns> self(*m_memory, m_sliceCount);
    ColumnDraft<uint32_t> parent(*m_memory, m_sliceCount), depth(*m_memory, m_sliceCount);
    if (!self.ok() || !parent.ok() || !depth.ok()) {
        m_outOfMemory = true;
        return;
    }
    forEachLane([&](uint32_t lane, auto part) {
        nestOne(lane, {part(std::span(m_order)), part(start.span()), part(duration.span()), part(self.span()),
                       part(parent.span()), part(depth.span())});
    });
    m_sealed.start = start.column();
    m_sealed.duration = duration.column();
    m_nesting.self = self.column();
    m_nesting.parent = parent.column();
    m_nesting.depth = depth.column();
}

void Sealer::sortLane(uint32_t number, const LaneSlices &lane)
{
    const bool isStream = m_trace->lanes[number].kind == LaneKind::Stream;
    const auto count = static_cast<uint32_t>(lane.start.size());
    BigVector<uint32_t> order(count, &m_scratch);
    std::iota(order.begin(), order.end(), 0u);
    mergeSortRuns(order, [&](uint32_t a, uint32_t b) {
        return lane.start[a] < lane.start[b] || (lane.start[a] == lane.start[b] && lane.duration[a] > lane.duration[b]);
    });
    const auto offsetOf = [&](uint32_t at) {
        return m_slices.at(&SliceTableT<Pointer>::sourceOffset, lane.references[at]);
    };
    // Among Python frames with the same interval, the caller has the lower id, regardless of their order in the file.
    const auto pythonId = [&](uint32_t at) {
        const uint32_t reference = lane.references[at];
        if (m_slices.at(&SliceTableT<Pointer>::detail, reference) != SliceDetail::Python)
            return kNoInt;
        const uint32_t row = m_placements.at(&PlacementTableT<Pointer>::detailRow, reference);
        return m_writers[m_slices.writerOf(reference)]
            ->m_python.blocks()[row >> kBlockBits]
            .columns.pythonId[row & (kBlockRows - 1)];
    };
    for (uint32_t first = 0, last; first < count; first = last) {
        const auto sameInterval = [&](uint32_t a, uint32_t b) {
            return lane.start[a] == lane.start[b] && lane.duration[a] == lane.duration[b];
        };
        for (last = first + 1; last < count && sameInterval(order[first], order[last]);)
            ++last;
        if (last - first == 1)
            continue;
        const std::span<uint32_t> twins(order.data() + first, last - first);
        if (!m_pairGroups.empty()) // paired slices come from a separate writer, so restore file order
            std::stable_sort(twins.begin(), twins.end(),
                             [&](uint32_t a, uint32_t b) { return offsetOf(a) < offsetOf(b); });
        if (isStream) // if both have the same interval, the annotation contains the kernel, regardless of file order
            std::stable_partition(twins.begin(), twins.end(), [&](uint32_t at) {
                return (m_slices.at(&SliceTableT<Pointer>::flags, lane.references[at]) & slice_flag::Annotation) != 0;
            });
        std::vector<size_t> places;
        std::vector<uint32_t> frames;
        for (size_t at = 0; at < twins.size(); ++at)
            if (pythonId(twins[at]) != kNoInt) {
                places.push_back(at);
                frames.push_back(twins[at]);
            }
        std::stable_sort(frames.begin(), frames.end(),
                         [&](uint32_t a, uint32_t b) { return pythonId(a) < pythonId(b); });
        for (size_t at = 0; at < places.size(); ++at)
            twins[places[at]] = frames[at];
    }
    if (std::is_sorted(order.begin(), order.end()))
        return;
    const auto pickOne = [&](auto values) { return [&, values] { pick(values, order, &m_scratch); }; };
    runColumnJobs(count, {pickOne(lane.start), pickOne(lane.duration), pickOne(lane.references)});
}

void Sealer::nestOne(uint32_t lane, const LaneSlices &slices)
{
    const auto count = static_cast<uint32_t>(slices.start.size());
    const LaneKind kind = m_trace->lanes[lane].kind;
    NestingInput input;
    input.start = slices.start;
    input.duration = slices.duration;
    std::vector<uint8_t> canParent;
    std::vector<uint64_t> group;
    const bool isShared = lane >= m_firstSharedLane; // slices of unrelated lanes
    if (kind == LaneKind::Stream || (isShared && kind == LaneKind::Thread)) {
        input.policy = NestingInput::Policy::Stream;
        for (const uint32_t reference : slices.references)
            canParent.push_back(!isShared &&
                                (m_slices.at(&SliceTableT<Pointer>::flags, reference) & slice_flag::Annotation) != 0);
        input.canParent = canParent;
    } else if (kind == LaneKind::Async) {
        input.policy = NestingInput::Policy::Async;
        for (const uint32_t reference : slices.references) {
            const uint32_t row = reference - m_slices.reference(m_slices.writerOf(reference), 0);
            const bool isPaired = m_slices.writerOf(reference) + 1 == m_writers.size() && row < m_pairGroups.size();
            group.push_back(isPaired ? m_pairGroups[row] : 0);
        }
        input.group = group;
    }
    BigVector<uint32_t> row(count, &m_scratch);
    assert(std::ranges::is_sorted(slices.start));
    const NestedLane nested = nestLane(input, {slices.parent, slices.depth, row, slices.self});
    for (const uint32_t index : nested.crossing)
        m_slices.at(&SliceTableT<Pointer>::flags, slices.references[index]) |= slice_flag::Crossing;
    m_trace->lanes[lane].rows = nested.rows;
    m_trace->lanes[lane].slices = count;

    const BigVector<uint32_t> finalIndex = orderByRow(lane, row);
    row = BigVector<uint32_t>();
    bindFlows(lane, slices.start, slices.duration, slices.references, finalIndex);
    for (uint32_t &parent : slices.parent)
        if (parent != Nesting::kNone)
            parent = m_laneBegin[lane] + finalIndex[parent];
    if (std::is_sorted(finalIndex.begin(), finalIndex.end()))
        return;
    const auto placeOne = [&](auto values) { return [&, values] { place(values, finalIndex, &m_scratch); }; };
    runColumnJobs(count, {placeOne(slices.references), placeOne(slices.parent), placeOne(slices.depth),
                          placeOne(slices.start), placeOne(slices.duration), placeOne(slices.self)});
}

BigVector<uint32_t> Sealer::orderByRow(uint32_t lane, std::span<const uint32_t> row)
{
    const auto count = static_cast<uint32_t>(row.size());
    BigVector<uint32_t> finalIndex(count, &m_scratch);
    for (uint32_t begin = 0; begin < count; begin += m_segmentSlices) {
        const auto end = static_cast<uint32_t>(std::min<uint64_t>(count, uint64_t(begin) + m_segmentSlices));
        const uint32_t rows = *std::max_element(row.begin() + begin, row.begin() + end) + 1;
        std::vector<uint32_t> rowBegin(rows + 1, 0);
        for (uint32_t at = begin; at < end; ++at)
            ++rowBegin[row[at] + 1];
        std::partial_sum(rowBegin.begin(), rowBegin.end(), rowBegin.begin());
        std::vector<uint32_t> next(rowBegin.begin(), rowBegin.end() - 1);
        for (uint32_t at = begin; at < end; ++at)
            finalIndex[at] = begin + next[row[at]]++;
        assert(rowBegin.back() == end - begin);
        m_segmentEnds[lane].push_back(end);
        m_rowBegins[lane].push_back(std::move(rowBegin));
        if (end == count)
            break; // begin + m_segmentSlices might overflow
    }
    return finalIndex;
}

} // namespace riffle
