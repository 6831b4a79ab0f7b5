// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/call_tree.h"

#include "model/analysis/facts/lane_context.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/base/filled_vector.h"
#include "model/base/parallel.h"

#include <numeric>
#include <span>

namespace riffle {

CallTree::CallTree(const Trace &trace, const SliceClasses &classes) : context(trace, kContextUnknown)
{
    // Number all calls first, because a parent that crosses others may be behind its children.
    number(trace, classes);
    std::vector<std::vector<const Segment *>> lanes(trace.lanes.size());
    for (const auto &segment : trace.segments)
        lanes[segment->lane.value].push_back(segment.get());
    parent = filledVector(slice.size(), kNone);
    parallelFor(lanes.size(), [&](size_t lane) { findParents(trace, lanes[lane]); });
}

void CallTree::number(const Trace &trace, const SliceClasses &classes)
{
    const size_t slices = trace.sliceCount();
    const auto isCall = [](SliceClass kind) { return kind == SliceClass::Operator || isRuntimeCall(kind); };
    std::vector<uint32_t> first((slices + kSliceRange - 1) / kSliceRange + 1, 0); // per range of slices, its first call
    parallelRanges(slices, kSliceRange, [&](size_t begin, size_t end) {
        uint32_t calls = 0;
        for (size_t position = begin; position < end; ++position)
            calls += isCall(classes.byPosition()[position]);
        first[begin / kSliceRange + 1] = calls;
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    slice.resize(first.back());
    isOperator.resize(first.back());
    if (!context.positions().areIds())
        m_positions.resize(first.back());
    std::vector<std::vector<uint32_t>> crosses(first.size());
    parallelRanges(slices, kSliceRange, [&](size_t begin, size_t end) {
        uint32_t call = first[begin / kSliceRange];
        forEachSlice(trace, begin, end, [&](const Segment &segment, uint32_t at, size_t position) {
            const SliceClass kind = classes.byPosition()[position];
            if (!isCall(kind))
                return;
            context.byPosition()[position] = call;
            slice[call] = segment.idAt(at).value;
            if (!m_positions.empty())
                m_positions[call] = static_cast<uint32_t>(position);
            isOperator[call] = kind == SliceClass::Operator;
            if (segment.slices.flags[at] & slice_flag::Crossing)
                crosses[begin / kSliceRange].push_back(call);
            ++call;
        });
    });
    for (const std::vector<uint32_t> &some : crosses)
        crossing.insert(crossing.end(), some.begin(), some.end());
}

void CallTree::findParents(const Trace &trace, const std::vector<const Segment *> &lane)
{
    fillContext(
        trace, lane, context, [&](uint32_t id, uint32_t call) { return slice[call] == id; },
        [&](uint32_t call, uint32_t around) { parent[call] = around; });
}

} // namespace riffle
