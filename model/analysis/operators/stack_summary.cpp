// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/operators/module_tree.h"
#include "model/analysis/operators/stack_tree.h"
#include "model/analysis/table/ordered_links.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/base/stopping.h"

namespace riffle {

namespace {

struct FrameRow {
    const StackNode *node;
    std::string_view name;
};

void addColumns(ResultTable &table, const std::vector<FrameRow> &rows, bool withOperators, bool host, bool device)
{
    TableBuilder<FrameRow> build(table, rows);
    build.names("name", "Name",
                withOperators ? "The Python frame, or the operator called in it." : "The Python frame as recorded.",
                [](const FrameRow &row) { return std::string(row.name); });
    if (withOperators)
        build
            .text("kind", "Kind", "A frame or an operator.",
                  [](const FrameRow &row) { return row.node->isOperator ? "operator" : "frame"; })
            .hidden = true;
    build.count("occurrences", "Calls", "Calls that start inside the selection.",
                [](const FrameRow &row) { return row.node->occurrences; });
    build.count("operators", "Operators",
                "Operators called in the frame, but not in a frame inside it. A backward operator counts where its "
                "forward operator was called.",
                [](const FrameRow &row) { return row.node->operators; });
    const auto known = [](bool is, auto get) {
        return [get, is](const FrameRow &row) { return is ? get(row) : kNoInt; };
    };
    ResultColumn &total = build.time("host_total_ns", "Host total", "Host self, plus that of everything inside.",
                                     known(host, [](const FrameRow &row) { return row.node->hostTotal; }));
    total.summed = total.barred = true;
    build.time("host_self_ns", "Host self",
               withOperators ? "Time of the operators without the operators inside them."
                             : "Time of the frames without the frames inside them.",
               known(host, [](const FrameRow &row) { return row.node->hostSelf; }));
    ResultColumn &work = build.time("device_total_ns", "Device total", "Device self, plus that of everything inside.",
                                    known(device, [](const FrameRow &row) { return row.node->deviceTotal; }));
    work.summed = work.barred = true;
    build.time(
        "device_self_ns", "Device self",
        "Summed time of the device work launched here. Backward operators count where their forward operators are.",
        known(device, [](const FrameRow &row) { return row.node->deviceSelf; }));
    build
        .time("device_backward_ns", "Device backward", "The part of Device total that backward operators launched.",
              known(device, [](const FrameRow &row) { return row.node->deviceBackward; }))
        .summed = true;
}

} // namespace

ResultTable stackTable(const Scope &scope, bool withOperators)
{
    const TraceFacts &facts = scope.facts();
    const FrameChains &chains = facts.chains();
    ResultTable table;
    StackTree tree(scope, withOperators && !chains.empty());
    std::vector<uint32_t> parents;
    std::vector<uint8_t> counts;
    std::vector<Ns> first;
    for (const StackNode &node : tree.nodes) {
        parents.push_back(node.parent);
        counts.push_back(node.operators || node.hostTotal || node.deviceTotal ||
                         (node.isOperator == withOperators && node.occurrences));
        first.push_back(node.first);
    }
    TreeOrder order = treeOrder(parents, std::move(counts), std::move(first));
    std::vector<FrameRow> rows;
    std::vector<uint32_t> rowOf(tree.nodes.size(), RowSlices::kNoRow);
    for (const uint32_t node : order.nodes) {
        rowOf[node] = static_cast<uint32_t>(rows.size());
        rows.push_back({&tree.nodes[node], chains.nameOf(facts.trace(), tree.nodes[node].name)});
        table.evidence.push_back({scope.trace(), SliceId(tree.nodes[node].longest)});
    }
    addColumns(table, rows, withOperators, withOperators || !chains.frameCalls.empty(), !facts.work().empty());
    table.depth = std::move(order.depth);
    RowSlices::Member member{scope.trace(), {}, {}};
    for (size_t at = 0; at < tree.slices.size(); ++at) {
        throwIfStoppedAt(at);
        if (rowOf[tree.nodeOfSlice[at]] == RowSlices::kNoRow)
            continue;
        member.slices.push_back(tree.slices[at]);
        member.rows.push_back(rowOf[tree.nodeOfSlice[at]]);
    }
    table.slices = orderedLinks(std::move(member));
    if (chains.empty())
        table.setEmpty(notRecorded(scope.facts(), EmptySubject::CallStacks));
    else if (rows.empty())
        table.absence = "Nothing was called in the selection.";
    else if (tree.deviceWithout)
        table.notes.push_back(formatDuration(tree.deviceWithout) + " of device time has no call stack.");
    return table;
}

} // namespace riffle
