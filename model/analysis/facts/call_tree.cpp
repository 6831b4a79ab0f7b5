// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/call_tree.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/base/parallel.h"

#include <numeric>

namespace riffle {

namespace {

constexpr uint32_t kUnknown = UINT32_MAX - 1;
constexpr size_t kMaxAncestors = 100000; ///< a damaged store must not make us walk in circles

} // namespace

CallTree::CallTree(const Trace &trace, const SliceClasses &classes) : context(trace.sliceCount(), kUnknown)
{
    // Numbers first: a parent that crosses others may have a higher id than its children.
    number(trace, classes);
    std::vector<std::vector<const Segment *>> lanes(trace.lanes.size());
    for (const auto &segment : trace.segments)
        lanes[segment->lane.value].push_back(segment.get());
    parent.assign(slice.size(), kNone);
    parallelFor(lanes.size(), [&](size_t lane) { findParents(trace, lanes[lane]); });
}

void CallTree::number(const Trace &trace, const SliceClasses &classes)
{
    const auto forEachCall = [&](const Segment &segment, auto visit) {
        for (uint32_t at = 0; at < segment.size(); ++at)
            if (const SliceClass kind = classes.of(segment, at); kind == SliceClass::Operator || isRuntimeCall(kind))
                visit(at, kind == SliceClass::Operator);
    };
    std::vector<uint32_t> first(trace.segments.size() + 1, 0); // by segment: its first call
    parallelFor(trace.segments.size(), [&](size_t index) {
        uint32_t calls = 0;
        forEachCall(*trace.segments[index], [&](uint32_t, bool) { ++calls; });
        first[index + 1] = calls;
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    slice.resize(first.back());
    isOperator.resize(first.back());
    std::vector<std::vector<uint32_t>> crosses(trace.segments.size());
    parallelFor(trace.segments.size(), [&](size_t index) {
        const Segment &segment = *trace.segments[index];
        uint32_t call = first[index];
        forEachCall(segment, [&](uint32_t at, bool isOperation) {
            context[segment.firstSlice + at] = call;
            slice[call] = segment.firstSlice + at;
            isOperator[call] = isOperation;
            if (segment.slices.flags[at] & slice_flag::Crossing)
                crosses[index].push_back(call);
            ++call;
        });
    });
    for (const std::vector<uint32_t> &some : crosses)
        crossing.insert(crossing.end(), some.begin(), some.end());
}

void CallTree::findParents(const Trace &trace, const std::vector<const Segment *> &lane)
{
    SliceReader reader(trace);
    std::vector<uint32_t> path;
    const auto resolve = [&](uint32_t from) {
        path.clear();
        uint32_t found = kNone;
        // What a damaged store says of other lanes is not followed.
        while (path.size() < kMaxAncestors && reader.seek(from) && reader.lane() == lane.front()->lane) {
            if (context[from] != kUnknown) {
                found = context[from];
                break;
            }
            path.push_back(from);
            from = reader.parent();
        }
        for (const uint32_t at : path)
            context[at] = found;
        return found;
    };
    for (const Segment *segment : lane) {
        uint32_t call = firstCallFrom(segment->firstSlice);
        for (uint32_t at = 0; at < segment->size(); ++at) {
            const uint32_t id = segment->firstSlice + at;
            const uint32_t above = segment->nesting.parent[at];
            const bool isNear = above - segment->firstSlice < segment->size() && context[above] != kUnknown;
            const uint32_t around = above >= context.size() ? kNone : isNear ? context[above] : resolve(above);
            if (call < slice.size() && slice[call] == id)
                parent[call++] = around;
            else
                context[id] = around;
        }
    }
}

} // namespace riffle
