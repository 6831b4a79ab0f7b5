// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/host_nodes.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/base/filled_vector.h"
#include "model/base/parallel.h"

#include <numeric>

namespace riffle {

namespace {

bool isNode(SliceClass kind)
{
    return kind == SliceClass::Operator || kind == SliceClass::Annotation || kind == SliceClass::StepMark ||
           kind == SliceClass::Dataloader;
}

} // namespace

HostNodes::HostNodes(const Trace &trace, const SliceClasses &classes, const DeviceWork &work) : m_positions(trace)
{
    const bool isPaddle = trace.info.format == "Paddle JSON";
    const size_t slices = trace.sliceCount();
    const auto forEachHere = [&](size_t first, size_t last, auto visit) {
        forEachSlice(trace, first, last, [&](const Segment &segment, uint32_t at, size_t position) {
            if (isNode(classes.byPosition()[position]) && trace.lanes[segment.lane.value].kind == LaneKind::Thread)
                visit(segment, at, position);
        });
    };
    std::vector<uint32_t> firstNode((slices + kSliceRange - 1) / kSliceRange + 1, 0); // per range of slices
    parallelRanges(slices, kSliceRange, [&](size_t first, size_t last) {
        uint32_t nodes = 0;
        forEachHere(first, last, [&](const Segment &, uint32_t, size_t) { ++nodes; });
        firstNode[first / kSliceRange + 1] = nodes;
    });
    std::partial_sum(firstNode.begin(), firstNode.end(), firstNode.begin());
    slice.resize(firstNode.back());
    isOperator.resize(size());
    BigVector<uint8_t> isOperation(size()); // true for all operators, even inside others
    PerSlice<uint32_t> nodeOf(trace, kNone);
    parallelRanges(slices, kSliceRange, [&](size_t first, size_t last) {
        uint32_t node = firstNode[first / kSliceRange];
        forEachHere(first, last, [&](const Segment &segment, uint32_t at, size_t position) {
            const SliceClass kind = classes.byPosition()[position];
            nodeOf.byPosition()[position] = node;
            slice[node] = segment.idAt(at).value;
            isOperation[node] = kind == SliceClass::Operator;
            isOperator[node] =
                kind == SliceClass::Operator && (!isPaddle || trace.string(segment.slices.category[at]) == "Operator");
            ++node;
        });
    });
    const auto nodeAround = [&](SliceReader &reader, uint32_t from) {
        for (size_t steps = 0; steps < kMaxAncestors && nodeOf.has(from) && nodeOf[from] == kNone; ++steps)
            from = reader.seek(from) ? reader.parent() : kNone;
        return nodeOf.at(from, kNone);
    };
    parent.resize(size());
    parallelRanges(size(), kSliceRange, [&](size_t first, size_t last) {
        SliceReader reader(trace);
        for (size_t node = first; node < last; ++node)
            parent[node] = reader.seek(slice[node]) ? nodeAround(reader, reader.parent()) : kNone;
    });
    if (!isPaddle)
        parallelRanges(size(), kSliceRange, [&](size_t first, size_t last) {
            for (size_t node = first; node < last; ++node)
                for (uint32_t around = parent[node]; isOperator[node] && around != kNone; around = parent[around])
                    isOperator[node] = !isOperation[around];
        });
    ofWork = filledVector(work.size(), kNone);
    parallelRanges(work.size(), kSliceRange, [&](size_t first, size_t last) {
        SliceReader reader(trace);
        for (size_t at = first; at < last; ++at)
            if (work.launch[at] != DeviceWork::kNone)
                ofWork[at] = nodeAround(reader, work.launch[at]);
    });
}

} // namespace riffle
