// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/layout/counter_graph.h"

#include <vector>

namespace riffle {

/// What a snapshot of memory knows of a trace's devices, as graphs of the trace: allocated and reserved. None where
/// their times cannot be compared.
std::vector<TraceGraph> snapshotGraphs(const SnapshotFacts &facts, const Trace &trace, const Task &task);

} // namespace riffle
