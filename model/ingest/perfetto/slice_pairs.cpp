// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/slice_pairs.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace riffle {

void SlicePairs::add(uint32_t track, Ns time, uint64_t number, bool isEnd)
{
    assert(number < 1u << 31);
    m_edges.push_back({time, track, static_cast<uint32_t>(number) & 0x7FFFFFFF, isEnd});
}

std::optional<Ns> SlicePairs::duration(uint64_t begin) const
{
    return begin < m_durations.size() && m_durations[begin] >= 0 ? std::optional(m_durations[begin]) : std::nullopt;
}

void SlicePairs::pair()
{
    m_durations.assign(m_begins, -1);
    m_unmatched.assign(m_ends, false);
    pairRuns();
    pairStacks();
    m_edges = {};
}

/// PyTorch writes the begins of many slices and then their ends in the same order. Such runs are paired by position, as
/// they were written: by time alone, the end of a slice that touches the next one could be taken for that of the next.
void SlicePairs::pairRuns()
{
    for (size_t at = 0; at < m_edges.size();) {
        size_t middle = at;
        while (middle < m_edges.size() && !m_edges[middle].isEnd)
            ++middle;
        size_t end = middle;
        while (end < m_edges.size() && m_edges[end].isEnd)
            ++end;
        if (end - middle != middle - at || !pairRun(at, middle)) {
            at = end;
            continue;
        }
        for (; at < end; ++at)
            m_edges[at].track = UINT32_MAX;
    }
    std::erase_if(m_edges, [](const Edge &edge) { return edge.track == UINT32_MAX; });
}

bool SlicePairs::pairRun(size_t begin, size_t middle)
{
    const size_t count = middle - begin;
    const auto edge = m_edges.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto end = edge + static_cast<std::ptrdiff_t>(2 * count);
    // A stream in the order of time says by itself which slice ends: the innermost open one.
    if (std::is_sorted(edge, end, [](const Edge &left, const Edge &right) { return left.time < right.time; }))
        return false;
    for (size_t at = begin; at < middle; ++at)
        if (m_edges[at].track != m_edges[at + count].track || m_edges[at].time > m_edges[at + count].time)
            return false;
    for (size_t at = begin; at < middle; ++at)
        m_durations[m_edges[at].number] = m_edges[at + count].time - m_edges[at].time;
    return true;
}

void SlicePairs::pairStacks()
{
    std::stable_sort(m_edges.begin(), m_edges.end(), [](const Edge &left, const Edge &right) {
        return left.track != right.track ? left.track < right.track : left.time < right.time;
    });
    std::vector<const Edge *> open;
    for (size_t at = 0; at < m_edges.size(); ++at) {
        const Edge &edge = m_edges[at];
        if (at > 0 && edge.track != m_edges[at - 1].track)
            open.clear();
        if (!edge.isEnd) {
            open.push_back(&edge);
        } else if (open.empty()) {
            m_unmatched[edge.number] = true;
        } else {
            m_durations[open.back()->number] = edge.time - open.back()->time;
            open.pop_back();
        }
    }
}

} // namespace riffle
