// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/summary/summary.h"

namespace riffle {

std::span<const SummaryView> summaryViews()
{
    static const SummaryView kViews[] = {
        {"overview", "Overview", {}, overviewTable, true, true},
        {"steps", "Steps", {}, stepTable, true, true},
        {"operators", "Operators", {"name", "name,shapes", "name,stack", "module"}, operatorTable},
        {"kernels", "Kernels", {"name", "properties"}, kernelTable},
        {"modules", "Modules", {"module", "stack", "stack,operators"}, moduleTable},
        {"memcpy", "Copies and memsets", {}, memcpyTable},
        {"findings", "Findings", {}, findingTable, true},
        {"critical-path", "Critical path", {"bound-by", "segments"}, criticalPathTable},
        {"model", "Stages of the steps", {}, modelTable},
        {"distribution", "Communication and computation", {}, distributionTable},
        {"device", "Device utilization", {}, deviceTable},
        {"event-types", "Event types", {}, eventTypeTable},
        {"operator-tree", "Operators and their contents", {"name", "thread"}, operatorTreeTable},
        {"user-defined", "User-defined ranges", {"name", "thread", "memory"}, userDefinedTable},
        {"memory", "Memory by device and operator", {}, memoryTable},
        {"memory-peak", "Allocations alive at the memory peak", {"operator", "category"}, memoryPeakTable},
        {"memory-events", "Memory allocations", {"allocation", "stack"}, memoryLifeTable},
    };
    return kViews;
}

} // namespace riffle
