// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/launches_growth.h"

#include <algorithm>
#include <tuple>

namespace riffle {

LaunchesGrowth::Entry &LaunchesGrowth::entry(int64_t correlation)
{
    const auto [found, isNew] = m_waiting.try_emplace(correlation);
    if (isNew) {
        m_order.push_back(correlation);
        if (m_order.size() > kMostWaiting) {
            const auto oldest = m_waiting.find(m_order.front());
            leave(oldest->second);
            m_waiting.erase(oldest);
            m_order.pop_front();
            return m_waiting[correlation];
        }
    }
    return found->second;
}

SliceId LaunchesGrowth::Entry::launch() const
{
    const auto first = std::ranges::min_element(
        calls, {}, [](const Member &call) { return std::tuple(call.start, call.lane, call.offset); });
    return first == calls.end() ? SliceId() : first->slice;
}

void LaunchesGrowth::leave(const Entry &entry)
{
    const SliceId launch = entry.launch();
    for (const Member &work : entry.works)
        if (launch.valid())
            m_links.push_back({launch, work.slice});
        else
            m_report.add(Trouble::LaunchlessKernel, work.offset, {});
}

void LaunchesGrowth::addCall(int64_t correlation, const Member &call) { entry(correlation).calls.push_back(call); }

void LaunchesGrowth::addWork(int64_t correlation, const Member &work) { entry(correlation).works.push_back(work); }

std::vector<LaunchesGrowth::Link> LaunchesGrowth::links() const
{
    std::vector<Link> links = m_links;
    for (const auto &[correlation, one] : m_waiting)
        if (const SliceId launch = one.launch(); launch.valid())
            for (const Member &work : one.works)
                links.push_back({launch, work.slice});
    return links;
}

void LaunchesGrowth::report(ImportReport &report, bool all) const
{
    report.merge(m_report);
    if (!all)
        return;
    for (const auto &[correlation, one] : m_waiting)
        if (one.calls.empty())
            for (const Member &work : one.works)
                report.add(Trouble::LaunchlessKernel, work.offset, {});
}

} // namespace riffle
