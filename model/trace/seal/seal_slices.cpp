// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/lane_nesting.h"
#include "model/trace/seal/merge_sort.h"
#include "model/trace/seal/sealer.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>

namespace riffle {

void Sealer::pairBeginsAndEnds()
{
    std::vector<HalfRow> halves;
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
        const auto &table = m_writers[writer]->m_halves;
        for (uint32_t at = 0; at < table.rows(); ++at) {
            const auto &from = table.blocks()[at >> kBlockBits].columns;
            const uint32_t row = at & (kBlockRows - 1);
            HalfRow half;
            std::apply([&](auto &...field) { std::apply([&](auto *const &...column) { ((field = column[row]), ...); }, from.members()); },
                       half.members());
            half.name = string(writer, half.name);
            half.category = string(writer, half.category);
            half.lane = m_laneIds[writer][half.lane];
            halves.push_back(half);
        }
    }
    if (halves.empty())
        return;
    std::sort(halves.begin(), halves.end(), [](const HalfRow &a, const HalfRow &b) { return a.sourceOffset < b.sourceOffset; });
    std::vector<PairedSlice> paired = pairHalves(std::move(halves), m_trace->info.recorded.end, m_trace->report);
    std::sort(paired.begin(), paired.end(),
              [](const PairedSlice &a, const PairedSlice &b) { return a.row.sourceOffset < b.row.sourceOffset; });
    // They go on as the rows of one more writer whose ids are the trace's already.
    auto writer = std::make_unique<TraceWriter>(m_memory);
    for (const PairedSlice &slice : paired) {
        writer->slice(slice.row, slice.lane);
        m_pairGroups.push_back(slice.group);
    }
    m_stringIds.emplace_back(m_trace->strings.count());
    std::iota(m_stringIds.back().begin(), m_stringIds.back().end(), 0u);
    m_laneIds.emplace_back(m_trace->lanes.size());
    std::iota(m_laneIds.back().begin(), m_laneIds.back().end(), 0u);
    m_writers.push_back(std::move(writer));
}

void Sealer::bucketByLane()
{
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
        m_slices.add(m_writers[writer]->m_slices, writer);
        m_placements.add(m_writers[writer]->m_placements, writer);
    }
    // Batches in file order; a writer's rows between two of its batches belong to the first.
    struct Run {
        uint64_t sequence;
        uint32_t writer, begin, end;
    };
    std::vector<Run> runs;
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
        const auto &batches = m_writers[writer]->m_batches;
        for (size_t batch = 0; batch < batches.size(); ++batch) {
            const uint32_t end = batch + 1 < batches.size() ? batches[batch + 1].slices : m_writers[writer]->m_slices.rows();
            if (batches[batch].slices < end)
                runs.push_back({batches[batch].sequence, writer, batches[batch].slices, end});
        }
    }
    std::stable_sort(runs.begin(), runs.end(), [](const Run &a, const Run &b) { return a.sequence < b.sequence; });

    const size_t lanes = m_trace->lanes.size();
    std::vector<uint32_t> counts(lanes + 1, 0);
    const auto forEachRow = [&](const Run &run, auto body) {
        for (uint32_t row = run.begin; row < run.end; ++row) {
            const uint32_t reference = m_placements.reference(run.writer, row);
            body(m_laneIds[run.writer][m_placements.at(&PlacementTableT<Pointer>::lane, reference)], reference);
        }
    };
    for (const Run &run : runs)
        forEachRow(run, [&](uint32_t lane, uint32_t) { ++counts[lane]; });
    m_laneBegin.assign(lanes + 1, 0);
    for (size_t lane = 0; lane < lanes; ++lane)
        m_laneBegin[lane + 1] = m_laneBegin[lane] + counts[lane];
    m_sliceCount = m_laneBegin[lanes];
    m_order.resize(m_sliceCount);
    std::vector<uint32_t> next(m_laneBegin.begin(), m_laneBegin.end() - 1);
    for (const Run &run : runs)
        forEachRow(run, [&](uint32_t lane, uint32_t reference) { m_order[next[lane]++] = reference; });
}

void Sealer::orderAndNest(Task task)
{
    const size_t lanes = m_trace->lanes.size();
    ColumnDraft<Ns> self(*m_memory, m_sliceCount);
    ColumnDraft<uint32_t> parent(*m_memory, m_sliceCount), depth(*m_memory, m_sliceCount);
    if (!self.ok() || !parent.ok() || !depth.ok()) {
        m_outOfMemory = true;
        return;
    }
    m_self = self.data();
    m_parent = parent.data();
    m_depth = depth.data();
    m_segmentEnds.resize(lanes);
    m_rowBegins.resize(lanes);
    // Largest lanes first, so that one long lane does not begin when the others are done.
    std::vector<uint32_t> order(lanes);
    std::iota(order.begin(), order.end(), 0u);
    const auto sizeOf = [&](uint32_t lane) { return m_laneBegin[lane + 1] - m_laneBegin[lane]; };
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return sizeOf(a) > sizeOf(b); });
    parallelFor(lanes, [&](size_t at) {
        if (!task.stopped())
            nestOne(order[at], task);
    });
    m_nesting.self = self.column();
    m_nesting.parent = parent.column();
    m_nesting.depth = depth.column();
}

void Sealer::nestOne(uint32_t lane, Task task)
{
    const std::span<uint32_t> references(m_order.data() + m_laneBegin[lane], m_laneBegin[lane + 1] - m_laneBegin[lane]);
    if (references.empty()) {
        bindFlows(lane, {}, {}, {});
        return;
    }
    struct Key {
        Ns start;
        Ns duration;
        uint32_t reference;
    };
    BigVector<Key> keys(references.size());
    for (size_t at = 0; at < references.size(); ++at)
        keys[at] = {m_slices.at(&SliceTableT<Pointer>::start, references[at]),
                    m_slices.at(&SliceTableT<Pointer>::duration, references[at]), references[at]};
    mergeSortRuns(keys, [](const Key &a, const Key &b) {
        return a.start < b.start || (a.start == b.start && a.duration > b.duration);
    });
    // Among Python frames of one interval the caller has the lower id, wherever the file puts them.
    const auto pythonId = [&](const Key &key) {
        if (m_slices.at(&SliceTableT<Pointer>::detail, key.reference) != SliceDetail::Python)
            return kNoInt;
        const uint32_t writer = m_slices.writerOf(key.reference);
        const uint32_t row = m_placements.at(&PlacementTableT<Pointer>::detailRow, key.reference);
        return m_writers[writer]->m_python.blocks()[row >> kBlockBits].columns.pythonId[row & (kBlockRows - 1)];
    };
    const auto offsetOf = [&](const Key &key) { return m_slices.at(&SliceTableT<Pointer>::sourceOffset, key.reference); };
    for (size_t first = 0; first < keys.size();) {
        size_t last = first + 1;
        while (last < keys.size() && keys[last].start == keys[first].start && keys[last].duration == keys[first].duration)
            ++last;
        if (last - first > 1) {
            if (!m_pairGroups.empty()) // paired slices come from a writer of their own: back to file order
                std::stable_sort(keys.begin() + static_cast<std::ptrdiff_t>(first), keys.begin() + static_cast<std::ptrdiff_t>(last),
                                 [&](const Key &a, const Key &b) { return offsetOf(a) < offsetOf(b); });
            std::vector<size_t> places;
            std::vector<Key> frames;
            for (size_t at = first; at < last; ++at)
                if (pythonId(keys[at]) != kNoInt) {
                    places.push_back(at);
                    frames.push_back(keys[at]);
                }
            std::stable_sort(frames.begin(), frames.end(),
                             [&](const Key &a, const Key &b) { return pythonId(a) < pythonId(b); });
            for (size_t at = 0; at < places.size(); ++at)
                keys[places[at]] = frames[at];
        }
        first = last;
    }
    if (task.stopped())
        return;

    BigVector<Ns> start(keys.size()), duration(keys.size());
    for (size_t at = 0; at < keys.size(); ++at) {
        start[at] = keys[at].start;
        duration[at] = keys[at].duration;
        references[at] = keys[at].reference;
    }
    BigVector<Key>().swap(keys);
    NestingInput input;
    input.start = start;
    input.duration = duration;
    std::vector<uint8_t> canParent;
    std::vector<uint64_t> group;
    const LaneKind kind = m_trace->lanes[lane].kind;
    const bool isShared = lane >= m_firstSharedLane; // slices that have nothing to do with each other
    if (kind == LaneKind::Stream || (isShared && kind == LaneKind::Thread)) {
        input.policy = NestingInput::Policy::Stream;
        for (const uint32_t reference : references)
            canParent.push_back(!isShared && (m_slices.at(&SliceTableT<Pointer>::flags, reference) & slice_flag::Annotation) != 0);
        input.canParent = canParent;
    } else if (kind == LaneKind::Async) {
        input.policy = NestingInput::Policy::Async;
        for (const uint32_t reference : references) {
            const uint32_t row = reference - m_slices.reference(m_slices.writerOf(reference), 0);
            const bool isPaired = m_slices.writerOf(reference) + 1 == m_writers.size() && row < m_pairGroups.size();
            group.push_back(isPaired ? m_pairGroups[row] : 0);
        }
        input.group = group;
    }
    const Nesting nested = nestLane(input);
    for (const uint32_t index : nested.crossing)
        m_slices.at(&SliceTableT<Pointer>::flags, references[index]) |= slice_flag::Crossing;

    // Final order: segments in time order, within a segment by row; rows keep time order.
    const auto count = static_cast<uint32_t>(references.size());
    BigVector<uint32_t> finalIndex(count);
    for (uint32_t begin = 0; begin < count; begin += m_segmentSlices) {
        const uint32_t end = std::min<uint64_t>(count, uint64_t(begin) + m_segmentSlices);
        uint32_t rows = 0;
        for (uint32_t at = begin; at < end; ++at)
            rows = std::max(rows, nested.row[at] + 1);
        std::vector<uint32_t> rowBegin(rows + 1, 0);
        for (uint32_t at = begin; at < end; ++at)
            ++rowBegin[nested.row[at] + 1];
        for (uint32_t row = 0; row < rows; ++row)
            rowBegin[row + 1] += rowBegin[row];
        std::vector<uint32_t> next(rowBegin.begin(), rowBegin.end() - 1);
        for (uint32_t at = begin; at < end; ++at)
            finalIndex[at] = begin + next[nested.row[at]]++;
        m_segmentEnds[lane].push_back(end);
        m_rowBegins[lane].push_back(std::move(rowBegin));
    }
    const uint32_t base = m_laneBegin[lane];
    BigVector<uint32_t> byFinal(count);
    for (uint32_t at = 0; at < count; ++at) {
        const uint32_t to = finalIndex[at];
        byFinal[to] = references[at];
        m_self[base + to] = nested.self[at];
        m_depth[base + to] = nested.depth[at];
        m_parent[base + to] = nested.parent[at] == Nesting::kNone ? SliceId::kNone : base + finalIndex[nested.parent[at]];
    }
    bindFlows(lane, start, duration, finalIndex);
    std::copy(byFinal.begin(), byFinal.end(), references.begin());
    m_trace->lanes[lane].rows = nested.rows;
    m_trace->lanes[lane].slices = count;
}

void Sealer::gatherSlices()
{
    m_idOfReference.assign(m_slices.blocks.size() << kBlockBits, SliceId::kNone);
    parallelRanges(m_sliceCount, [&](size_t begin, size_t end) {
        for (size_t id = begin; id < end; ++id)
            m_idOfReference[m_order[id]] = static_cast<uint32_t>(id);
    });
    // Ids of names become the trace's in place, block by block.
    parallelFor(m_slices.blocks.size(), [&](size_t block) {
        const auto &ids = m_stringIds[m_slices.writer[block]];
        const uint32_t rows = std::min(kBlockRows, m_writers[m_slices.writer[block]]->m_slices.rows() -
                                                       static_cast<uint32_t>((block - m_slices.firstBlock[m_slices.writer[block]]) << kBlockBits));
        auto &columns = m_slices.blocks[block]->columns;
        for (uint32_t row = 0; row < rows; ++row) {
            columns.name[row] = ids[columns.name[row]];
            columns.category[row] = ids[columns.category[row]];
        }
    });
    if (!gatherTable<SliceTableT>(m_slices, m_order, *m_memory, m_sealed))
        m_outOfMemory = true;
}

void Sealer::makeSegments()
{
    struct Place {
        uint32_t lane, segment;
    };
    std::vector<Place> places;
    for (uint32_t lane = 0; lane < m_trace->lanes.size(); ++lane)
        for (uint32_t segment = 0; segment < m_segmentEnds[lane].size(); ++segment) {
            m_trace->lanes[lane].segments.push_back(static_cast<uint32_t>(places.size()));
            places.push_back({lane, segment});
        }
    m_trace->segments.resize(places.size());
    std::atomic<bool> complete{true};
    parallelFor(places.size(), [&](size_t index) {
        const auto [lane, part] = places[index];
        const uint32_t from = part ? m_segmentEnds[lane][part - 1] : 0;
        const uint32_t count = m_segmentEnds[lane][part] - from;
        const uint32_t first = m_laneBegin[lane] + from;
        auto segment = std::make_shared<Segment>();
        segment->lane = LaneId(lane);
        segment->firstSlice = first;
        const auto cut = [&](auto &to, const auto &all) {
            std::apply([&](auto &...part_) {
                std::apply([&](auto &...whole) { ((part_ = whole.slice(first, count)), ...); }, all.members());
            }, to.members());
        };
        cut(segment->slices, m_sealed);
        cut(segment->nesting, m_nesting);
        TimeSpan span{INT64_MAX, INT64_MIN};
        for (uint32_t at = 0; at < count; ++at) {
            span.begin = std::min(span.begin, segment->slices.start[at]);
            span.end = std::max(span.end, segment->end(at));
        }
        segment->span = span;
        const std::vector<uint32_t> &rows = m_rowBegins[lane][part];
        ColumnDraft<uint32_t> rowBegin(*m_memory, rows.size());
        ColumnDraft<Ns> lod(*m_memory, lodEntryCount(count));
        if (!rowBegin.ok() || !lod.ok()) {
            complete = false;
            return;
        }
        std::copy(rows.begin(), rows.end(), rowBegin.data());
        segment->rowBegin = rowBegin.column();
        buildLod(segment->slices.duration.span(), lod.span());
        segment->lod = lodFromEntries(lod.column(), count);
        m_trace->segments[index] = std::move(segment);
    });
    m_outOfMemory |= !complete;
}

} // namespace riffle
