// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_snapshot.h"
#include "model/query/query_trace.h"

#include <string>
#include <vector>

namespace riffle {

/// The slice of a row. Going to another slice of the same segment needs no search.
struct SlicePlace {
    const Segment *segment = nullptr; ///< null if there is none
    uint32_t at = 0;                  ///< index in the segment

    bool goTo(const Trace &trace, uint32_t slice)
    {
        const SliceId wanted(slice);
        at = segment ? segment->indexOf(wanted) : kNoRow;
        if (at == kNoRow) {
            const Trace::Place place = trace.placeOf(wanted);
            segment = place.segment;
            at = place.index;
        }
        return segment;
    }
    explicit operator bool() const { return segment; }
    uint32_t id() const { return segment ? segment->idAt(at).value : SliceId::kNone; }
    uint32_t name() const { return segment ? segment->slices.name[at] : 0; }
    uint32_t category() const { return segment ? segment->slices.category[at] : 0; }
    Ns start() const { return segment ? segment->slices.start[at] : kNoInt; }
    Ns duration() const { return segment ? segment->slices.duration[at] : kNoInt; }
    uint32_t lane() const { return segment ? segment->lane.value : LaneId::kNone; }
    bool unfinished() const { return segment && (segment->slices.flags[at] & slice_flag::Unfinished); }
};

/// The current row of a scan: a row of a table in one file.
struct QueryRow {
    const QueryFile *of = nullptr;
    uint32_t number = 0; ///< row number; each table defines what it counts
    uint32_t part = 0;   ///< index among several rows with this number
    SlicePlace slice;    ///< the slice that the row is about
    SlicePlace other;    ///< the slice to which it leads: the kernel of a launch, or the end of an arrow
    uint32_t detail = 0; ///< the row in another table, or a guess of it; in a side table, that of the slice's segment
    uint32_t arrowStart = 0;        ///< row of the flow table at which the arrow to arrowEnd starts
    uint32_t arrowEnd = UINT32_MAX; ///< row of the flow table: the end that was looked at last
    uint32_t device = 0;            ///< of a snapshot: row of MemoryReplay::devices
    uint32_t inDevice = 0;          ///< of a snapshot: row of the device's own table
    EventArguments arguments;       ///< the slice's arguments, in the table of arguments

    /// The trace of the row, in a query about traces.
    const QueryTrace &traced() const
    {
        assert(of);
        return traceOf(*of);
    }
    const Trace &trace() const { return traced().trace(); }
    /// The snapshot of the row, in a query about snapshots.
    const QuerySnapshot &snapshot() const
    {
        assert(of);
        return snapshotOf(*of);
    }
    void enterFile(const QueryFile &file)
    {
        of = &file;
        slice = other = {};
        detail = device = inDevice = 0;
        arrowEnd = UINT32_MAX;
    }
};

} // namespace riffle
