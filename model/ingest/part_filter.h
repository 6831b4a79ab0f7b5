// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/ingest/kept_part.h"
#include "model/trace/trace_builder.h"

#include <functional>
#include <string_view>

namespace riffle {

/// What a pass over a source keeps of the events that it reads; their times are noted in any case.
class PartFilter {
public:
    enum class Keep : uint8_t {
        All,
        Launches ///< what KeptPart is found from
    };
    PartFilter() = default;
    explicit PartFilter(Keep keep) : m_keep(keep) {}
    /// Only this is kept; null is all. Not owned.
    explicit PartFilter(const KeptPart *part) : m_part(part) {}

    /// For what has no length. What the user did not ask for is counted in the report at its offset.
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
    /// `name()` is only asked for where it matters.
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
    /// For what has a begin only: whether it lies in the part shows when the trace is sealed.
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

/// What the user's range or steps mean in a source, which `read` reads once for that; it gives what the source says
/// itself of when it was recorded, empty where only its events tell.
Result<KeptPart> resolvePart(const ImportOptions &options, const Task &task,
                             const std::function<Result<TimeSpan>(TraceBuilder &, PartFilter)> &read);

} // namespace riffle
