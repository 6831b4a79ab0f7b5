// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/launch_links.h"

#include <algorithm>
#include <utility>

namespace riffle {

LaunchLinks::LaunchLinks(Column<uint32_t> work, Column<uint32_t> launch, Column<uint32_t> byLaunch)
    : m_work(std::move(work))
    , m_launch(std::move(launch))
    , m_byLaunch(std::move(byLaunch))
{
    assert(m_work.size() == m_launch.size());
}

size_t LaunchLinks::firstFrom(SliceId launch) const
{
    const auto first =
        std::lower_bound(m_byLaunch.begin(), m_byLaunch.end(), launch.value,
                         [&](uint32_t row, uint32_t value) { return m_launch.at(row, SliceId::kNone) < value; });
    return static_cast<size_t>(first - m_byLaunch.begin());
}

SliceId LaunchLinks::launchOf(SliceId work) const
{
    const auto found = std::ranges::lower_bound(m_work, work.value);
    if (!work.valid() || found == m_work.end() || *found != work.value)
        return {};
    return SliceId(m_launch.at(static_cast<size_t>(found - m_work.begin()), SliceId::kNone));
}

} // namespace riffle
