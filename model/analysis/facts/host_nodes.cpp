// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/host_nodes.h"

#include "model/analysis/facts/slice_reader.h"

namespace riffle {

namespace {

constexpr int kMaxAncestors = 100'000; ///< a damaged store must not make us walk in circles

bool isNode(SliceClass kind)
{
    return kind == SliceClass::Operator || kind == SliceClass::Annotation || kind == SliceClass::StepMark || kind == SliceClass::Dataloader;
}

} // namespace

HostNodes::HostNodes(const Trace &trace, const SliceClasses &classes, const DeviceWork &work)
{
    const bool isPaddle = trace.info.format == "Paddle JSON";
    std::vector<uint32_t> nodeOf(trace.sliceCount(), kNone);
    std::vector<uint8_t> isOperation; // of any depth
    for (const auto &segment : trace.segments) {
        if (trace.lanes[segment->lane.value].kind != LaneKind::Thread)
            continue;
        for (uint32_t at = 0; at < segment->size(); ++at) {
            const SliceClass kind = classes.of(*segment, at);
            if (!isNode(kind))
                continue;
            nodeOf[segment->firstSlice + at] = static_cast<uint32_t>(slice.size());
            slice.push_back(segment->firstSlice + at);
            isOperation.push_back(kind == SliceClass::Operator);
            isOperator.push_back(kind == SliceClass::Operator && (!isPaddle || trace.string(segment->slices.category[at]) == "Operator"));
        }
    }
    SliceReader reader(trace);
    const auto nodeAround = [&](uint32_t from) {
        for (int steps = 0; steps < kMaxAncestors && from < nodeOf.size() && nodeOf[from] == kNone; ++steps)
            from = reader.seek(from) ? reader.parent() : kNone;
        return from < nodeOf.size() ? nodeOf[from] : kNone;
    };
    parent.resize(size());
    for (uint32_t node = 0; node < size(); ++node)
        parent[node] = reader.seek(slice[node]) ? nodeAround(reader.parent()) : kNone;
    if (!isPaddle)
        for (uint32_t node = 0; node < size(); ++node)
            for (uint32_t around = parent[node]; isOperator[node] && around != kNone; around = parent[around])
                isOperator[node] = !isOperation[around];
    ofWork.assign(work.size(), kNone);
    for (uint32_t at = 0; at < work.size(); ++at)
        if (work.launch[at] != DeviceWork::kNone)
            ofWork[at] = nodeAround(work.launch[at]);
}

} // namespace riffle
