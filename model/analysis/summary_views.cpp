// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary.h"
#include "model/analysis/summary_views.h"

namespace riffle {

std::span<const SummaryView> summaryViews()
{
    static const SummaryView kViews[] = {
        {"overview", "Overview", {}, overviewTable, true},
        {"steps", "Steps", {}, stepTable, true},
        {"operators", "Operators", {"name", "name,shapes", "name,stack", "module"}, operatorTable},
        {"kernels", "Kernels", {"name", "properties"}, kernelTable},
        {"modules", "Modules", {"module", "stack", "stack,operators"}, moduleTable},
        {"memcpy", "Copies and memsets", {}, memcpyTable},
        {"findings", "Findings", {}, findingTable, true},
        {"critical-path", "Critical path", {"bound-by", "segments"}, criticalPathTable},
    };
    return kViews;
}

} // namespace riffle
