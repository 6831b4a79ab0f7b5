// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <string>
#include <vector>

namespace riffle {

/// Lanes that stand under one heading: a GPU's streams or a process's threads.
struct LaneGroup {
    std::string key; ///< unique in its trace
    std::string title;
    std::string note;
    ProcessId process;
    int32_t device = -1;       ///< GPU, or -1
    std::vector<LaneId> lanes; ///< with slices or instants, in order of display
    std::vector<LaneId> counters;
};

/// The groups of a trace in order of display. Lanes without any event are left out.
std::vector<LaneGroup> laneGroups(const Trace &trace);

/// What a lane is called when the trace is opened again: made of process, thread and kind.
std::string laneKey(const Trace &trace, LaneId lane);

/// Text of a raw id as it stood in the source.
std::string rawIdText(const Trace &trace, const RawId &id);

} // namespace riffle
