// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/table/result_table.h"
#include "model/base/task.h"

#include <span>
#include <string_view>

/// The functions behind the table of views (summary.h). Each returns a table for the part of a trace that the scope
/// chooses.
namespace riffle {

struct LabelledScope;

/// A description of the trace, and overall figures: devices, steps, launches.
ResultTable overviewTable(const Scope &scope, std::string_view groupBy);
/// One row per step, with the breakdown of its time (R4).
ResultTable stepTable(const Scope &scope, std::string_view groupBy);
/// One row per step and device, with the figures that a run keeps of each rank (trace/run/step_figures.h).
ResultTable runStepTable(const Scope &scope, std::string_view groupBy);
/// Operators by "name", "name,shapes", "name,stack" or "module".
ResultTable operatorTable(const Scope &scope, std::string_view groupBy);
/// Kernels by "name" or "properties": name, operator, grid, block, registers and shared memory.
ResultTable kernelTable(const Scope &scope, std::string_view groupBy);
/// The tree of modules that call each other; by "stack" the tree of Python frames, by "stack,operators" the same with
/// the operators that they call.
ResultTable moduleTable(const Scope &scope, std::string_view groupBy);
/// Copies and memsets by kind.
ResultTable memcpyTable(const Scope &scope, std::string_view groupBy);
/// The stages of the steps: loading data, forward, backward, optimizer, others.
ResultTable modelTable(const Scope &scope, std::string_view groupBy);
/// Communication, computation and their overlap.
ResultTable distributionTable(const Scope &scope, std::string_view groupBy);
/// The utilization of the devices, and of the CPU if it was recorded.
ResultTable deviceTable(const Scope &scope, std::string_view groupBy);
/// The types of events with the union of their times.
ResultTable eventTypeTable(const Scope &scope, std::string_view groupBy);
/// Operators with the slices directly inside them and the device work that these launched; all threads together, or by
/// "thread".
ResultTable operatorTreeTable(const Scope &scope, std::string_view groupBy);
/// Ranges that the program marked, by "name" or "thread", or only those that move "memory".
ResultTable userDefinedTable(const Scope &scope, std::string_view groupBy);
/// Memory allocated and freed, by device and operator.
ResultTable memoryTable(const Scope &scope, std::string_view groupBy);
ResultTable memoryPeakTable(const Scope &scope, std::string_view groupBy);
/// One row per "allocation", or per "stack" of slices that allocated.
ResultTable memoryLifeTable(const Scope &scope, std::string_view groupBy);
/// Calls of collectives and point-to-point operations by operation, group, type and size.
ResultTable collectiveTable(const Scope &scope, std::string_view groupBy);
/// The same over several traces: a row's calls on all of them together, and the spread of the traces' times.
ResultTable mergedCollectiveTable(std::span<const LabelledScope> scopes, std::string_view groupBy);

/// Rules about lost time and doubtful data, with thresholds, measured values and places to look at
/// (findings/finding.h).
ResultTable findingTable(const Scope &scope, std::string_view groupBy);
/// The findings of several traces, each rule once, with the traces that it holds for.
ResultTable mergedFindingTable(std::span<const LabelledScope> scopes, std::string_view groupBy);
/// The critical path of the chosen steps, or of the longest step after the first: summed by "bound-by", or as
/// "segments" (critical_path.h).
ResultTable criticalPathTable(const Scope &scope, std::string_view groupBy);

} // namespace riffle
