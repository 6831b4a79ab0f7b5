// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/table/result_table.h"
#include "model/base/task.h"

#include <string_view>

/// The functions behind the table of views (summary.h). Each answers for the part of one trace that the scope says.
namespace riffle {

/// What was traced, and the figures of the whole: devices, steps, launches.
ResultTable overviewTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// A row a step, with where its time went (R4).
ResultTable stepTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// Operators by "name", or "name,shapes", "name,stack", "module".
ResultTable operatorTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// Kernels by "name", or "properties": name, operator, grid, block, registers and shared memory.
ResultTable kernelTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// Modules as the tree in which they call each other; by "stack" the Python frames, by "stack,operators" with what they
/// call.
ResultTable moduleTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// Copies and memsets by their kind.
ResultTable memcpyTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// The stages of the steps: loading data, forward, backward, optimizer, others.
ResultTable modelTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// Communication, computation and their overlap.
ResultTable distributionTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// How busy the devices were, and the CPU where that was recorded.
ResultTable deviceTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// Types of events with their merged times.
ResultTable eventTypeTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// Operators with what is directly inside them and what that launched; all threads merged, or by "thread".
ResultTable operatorTreeTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// Ranges that the program marked; by "thread", or those that move "memory".
ResultTable userDefinedTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// Memory allocated and freed, by device and operator.
ResultTable memoryTable(const Scope &scope, std::string_view groupBy, const Task &task);
ResultTable memoryPeakTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// A row an "allocation", or a "stack" of slices that allocated.
ResultTable memoryLifeTable(const Scope &scope, std::string_view groupBy, const Task &task);

/// What costs time or trust: rules, thresholds, measured values and where to look (findings/finding.h).
ResultTable findingTable(const Scope &scope, std::string_view groupBy, const Task &task);
/// What determined how long steps took, by "bound-by" or as "segments" (critical_path.h): of the steps that were
/// chosen, or of the longest after the first.
ResultTable criticalPathTable(const Scope &scope, std::string_view groupBy, const Task &task);

} // namespace riffle
