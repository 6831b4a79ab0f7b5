// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/column_memory.h"
#include "model/base/result.h"
#include "model/base/task.h"
#include "model/trace/event_blocks.h"
#include "model/trace/trace.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace riffle {

/// Identifies a lane. Text ids and names are StringIds of the writer's interner until the seal.
struct LaneKey {
    RawId pid;
    RawId tid;
    LaneKind kind = LaneKind::Thread;
    uint32_t name = 0; ///< Async: the category; Counter: the counter's name (and id); otherwise 0
    bool operator==(const LaneKey &) const = default;
};
struct LaneKeyHash {
    size_t operator()(const LaneKey &key) const;
};

/// The lane and detail row of a slice while the file is being read.
template <template <typename> class C>
struct PlacementTableT {
    C<uint32_t> lane;      ///< the writer's lane number
    C<uint32_t> detailRow; ///< the writer's row in the side table that SliceRow::detail names

    auto members() { return std::tie(lane, detailRow); }
    auto members() const { return const_cast<PlacementTableT *>(this)->members(); }
};

/// A begin or end event (B/E, b/e, S/F) that waits for its other half.
template <template <typename> class C>
struct HalfTableT {
    C<Ns> time;
    C<uint64_t> sourceOffset;
    C<int64_t> correlation;
    C<int64_t> externalId;
    C<uint64_t> group; ///< async id: only halves and slices with the same group belong together; 0 for others
    C<uint32_t> sourceLength;
    C<uint32_t> name;
    C<uint32_t> category;
    C<uint32_t> lane;
    C<uint16_t> flags;
    C<char> phase;

    auto members()
    {
        return std::tie(time, sourceOffset, correlation, externalId, group, sourceLength, name, category, lane, flags,
                        phase);
    }
    auto members() const { return const_cast<HalfTableT *>(this)->members(); }
};
using HalfRow = HalfTableT<Value>;

/// The content of a metadata event (M) about a process or thread. They are applied in file order, so the last one
/// counts.
struct MetadataRow {
    enum class Kind : uint8_t { ProcessName, ProcessLabels, ProcessSort, ThreadName, ThreadSort };
    Kind kind;
    RawId pid;
    RawId tid;
    uint32_t text = 0; ///< the writer's StringId
    int64_t number = kNoInt;
    uint64_t sourceOffset = 0;
    uint32_t sourceLength = 0; ///< 0 if the source has no separate text for it
};

/// One worker's share of a trace that is being read. Events arrive in batches; a batch covers a stretch of the source
/// text. All batches from a given one on can be discarded if the text turns out to have been split in the wrong place.
class TraceWriter {
public:
    explicit TraceWriter(std::shared_ptr<ColumnMemory> memory);

    /// Starts a batch. Sequence numbers follow the order of the source. Batches may come in any order and on any
    /// writer; the sealed trace is the same.
    void beginBatch(uint64_t sequence);
    /// Discards every batch with this sequence number or a later one. Only for a writer whose batches came in ascending
    /// order.
    void discardFrom(uint64_t sequence);

    uint32_t intern(std::string_view text, uint64_t offset) { return m_strings.intern(text, offset); }
    std::string_view text(uint32_t id) const { return m_strings.text(id); }
    uint32_t lane(const LaneKey &key, uint64_t offset);
    ImportReport &report() { return m_batches.back().report; }
    void countEvent(char phase)
    {
        assert(static_cast<unsigned char>(phase) < m_batches.back().phases.size());
        ++m_batches.back().phases[static_cast<unsigned char>(phase)];
    }
    /// Notes the time of an event of any kind, so that the first and last times are known.
    void noteTime(Ns time)
    {
        TimeSpan &recorded = m_batches.back().recorded;
        recorded.begin = std::min(recorded.begin, time);
        recorded.end = std::max(recorded.end, time);
    }
    void countPhaseText(std::string_view phase); ///< for phases that are not a single character
    /// Paddle writes the start of a slice twice: truncated to whole microseconds, and exactly but relative to an origin
    /// that it does not record. The origin is known only when all these slices have been read. Until then, the last
    /// three digits of a start are relative to the origin, and the flag LooseDigits is set. `origin` is the origin that
    /// results if nothing was truncated.
    void noteOrigin(Ns origin)
    {
        TimeSpan &origins = m_batches.back().origins;
        origins = {std::min(origins.begin, origin), std::max(origins.end, origin)};
    }

    void slice(const SliceRow &row, uint32_t lane);
    void slice(SliceRow row, uint32_t lane, const OperatorRow &detail);
    void slice(SliceRow row, uint32_t lane, const PythonRow &detail);
    void slice(SliceRow row, uint32_t lane, const DeviceRow &detail);
    /// collective() and sync() belong to the slice that was added last.
    void collective(CollectiveRow row);
    void sync(SyncRow row);
    void half(const HalfRow &row) { m_halves.append(row); }
    void memory(const MemoryRow &row) { m_memoryEvents.append(row); }
    void instant(const InstantRow &row) { m_instants.append(row); }
    void counter(const CounterRow &row) { m_counters.append(row); }
    void flow(const FlowRow &row) { m_flows.append(row); }
    void metadata(const MetadataRow &row) { m_metadata.push_back(row); }
    bool outOfMemory() const;
    void freeSpare(); ///< frees the memory that is allocated for further rows
    /// Calls visit(lane number, lane key, start, duration) for the slices of the latest batch. Must not be called if
    /// outOfMemory(), because slices may then lack their lanes.
    template <typename F>
    void visitLastBatch(F visit) const
    {
        assert(m_placements.rows() == m_slices.rows());
        for (uint32_t row = m_batches.back().slices; row < m_slices.rows(); ++row) {
            const uint32_t at = row & (kBlockRows - 1);
            const auto &slice = m_slices.blocks()[row >> kBlockBits].columns;
            const uint32_t lane = m_placements.blocks()[row >> kBlockBits].columns.lane[at];
            visit(lane, m_lanes[lane].key, slice.start[at], slice.duration[at]);
        }
    }

private:
    friend class TraceBuilder;
    friend class Sealer;
    friend class TraceGrowth;

    struct LaneEntry {
        LaneKey key;
        uint64_t firstOffset;
    };
    struct Batch {
        uint64_t sequence = 0;
        uint32_t slices = 0, operators = 0, python = 0, device = 0, collectives = 0, syncs = 0; ///< rows before it
        uint32_t halves = 0, memory = 0, instants = 0, counters = 0, flows = 0;
        uint32_t strings = 0, lanes = 0;
        size_t metadata = 0;
        TimeSpan recorded{INT64_MAX, INT64_MIN};
        TimeSpan origins{INT64_MAX, INT64_MIN}; ///< smallest and largest origin noted
        std::array<uint32_t, 128> phases{};
        std::map<std::string, uint64_t> otherPhases;
        ImportReport report;
    };

    StringInterner m_strings;
    std::vector<LaneEntry> m_lanes;
    std::unordered_map<LaneKey, uint32_t, LaneKeyHash> m_laneNumbers;
    LaneKey m_lastKey;
    uint32_t m_lastLane = UINT32_MAX;
    std::vector<Batch> m_batches;
    BlockTable<SliceTableT> m_slices;
    BlockTable<PlacementTableT> m_placements;
    BlockTable<OperatorTableT> m_operators;
    BlockTable<PythonTableT> m_python;
    BlockTable<DeviceTableT> m_device;
    BlockTable<CollectiveTableT> m_collectives;
    BlockTable<SyncTableT> m_syncs;
    BlockTable<HalfTableT> m_halves;
    BlockTable<MemoryTableT> m_memoryEvents;
    BlockTable<InstantTableT> m_instants;
    BlockTable<CounterTableT> m_counters;
    BlockTable<FlowTableT> m_flows;
    std::vector<MetadataRow> m_metadata;
};

/// Collects what the writers read and seals it into a Trace. Importers create traces only through this class.
class TraceBuilder {
public:
    explicit TraceBuilder(std::shared_ptr<ColumnMemory> memory = std::make_shared<ColumnMemory>());

    /// Returns a new writer for one worker; the builder owns it.
    TraceWriter &newWriter();
    /// Makes the seal collect, in `places`, the places of the event texts that belong to the trace but have no row:
    /// names of processes and threads, and end events of slices. `places` is not owned and may be null.
    void collectRowless(std::vector<TextPlace> *places) { m_rowless = places; }
    /// Makes the seal call `complete` as its last step, while the trace may still change. There the importer adds what
    /// depends on the finished tables, such as its final report. Not called if the seal fails.
    void completeWith(std::function<void(Trace &)> complete) { m_complete = std::move(complete); }
    /// Sorts, nests, links and indexes everything that was written; the builder cannot be used afterwards. `info` and
    /// `source` go into the trace as they are, except that `info.recorded` is widened by all times that writers noted;
    /// `report` is added to the writers' reports. Lanes are divided into segments of at most `segmentSlices` slices.
    Result<std::shared_ptr<const Trace>> seal(TraceInfo info, std::shared_ptr<const SourceText> source,
                                              const ImportReport &report, Task task,
                                              uint32_t segmentSlices = Segment::kMaxSlices);

private:
    std::shared_ptr<ColumnMemory> m_memory;
    std::vector<std::unique_ptr<TraceWriter>> m_writers;
    std::vector<TextPlace> *m_rowless = nullptr;
    std::function<void(Trace &)> m_complete;
    bool m_sealed = false;
};

} // namespace riffle
