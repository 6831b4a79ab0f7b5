// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/session_file.h"

#include <QStringList>

#include <map>
#include <optional>
#include <vector>

namespace riffle {

/// How a session file names a lane, so that it is found again.
SessionFile::Lane sessionLane(const TraceSet &traces, LaneRef lane);

/// The selected slice as a session file names it; nothing when none is selected.
std::optional<SessionFile::SelectedSlice> sessionSelection(const Session &session);

/// Finds in opened traces what a session file names by file and lane.
class SessionPlaces {
public:
    /// `opened`: the files of the traces. Those of the session that could not be opened are not among them.
    SessionPlaces(const TraceSet &traces, const SessionFile &file, const QStringList &opened);

    /// In set time. Nothing when the file has no area, or when none of its lanes is there.
    std::optional<AreaSelection> area() const;
    /// Invalid when the file does not say on which lane the slice lies, or when it is not there.
    SliceRef selected() const;

private:
    std::vector<LaneRef> lanesNamed(const SessionFile::Lane &lane) const;
    SliceRef selectedOn(LaneRef lane) const;

    const TraceSet &m_traces;
    const SessionFile &m_file;
    std::vector<std::optional<uint32_t>> m_traceOf;          ///< per file of the session
    std::vector<std::multimap<std::string, LaneId>> m_lanes; ///< by key, per trace
};

} // namespace riffle
