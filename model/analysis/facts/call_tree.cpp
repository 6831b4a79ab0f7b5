// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/call_tree.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/base/filled_vector.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <numeric>
#include <span>

namespace riffle {

namespace {

constexpr uint32_t kUnknown = UINT32_MAX - 1;

} // namespace

CallTree::CallTree(const Trace &trace, const SliceClasses &classes) : context(trace, kUnknown)
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
    SliceReader reader(trace);
    std::vector<uint32_t> path;
    const auto resolve = [&](uint32_t from) {
        path.clear();
        uint32_t found = kNone;
        // Stop at a slice of another lane: only a damaged store has such a parent.
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
        const std::span<uint32_t> own = context.of(*segment);
        uint32_t call = firstCallFrom(*segment, 0);
        for (uint32_t at = 0; at < segment->size(); ++at) {
            throwIfStoppedAt(at);
            const SliceId above = trace.parentOf(*segment, at);
            const uint32_t near = segment->indexOf(above);
            uint32_t around = near == kNoRow ? kUnknown : own[near];
            if (around == kUnknown)
                around = above.valid() ? resolve(above.value) : kNone;
            if (call < slice.size() && slice[call] == segment->idAt(at).value)
                parent[call++] = around;
            else
                own[at] = around;
        }
    }
}

} // namespace riffle
