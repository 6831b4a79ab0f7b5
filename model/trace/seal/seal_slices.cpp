// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/sealer.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <numeric>

namespace riffle {

void Sealer::settleStarts()
{
    constexpr Ns kUnit = 1'000; // starts were truncated to multiples of this, in ns
    TimeSpan origins{INT64_MAX, INT64_MIN};
    for (const auto &writer : m_writers)
        for (const auto &batch : writer->m_batches)
            origins = {std::min(origins.begin, batch.origins.begin), std::max(origins.end, batch.origins.end)};
    if (origins.begin > origins.end)
        return;
    // The largest origin lost the least to truncation, so it is the most accurate. If the origins differ by kUnit or
    // more, the two starts are not on the same clock.
    const bool isOneClock = origins.end - origins.begin < kUnit;
    const Ns digits = ((origins.end % kUnit) + kUnit) % kUnit;
    for (const auto &writer : m_writers) {
        auto &blocks = writer->m_slices.blocks();
        for (uint32_t row = 0; row < writer->m_slices.rows(); ++row) {
            auto &slices = blocks[row >> kBlockBits].columns;
            const uint32_t at = row & (kBlockRows - 1);
            if (!(slices.flags[at] & slice_flag::LooseDigits))
                continue;
            slices.flags[at] &= static_cast<uint16_t>(~slice_flag::LooseDigits);
            const Ns loose = ((slices.start[at] % kUnit) + kUnit) % kUnit;
            slices.start[at] += (isOneClock ? (loose + digits) % kUnit : 0) - loose;
            if (!(slices.flags[at] & slice_flag::AbsurdTime))
                m_trace->info.recorded.end =
                    std::max(m_trace->info.recorded.end, slices.start[at] + slices.duration[at]);
        }
    }
}

void Sealer::pairBeginsAndEnds()
{
    std::vector<HalfRow> halves;
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
        const auto &table = m_writers[writer]->m_halves;
        for (uint32_t at = 0; at < table.rows(); ++at) {
            const auto &from = table.blocks()[at >> kBlockBits].columns;
            const uint32_t row = at & (kBlockRows - 1);
            HalfRow half;
            std::apply(
                [&](auto &...field) {
                    std::apply([&](auto *const &...column) { ((field = column[row]), ...); }, from.members());
                },
                half.members());
            half.name = string(writer, half.name);
            half.category = string(writer, half.category);
            half.lane = m_laneIds[writer][half.lane];
            halves.push_back(half);
        }
    }
    if (halves.empty())
        return;
    m_hasHalves = true;
    std::sort(halves.begin(), halves.end(),
              [](const HalfRow &a, const HalfRow &b) { return a.sourceOffset < b.sourceOffset; });
    std::vector<PairedSlice> paired = pairHalves(std::move(halves), m_trace->info.recorded.end, m_trace->report);
    if (const auto &part = m_trace->info.part) // possible only now that both ends are known
        std::erase_if(paired, [&](const PairedSlice &slice) {
            const bool outside = slice.row.start >= part->end || slice.row.start + slice.row.duration <= part->begin;
            if (outside)
                m_trace->report.add(Trouble::OutsideRange, slice.row.sourceOffset, {});
            return outside;
        });
    std::sort(paired.begin(), paired.end(),
              [](const PairedSlice &a, const PairedSlice &b) { return a.row.sourceOffset < b.row.sourceOffset; });
    // Paired slices become the rows of one more writer, whose ids are already the trace's.
    auto writer = std::make_unique<TraceWriter>(m_memory);
    for (const PairedSlice &slice : paired) {
        writer->slice(slice.row, slice.lane);
        m_pairGroups.push_back(slice.group);
        if (m_rowless && slice.end.length)
            m_rowless->push_back(slice.end);
    }
    assert(m_pairGroups.size() == writer->m_slices.rows() || writer->outOfMemory());
    if (writer->outOfMemory())
        m_outOfMemory = true;
    m_stringIds.emplace_back(m_trace->strings.count());
    std::iota(m_stringIds.back().begin(), m_stringIds.back().end(), 0u);
    m_laneIds.emplace_back(m_seenLanes.size());
    std::iota(m_laneIds.back().begin(), m_laneIds.back().end(), 0u);
    m_writers.push_back(std::move(writer));
}

void Sealer::bucketByLane()
{
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
        m_writers[writer]->freeSpare();
        m_slices.add(m_writers[writer]->m_slices, writer);
        m_placements.add(m_writers[writer]->m_placements, writer);
    }
    // Put the batches in file order. A batch has the rows from its start to the start of the writer's next batch.
    struct Run {
        uint64_t sequence;
        uint32_t writer, begin, end;
    };
    std::vector<Run> runs;
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
        const auto &batches = m_writers[writer]->m_batches;
        for (size_t batch = 0; batch < batches.size(); ++batch) {
            const uint32_t end =
                batch + 1 < batches.size() ? batches[batch + 1].slices : m_writers[writer]->m_slices.rows();
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
    freeColumn<0>(m_placements); // the lanes; from here on, the place of a slice in m_order says its lane
}

void Sealer::gatherSlices()
{
    assert(m_order.size() == m_sliceCount);
    // Replace the ids of names by the trace's ids in place, block by block.
    parallelFor(m_slices.blocks.size(), [&](size_t block) {
        const auto &ids = m_stringIds[m_slices.writer[block]];
        const uint32_t rows = std::min(
            kBlockRows, m_writers[m_slices.writer[block]]->m_slices.rows() -
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
    assert(m_sealed.start.size() == m_sliceCount && m_nesting.self.size() == m_sliceCount);
    assert(m_segmentEnds.size() == m_trace->lanes.size() && m_rowBegins.size() == m_trace->lanes.size());
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
        segment->slices = tablePart(m_sealed, first, count);
        segment->nesting = tablePart(m_nesting, first, count);
        static_cast<SideTables &>(*segment) = m_details.ofSlices(first, first + count);
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
    if (!complete)
        m_outOfMemory = true;
}

} // namespace riffle
