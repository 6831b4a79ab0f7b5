// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"
#include "model/base/mapped_file.h"
#include "model/base/time.h"
#include "model/trace/import_report.h"
#include "model/trace/launch_links.h"
#include "model/trace/long_slices.h"
#include "model/trace/segments_by_id.h"
#include "model/trace/side_tables.h"
#include "model/trace/slice_lod.h"
#include "model/trace/source_text.h"
#include "model/trace/string_pool.h"
#include "model/trace/tables.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace riffle {

enum class LaneKind : uint8_t { Thread, Stream, Async, Counter };

inline const char *laneKindName(LaneKind kind)
{
    switch (kind) {
    case LaneKind::Thread: return "thread";
    case LaneKind::Stream: return "stream";
    case LaneKind::Async: return "async";
    case LaneKind::Counter: return "counter";
    }
    return "";
}

/// A process of the trace, or a GPU, which Kineto writes as a process.
struct Process {
    RawId pid;
    StringId name;
    StringId labels;
    int64_t sortIndex = kNoInt;
    int32_t device = -1; ///< device index if the lanes are streams, otherwise -1
};

/// One stream, thread, async track or counter.
struct Lane {
    ProcessId process;
    RawId tid;
    LaneKind kind = LaneKind::Thread;
    StringId name;                  ///< from the metadata; may be empty
    int64_t sortIndex = kNoInt;     ///< thread_sort_index
    std::vector<uint32_t> segments; ///< indices into Trace::segments, in time order
    uint32_t rows = 0;              ///< drawing rows over all segments
    uint64_t slices = 0;
    uint32_t instantBegin = 0, instantEnd = 0; ///< its rows in the instant table
    uint32_t counterBegin = 0, counterEnd = 0; ///< its rows in the counter table
    TimeSpan span;                             ///< first start to last end
    /// The long slices of a lane that grows, which may contain slices of any of its segments; otherwise null.
    std::shared_ptr<const LongSlices> longSlices;
    bool empty = false; ///< has no contents (only metadata or flows mention it) and is not shown
};

/// An immutable run of at most 2^20 slices of one lane, with a level of detail and the rows that its slices have in
/// side tables. idAt() and indexOf() are the only ways between the ids of its slices and their places in the columns.
struct Segment : SideTables {
    static constexpr uint32_t kMaxSlices = 1u << 20;
    LaneId lane;
    uint32_t firstSlice = 0; ///< the smallest id of its slices
    TimeSpan span;           ///< first start to last end of its slices
    SliceTable slices;
    NestingTable nesting;
    /// rows() + 1 entries: row r has the slices [rowBegin[r], rowBegin[r+1]), which are disjoint and ordered by start.
    Column<uint32_t> rowBegin;
    /// The SliceId of each index, and the indices ordered by id. They are empty if the ids are firstSlice and those
    /// that follow, as in all traces of files. A trace that grows gives ids in the order in which events arrive.
    Column<uint32_t> ids, byId;
    std::vector<IdRun> idRuns; ///< of these ids; may be empty if they are not far apart
    SliceLod lod;
    /// The index of the longest slice of each row, because a lane that grows can have thousands of segments in a
    /// picture; empty in all traces of files.
    Column<uint32_t> rowLongest;
    /// True for segments of lanes that grow: nesting.parent has indices of this segment, and nesting.depth counts
    /// ancestors in it. What is around them is in Lane::longSlices.
    bool grows = false;

    uint32_t size() const { return static_cast<uint32_t>(slices.start.size()); }
    uint32_t rows() const { return rowBegin.empty() ? 0 : static_cast<uint32_t>(rowBegin.size() - 1); }
    /// Returns the end of a slice. The sum wraps instead of overflowing, because a damaged store can contain any number
    /// until it has been verified.
    Ns end(uint32_t row) const
    {
        return static_cast<Ns>(static_cast<uint64_t>(slices.start[row]) + static_cast<uint64_t>(slices.duration[row]));
    }
    /// Returns the range of slices of a drawing row that overlap the span, as indices into the segment; a slice of zero
    /// length overlaps if its start is inside the span.
    std::pair<uint32_t, uint32_t> overlapping(uint32_t row, TimeSpan span) const;
    uint32_t rowOf(uint32_t index) const;
    /// Returns the span without times that were clamped, because these would make it three hundred years long; begin >
    /// end if there are no others.
    TimeSpan saneSpan() const;
    /// Returns the row of a slice of this segment in a side table, such as &Segment::operators.
    template <typename Table>
    DetailRow<Table> detailOf(Table SideTables::*table, SliceId slice) const
    {
        return detailIn(this->*table, slice);
    }

    SliceId idAt(uint32_t index) const { return SliceId(ids.empty() ? firstSlice + index : ids[index]); }
    /// Returns the index of a slice; kNoRow if it is not in the segment.
    uint32_t indexOf(SliceId id) const
    {
        if (!ids.empty())
            return indexById(id);
        const uint32_t index = id.value - firstSlice;
        return index < size() ? index : kNoRow;
    }
    /// The largest id of its slices; none if it has no slices.
    SliceId lastSlice() const;
    /// Returns the index of a slice's parent if both are in this segment, and local ones if the lane grows; kNoRow
    /// otherwise. Fast, unlike Trace::parentOf() in lanes that grow.
    uint32_t parentInside(uint32_t index) const
    {
        return grows ? nesting.parent[index] : indexOf(SliceId(nesting.parent[index]));
    }

private:
    uint32_t indexById(SliceId id) const;
};

/// True if a slice with this name marks a step (of PyTorch or Paddle): DEFINITIONS R1.
inline bool isStepMark(std::string_view name)
{
    return name.starts_with("ProfilerStep#") || name.starts_with("ProfileStep#");
}

/// Returns the number at the end of the name of a step mark; 0 if there is none.
int64_t stepNumber(std::string_view name);

/// The process and category of slices that are gaps: times in which a source of a recording recorded nothing. Each
/// source has its own lane; the slice's name is the reason. The category is that of Kineto's spans about itself, which
/// other tools leave out: they expect numbers as ids of all other lanes.
inline constexpr std::string_view kGapProcess = "Not recorded", kGapCategory = "Trace";
/// The sources without which device work is missing.
inline constexpr std::string_view kGapOfEverything = "recording", kGapOfCuda = "cuda";

/// A step as marked on the host.
struct Step {
    int64_t number = 0;
    SliceId slice;
    TimeSpan span;
};

/// The wall clock at one moment of a recording.
struct ClockReading {
    Ns time = 0; ///< the trace's time
    int64_t unixNs = 0;
    bool operator==(const ClockReading &) const = default;
};

/// Information about the file, both recorded in it and gained by reading it.
struct TraceInfo {
    std::string path;
    std::string format;    ///< "Kineto JSON", "Chrome JSON", …
    std::string container; ///< "plain", "gzip", "zstd"
    uint64_t fileBytes = 0;
    uint64_t textBytes = 0; ///< inflated
    uint64_t events = 0;
    TimeSpan recorded; ///< first to last time of all events except metadata
    std::map<std::string, uint64_t> eventsByPhase;
    std::optional<int64_t> baseTimeNs; ///< Unix ns = base + trace ns
    /// All readings of the wall clock in a collector log, by ascending time; empty for other formats. The first one
    /// gives baseTimeNs; what the later ones add is how the two clocks moved apart.
    std::vector<ClockReading> clocks;
    /// Top-level keys other than the events, with raw JSON values.
    std::vector<std::pair<std::string, std::string>> metadata;
    std::optional<int64_t> rank;
    std::optional<int64_t> worldSize;
    double loadSeconds = 0;
    bool fromStore = false;
    std::optional<TimeSpan> part;      ///< if set, only events that overlap this and what belongs to them were read
    std::optional<TimeSpan> partSteps; ///< step numbers [n, m], if steps were requested
    bool trimmedFile = false;          ///< the file itself contains only the part, which was cut out of a longer trace

    /// Returns the text of a top-level key; empty if there is no such key.
    std::string text(std::string_view key) const;
};

/// One slice with the values of all its columns; for lists and details, not for loops over millions of slices.
struct Slice {
    SliceId id;
    LaneId lane;
    uint32_t row = 0;
    SliceRow data;
    Ns self = 0;
    SliceId parent;
    uint32_t depth = 0;
    Ns end() const { return static_cast<Ns>(static_cast<uint64_t>(data.start) + static_cast<uint64_t>(data.duration)); }
};

/// A sealed trace. It never changes and is shared by pointer. Ids from callers are checked: an unknown id gives an
/// empty result.
class Trace {
public:
    /// A training run has fewer lanes than this. If there are more, the contents of the others go to one shared lane
    /// per kind.
    static constexpr uint32_t kMaxLanes = 65'536;

    TraceInfo info;
    ImportReport report;
    /// First start to last end of slices and counter samples; of instants and memory events if there are neither.
    TimeSpan span;
    StringTable strings;
    std::vector<Process> processes;
    std::vector<Lane> lanes;
    std::vector<std::shared_ptr<const Segment>> segments; ///< ascending firstSlice
    /// The segments by the ids of their slices; empty if those of a segment are before those of the next one, as in all
    /// traces of files.
    SegmentsById segmentsById;
    MemoryTable memory;
    InstantTable instants;
    CounterTable counters;
    FlowTable flows;
    Column<uint32_t> flowsBySlice; ///< rows of `flows` that are bound, ordered by slice
    LaunchLinks launches;
    std::vector<Step> steps;
    std::shared_ptr<const SourceText> source; ///< null if the source is not available
    std::shared_ptr<const MappedFile> stored; ///< the store that the columns point into; null if they are in memory

    /// Returns an Error if the store was cut while the trace was in use, or a text could not be read
    /// (SourceText::failure). Ask after an answer: what is missing reads as zeros and empty texts.
    std::optional<Error> failure() const;

    uint64_t sliceCount() const;
    /// Where a slice is; without a segment if there is no such slice.
    struct Place {
        const Segment *segment = nullptr;
        uint32_t index = 0; ///< in the segment
    };
    Place placeOf(SliceId id) const;
    const Segment *segmentOf(SliceId id) const { return placeOf(id).segment; }
    std::optional<Slice> slice(SliceId id) const;
    /// Returns the shortest slice of the lane that contains the slice at an index of a segment. It may be unknown to
    /// the trace if a store is damaged, or in a newestPart().
    SliceId parentOf(const Segment &segment, uint32_t index) const
    {
        return segment.grows ? parentInGrowth(segment, index) : SliceId(segment.nesting.parent[index]);
    }
    /// Returns the number of slices of the lane that contain it.
    uint32_t depthOf(const Segment &segment, uint32_t index) const
    {
        return segment.grows ? depthInGrowth(segment, index) : segment.nesting.depth[index];
    }
    /// Returns its duration minus the union of its children, in ns; on streams, its duration.
    Ns selfOf(const Segment &segment, uint32_t index) const { return segment.nesting.self[index]; }
    std::string_view string(uint32_t id) const { return strings.at(id); }
    std::string laneName(LaneId lane) const; ///< display name: "stream 7", "thread 42 (python)"
    std::string processName(ProcessId process) const;
    /// Returns the device slices that a runtime call launched.
    std::vector<SliceId> launchedBy(SliceId launch) const;
    /// Returns the runtime call that launched a device slice.
    SliceId launchOf(SliceId deviceSlice) const;
    /// The same for a row of a segment's table of device work; for loops over these rows, which keep `near`.
    SliceId launchOf(const Segment &segment, uint32_t deviceRow, LaunchLinks::Place &near) const
    {
        return segment.grows ? launches.launchOf(SliceId(segment.device.slice[deviceRow]), near)
                             : SliceId(segment.device.launch[deviceRow]);
    }
    SliceId launchOf(const Segment &segment, uint32_t deviceRow) const
    {
        LaunchLinks::Place near;
        return launchOf(segment, deviceRow, near);
    }
    /// Returns the row of a slice in a side table, such as &Segment::operators. See details.h for loops.
    template <typename Table>
    DetailRow<Table> detailOf(Table SideTables::*table, SliceId slice) const
    {
        const Segment *segment = segmentOf(slice);
        return segment ? segment->detailOf(table, slice) : DetailRow<Table>();
    }
    /// Returns the span over which the whole trace was recorded, even if only a part of it was read.
    TimeSpan recordedSpan() const { return info.recorded == TimeSpan{} ? span : info.recorded; }
    /// Returns the requested part of a partially read trace; the whole span otherwise.
    TimeSpan askedSpan() const
    {
        const TimeSpan part = info.part ? info.part->clipped(info.recorded) : TimeSpan{};
        return part.empty() ? span : part;
    }
    /// Returns the children of a slice in time order.
    std::vector<SliceId> children(SliceId parent) const;
    /// Returns the slice that covers `time` on a drawing row, if any.
    SliceId sliceAt(LaneId lane, uint32_t row, Ns time) const;

private:
    SliceId parentInGrowth(const Segment &segment, uint32_t index) const;
    uint32_t depthInGrowth(const Segment &segment, uint32_t index) const;
};

} // namespace riffle
