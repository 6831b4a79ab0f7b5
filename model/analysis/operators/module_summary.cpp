// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/operators/module_tree.h"
#include "model/analysis/operators/stack_tree.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/ordered_links.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/base/stopping.h"

namespace riffle {

namespace {

struct ModuleRow {
    const ModuleTimes *times;
    std::string name, path;
    int64_t id;
};

void addColumns(ResultTable &table, const std::vector<ModuleRow> &rows, bool device)
{
    TableBuilder<ModuleRow> build(table, rows);
    build.names("name", "Name", "Name of the module: its class and the number of the instance.",
                [](const ModuleRow &row) { return row.name; });
    build
        .text("path", "Path", "The names of the modules around it, and its own.",
              [](const ModuleRow &row) { return row.path; })
        .hidden = true;
    build.id("module_id", "ID", "Python module id as recorded.", [](const ModuleRow &row) { return row.id; }).hidden =
        true;
    build.count("occurrences", "Calls", "Calls of the module that start inside the selection.",
                [](const ModuleRow &row) { return row.times->occurrences; });
    build
        .count("cut", "Cut", "Calls that extend beyond the selection; their time inside it counts.",
               [](const ModuleRow &row) { return row.times->cut; })
        .hidden = true;
    build.count(
        "operators", "Operators",
        "Operators that the module called itself, without those of the modules inside it. A backward operator counts "
        "for the module of its forward operator.",
        [](const ModuleRow &row) { return row.times->operators; });
    ResultColumn &host = build.time("host_total_ns", "Host total", "Time of the module's calls on the host.",
                                    [](const ModuleRow &row) { return row.times->hostTotal; });
    host.summed = host.barred = true;
    build.time("host_self_ns", "Host self",
               "Time of the module's calls without the modules called directly inside them.",
               [](const ModuleRow &row) { return row.times->hostSelf; });
    const auto onDevice = [&](auto get) {
        return [get, device](const ModuleRow &row) { return device ? get(row) : kNoInt; };
    };
    ResultColumn &total = build.time("device_total_ns", "Device total", "Device self, plus that of all modules inside.",
                                     onDevice([](const ModuleRow &row) { return row.times->deviceTotal; }));
    total.summed = total.barred = true;
    build.time("device_self_ns", "Device self",
               "Summed time of the device work that the module's operators launched, forward and backward.",
               onDevice([](const ModuleRow &row) { return row.times->deviceSelf; }));
    build
        .time("device_backward_ns", "Device backward",
              "The part of Device total that backward operators launched. These have no frames of their own, and "
              "count for their forward operator's module.",
              onDevice([](const ModuleRow &row) { return row.times->deviceBackward; }))
        .summed = true;
}

/// Links the calls of modules to the modules' rows; calls of modules without a row are left out.
std::shared_ptr<const RowSlices> slicesOf(const Scope &scope, const TreeOrder &order)
{
    const FrameChains &chains = scope.facts().chains();
    std::vector<uint32_t> rowOf(chains.modules.size(), RowSlices::kNoRow);
    for (uint32_t row = 0; row < order.nodes.size(); ++row)
        rowOf[order.nodes[row]] = row;
    RowSlices::Member member{scope.trace(), {}, {}};
    for (size_t at = 0; at < chains.moduleSlices.size(); ++at) {
        throwIfStoppedAt(at);
        const uint32_t row = rowOf[chains.moduleOfSlice[at]];
        if (row == RowSlices::kNoRow)
            continue;
        member.slices.push_back(chains.moduleSlices[at]);
        member.rows.push_back(row);
    }
    return orderedLinks(std::move(member));
}

} // namespace

ResultTable moduleTable(const Scope &scope, std::string_view groupBy)
{
    if (groupBy.starts_with("stack"))
        return stackTable(scope, groupBy == "stack,operators");
    const TraceFacts &facts = scope.facts();
    const FrameChains &chains = facts.chains();
    const ModuleTree tree = moduleTree(scope);
    const TreeOrder order = moduleOrder(chains, tree);
    ResultTable table;
    std::vector<ModuleRow> rows;
    for (const uint32_t module : order.nodes) {
        const ModuleTimes &times = tree.modules[module];
        rows.push_back({&times, std::string(chains.moduleName(facts.trace(), module)),
                        chains.modulePath(facts.trace(), module), chains.modules[module].id});
        table.evidence.push_back({scope.trace(), SliceId(times.longest)});
    }
    addColumns(table, rows, !facts.work().empty());
    table.depth = order.depth;
    table.slices = slicesOf(scope, order);
    if (chains.modules.empty())
        table.setEmpty(notRecorded(facts, EmptySubject::Modules));
    else if (rows.empty())
        table.absence = "No module was called in the selection.";
    else if (tree.operatorsWithout || tree.deviceWithout)
        table.notes.push_back(formatCounted(static_cast<int64_t>(tree.operatorsWithout), "operator", "operators") +
                              " and " + formatDuration(tree.deviceWithout) + " of device time belong to no module.");
    return table;
}

} // namespace riffle
