// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/allocating_calls.h"

#include "model/base/merge_sort.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

namespace riffle {

namespace {

constexpr std::string_view kAllocating[] = {"aten::empty", "aten::empty_strided"};

} // namespace

AllocatingCalls::AllocatingCalls(const Trace &trace)
{
    std::vector<uint8_t> allocates(trace.strings.count());
    bool any = false;
    for (uint32_t name = 0; name < allocates.size(); ++name)
        any |= (allocates[name] = std::ranges::find(kAllocating, trace.string(name)) != std::end(kAllocating));
    if (!any)
        return;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            throwIfStoppedAt(at);
            if (allocates[segment->slices.name[at]] && !(segment->slices.flags[at] & slice_flag::OnStream))
                m_calls.push_back(
                    {segment->lane.value, segment->idAt(at).value, segment->slices.start[at], segment->end(at)});
        }
    stoppableSort(m_calls, [](const Call &a, const Call &b) {
        return std::tie(a.lane, a.end, a.start, a.slice) < std::tie(b.lane, b.end, b.start, b.slice);
    });
    m_bySlice.resize(m_calls.size());
    std::iota(m_bySlice.begin(), m_bySlice.end(), 0u);
    stoppableSort(m_bySlice, [&](uint32_t a, uint32_t b) { return m_calls[a].slice < m_calls[b].slice; });
}

uint32_t AllocatingCalls::takeEnding(uint32_t lane, Ns time)
{
    auto call = std::lower_bound(m_calls.begin(), m_calls.end(), std::pair(lane, time),
                                 [](const Call &one, const auto &key) { return std::pair(one.lane, one.end) < key; });
    while (call != m_calls.end() && call->lane == lane && call->end == time && call->hasAllocation)
        ++call;
    if (call == m_calls.end() || call->lane != lane || call->end != time)
        return kNone;
    call->hasAllocation = true;
    return call->slice;
}

void AllocatingCalls::take(uint32_t slice)
{
    const auto found = std::lower_bound(m_bySlice.begin(), m_bySlice.end(), slice,
                                        [&](uint32_t call, uint32_t key) { return m_calls[call].slice < key; });
    if (found != m_bySlice.end() && m_calls[*found].slice == slice)
        m_calls[*found].hasAllocation = true;
}

} // namespace riffle
