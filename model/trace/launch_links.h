// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"
#include "model/trace/column.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace riffle {

/// The links from launches (runtime and driver calls) to the device work that they launched, in runs. A finished trace
/// has one run; the generations of a trace that grows share their runs. A link is named by its place in the order of
/// the runs, which is that of one trace only.
class LaunchLinks {
public:
    /// Links that are ordered by launch, then by work. `work` and `launch` are columns of a table that is ordered by
    /// work; `byLaunch` are its rows that have a launch, in the order of the links. A damaged store can contain any
    /// number, so rows that do not exist are links to nothing.
    struct Run {
        Column<uint32_t> work, launch, byLaunch;

        size_t size() const { return byLaunch.size(); }
        SliceId launchAt(size_t link) const { return SliceId(launch.at(byLaunch[link], SliceId::kNone)); }
        SliceId workAt(size_t link) const { return SliceId(work.at(byLaunch[link], SliceId::kNone)); }
        /// Returns the first link whose launch is this slice or has a larger id; size() if there is none.
        size_t firstFrom(SliceId launch) const;
    };

    LaunchLinks() = default;
    explicit LaunchLinks(Run run) : LaunchLinks({std::make_shared<const Run>(std::move(run))}) {}
    explicit LaunchLinks(std::vector<std::shared_ptr<const Run>> runs);

    size_t size() const { return m_begins.empty() ? 0 : m_begins.back(); }
    SliceId launch(size_t link) const
    {
        const size_t run = runOf(link);
        return m_runs[run]->launchAt(link - m_begins[run]);
    }
    SliceId work(size_t link) const
    {
        const size_t run = runOf(link);
        return m_runs[run]->workAt(link - m_begins[run]);
    }
    /// Calls visit(launch, work) for the links of the launches with ids [first, last); run by run.
    template <typename F>
    void forEachLaunchedBy(SliceId first, SliceId last, F visit) const
    {
        for (size_t at = 0; at < m_runs.size(); ++at) {
            const Run &run = *m_runs[at];
            if (last <= m_bounds[at].firstLaunch || first > m_bounds[at].lastLaunch)
                continue;
            for (size_t link = run.firstFrom(first); link < run.size() && run.launchAt(link) < last; ++link)
                visit(run.launchAt(link), run.workAt(link));
        }
    }
    /// A place in the runs, from which the next search starts.
    struct Place {
        size_t run = 0, row = 0;
    };
    /// Returns the launch of device work; none if it has no link. Work that follows the one at `near` in its run costs
    /// no search; `near` moves to the work.
    SliceId launchOf(SliceId work, Place &near) const;
    SliceId launchOf(SliceId work) const
    {
        Place near;
        return launchOf(work, near);
    }
    std::span<const std::shared_ptr<const Run>> runs() const { return m_runs; }
    /// Returns the first link of a run, or size() for the number of runs.
    size_t runBegin(size_t run) const { return m_begins.empty() ? 0 : m_begins[run]; }

private:
    struct Bounds {
        SliceId firstLaunch, lastLaunch, firstWork, lastWork; ///< smallest and largest ids
    };
    size_t runOf(size_t link) const;

    std::vector<std::shared_ptr<const Run>> m_runs;
    std::vector<size_t> m_begins; ///< of the runs, and the number of links
    std::vector<Bounds> m_bounds; ///< of the runs
};

} // namespace riffle
