// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/merge_sort.h"
#include "model/trace/seal/ids_of_references.h"
#include "model/trace/seal/sealer.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace riffle {

namespace {

/// Replaces the writers' string ids in a column of all blocks by the trace's string ids.
template <template <template <typename> class> class TableT, typename Ids>
void rewriteStrings(AllBlocks<TableT> &all, const std::vector<uint32_t> &rowsOfWriter,
                    uint32_t *TableT<Pointer>::*column, const Ids &idsOfWriter)
{
    for (size_t block = 0; block < all.blocks.size(); ++block) {
        const uint32_t writer = all.writer[block];
        const auto &ids = idsOfWriter[writer];
        const uint32_t before = static_cast<uint32_t>((block - all.firstBlock[writer]) << kBlockBits);
        const uint32_t rows = std::min(kBlockRows, rowsOfWriter[writer] - before);
        uint32_t *values = all.blocks[block]->columns.*column;
        for (uint32_t row = 0; row < rows; ++row)
            if (values[row] != StringId::kNone)
                values[row] = ids[values[row]];
    }
}

/// Returns references to all rows, in writer order.
template <template <template <typename> class> class TableT>
BigVector<uint32_t> allReferences(const AllBlocks<TableT> &all, const std::vector<uint32_t> &rowsOfWriter,
                                  ScratchMemory *scratch)
{
    BigVector<uint32_t> references(scratch);
    references.reserve(std::accumulate(rowsOfWriter.begin(), rowsOfWriter.end(), size_t{0}));
    for (uint32_t writer = 0; writer < rowsOfWriter.size(); ++writer)
        for (uint32_t row = 0; row < rowsOfWriter[writer]; ++row)
            references.push_back(all.reference(writer, row));
    return references;
}

} // namespace

template <template <template <typename> class> class TableT>
BigVector<uint32_t> Sealer::detailsInOrder(AllBlocks<TableT> &all, BigVector<uint32_t> ids)
{
    parallelRanges(ids.size(), [&](size_t begin, size_t end) {
        for (size_t at = begin; at < end; ++at) {
            const uint32_t id = ids[at];
            const uint32_t slice = m_order[id];
            ids[at] =
                all.reference(m_slices.writerOf(slice), m_placements.at(&PlacementTableT<Pointer>::detailRow, slice));
            all.at(&TableT<Pointer>::slice, ids[at]) = id;
        }
    });
    return ids;
}

BigVector<uint32_t> Sealer::slicesWith(SliceDetail kind)
{
    return rowsWhere(m_sliceCount, &m_scratch, [&](uint32_t id) { return m_sealed.detail[id] == kind; });
}

template <template <template <typename> class> class TableT>
void Sealer::gatherKind(SliceDetail kind, BlockTable<TableT> TraceWriter::*table, TableT<Column> &out, bool isLast)
{
    AllBlocks<TableT> all;
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer)
        all.add((*m_writers[writer]).*table, writer);
    // Details have the same final order as their slices.
    const BigVector<uint32_t> references = detailsInOrder(all, slicesWith(kind));
    if (isLast)
        forgetReferences();
    if (!gatherTable<TableT>(all, references, *m_memory, out))
        m_outOfMemory = true;
}

template <template <template <typename> class> class TableT>
void Sealer::gatherBySlice(BlockTable<TableT> TraceWriter::*table, TableT<Column> &out)
{
    AllBlocks<TableT> all;
    std::vector<uint32_t> rows;
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
        all.add((*m_writers[writer]).*table, writer);
        rows.push_back(((*m_writers[writer]).*table).rows());
    }
    BigVector<uint32_t> references = allReferences(all, rows, &m_scratch);
    const auto sliceOf = [&](uint32_t reference) -> uint32_t & { return all.at(&TableT<Pointer>::slice, reference); };
    IdsOfReferences ids(m_slices.blocks.size() << kBlockBits, &m_scratch);
    for (const uint32_t reference : references) {
        sliceOf(reference) = m_slices.reference(all.writerOf(reference), sliceOf(reference));
        ids.want(sliceOf(reference));
    }
    ids.find(m_order);
    for (const uint32_t reference : references)
        sliceOf(reference) = ids.idOf(sliceOf(reference));
    mergeSortRuns(references, [&](uint32_t a, uint32_t b) { return sliceOf(a) < sliceOf(b); });
    if constexpr (requires { &TableT<Pointer>::operation; }) {
        for (auto column : {&TableT<Pointer>::operation, &TableT<Pointer>::dataType, &TableT<Pointer>::group,
                            &TableT<Pointer>::groupDescription, &TableT<Pointer>::groupRanks})
            rewriteStrings(all, rows, column, m_stringIds);
    } else {
        rewriteStrings(all, rows, &TableT<Pointer>::kind, m_stringIds);
    }
    if (!gatherTable<TableT>(all, references, *m_memory, out))
        m_outOfMemory = true;
}

void Sealer::gatherDetails()
{
    linkLaunches();
    gatherBySlice<CollectiveTableT>(&TraceWriter::m_collectives, m_details.collectives);
    gatherBySlice<SyncTableT>(&TraceWriter::m_syncs, m_details.syncs);
    gatherTimed();
    gatherKind<PythonTableT>(SliceDetail::Python, &TraceWriter::m_python, m_details.python);
    // The largest table comes last, because the references to slices can be freed before it is gathered.
    gatherKind<OperatorTableT>(SliceDetail::Operator, &TraceWriter::m_operators, m_details.operators, true);
}

void Sealer::forgetReferences()
{
    m_order = BigVector<uint32_t>();
    for (const auto &writer : m_writers)
        writer->m_placements.truncate(0);
}

void Sealer::gatherTimed()
{
    const auto gather = [&]<template <template <typename> class> class TableT>(
                            BlockTable<TableT> TraceWriter::*table, TableT<Column> &out, auto strings, auto keyOf) {
        AllBlocks<TableT> all;
        std::vector<uint32_t> rows;
        for (uint32_t writer = 0; writer < m_writers.size(); ++writer) {
            all.add((*m_writers[writer]).*table, writer);
            rows.push_back(((*m_writers[writer]).*table).rows());
        }
        for (auto column : strings)
            rewriteStrings(all, rows, column, m_stringIds);
        rewriteStrings(all, rows, &TableT<Pointer>::lane, m_laneIds);
        BigVector<uint32_t> references = allReferences(all, rows, &m_scratch);
        mergeSortRuns(references, [&](uint32_t a, uint32_t b) { return keyOf(all, a) < keyOf(all, b); });
        if (!gatherTable<TableT>(all, references, *m_memory, out))
            m_outOfMemory = true;
    };
    using Memory = MemoryTableT<Pointer>;
    gather(&TraceWriter::m_memoryEvents, m_trace->memory, std::vector<uint32_t * Memory::*>{},
           [](const auto &all, uint32_t at) {
               return std::pair(all.at(&Memory::time, at), all.at(&Memory::sourceOffset, at));
           });
    using Instant = InstantTableT<Pointer>;
    gather(&TraceWriter::m_instants, m_trace->instants,
           std::vector<uint32_t * Instant::*>{&Instant::name, &Instant::category}, [](const auto &all, uint32_t at) {
               return std::tuple(all.at(&Instant::lane, at), all.at(&Instant::time, at),
                                 all.at(&Instant::sourceOffset, at));
           });
    using Counter = CounterTableT<Pointer>;
    gather(&TraceWriter::m_counters, m_trace->counters, std::vector<uint32_t * Counter::*>{&Counter::series},
           [](const auto &all, uint32_t at) {
               return std::tuple(all.at(&Counter::lane, at), all.at(&Counter::series, at), all.at(&Counter::time, at),
                                 all.at(&Counter::sourceOffset, at));
           });
}

void Sealer::linkLaunches()
{
    AllBlocks<DeviceTableT> all;
    for (uint32_t writer = 0; writer < m_writers.size(); ++writer)
        all.add(m_writers[writer]->m_device, writer);
    const BigVector<uint32_t> references = detailsInOrder(all, slicesWith(SliceDetail::Device));
    const auto sliceOf = [&](size_t at) { return all.at(&DeviceTableT<Pointer>::slice, references[at]); };
    const auto hasLaunch = [&](uint32_t id) {
        return m_sealed.correlation[id] != kNoInt && (m_sealed.flags[id] & slice_flag::OnStream);
    };
    // A launch is the host slice with the same correlation; the earliest if several have it.
    struct Call {
        int64_t correlation;
        uint32_t id;
    };
    const BigVector<uint32_t> callers = rowsWhere(m_sliceCount, &m_scratch, [&](uint32_t id) {
        return m_sealed.correlation[id] != kNoInt && !(m_sealed.flags[id] & slice_flag::OnStream);
    });
    BigVector<Call> calls(callers.size(), &m_scratch);
    parallelRanges(callers.size(), [&](size_t begin, size_t end) {
        for (size_t at = begin; at < end; ++at)
            calls[at] = {m_sealed.correlation[callers[at]], callers[at]};
    });
    mergeSortRuns(calls, [&](const Call &a, const Call &b) {
        if (a.correlation != b.correlation)
            return a.correlation < b.correlation;
        return std::pair(m_sealed.start[a.id], a.id) < std::pair(m_sealed.start[b.id], b.id);
    });
    parallelRanges(references.size(), [&](size_t begin, size_t end) {
        for (size_t at = begin; at < end; ++at) {
            uint32_t &launch = all.at(&DeviceTableT<Pointer>::launch, references[at]);
            launch = SliceId::kNone;
            if (!hasLaunch(sliceOf(at)))
                continue;
            const int64_t correlation = m_sealed.correlation[sliceOf(at)];
            const auto found = std::ranges::lower_bound(calls, correlation, {}, &Call::correlation);
            if (found != calls.end() && found->correlation == correlation)
                launch = found->id;
        }
    });
    for (size_t at = 0; at < references.size(); ++at)
        if (all.at(&DeviceTableT<Pointer>::launch, references[at]) == SliceId::kNone && hasLaunch(sliceOf(at)))
            m_trace->report.add(Trouble::LaunchlessKernel, m_sealed.sourceOffset[sliceOf(at)], {});
    if (!gatherTable<DeviceTableT>(all, references, *m_memory, m_details.device))
        m_outOfMemory = true;
    if (m_outOfMemory)
        return;
    BigVector<uint32_t> linked(&m_scratch);
    for (uint32_t row = 0; row < m_details.device.launch.size(); ++row)
        if (m_details.device.launch[row] != SliceId::kNone)
            linked.push_back(row);
    mergeSortRuns(linked,
                  [&](uint32_t a, uint32_t b) { return m_details.device.launch[a] < m_details.device.launch[b]; });
    ColumnDraft<uint32_t> byLaunch(*m_memory, linked.size());
    if (!byLaunch.ok()) {
        m_outOfMemory = true;
        return;
    }
    std::copy(linked.begin(), linked.end(), byLaunch.data());
    m_trace->launches = LaunchLinks({m_details.device.slice, m_details.device.launch, byLaunch.column()});
}

void Sealer::findSteps()
{
    std::vector<uint8_t> isStep(m_trace->strings.count(), 0);
    bool any = false;
    for (uint32_t id = 0; id < isStep.size(); ++id) {
        isStep[id] = isStepMark(m_trace->string(id));
        any |= isStep[id];
    }
    if (!any)
        return;
    for (uint32_t id = 0; id < m_sliceCount; ++id) {
        if (!isStep[m_sealed.name[id]] || (m_sealed.flags[id] & slice_flag::OnStream))
            continue;
        Step step;
        step.number = stepNumber(m_trace->string(m_sealed.name[id]));
        step.slice = SliceId(id);
        step.span = {m_sealed.start[id], m_sealed.start[id] + m_sealed.duration[id]};
        m_trace->steps.push_back(step);
    }
    std::sort(m_trace->steps.begin(), m_trace->steps.end(),
              [](const Step &a, const Step &b) { return a.span.begin < b.span.begin; });
}

} // namespace riffle
