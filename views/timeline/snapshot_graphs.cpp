// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/snapshot_graphs.h"

#include "model/analysis/memory/memory_curve.h"
#include "model/analysis/memory/snapshot_alignment.h"

namespace riffle {

namespace {
constexpr size_t kMost = 50'000; ///< sections of a history; far more than there are pixels
}

std::vector<TraceGraph> snapshotGraphs(const SnapshotFacts &facts, const Trace &trace, const Task &task)
{
    std::vector<TraceGraph> graphs;
    const auto alignment = alignSnapshot(facts.snapshot(), trace);
    const auto &devices = facts.replay().devices;
    for (size_t at = 0; alignment && at < devices.size(); ++at) {
        MemoryCurve curve = memoryCurve(facts, at, kMost, task);
        if (devices[at].host || curve.times.empty())
            continue;
        for (int64_t &time : curve.times)
            time = alignment->toTrace(time);
        for (const bool reserved : {false, true}) {
            TraceGraph graph;
            graph.device = devices[at].device;
            graph.title = reserved ? "Snapshot: reserved" : "Snapshot: allocated";
            graph.unit = TraceGraph::Unit::Bytes;
            graph.graph = CounterGraph(curve.times, std::move(reserved ? curve.reserved : curve.allocated));
            graphs.push_back(std::move(graph));
        }
    }
    return graphs;
}

} // namespace riffle
