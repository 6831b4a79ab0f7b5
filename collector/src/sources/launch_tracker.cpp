// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/launch_tracker.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace riffle::collector {

namespace {

/// True if one call was made inside the other.
bool areNested(const LaunchTracker::Call &a, const LaunchTracker::Call &b)
{
    return a.thread == b.thread && ((a.start >= b.start && a.end <= b.end) || (b.start >= a.start && b.end <= a.end));
}

bool comesBefore(const LaunchTracker::Call &a, const LaunchTracker::Call &b)
{
    return std::tie(a.thread, a.start) < std::tie(b.thread, b.start);
}

} // namespace

bool LaunchTracker::isLaunch(std::string_view call)
{
    constexpr std::array kLaunches{"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cuLaunchKernel",
                                   "cuLaunchCooperativeKernel"};
    // Launches on several devices have several kernels.
    return call.find("MultiDevice") == call.npos &&
           std::any_of(kLaunches.begin(), kLaunches.end(), [&](const char *name) { return call.starts_with(name); });
}

void LaunchTracker::bufferBegins()
{
    for (const auto &[thread, call] : m_last)
        m_edges.push_back(call);
    m_last.clear();
}

void LaunchTracker::launched(const Call &call)
{
    if (m_last.insert_or_assign(call.thread, call).second)
        m_edges.push_back(call);
    // A call of the driver inside one of the runtime is the same launch. It is reported first, unless its buffer is
    // late.
    constexpr std::ptrdiff_t kNear = 64;
    const auto end = m_launches.size() > kNear ? m_launches.rbegin() + kNear : m_launches.rend();
    const auto same =
        std::find_if(m_launches.rbegin(), end, [&](const Launch &launch) { return areNested(call, launch); });
    if (same == end)
        m_launches.push_back({call, call.correlation});
    else if (same->start < call.start || same->end > call.end)
        same->inner = call.correlation;
    else
        *same = {call, same->correlation};
}

void LaunchTracker::sortEdges()
{
    bufferBegins();
    std::sort(m_edges.begin(), m_edges.end(), comesBefore);
    const auto isSame = [](const Call &a, const Call &b) { return a.correlation == b.correlation; };
    m_edges.erase(std::unique(m_edges.begin(), m_edges.end(), isSame), m_edges.end());
}

/// True if the other call of this launch was reported in another buffer. It may have been paired since.
bool LaunchTracker::isKnownLaunch(const Launch &launch) const
{
    constexpr std::ptrdiff_t kNear = 3; // calls of a thread are inside each other or apart
    const auto at = std::lower_bound(m_edges.begin(), m_edges.end(), launch, comesBefore);
    return std::any_of(
        at - std::min(kNear, at - m_edges.begin()), at + std::min(kNear, m_edges.end() - at), [&](const Call &edge) {
            const bool isPart = edge.correlation == launch.correlation || edge.correlation == launch.inner;
            return !isPart && areNested(launch, edge);
        });
}

void LaunchTracker::addCapture(uint32_t thread, int64_t time, bool begins)
{
    constexpr size_t kMostOfThread = 64;
    std::map<int64_t, bool> &events = m_captures[thread];
    events[time] = begins;
    if (events.size() > kMostOfThread)
        events.erase(events.begin());
}

bool LaunchTracker::isCaptured(int64_t time) const
{
    return std::any_of(m_captures.begin(), m_captures.end(), [=](const auto &ofThread) {
        const std::map<int64_t, bool> &events = ofThread.second;
        const auto next = events.upper_bound(time);
        return (next != events.begin() && std::prev(next)->second) || (next != events.end() && !next->second);
    });
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
    sortEdges();
    const bool tooMany = m_launches.size() > kMost;
    int64_t oldest = time;
    std::erase_if(m_launches, [&](const Launch &launch) {
        const bool isMissed = launch.counts && !isCaptured(launch.start) && !isKnownLaunch(launch);
        if (!tooMany && time - launch.start <= kLostAfter) {
            oldest = isMissed ? std::min(oldest, launch.start) : oldest;
            return false;
        }
        if (!isMissed)
            return true;
        lost.first = lost.count ? std::min(lost.first, launch.start) : launch.start;
        lost.last = lost.count ? std::max(lost.last, launch.start) : launch.start;
        ++lost.count;
        return true;
    });
    std::erase_if(m_edges, [=](const Call &edge) { return time - edge.start > kLostAfter; });
    if (m_edges.size() > kMostEdges)
        m_edges.clear();
    return oldest;
}

void LaunchTracker::clear()
{
    m_launches.clear();
    m_ran.clear();
    m_captures.clear();
    m_edges.clear();
    m_last.clear();
}

} // namespace riffle::collector
