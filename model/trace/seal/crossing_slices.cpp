// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/crossing_slices.h"

#include <algorithm>
#include <numeric>

namespace riffle {

namespace {

/// The longest duration of those entered under a range of times.
class LongestByTime {
public:
    explicit LongestByTime(std::vector<Ns> times) : m_times(std::move(times))
    {
        std::sort(m_times.begin(), m_times.end());
        m_times.erase(std::unique(m_times.begin(), m_times.end()), m_times.end());
        m_tree.assign(2 * m_times.size(), -1);
    }
    void enter(Ns time, Ns duration)
    {
        for (size_t at = rank(time) + m_times.size(); at > 0; at /= 2)
            m_tree[at] = std::max(m_tree[at], duration);
    }
    /// Of those strictly between two times; -1 if there are none.
    Ns between(Ns after, Ns before) const
    {
        const auto from = std::upper_bound(m_times.begin(), m_times.end(), after);
        size_t low = static_cast<size_t>(from - m_times.begin()) + m_times.size();
        size_t high = rank(before) + m_times.size();
        Ns longest = -1;
        for (; low < high; low /= 2, high /= 2) {
            if (low % 2)
                longest = std::max(longest, m_tree[low++]);
            if (high % 2)
                longest = std::max(longest, m_tree[--high]);
        }
        return longest;
    }

private:
    size_t rank(Ns time) const
    {
        return static_cast<size_t>(std::lower_bound(m_times.begin(), m_times.end(), time) - m_times.begin());
    }
    std::vector<Ns> m_times;
    std::vector<Ns> m_tree; ///< leaves from m_times.size() on, the parent of k at k / 2
};

/// A run of slices that overlaps nothing around it.
class Cluster {
public:
    Cluster(std::span<const Ns> start, std::span<const Ns> duration) : m_start(start), m_duration(duration) {}

    bool endsBefore(uint32_t index) const { return m_members.empty() || m_end <= m_start[index]; }
    void add(uint32_t index)
    {
        const Ns end = endOf(index);
        while (!m_open.empty() && m_open.back() <= m_start[index])
            m_open.pop_back();
        m_crosses |= !m_open.empty() && m_open.back() < end;
        m_open.push_back(end);
        m_members.push_back(index);
        m_end = m_members.size() == 1 ? end : std::max(m_end, end);
    }
    /// Appends what crosses to \p found and begins anew.
    void close(std::vector<uint32_t> &found)
    {
        if (m_crosses)
            collect(found);
        m_members.clear();
        m_open.clear();
        m_crosses = false;
    }

private:
    Ns endOf(uint32_t index) const { return m_start[index] + m_duration[index]; }

    void collect(std::vector<uint32_t> &found) const
    {
        std::vector<Ns> starts, ends;
        for (const uint32_t index : m_members) {
            starts.push_back(m_start[index]);
            ends.push_back(endOf(index));
        }
        // Crossed by an earlier one: that ends inside this one and is at least as long.
        std::vector<uint8_t> crosses(m_members.size(), 0);
        LongestByTime byEnd(ends);
        for (size_t at = 0; at < m_members.size(); ++at) {
            const Ns duration = m_duration[m_members[at]];
            crosses[at] = duration > 0 && byEnd.between(starts[at], ends[at]) >= duration;
            byEnd.enter(ends[at], duration);
        }
        // Crossed by a later one: that starts inside this one, ends after it and is longer.
        std::vector<uint32_t> order(m_members.size());
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return ends[a] > ends[b]; });
        LongestByTime byStart(starts);
        for (const uint32_t at : order) {
            const Ns duration = m_duration[m_members[at]];
            crosses[at] |= duration > 0 && byStart.between(starts[at], ends[at]) > duration;
            byStart.enter(starts[at], duration);
        }
        for (size_t at = 0; at < m_members.size(); ++at)
            if (crosses[at])
                found.push_back(m_members[at]);
    }

    std::span<const Ns> m_start;
    std::span<const Ns> m_duration;
    std::vector<uint32_t> m_members;
    std::vector<Ns> m_open; ///< ends of what is open, exact until the first crossing
    Ns m_end = 0;
    bool m_crosses = false;
};

} // namespace

std::vector<uint32_t> crossingSlices(std::span<const Ns> start, std::span<const Ns> duration,
                                     std::span<const uint8_t> counts)
{
    std::vector<uint32_t> found;
    Cluster cluster(start, duration);
    for (uint32_t index = 0; index < start.size(); ++index) {
        if (!counts.empty() && !counts[index])
            continue;
        if (cluster.endsBefore(index))
            cluster.close(found);
        cluster.add(index);
    }
    cluster.close(found);
    return found;
}

} // namespace riffle
