// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <string>
#include <vector>

namespace riffle {

/// The lanes under one heading: a GPU's streams or a process's threads.
struct LaneGroup {
    std::string key; ///< unique in its trace
    std::string title;
    std::string note;
    ProcessId process;
    int32_t device = -1;       ///< GPU, or -1
    std::vector<LaneId> lanes; ///< with slices or instants, in order of display
    std::vector<LaneId> counters;
};

/// Returns the groups of a trace in order of display. Lanes without events are left out.
std::vector<LaneGroup> laneGroups(const Trace &trace);

/// Returns a key that identifies a lane when the trace is opened again. It is built from process, thread and kind.
std::string laneKey(const Trace &trace, LaneId lane);

/// Returns the text of a raw id as written in the source.
std::string rawIdText(const Trace &trace, const RawId &id);

} // namespace riffle
