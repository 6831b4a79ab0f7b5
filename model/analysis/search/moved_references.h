// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <vector>

namespace riffle {

/// Finds again, in a set of traces, what pointed into the set as it was before: the same traces under the same ids, of
/// which some may have been removed or read again. A lane is the same if its process and it have the same names and
/// ids; a slice is the same if it is in the same lane, starts at the same time, has the same name and is in the same
/// row; or at the same place in the source, if a trace has grown. Both sets must outlive the object.
class MovedReferences {
public:
    MovedReferences(const TraceSet &before, const TraceSet &now);

    /// The slice as it is now; invalid if it is gone. A slice of a trace that is not loaded stays as it is; if another
    /// trace is loaded in its place later, it is gone.
    SliceRef now(SliceRef slice) const;
    LaneRef now(LaneRef lane) const;                ///< its lane is invalid if it is gone
    void update(std::vector<LaneRef> &lanes) const; ///< removes those that are gone
    /// The traces in which slices and names have other ids now, or none.
    const std::vector<TraceId> &dropped() const { return m_dropped; }
    /// The traces that have another generation now (TraceSet::grow()); everything that pointed at them stays true.
    const std::vector<TraceId> &grown() const { return m_grown; }

private:
    bool isDropped(TraceId id) const;
    const TraceSet &m_before, &m_now;
    std::vector<TraceId> m_dropped; ///< ascending
    std::vector<TraceId> m_grown;
};

} // namespace riffle
