// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/session_file.h"

#include <QStringList>

#include <map>
#include <optional>
#include <vector>

namespace riffle {

/// A lane in the form that a session file uses to find it again.
SessionFile::Lane sessionLane(const TraceSet &traces, LaneRef lane);

/// The selected slice as a session file stores it; nothing if no slice is selected.
std::optional<SessionFile::SelectedSlice> sessionSelection(const Session &session);

/// The filters as a session file stores them.
SessionFile::SavedFilters sessionFilters(const Session &session);

/// Finds the area, the filters, the marks and the selected slice of a session file in the opened traces.
class SessionPlaces {
public:
    /// `traces` are those that the session's files became.
    SessionPlaces(const TraceSet &traces, const SessionFile &file);

    /// The area. Nothing if the file has no area or none of its lanes exists.
    std::optional<AreaSelection> area() const;
    /// The filters, without lanes and traces that do not exist; none if the file has none.
    Filters filters() const;
    std::vector<Mark> marks() const { return marksIn(m_traces, m_file.marks, m_traceOf); }
    /// The selected slice. Invalid if the file does not name its lane or the slice does not exist.
    SliceRef selected() const;
    /// The traces that the open snapshots belong to; invalid where the file does not say it. `snapshots` are the paths
    /// of those that could be opened, in the order of the file.
    std::vector<TraceId> tracesOf(const QStringList &snapshots) const;

private:
    std::vector<LaneRef> lanesNamed(const SessionFile::Lane &lane) const;
    SliceRef selectedOn(LaneRef lane) const;

    const TraceSet &m_traces;
    const SessionFile &m_file;
    std::vector<TraceId> m_traceOf; ///< for each file of the session, its member of the set; invalid if it is none
    PerTrace<std::multimap<std::string, LaneId>> m_lanes; ///< the lanes of each trace, by key
};

} // namespace riffle
