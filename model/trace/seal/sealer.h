// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/task.h"
#include "model/trace/seal/gather.h"
#include "model/trace/seal/half_slices.h"
#include "model/trace/trace_builder.h"

#include <atomic>
#include <cassert>
#include <memory>
#include <vector>

namespace riffle {

/// Turns the rows that the writers collected into a Trace, step by step. An object is used for one seal only.
class Sealer {
public:
    Sealer(std::vector<std::unique_ptr<TraceWriter>> &writers, std::shared_ptr<ColumnMemory> memory,
           uint32_t segmentSlices, std::vector<TextPlace> *rowless)
        : m_writers(writers)
        , m_memory(std::move(memory))
        , m_segmentSlices(segmentSlices)
        , m_rowless(rowless)
        , m_trace(std::make_shared<Trace>())
    {
    }
    Result<std::shared_ptr<Trace>> seal(TraceInfo info, std::shared_ptr<const SourceText> source,
                                        const ImportReport &report, Task task);

private:
    // seal_names.cpp
    void mergeCounts();
    void mergeStrings();
    void mergeLanes();
    std::vector<uint64_t> firstRows() const;
    void numberLanes();
    uint32_t addSharedLane(LaneKind kind);
    uint32_t appendString(std::string_view text);
    void applyMetadata();
    // seal_slices.cpp
    void settleStarts();
    void pairBeginsAndEnds();
    void bucketByLane();
    void gatherSlices();
    void makeSegments();
    // seal_nesting.cpp
    struct LaneSlices;
    void orderAndNest(Task task);
    /// Sorts the references, starts and durations of a lane; its other columns may be missing.
    void sortLane(uint32_t number, const LaneSlices &lane);
    void nestOne(uint32_t lane, const LaneSlices &slices);
    /// Determines the final order of a lane (segments in time order, rows within a segment, time order within a row)
    /// and returns the new position of each slice.
    BigVector<uint32_t> orderByRow(uint32_t lane, std::span<const uint32_t> row);
    // seal_details.cpp
    void gatherDetails();
    BigVector<uint32_t> slicesWith(SliceDetail kind);
    /// Returns references to the detail rows of these slices and writes the slice's id into each row.
    template <template <template <typename> class> class TableT>
    BigVector<uint32_t> detailsInOrder(AllBlocks<TableT> &all, BigVector<uint32_t> ids);
    template <template <template <typename> class> class TableT>
    void gatherKind(SliceDetail kind, BlockTable<TableT> TraceWriter::*table, TableT<Column> &out, bool isLast = false);
    void forgetReferences();
    template <template <template <typename> class> class TableT>
    void gatherBySlice(BlockTable<TableT> TraceWriter::*table, TableT<Column> &out);
    void gatherTimed();
    void linkLaunches();
    void findSteps();
    // seal_flows.cpp
    void prepareFlows();
    void bindFlows(uint32_t lane, std::span<const Ns> start, std::span<const Ns> duration,
                   std::span<const uint32_t> references, std::span<const uint32_t> finalIndex);
    void orderFlows();
    void gatherFlows();
    void reportUnboundFlows();

    /// Returns the trace's id of a writer's string.
    uint32_t string(uint32_t writer, uint32_t id) const
    {
        assert(writer < m_stringIds.size() && id < m_stringIds[writer].size());
        return m_stringIds[writer][id];
    }
    RawId textIdToTrace(uint32_t writer, RawId id) const;

    std::vector<std::unique_ptr<TraceWriter>> &m_writers;
    std::shared_ptr<ColumnMemory> m_memory;
    ScratchMemory m_scratch{*m_memory};
    uint32_t m_segmentSlices;
    std::vector<TextPlace> *m_rowless; ///< not owned, may be null
    std::shared_ptr<Trace> m_trace;

    std::vector<std::vector<uint32_t>> m_stringIds; ///< [writer][its id] -> trace id
    struct SeenLane {
        LaneKey key;
        uint64_t firstOffset; ///< where the source first mentions it
    };
    std::vector<SeenLane> m_seenLanes;            ///< in the order of the source
    std::vector<std::vector<uint32_t>> m_laneIds; ///< [writer][its lane] -> row of m_seenLanes; LaneId after
                                                  ///< numberLanes()
    bool m_hasHalves = false;
    uint32_t m_firstSharedLane = LaneId::kNone; ///< first of the lanes that take the contents of those beyond the limit
    AllBlocks<SliceTableT> m_slices;
    AllBlocks<PlacementTableT> m_placements;
    std::vector<uint64_t> m_pairGroups; ///< async group of each paired slice
    uint64_t m_sliceCount = 0;
    std::vector<uint32_t> m_laneBegin;       ///< first slice id of each lane, then the end
    BigVector<uint32_t> m_order{&m_scratch}; ///< references of slices: per lane in file order, later in final order
    std::vector<std::vector<uint32_t>> m_segmentEnds;            ///< per lane: slice counts at which segments end
    std::vector<std::vector<std::vector<uint32_t>>> m_rowBegins; ///< per lane and segment: Segment::rowBegin
    AllBlocks<FlowTableT> m_flows;
    BigVector<uint32_t> m_flowOrder{&m_scratch};      ///< references in final order
    std::vector<std::vector<uint32_t>> m_flowsOfLane; ///< references, in file order per writer
    NestingTable m_nesting;
    SliceTable m_sealed;
    SideTables m_details; ///< of all slices
    std::atomic<bool> m_outOfMemory = false;
};

} // namespace riffle
