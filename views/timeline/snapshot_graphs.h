// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/layout/counter_graph.h"

#include <vector>

namespace riffle {

/// The allocated and reserved memory of a trace's devices according to a memory snapshot, as graphs of the trace. Empty
/// if their times cannot be compared.
std::vector<TraceGraph> snapshotGraphs(const SnapshotFacts &facts, const Trace &trace, const Task &task);

} // namespace riffle
