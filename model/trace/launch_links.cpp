// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/launch_links.h"

#include <algorithm>

namespace riffle {

size_t LaunchLinks::Run::firstFrom(SliceId from) const
{
    const auto first =
        std::lower_bound(byLaunch.begin(), byLaunch.end(), from.value,
                         [&](uint32_t row, uint32_t value) { return launch.at(row, SliceId::kNone) < value; });
    return static_cast<size_t>(first - byLaunch.begin());
}

LaunchLinks::LaunchLinks(std::vector<std::shared_ptr<const Run>> runs) : m_runs(std::move(runs))
{
    m_begins.push_back(0);
    for (const auto &run : m_runs) {
        assert(run->work.size() == run->launch.size());
        m_begins.push_back(m_begins.back() + run->size());
        // In a damaged store, the order of the work is not known.
        if (run->size() == 0)
            m_bounds.push_back({SliceId(1), SliceId(0), SliceId(1), SliceId(0)});
        else if (m_runs.size() == 1) // that of a damaged store may be in any order
            m_bounds.push_back({SliceId(0), SliceId(), SliceId(0), SliceId()});
        else
            m_bounds.push_back({run->launchAt(0), run->launchAt(run->size() - 1), SliceId(run->work[0]),
                                SliceId(run->work[run->work.size() - 1])});
    }
}

size_t LaunchLinks::runOf(size_t link) const
{
    assert(link < size());
    return m_runs.size() == 1 ? 0
                              : static_cast<size_t>(std::ranges::upper_bound(m_begins, link) - m_begins.begin()) - 1;
}

SliceId LaunchLinks::launchOf(SliceId work, Place &near) const
{
    if (!work.valid())
        return {};
    if (near.run < m_runs.size())
        if (const Run &run = *m_runs[near.run]; near.row + 1 < run.work.size() && run.work[near.row + 1] == work.value)
            return SliceId(run.launch.at(++near.row, SliceId::kNone));
    for (size_t run = 0; run < m_runs.size(); ++run) {
        if (work < m_bounds[run].firstWork || work > m_bounds[run].lastWork)
            continue;
        const Column<uint32_t> &works = m_runs[run]->work;
        const auto found = std::ranges::lower_bound(works, work.value);
        if (found == works.end() || *found != work.value)
            continue;
        near = {run, static_cast<size_t>(found - works.begin())};
        return SliceId(m_runs[run]->launch.at(near.row, SliceId::kNone));
    }
    return {};
}

} // namespace riffle
