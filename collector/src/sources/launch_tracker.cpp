// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/launch_tracker.h"

#include <algorithm>
#include <array>

namespace riffle::collector {

bool LaunchTracker::isLaunch(std::string_view call)
{
    constexpr std::array kLaunches{"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cuLaunchKernel",
                                   "cuLaunchCooperativeKernel"};
    // Launches on several devices have several kernels.
    return call.find("MultiDevice") == call.npos &&
           std::any_of(kLaunches.begin(), kLaunches.end(), [&](const char *name) { return call.starts_with(name); });
}

void LaunchTracker::launched(const Call &call)
{
    // Any thread may launch into a captured stream, as PyTorch's backward threads do.
    for (const auto &[thread, start] : m_captures)
        if (call.start >= start)
            return;
    // A call of the driver inside one of the runtime is the same launch; it is reported first.
    constexpr std::ptrdiff_t kNear = 64;
    const auto end = m_launches.size() > kNear ? m_launches.rbegin() + kNear : m_launches.rend();
    const auto inner = std::find_if(m_launches.rbegin(), end, [&](const Launch &launch) {
        return launch.thread == call.thread && launch.start >= call.start && launch.end <= call.end;
    });
    if (inner != end)
        *inner = {call, inner->correlation};
    else
        m_launches.push_back({call, call.correlation});
}

void LaunchTracker::captureEnds(const Call &call)
{
    const auto begun = m_captures.extract(call.thread);
    if (begun)
        std::erase_if(m_launches,
                      [&](const Launch &launch) { return launch.start >= begun.mapped() && launch.start <= call.end; });
}

int64_t LaunchTracker::settle(int64_t time, Loss &lost)
{
    const auto byCorrelation = [](const auto &a, const auto &b) { return a.correlation < b.correlation; };
    std::sort(m_ran.begin(), m_ran.end(), byCorrelation);
    // All kernels of a graph have the correlation of its launch.
    const auto isSame = [](const Ran &a, const Ran &b) { return a.correlation == b.correlation; };
    m_ran.erase(std::unique(m_ran.begin(), m_ran.end(), isSame), m_ran.end());
    std::vector<uint32_t> paired;
    std::erase_if(m_launches, [&](const Launch &launch) {
        for (const uint32_t correlation : {launch.correlation, launch.inner})
            if (std::binary_search(m_ran.begin(), m_ran.end(), Ran{correlation, 0}, byCorrelation)) {
                paired.push_back(correlation);
                return true;
            }
        return false;
    });
    std::sort(paired.begin(), paired.end());
    std::erase_if(m_ran, [&](Ran &ran) {
        ran.since = ran.since ? ran.since : time;
        return time - ran.since > kLostAfter || std::binary_search(paired.begin(), paired.end(), ran.correlation);
    });
    if (m_ran.size() > kMost)
        m_ran.clear();
    const bool tooMany = m_launches.size() > kMost;
    int64_t oldest = time;
    std::erase_if(m_launches, [&](const Launch &launch) {
        if (!tooMany && time - launch.start <= kLostAfter) {
            oldest = std::min(oldest, launch.start);
            return false;
        }
        lost.first = lost.count ? std::min(lost.first, launch.start) : launch.start;
        lost.last = lost.count ? std::max(lost.last, launch.start) : launch.start;
        ++lost.count;
        return true;
    });
    return oldest;
}

void LaunchTracker::clear()
{
    m_launches.clear();
    m_ran.clear();
    m_captures.clear();
}

} // namespace riffle::collector
