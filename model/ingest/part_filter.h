// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/ingest/kept_part.h"
#include "model/trace/trace_builder.h"

#include <functional>
#include <string_view>

namespace riffle {

/// Decides which events a pass over a source keeps. The times of all events are noted, even of those that are not kept.
class PartFilter {
public:
    enum class Keep : uint8_t {
        All,
        Launches ///< only what is needed to find a KeptPart
    };
    PartFilter() = default;
    explicit PartFilter(Keep keep) : m_keep(keep) {}
    /// Keeps only this part, or everything if it is null. Not owned.
    explicit PartFilter(const KeptPart *part) : m_part(part) {}

    /// For rows without a duration. Rows outside the requested part are counted in the report.
    bool leavesOut(Ns time, ImportReport &report, uint64_t offset) const
    {
        return leavesOut(!m_part || m_part->keepsAt(time), report, offset);
    }
    bool leavesOutMemory(Ns time, ImportReport &report, uint64_t offset) const
    {
        return m_keep != Keep::Launches && leavesOut(!m_part || m_part->keepsMemory(time, offset), report, offset);
    }
    bool leavesOutFlow(Ns time, int64_t id, bool fromLaunch, ImportReport &report, uint64_t offset) const
    {
        if (m_keep == Keep::Launches)
            return fromLaunch;
        return leavesOut(!m_part || m_part->keepsFlow(time, id, fromLaunch), report, offset);
    }
    /// Calls `name()` only if the name decides.
    template <typename Name>
    bool leavesOutSlice(const SliceRow &row, bool device, Name name, ImportReport &report, uint64_t offset) const
    {
        if (m_keep == Keep::Launches)
            return row.correlation == kNoInt && !device && !isStepMark(name());
        const Ns end = row.start + row.duration;
        return leavesOut(!m_part || (device ? m_part->keepsOnDevice(row.start, end, row.correlation)
                                            : m_part->keepsOnHost(row.start, end)),
                         report, offset);
    }
    /// For a begin event, whose end is not yet known: the seal decides whether the slice is in the part.
    template <typename Name>
    bool leavesOutBegin(Name name) const
    {
        return m_keep == Keep::Launches && !isStepMark(name());
    }

private:
    bool leavesOut(bool isInside, ImportReport &report, uint64_t offset) const
    {
        if (m_keep != Keep::All)
            return true;
        if (!isInside)
            report.add(Trouble::OutsideRange, offset, {});
        return !isInside;
    }

    const KeptPart *m_part = nullptr;
    Keep m_keep = Keep::All;
};

/// Finds the part of a source that the user's range or steps select. `read` reads the source once for this and returns
/// the time span that the source states; an empty span if only its events determine it.
Result<KeptPart> resolvePart(const ImportOptions &options, const Task &task,
                             const std::function<Result<TimeSpan>(TraceBuilder &, PartFilter)> &read);

} // namespace riffle
