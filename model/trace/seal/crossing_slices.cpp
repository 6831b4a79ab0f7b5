// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/crossing_slices.h"

#include <algorithm>
#include <numeric>

namespace riffle {

namespace {

/// Finds the longest of the durations that were entered at times within a range.
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
    /// Returns the longest duration entered strictly between two times; -1 if there is none.
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
    std::vector<Ns> m_tree; ///< leaves start at m_times.size(); the parent of k is k / 2
};

/// A run of consecutive slices, some of which cross; none of them crosses a slice outside the run.
struct Tangle {
    size_t first = 0; ///< position of its first slice among the slices that count
    size_t behind = 0;
};

/// Finds the tangles in one pass. As long as slices nest, ends descend along the stack of open slices. A slice that
/// ends after some of the open ones is tied to them, and from then on they count as one open slice. Of two slices that
/// cross, at least one is tied.
class TangleFinder {
public:
    void add(size_t place, Ns start, Ns end)
    {
        close(place, start);
        Open open{end, place, false};
        for (; !m_open.empty() && m_open.back().end < end; m_open.pop_back()) {
            if (!m_open.back().isTangle)
                m_tied.push_back(m_open.back().first);
            open = {end, m_open.back().first, true};
        }
        if (open.isTangle)
            m_tied.push_back(place);
        m_open.push_back(open);
    }
    void finish(size_t behind)
    {
        close(behind, INT64_MAX);
        std::sort(m_tied.begin(), m_tied.end());
    }
    const std::vector<Tangle> &tangles() const { return m_found; }
    std::span<const size_t> tiedIn(const Tangle &tangle) const
    {
        const auto first = std::lower_bound(m_tied.begin(), m_tied.end(), tangle.first);
        return {first, std::lower_bound(first, m_tied.end(), tangle.behind)};
    }

private:
    struct Open {
        Ns end;
        size_t first;
        bool isTangle;
    };

    void close(size_t place, Ns now)
    {
        for (; !m_open.empty() && m_open.back().end <= now; m_open.pop_back()) {
            if (!m_open.back().isTangle)
                continue;
            while (!m_found.empty() && m_found.back().first >= m_open.back().first)
                m_found.pop_back(); // that tangle is inside this one
            m_found.push_back({m_open.back().first, place});
        }
    }

    std::vector<Open> m_open;
    std::vector<Tangle> m_found;
    std::vector<size_t> m_tied; ///< positions of the tied slices among those that count
};

/// Appends the \p members that are crossed by a longer member, or by an earlier one of the same length.
void collectCrossing(std::span<const uint32_t> members, std::span<const Ns> start, std::span<const Ns> duration,
                     std::vector<uint32_t> &found)
{
    std::vector<Ns> starts, ends;
    for (const uint32_t index : members) {
        starts.push_back(start[index]);
        ends.push_back(start[index] + duration[index]);
    }
    // Crossed by an earlier slice, which ends inside this one and is at least as long.
    std::vector<uint8_t> crosses(members.size(), 0);
    LongestByTime byEnd(ends);
    for (size_t at = 0; at < members.size(); ++at) {
        const Ns own = duration[members[at]];
        crosses[at] = own > 0 && byEnd.between(starts[at], ends[at]) >= own;
        byEnd.enter(ends[at], own);
    }
    // Crossed by a later slice, which starts inside this one, ends after it and is longer.
    std::vector<uint32_t> order(members.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return ends[a] > ends[b]; });
    LongestByTime byStart(starts);
    for (const uint32_t at : order) {
        const Ns own = duration[members[at]];
        crosses[at] |= own > 0 && byStart.between(starts[at], ends[at]) > own;
        byStart.enter(starts[at], own);
    }
    for (size_t at = 0; at < members.size(); ++at)
        if (crosses[at])
            found.push_back(members[at]);
}

} // namespace

std::vector<uint32_t> crossingSlices(std::span<const Ns> start, std::span<const Ns> duration,
                                     std::span<const uint8_t> counts)
{
    std::vector<uint32_t> counted; // empty if all slices count
    for (uint32_t index = 0; index < counts.size(); ++index)
        if (counts[index])
            counted.push_back(index);
    const size_t places = counts.empty() ? start.size() : counted.size();
    const auto indexOf = [&](size_t place) { return counts.empty() ? static_cast<uint32_t>(place) : counted[place]; };

    const auto startOf = [&](size_t place) { return start[indexOf(place)]; };
    const auto endOf = [&](size_t place) { return start[indexOf(place)] + duration[indexOf(place)]; };

    TangleFinder finder;
    for (size_t place = 0; place < places; ++place)
        finder.add(place, startOf(place), endOf(place));
    finder.finish(places);
    std::vector<uint32_t> found, members;
    std::vector<Ns> edges;
    for (const Tangle &tangle : finder.tangles()) {
        // A slice that crosses others is tied itself or spans an edge of a tied slice.
        const std::span<const size_t> tied = finder.tiedIn(tangle);
        edges.clear();
        for (const size_t place : tied) {
            edges.push_back(startOf(place));
            edges.push_back(endOf(place));
        }
        std::sort(edges.begin(), edges.end());
        members.clear();
        auto nextTied = tied.begin();
        for (size_t place = tangle.first; place < tangle.behind; ++place) {
            const bool isTied = nextTied != tied.end() && *nextTied == place;
            nextTied += isTied;
            const auto edge = isTied ? edges.end() : std::upper_bound(edges.begin(), edges.end(), startOf(place));
            if (isTied || (edge != edges.end() && *edge < endOf(place)))
                members.push_back(indexOf(place));
        }
        collectCrossing(members, start, duration, found);
    }
    return found;
}

} // namespace riffle
