// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/lane_nesting.h"

#include "model/trace/seal/crossing_slices.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>

namespace riffle {

namespace {

struct OpenSlice {
    Ns duration;
    uint32_t index;
    Ns covered = INT64_MIN; ///< end of the part that its children cover
};

/// Open slices that cross others, added in order of start. Only slices that can still be the shortest container of
/// another slice are kept: sorted by end, their durations ascend too (a slice that ends later and is shorter makes a
/// longer one that ends earlier useless).
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
            return; // it cannot contain other slices
        const Ns duration = end - start;
        const auto containing = m_byEnd.lower_bound(end);
        if (containing != m_byEnd.end() && containing->second.duration <= duration &&
            !(containing->first == end && containing->second.duration == duration))
            return;
        auto at = m_byEnd.insert_or_assign(end, OpenSlice{duration, index}).first;
        while (at != m_byEnd.begin() && std::prev(at)->second.duration >= duration)
            m_byEnd.erase(std::prev(at));
    }
    /// Returns the shortest slice that contains [start, end), where `start` is the current time; null if there is none.
    OpenSlice *shortest(Ns start, Ns end)
    {
        const auto found = end > start ? m_byEnd.lower_bound(end) : m_byEnd.upper_bound(end);
        return found == m_byEnd.end() ? nullptr : &found->second;
    }

private:
    std::map<Ns, OpenSlice> m_byEnd;
};

/// Nests the slices of a lane, or of one async group; they must be added in order.
class LaneNester {
public:
    LaneNester(const NestingInput &input, const NestedColumns &out) : m_in(input), m_out(out) {}

    /// Adds a slice that crosses no slice that was added with add().
    void add(uint32_t index)
    {
        adopt(index);
        assert(m_stack.empty() || m_stack.back().index < index);
        m_out.row[index] = static_cast<uint32_t>(m_stack.size());
        m_stack.push_back({m_in.duration[index], index});
        m_rows = std::max(m_rows, static_cast<uint32_t>(m_stack.size()));
    }
    /// Adds a slice that crosses others.
    void addCrossing(uint32_t index)
    {
        adopt(index);
        m_strays.add(m_in.start[index], endOf(index), index);
    }
    /// Adds a slice that is never a parent itself.
    void addLeaf(uint32_t index) { adopt(index); }

    uint32_t rows() const { return m_rows; }

private:
    Ns endOf(uint32_t index) const { return m_in.start[index] + m_in.duration[index]; }

    void expire(Ns start, Ns end)
    {
        m_strays.expire(start);
        while (!m_stack.empty()) {
            const OpenSlice &top = m_stack.back();
            const bool sameInstant = start == end && top.duration == 0 && m_in.start[top.index] == start;
            if (endOf(top.index) > start || sameInstant)
                break;
            m_stack.pop_back();
        }
    }

    void adopt(uint32_t index)
    {
        const Ns start = m_in.start[index];
        const Ns end = endOf(index);
        expire(start, end);
        // Find the innermost open slice that does not end before this one; ends descend along the stack.
        OpenSlice *parent = nullptr;
        if (!m_stack.empty() && endOf(m_stack.back().index) >= end) {
            parent = &m_stack.back();
        } else {
            const auto after = std::partition_point(m_stack.begin(), m_stack.end(),
                                                    [&](const OpenSlice &open) { return endOf(open.index) >= end; });
            if (after != m_stack.begin())
                parent = &*(after - 1);
        }
        OpenSlice *stray = m_strays.shortest(start, end);
        if (stray && (!parent || stray->duration < parent->duration ||
                      (stray->duration == parent->duration && stray->index > parent->index)))
            parent = stray;
        m_out.parent[index] = parent ? parent->index : Nesting::kNone;
        m_out.depth[index] = parent ? m_out.depth[parent->index] + 1 : 0;
        m_out.self[index] = end - start;
        if (!parent)
            return;
        m_out.self[parent->index] -= std::max<Ns>(0, end - std::max(start, parent->covered));
        parent->covered = std::max(parent->covered, end);
    }

    const NestingInput &m_in;
    const NestedColumns &m_out;
    std::vector<OpenSlice> m_stack; ///< each inside the previous one
    OpenStrays m_strays;
    uint32_t m_rows = 0;
};

/// Gives the slices in \p indices rows from \p firstRow on, and returns the total number of rows after that.
uint32_t placeRows(const NestingInput &input, const NestedColumns &out, std::span<const uint32_t> indices,
                   uint32_t firstRow)
{
    RowAllocator rows;
    for (const uint32_t index : indices)
        out.row[index] = firstRow + rows.place(input.start[index], input.start[index] + input.duration[index]);
    return firstRow + rows.rows();
}

uint32_t nestAsync(const NestingInput &input, const NestedColumns &out)
{
    std::vector<uint32_t> order(input.start.size());
    std::iota(order.begin(), order.end(), 0u);
    const std::vector<uint32_t> byTime = order;
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return input.group[a] < input.group[b]; });
    for (size_t at = 0; at < order.size();) {
        const uint64_t group = input.group[order[at]];
        size_t end = at;
        while (end < order.size() && input.group[order[end]] == group)
            ++end;
        // A group is nested like a small lane; its slices are copied so that the nester's scratch memory is no larger
        // than the group.
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
    return placeRows(input, out, byTime, 0);
}

} // namespace

NestedLane nestLane(const NestingInput &input, const NestedColumns &out)
{
    assert(input.start.size() == input.duration.size() && out.row.size() == input.start.size());
    assert(input.policy != NestingInput::Policy::Stream || input.canParent.size() == input.start.size());
    assert(input.policy != NestingInput::Policy::Async || input.group.size() == input.start.size());
    NestedLane lane;
    if (input.policy == NestingInput::Policy::Async) {
        lane.rows = nestAsync(input, out);
        return lane;
    }
    LaneNester nester(input, out);
    lane.crossing = crossingSlices(input.start, input.duration, input.canParent);
    auto crossing = lane.crossing.begin();
    std::vector<uint32_t> leaves;
    for (uint32_t index = 0; index < input.start.size(); ++index) {
        if (crossing != lane.crossing.end() && *crossing == index) {
            nester.addCrossing(index);
            ++crossing;
        } else if (input.policy == NestingInput::Policy::Stream && !input.canParent[index]) {
            nester.addLeaf(index);
            leaves.push_back(index);
        } else {
            nester.add(index);
        }
    }
    lane.rows = placeRows(input, out, lane.crossing, nester.rows());
    lane.rows = placeRows(input, out, leaves, lane.rows);
    if (input.policy == NestingInput::Policy::Stream)
        std::copy(input.duration.begin(), input.duration.end(), out.self.begin());
    return lane;
}

Nesting nestLane(const NestingInput &input)
{
    const size_t count = input.start.size();
    Nesting out;
    out.parent.resize(count);
    out.depth.resize(count);
    out.row.resize(count);
    out.self.resize(count);
    static_cast<NestedLane &>(out) = nestLane(input, {out.parent, out.depth, out.row, out.self});
    return out;
}

} // namespace riffle
