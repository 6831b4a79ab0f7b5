// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/facts/tensor_core_names.h"
#include "model/analysis/operators/flops_figures.h"
#include "model/analysis/operators/module_tree.h"
#include "model/analysis/operators/operator_groups.h"
#include "model/analysis/operators/operator_times.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/ordered_links.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <numeric>

namespace riffle {

namespace {

struct SummaryRow {
    const OperatorTimes::Row *times;
    const OperatorKey *key;
    const OperatorTexts *texts;
    Ns allHostSelf, allDeviceSelf;
    const FlopsSum *flops;
};

/// The rows with anything in the scope, by device self time, then host self time, then first occurrence.
std::vector<uint32_t> usefulOrder(const OperatorTimes &times)
{
    std::vector<uint32_t> order;
    for (uint32_t row = 0; row < times.rows.size(); ++row)
        if (times.rows[row].calls || times.rows[row].cut || times.rows[row].deviceTotal)
            order.push_back(row);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        const OperatorTimes::Row &left = times.rows[a], &right = times.rows[b];
        return left.deviceSelf != right.deviceSelf ? left.deviceSelf > right.deviceSelf
                                                   : left.hostSelf > right.hostSelf;
    });
    return order;
}

const char *originWord(StackOrigin origin)
{
    switch (origin) {
    case StackOrigin::Own: return "own";
    case StackOrigin::Forward: return "forward";
    case StackOrigin::Inherited: return "inherited";
    case StackOrigin::None: break;
    }
    return "";
}

void addColumns(ResultTable &table, const std::vector<SummaryRow> &rows, const OperatorGrouping &grouping, bool device)
{
    TableBuilder<SummaryRow> build(table, rows);
    if (grouping.by == OperatorsBy::Module)
        build.text("module", "Module",
                   "The innermost nn.Module in which the operators were called, after the modules around it. "
                   "A backward operator belongs to its forward operator's module.",
                   [](const SummaryRow &row) { return row.texts->module; });
    else
        build.names("name", "Name", "Name of the operator.", [](const SummaryRow &row) { return row.texts->name; });
    if (grouping.by == OperatorsBy::Shapes) {
        build.text("input_shapes", "Input shapes", "Input Dims as recorded.",
                   [](const SummaryRow &row) { return row.texts->shapes; });
        build.text("input_types", "Input types", "Input type as recorded.",
                   [](const SummaryRow &row) { return row.texts->types; });
    }
    if (grouping.by == OperatorsBy::Stack) {
        build.text("call_stack", "Call stack",
                   "Python frames that the operators were called from, innermost first, separated by ;.",
                   [](const SummaryRow &row) { return row.texts->stack; });
        build.text("stack_origin", "Stack origin",
                   "Whose frames these are: the operator's own (own), those of its forward operator, "
                   "by Sequence number and Fwd thread id (forward), "
                   "or those of the operator around it (inherited).",
                   [](const SummaryRow &row) { return originWord(row.key->origin); });
    }
    build
        .count("calls", "Calls", "Calls that start inside the selection.",
               [](const SummaryRow &row) { return row.times->calls; })
        .summed = true;
    build
        .count("cut", "Cut", "Calls that extend beyond the selection; their time inside it counts.",
               [](const SummaryRow &row) { return row.times->cut; })
        .hidden = true;
    ResultColumn &hostSelf = build.time("host_self_ns", "Host self",
                                        "Time of the calls without the operators and runtime calls "
                                        "directly inside them.",
                                        [](const SummaryRow &row) { return row.times->hostSelf; });
    hostSelf.summed = hostSelf.barred = true;
    build.time("host_total_ns", "Host total",
               "Time of the calls. A call inside another call of the same row is not counted again.",
               [](const SummaryRow &row) { return row.times->hostTotal; });
    build
        .time("host_average_ns", "Host average", "Host total / calls.",
              [](const SummaryRow &row) {
                  return row.times->calls ? row.times->hostTotal / static_cast<Ns>(row.times->calls) : kNoInt;
              })
        .hidden = true;
    build
        .share("host_self_share", "Host self share", "Host self / host self of all operators.",
               [](const SummaryRow &row) { return ratio(row.times->hostSelf, row.allHostSelf); })
        .hidden = true;
    const auto onDevice = [&](auto get) {
        return [get, device](const SummaryRow &row) { return device ? get(row) : kNoInt; };
    };
    ResultColumn &self = build.time("device_self_ns", "Device self",
                                    "Summed time of the device work that the operator's own runtime calls launched.",
                                    onDevice([](const SummaryRow &row) { return row.times->deviceSelf; }));
    self.summed = self.barred = true;
    build.time("device_total_ns", "Device total", "Device self, plus that of all operators inside.",
               onDevice([](const SummaryRow &row) { return row.times->deviceTotal; }));
    build
        .time("device_self_union_ns", "Device self (union)",
              "Time in which any of the device work of Device self ran: "
              "simultaneous work on several streams counts once.",
              onDevice([](const SummaryRow &row) { return row.times->deviceSelfUnion; }))
        .hidden = true;
    build
        .time("device_total_union_ns", "Device total (union)",
              "Time in which any of the device work of Device total ran.",
              onDevice([](const SummaryRow &row) { return row.times->deviceTotalUnion; }))
        .hidden = true;
    build
        .share("device_self_share", "Device self share", "Device self / device self of all operators.",
               [](const SummaryRow &row) { return ratio(row.times->deviceSelf, row.allDeviceSelf); })
        .hidden = true;
    if (grouping.by != OperatorsBy::Module)
        build.text("tensor_core_eligible", "TC eligible",
                   "Whether an operator of that name could use tensor cores with suitable types.",
                   [](const SummaryRow &row) { return isTensorCoreEligible(row.texts->name) ? "yes" : "no"; });
    build
        .share("tensor_core_self", "TC self",
               "Device time of the operator's own kernels that use tensor cores / Device self.",
               [](const SummaryRow &row) { return ratio(row.times->tensorSelf, row.times->deviceSelf); })
        .hidden = true;
    build.share("tensor_core_total", "TC total", "Device time of kernels that use tensor cores / Device total.",
                [](const SummaryRow &row) { return ratio(row.times->tensorTotal, row.times->deviceTotal); });
    build
        .count("flops", "FLOPs",
               "Floating-point operations of the calls that start inside the selection, from their shapes. "
               "An operator that only calls counted operators adds nothing.",
               [](const SummaryRow &row) { return row.flops->calls ? row.flops->flops : kNoInt; })
        .summed = true;
    build.number("tflops_per_s", "TFLOP/s", CellKind::Number,
                 "FLOPs / time of the device work of the counted calls "
                 "(of the calls themselves if no device work was recorded), in 10¹² per second.",
                 [](const SummaryRow &row) { return row.flops->teraPerSecond(); });
    build
        .share("tensor_core_unknown", "TC unknown",
               "Device time of kernels whose use of tensor cores is unknown / Device total.",
               [](const SummaryRow &row) { return ratio(row.times->tensorUnknown, row.times->deviceTotal); })
        .hidden = true;
}

} // namespace

ResultTable operatorTable(const Scope &scope, std::string_view groupBy)
{
    ResultTable table;
    const TraceFacts &facts = scope.facts();
    OperatorGrouping grouping = groupOperators(scope, operatorsBy(groupBy));
    OperatorTimes times;
    parallelJobs({[&] { times = operatorTimes(scope, grouping.groups); }, [&] { facts.flops(); }});
    const std::vector<uint32_t> order = usefulOrder(times);
    nameGroups(scope, grouping, order);
    const std::vector<FlopsSum> flops = flopsOfGroups(scope, grouping.groups);
    Ns hostSelf = 0, deviceSelf = 0;
    for (const uint32_t row : order) {
        hostSelf += times.rows[row].hostSelf;
        deviceSelf += times.rows[row].deviceSelf;
    }
    std::vector<SummaryRow> rows;
    std::vector<uint32_t> newRow(times.rows.size(), RowSlices::kNoRow);
    for (const uint32_t row : order) {
        newRow[row] = static_cast<uint32_t>(rows.size());
        rows.push_back(
            {&times.rows[row], &grouping.keys[row], &grouping.texts[row], hostSelf, deviceSelf, &flops[row]});
        table.evidence.push_back({scope.trace(), SliceId(facts.calls().sliceOf(times.rows[row].longest))});
    }
    addColumns(table, rows, grouping, !facts.work().empty());
    if (rows.empty())
        table.setEmpty(notRecorded(facts, EmptySubject::Operators));
    else if (grouping.by == OperatorsBy::Shapes && !grouping.anyShapes)
        table.notes.push_back(
            "Shapes were not recorded. Set record_shapes=True (Paddle: record_shapes: True) to record them.");
    else if (grouping.by == OperatorsBy::Stack && facts.chains().empty())
        table.notes.push_back(notRecorded(facts, EmptySubject::CallStacks).text);
    else if (grouping.by == OperatorsBy::Module && facts.chains().modules.empty())
        table.notes.push_back(notRecorded(facts, EmptySubject::Modules).text);
    if (times.workWithout && !rows.empty())
        table.notes.push_back(formatCounted(static_cast<int64_t>(times.workWithout), "kernel or copy belongs",
                                            "kernels and copies belong") +
                              " to no operator: " + formatDuration(times.timeWithout) + " of device time.");
    if (!rows.empty())
        for (std::string &note : flopsNotes(scope))
            table.notes.push_back(std::move(note));
    RowSlices::Member member{scope.trace(), {}, {}};
    const CallTree &calls = facts.calls();
    const auto linked = static_cast<size_t>(
        std::count_if(grouping.groups.rowOfCall.begin(), grouping.groups.rowOfCall.end(),
                      [&](uint32_t row) { return row != CallTree::kNone && newRow[row] != RowSlices::kNoRow; }));
    member.slices.reserve(linked);
    member.rows.reserve(linked);
    for (uint32_t call = 0; call < calls.size(); ++call) {
        throwIfStoppedAt(call);
        const uint32_t row = grouping.groups.rowOfCall[call];
        if (row == CallTree::kNone || newRow[row] == RowSlices::kNoRow)
            continue;
        member.slices.push_back(calls.slice[call]);
        member.rows.push_back(newRow[row]);
    }
    table.slices = orderedLinks(std::move(member), calls.context.positions().areIds());
    return table;
}

} // namespace riffle
