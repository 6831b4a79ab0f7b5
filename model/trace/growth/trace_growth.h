// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/growth/growing_strings.h"
#include "model/trace/growth/lane_growth.h"
#include "model/trace/growth/launches_growth.h"
#include "model/trace/growth/timed_rows.h"
#include "model/trace/trace_builder.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace riffle {

/// A trace that grows. It takes what an importer has read, step by step, and gives one generation of the trace after
/// another. Each generation is a Trace as any other; generations share the segments that do not change any more, and an
/// id means the same slice in all of them. Used by one thread at a time; generations may be read by others.
class TraceGrowth {
public:
    explicit TraceGrowth(GrowthWindow window = {});

    /// Adds the rows of a writer: slices that have ended, instants, counter samples, memory events, and what was
    /// counted.
    void add(const TraceWriter &writer);
    /// Sets the slices that are open, outer ones first: the begins without an end in the writer, and its slices, whose
    /// durations are those that they have so far.
    void setOpen(const TraceWriter &writer);
    /// Sets the names of processes and lanes: the metadata in the writer.
    void setNames(const TraceWriter &writer);
    /// Gives external ids, by correlation, to calls and device work that have arrived and have none.
    void setExternalIds(std::span<const std::pair<int64_t, int64_t>> ids);
    /// Closes what ended before a lane's mark.
    void settle(const std::function<Ns(LaneKind)> &markOf);
    /// Ends what is open: the recording is over, and everything is settled.
    void finish();
    /// The memory of the merged columns.
    const GrowthMemory &memory() const { return m_memory; }

    /// Returns the trace as it is now; open slices end with it. `info.recorded` is widened by all times that were
    /// noted. `report` is added to that of the writers; `place` makes the trace's report of this, with places in the
    /// source. Fails if the ids have run out.
    Result<std::shared_ptr<const Trace>> generation(TraceInfo info, std::shared_ptr<const SourceText> source,
                                                    const ImportReport &report,
                                                    const std::function<ImportReport(const ImportReport &)> &place);

private:
    struct GrowingLane {
        LaneKey key;
        ProcessId process;
        std::unique_ptr<LaneGrowth> slices;
        StringId name;
    };
    /// The strings and lanes of a writer in the trace.
    struct Translation {
        std::vector<uint32_t> strings, lanes;
    };

    Translation translate(const TraceWriter &writer);
    uint32_t laneFor(const LaneKey &key);
    ProcessId processFor(const LaneKey &key);
    void addSlices(const TraceWriter &writer, const Translation &to);
    void addTimed(const TraceWriter &writer, const Translation &to);
    /// The counts and reports of writers.
    struct Counts {
        std::map<std::string, uint64_t> eventsByPhase;
        TimeSpan recorded{INT64_MAX, INT64_MIN};
        ImportReport report;
        void add(const TraceWriter &writer);
    };
    /// The latest time so far; 0 if none was noted.
    Ns edge() const
    {
        const Ns latest = std::max(m_counts.recorded.end, m_openCounts.recorded.end);
        return latest == INT64_MIN ? 0 : latest;
    }
    void fillLanes(Trace &trace, Ns now);
    void fillTimed(Trace &trace);
    void fillSteps(Trace &trace) const;
    void addStep(const Step &step);
    /// If the memory is full, lets the oldest part of the trace leave it.
    void keepWindow();

    SliceIds m_ids;
    GrowthMemory m_memory;
    MergeThread m_merger;
    GrowingStrings m_strings;
    std::vector<GrowingLane> m_lanes;
    std::unordered_map<LaneKey, uint32_t, LaneKeyHash> m_laneNumbers;
    std::vector<Process> m_processes;
    std::map<std::tuple<RawId::Kind, int64_t, bool>, uint32_t> m_processNumbers;
    LaunchesGrowth m_launches{m_memory, m_merger};
    TimedRows<MemoryTableT> m_memoryEvents{m_memory, m_merger};
    TimedRows<InstantTableT> m_instants{m_memory, m_merger};
    TimedRows<CounterTableT> m_counters{m_memory, m_merger};
    std::vector<MetadataRow> m_names;
    std::vector<Step> m_steps; ///< that have ended, by begin
    uint64_t m_slices = 0;     ///< that were added
    uint64_t m_left = 0;       ///< of these, that have left the trace
    uint64_t m_slicesAtLeave = 0;
    Counts m_counts, m_openCounts;
    bool m_isFinished = false;
};

} // namespace riffle
