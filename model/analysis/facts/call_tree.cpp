// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/call_tree.h"

#include "model/analysis/facts/slice_reader.h"

namespace riffle {

namespace {

constexpr uint32_t kUnknown = UINT32_MAX - 1;
constexpr int kMaxAncestors = 100000; ///< a damaged store must not make us walk in circles

} // namespace

CallTree::CallTree(const Trace &trace, const SliceClasses &classes) : context(trace.sliceCount(), kUnknown)
{
    // Room for the most that there can be: pages that are never touched cost nothing.
    slice.reserve(trace.sliceCount());
    isOperator.reserve(trace.sliceCount());
    // Numbers first: a parent that crosses others may have a higher id than its children.
    for (const auto &segment : trace.segments) {
        for (uint32_t at = 0; at < segment->size(); ++at) {
            const SliceClass kind = classes.of(*segment, at);
            if (kind != SliceClass::Operator && !isRuntimeCall(kind))
                continue;
            context[segment->firstSlice + at] = static_cast<uint32_t>(slice.size());
            slice.push_back(segment->firstSlice + at);
            isOperator.push_back(kind == SliceClass::Operator);
            if (segment->slices.flags[at] & slice_flag::Crossing)
                crossing.push_back(static_cast<uint32_t>(slice.size() - 1));
        }
    }
    parent.assign(slice.size(), kNone);
    SliceReader reader(trace);
    std::vector<uint32_t> path;
    const auto resolve = [&](uint32_t from) {
        path.clear();
        uint32_t found = kNone;
        while (from < context.size() && path.size() < kMaxAncestors) {
            if (context[from] != kUnknown) {
                found = context[from];
                break;
            }
            path.push_back(from);
            from = reader.seek(from) ? reader.parent() : kNone;
        }
        for (const uint32_t at : path)
            context[at] = found;
        return found;
    };
    uint32_t call = 0;
    for (const auto &segment : trace.segments) {
        for (uint32_t at = 0; at < segment->size(); ++at) {
            const uint32_t id = segment->firstSlice + at;
            const uint32_t above = segment->nesting.parent[at];
            const uint32_t around = above >= context.size()        ? kNone
                                    : context[above] != kUnknown   ? context[above]
                                                                   : resolve(above);
            if (call < slice.size() && slice[call] == id)
                parent[call++] = around;
            else
                context[id] = around;
        }
    }
}

} // namespace riffle
