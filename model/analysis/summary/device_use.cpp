// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/event_types.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/big_vector.h"
#include "model/trace/json_entries.h"

#include <cstdlib>

namespace riffle {

namespace {

struct Use {
    std::string device;
    Ns busy = kNoInt;
    double share = std::numeric_limits<double>::quiet_NaN();
};

/// A number from Paddle's "ExtraInfo", whose values are strings; NaN if it is missing.
double extraNumber(const Trace &trace, std::string_view key)
{
    for (const auto &[name, value] : trace.info.metadata)
        if (name == "ExtraInfo")
            for (const JsonEntry &entry : entriesOf(value)) {
                const std::string text = plainText(entry.value);
                char *end = nullptr;
                const double number = std::strtod(text.c_str(), &end);
                if (entry.key == key && !text.empty() && *end == 0)
                    return number;
            }
    return std::numeric_limits<double>::quiet_NaN();
}

struct Part {
    std::string name;
    Ns time;
    double share;
    uint32_t depth;
};

} // namespace

ResultTable deviceTable(const Scope &scope, std::string_view)
{
    const TraceFacts &facts = scope.facts();
    const IntervalSet steps = stepTimes(ofEndedSteps(scope));
    std::vector<Use> rows;
    rows.push_back({"CPU(Process)", kNoInt, extraNumber(facts.trace(), "Process Cpu Utilization")});
    rows.push_back({"CPU(System)", kNoInt, extraNumber(facts.trace(), "System Cpu Utilization")});
    for (size_t at = 0; at < facts.work().devices.size(); ++at) {
        const Ns busy = (facts.devices()[at].kernels & steps).length();
        rows.push_back({"GPU" + std::to_string(facts.work().devices[at].number), busy, ratio(busy, steps.length())});
    }
    ResultTable table;
    TableBuilder<Use> build(table, rows);
    build.text("device", "Device", "The host's processors, and the devices.",
               [](const Use &row) { return row.device; });
    build.time("busy_ns", "Busy", "Time during the steps in which any kernel ran.",
               [](const Use &row) { return row.busy; });
    build.share("utilization", "Utilization",
                "For a GPU, busy / time of the steps. For the CPU, the value that Paddle's profiler measured.",
                [](const Use &row) { return row.share; });
    if (table.column("utilization")->absent(0))
        table.notes.push_back("CPU utilization was not recorded; only Paddle's profiler records it.");
    return table;
}

ResultTable distributionTable(const Scope &asked, std::string_view)
{
    const Scope scope = withinSteps(asked);
    const IntervalSet steps = stepTimes(scope);
    const DeviceWork &work = scope.facts().work();
    BigVector<TimeSpan> transfers, compute;
    for (uint32_t at = 0; at < work.size(); ++at)
        if (work.role[at] == Role::Communication)
            transfers.push_back(work.span(at));
        else if (work.role[at] == Role::Compute)
            compute.push_back(work.span(at));
    const IntervalSet onHost = hostCommunication(scope).times;
    const IntervalSet communication = onHost | (IntervalSet::unionOf(std::move(transfers)) & steps);
    const IntervalSet computation = IntervalSet::unionOf(std::move(compute)) & steps;
    IntervalSet overlap = onHost & computation;
    for (const DeviceTimes &device : scope.facts().devices()) // for each device separately
        overlap = overlap | (device.communication & device.compute & steps);
    const Ns whole = steps.length();
    const auto part = [&](const char *name, Ns time, uint32_t depth) {
        return Part{name, time, ratio(time, whole), depth};
    };
    const std::vector<Part> rows{part("ProfileStep", whole, 0), part("Communication", communication.length(), 1),
                                 part("Computation", computation.length(), 1), part("Overlap", overlap.length(), 1)};
    ResultTable table;
    TableBuilder<Part> build(table, rows);
    build.text("name", "Name",
               "The steps, communication on the host and the devices, and all other kernels. Overlap is the time in "
               "which such kernels ran during communication on the same device or on the host.",
               [](const Part &row) { return row.name; });
    build.time("total_ns", "Total", "Time during the steps in which any of it happened.",
               [](const Part &row) { return row.time; });
    build.share("share", "Share", "Total / time of the steps.", [](const Part &row) { return row.share; });
    for (const Part &row : rows)
        table.depth.push_back(row.depth);
    if (communication.empty())
        table.notes.push_back("No communication was recorded.");
    return table;
}

} // namespace riffle
