// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/lane_nesting.h"

#include "model/trace/seal/crossing_slices.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace riffle {

namespace {

/// Open slices that cross others, added by start. Only those that can still be somebody's shortest container are kept: sorted
/// by end, durations ascend too (a slice that ends later and is shorter makes an earlier-ending longer one useless).
class OpenStrays {
public:
    void expire(Ns now)
    {
        while (!m_byEnd.empty() && m_byEnd.begin()->first <= now)
            m_byEnd.erase(m_byEnd.begin());
    }
    void add(Ns start, Ns end, uint32_t index)
    {
        if (end <= start)
            return; // holds nothing but its own instant
        const Ns duration = end - start;
        const auto containing = m_byEnd.lower_bound(end);
        if (containing != m_byEnd.end() && containing->second.duration <= duration &&
            !(containing->first == end && containing->second.duration == duration))
            return;
        auto at = m_byEnd.insert_or_assign(end, Entry{duration, index}).first;
        while (at != m_byEnd.begin() && std::prev(at)->second.duration >= duration)
            m_byEnd.erase(std::prev(at));
    }
    /// The shortest that contains an interval starting now; kNone if there is none.
    std::pair<uint32_t, Ns> shortest(Ns start, Ns end) const
    {
        const auto found = end > start ? m_byEnd.lower_bound(end) : m_byEnd.upper_bound(end);
        if (found == m_byEnd.end())
            return {Nesting::kNone, 0};
        return {found->second.index, found->second.duration};
    }

private:
    struct Entry {
        Ns duration;
        uint32_t index;
    };
    std::map<Ns, Entry> m_byEnd;
};

/// Nests one lane (or one async group of it) while its slices pass by in order.
class LaneNester {
public:
    LaneNester(const NestingInput &input, Nesting &out) : m_in(input), m_out(out), m_childEnd(input.start.size(), INT64_MIN) {}

    /// A slice that crosses none of those added before.
    void add(uint32_t index)
    {
        adopt(index);
        m_out.row[index] = static_cast<uint32_t>(m_stack.size());
        m_stack.push_back(index);
        m_rows = std::max(m_rows, static_cast<uint32_t>(m_stack.size()));
    }
    /// A slice that does cross others.
    void addCrossing(uint32_t index)
    {
        adopt(index);
        m_strays.add(m_in.start[index], endOf(index), index);
    }
    /// Finds the parent of a slice that is never a parent itself.
    void addLeaf(uint32_t index) { adopt(index); }

    uint32_t rows() const { return m_rows; }

private:
    Ns endOf(uint32_t index) const { return m_in.start[index] + m_in.duration[index]; }

    void expire(Ns start, Ns end)
    {
        m_strays.expire(start);
        while (!m_stack.empty()) {
            const uint32_t top = m_stack.back();
            const bool sameInstant = start == end && m_in.duration[top] == 0 && m_in.start[top] == start;
            if (endOf(top) > start || sameInstant)
                break;
            m_stack.pop_back();
        }
    }

    void adopt(uint32_t index)
    {
        const Ns start = m_in.start[index];
        const Ns end = endOf(index);
        expire(start, end);
        // The innermost open slice that does not end before it: ends descend along the stack.
        uint32_t parent = Nesting::kNone;
        if (!m_stack.empty() && endOf(m_stack.back()) >= end) {
            parent = m_stack.back();
        } else {
            const auto after = std::partition_point(m_stack.begin(), m_stack.end(),
                                                    [&](uint32_t open) { return endOf(open) >= end; });
            if (after != m_stack.begin())
                parent = *(after - 1);
        }
        const auto [stray, strayDuration] = m_strays.shortest(start, end);
        if (stray != Nesting::kNone && (parent == Nesting::kNone || strayDuration < m_in.duration[parent] ||
                                        (strayDuration == m_in.duration[parent] && stray > parent)))
            parent = stray;
        m_out.parent[index] = parent;
        m_out.self[index] = end - start;
        if (parent == Nesting::kNone)
            return;
        m_out.depth[index] = m_out.depth[parent] + 1;
        Ns &covered = m_childEnd[parent];
        m_out.self[parent] -= std::max<Ns>(0, end - std::max(start, covered));
        covered = std::max(covered, end);
    }

    const NestingInput &m_in;
    Nesting &m_out;
    std::vector<uint32_t> m_stack; ///< open slices, each inside the one before
    OpenStrays m_strays;
    BigVector<Ns> m_childEnd; ///< per parent: how far its children cover it
    uint32_t m_rows = 0;
};

/// Rows below \p firstRow for slices that have none yet; returns the number of rows then used.
uint32_t placeRows(const NestingInput &input, Nesting &out, std::span<const uint32_t> indices, uint32_t firstRow)
{
    RowAllocator rows;
    for (const uint32_t index : indices)
        out.row[index] = firstRow + rows.place(input.start[index], input.start[index] + input.duration[index]);
    return firstRow + rows.rows();
}

void nestAsync(const NestingInput &input, Nesting &out)
{
    std::vector<uint32_t> order(input.start.size());
    std::iota(order.begin(), order.end(), 0u);
    const std::vector<uint32_t> byTime = order;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return input.group[a] < input.group[b]; });
    for (size_t at = 0; at < order.size();) {
        const uint64_t group = input.group[order[at]];
        size_t end = at;
        while (end < order.size() && input.group[order[end]] == group)
            ++end;
        // A group is a small lane of its own; its slices are copied so that the nester's scratch stays its size.
        std::vector<Ns> start, duration;
        for (size_t member = at; member < end; ++member) {
            start.push_back(input.start[order[member]]);
            duration.push_back(input.duration[order[member]]);
        }
        const NestingInput part{NestingInput::Policy::Thread, start, duration, {}, {}};
        const Nesting nested = nestLane(part);
        for (size_t member = at; member < end; ++member) {
            const uint32_t parent = nested.parent[member - at];
            out.parent[order[member]] = parent == Nesting::kNone ? parent : order[at + parent];
            out.depth[order[member]] = nested.depth[member - at];
            out.self[order[member]] = nested.self[member - at];
        }
        at = end;
    }
    out.rows = placeRows(input, out, byTime, 0);
}

} // namespace

Nesting nestLane(const NestingInput &input)
{
    const size_t count = input.start.size();
    Nesting out;
    out.parent.assign(count, Nesting::kNone);
    out.depth.assign(count, 0);
    out.row.assign(count, 0);
    out.self.assign(count, 0);
    if (input.policy == NestingInput::Policy::Async) {
        nestAsync(input, out);
        return out;
    }
    LaneNester nester(input, out);
    out.crossing = crossingSlices(input.start, input.duration, input.canParent);
    auto crossing = out.crossing.begin();
    std::vector<uint32_t> leaves;
    for (uint32_t index = 0; index < count; ++index) {
        if (crossing != out.crossing.end() && *crossing == index) {
            nester.addCrossing(index);
            ++crossing;
        } else if (input.policy == NestingInput::Policy::Stream && !input.canParent[index]) {
            nester.addLeaf(index);
            leaves.push_back(index);
        } else {
            nester.add(index);
        }
    }
    out.rows = placeRows(input, out, out.crossing, nester.rows());
    out.rows = placeRows(input, out, leaves, out.rows);
    if (input.policy == NestingInput::Policy::Stream)
        std::copy(input.duration.begin(), input.duration.end(), out.self.begin());
    return out;
}

} // namespace riffle
