// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/lane_layout.h"
#include "model/layout/lane_order.h"

#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// Builds the strips of one trace for a layout. What it is given must outlive it.
class TraceStrips {
public:
    TraceStrips(const TraceSet &set, const LoadedTrace &member, const std::vector<TraceGraph> *graphs,
                const SetBands &bands, const LaneState &state, std::shared_ptr<const SqueezedLanes> squeezed);

    /// Returns the strips of a group, in the user's order. If `isHome`, they include the bands that belong to no
    /// device.
    std::vector<LaneItem> groupLanes(const LaneGroup &group, const std::string &groupKey, bool isHome) const;
    /// Returns the group of the first process with threads, or the first group if there is none.
    size_t home(const std::vector<LaneGroup> &groups) const;
    LaneItem heading(LaneItem::Kind kind, std::string key, std::string title) const;
    /// True if a group is folded by default, because its lanes have no slices, or only one in a lane that is no thread,
    /// as profilers write about themselves ("Spans").
    bool isQuiet(const LaneGroup &group) const;
    int indent() const { return m_indent; }

private:
    LaneItem slices(LaneId id, const LaneGroup &group, const std::string &groupKey) const;
    LaneItem bands(const std::shared_ptr<const BandTrack> &track, const LaneGroup &group,
                   const std::string &groupKey) const;
    LaneItem graph(uint32_t index, const LaneGroup &group, const std::string &groupKey) const;
    bool belongs(const TraceGraph &graph, const LaneGroup &group) const;
    ProcessId mainProcess() const;

    const Trace &m_trace;
    TraceId m_id;
    const std::vector<TraceGraph> *m_graphs;
    const SetBands &m_bands;
    const LaneState &m_state;
    std::shared_ptr<const SqueezedLanes> m_squeezed; ///< null if they are not known
    std::string m_prefix;
    int m_indent;
};

} // namespace riffle
