// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/tensorboard/tensorboard_views.h"

#include "model/analysis/summary/overview.h"
#include "model/analysis/table/table_builder.h"
#include "model/analysis/tensorboard/differences.h"
#include "model/analysis/tensorboard/plugin_memory.h"
#include "model/analysis/tensorboard/plugin_steps.h"
#include "model/base/big_vector.h"
#include "model/base/decimal.h"
#include "model/base/format.h"
#include "model/base/rounding.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace riffle {

namespace {

using namespace tensorboard;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

const std::string kRemoved = "Steps at the end that TensorBoard leaves out: ";

struct Plugin {
    explicit Plugin(const Trace &trace) : events(pluginEvents(trace)), tree(trace, events) {}
    BigVector<PluginEvent> events;
    PluginTree tree;
};

void addNote(ResultTable &table, const char *view, const Scope &scope)
{
    if (const char *text = differenceOf(view, ""); *text)
        table.notes.push_back(text);
    if (!scope.everything())
        table.notes.push_back(
            "TensorBoard has no figures for a part of a trace: these are for everything that was read.");
}

// --- Overview ----------------------------------------------------------------------------------

struct FigureRow {
    const char *section, *figure;
    int64_t device = kNoInt;
    Ns time = kNoInt, ours = kNoInt;
    double share = kNoNumber, oursShare = kNoNumber;

    bool differs() const
    {
        return time != ours || (std::isnan(share) != std::isnan(oursShare)) || std::abs(share - oursShare) > 1e-9;
    }
};

const char *partKey(size_t role) { return kRoleTexts[role].key; }

std::vector<FigureRow> figuresOf(const PluginOverview &theirs, const Overview &ours)
{
    std::vector<FigureRow> rows;
    const auto count = static_cast<int64_t>(theirs.steps.size());
    const auto mean = [&](auto get) {
        Ns sum = 0;
        for (const PluginStep &step : theirs.steps)
            sum += get(step);
        return roundedQuotient(sum, count);
    };
    const Ns length = mean([](const PluginStep &step) { return step.span.duration(); });
    rows.push_back({"step", "step", kNoInt, length, ours.meanStep, kNoNumber, kNoNumber});
    for (size_t role = 0; role < kRoles; ++role) {
        const Ns part = mean([&](const PluginStep &step) { return step.parts[role]; });
        rows.push_back(
            {"step", partKey(role), kNoInt, part, ours.meanBreakdown[role], ratio(part, length), ours.shares[role]});
    }
    const auto panel = [&](const char *figure, Ns time) {
        rows.push_back({"distributed", figure, kNoInt, time, kNoInt, ratio(time, length), kNoNumber});
    };
    panel("computing", mean([](const PluginStep &step) { return step.computing; }));
    panel("communicating", mean([](const PluginStep &step) { return step.communicating; }));
    panel("overlap", mean([](const PluginStep &step) { return step.both; }));
    panel("neither", mean([](const PluginStep &step) {
              return step.span.duration() + step.both - step.computing - step.communicating;
          }));
    for (const PluginDevice &device : theirs.devices) {
        const auto found = std::find_if(ours.devices.begin(), ours.devices.end(),
                                        [&](const DeviceFigures &each) { return each.device == device.device; });
        const DeviceFigures *same = found == ours.devices.end() ? nullptr : &*found;
        const auto add = [&](const char *figure, double share, double oursShare) {
            rows.push_back({"device", figure, device.device, kNoInt, kNoInt, share, oursShare});
        };
        add("utilization", device.utilization, same ? same->share(same->kernelTime) : kNoNumber);
        add("sm_efficiency", device.smEfficiency, same ? same->smEfficiency : kNoNumber);
        add("occupancy", device.occupancy, same ? same->occupancy : kNoNumber);
        add("tensor_cores", device.tensorCores, same ? ratio(same->tensorSum, same->kernelSum) : kNoNumber);
    }
    return rows;
}

ResultTable pluginOverviewTable(const Scope &scope, std::string_view)
{
    ResultTable table;
    const Plugin plugin(scope.facts().trace());
    const PluginOverview theirs = pluginOverview(scope.facts().trace(), plugin.events, plugin.tree);
    if (theirs.steps.empty()) {
        table.absence = "TensorBoard has nothing to show: no operators or steps were recorded.";
        return table;
    }
    const std::vector<FigureRow> rows = figuresOf(theirs, overviewOf(scope));
    TableBuilder<FigureRow> build(table, rows);
    build.text("section", "Section",
               "What the figure is about: the average step, the step of the distributed view, or a device.",
               [](const FigureRow &row) { return row.section; });
    build.text("name", "Figure", "Name of the figure.", [](const FigureRow &row) { return row.figure; });
    build.id("device", "Device", "Number of the device.", [](const FigureRow &row) { return row.device; });
    build.time("time_ns", "TensorBoard", "TensorBoard's figure: the average over its steps.",
               [](const FigureRow &row) { return row.time; });
    build.share("share", "Share", "TensorBoard's figure: the share of its step, or the figure itself.",
                [](const FigureRow &row) { return row.share; });
    build.time("riffle_time_ns", "Riffle", "The figure in Riffle's overview.",
               [](const FigureRow &row) { return row.ours; });
    build.share("riffle_share", "Share", "The figure in Riffle's overview.",
                [](const FigureRow &row) { return row.oursShare; });
    build
        .text("difference", "TensorBoard's difference",
              "What TensorBoard does differently from Riffle, if the figures differ.",
              [](const FigureRow &row) { return row.differs() ? differenceOf("overview", row.figure) : ""; })
        .prose = true;
    addNote(table, "overview", scope);
    if (theirs.removed)
        table.notes.push_back(kRemoved + formatCount(theirs.removed) + ".");
    return table;
}

// --- Steps -------------------------------------------------------------------------------------

ResultTable pluginStepTable(const Scope &scope, std::string_view)
{
    ResultTable table;
    const Plugin plugin(scope.facts().trace());
    const PluginOverview theirs = pluginOverview(scope.facts().trace(), plugin.events, plugin.tree);
    TableBuilder<PluginStep> build(table, theirs.steps);
    build.text("step", "Step", "The number in the mark's name.", [](const PluginStep &step) { return step.name; });
    build.integer("start_ns", "Start", CellKind::Moment, "Start of the step.",
                  [](const PluginStep &step) { return step.span.begin; });
    build.time("duration_ns", "Duration", differenceOf("overview", "step"),
               [](const PluginStep &step) { return step.span.duration(); });
    for (size_t role = 0; role < kRoles; ++role)
        build.time(std::string(partKey(role)) + "_ns", kRoleTexts[role].title, differenceOf("overview", partKey(role)),
                   [role](const PluginStep &step) { return step.parts[role]; });
    addNote(table, "steps", scope);
    if (theirs.removed)
        table.notes.push_back(kRemoved + formatCount(theirs.removed) + ".");
    return table;
}

// --- Operators ---------------------------------------------------------------------------------

struct OperatorSums {
    uint32_t name = 0;
    uint64_t calls = 0;
    bool eligible = false;
    Ns hostSelf = 0, hostTotal = 0, deviceSelf = 0, deviceTotal = 0, tensorSelf = 0, tensorTotal = 0;
};

ResultTable pluginOperatorTable(const Scope &scope, std::string_view)
{
    ResultTable table;
    const Trace &trace = scope.facts().trace();
    const Plugin plugin(trace);
    std::vector<OperatorSums> rows;
    std::map<uint32_t, size_t> rowOf; ///< by name
    for (const PluginNode &node : plugin.tree.nodes) {
        if (!node.isRow || node.dropped || node.merged)
            continue;
        const PluginEvent &event = plugin.events[node.event];
        const auto [row, isNew] = rowOf.try_emplace(event.name, rows.size());
        if (isNew)
            rows.push_back({event.name, 0, node.eligible, 0, 0, 0, 0, 0, 0});
        OperatorSums &sums = rows[row->second];
        ++sums.calls;
        sums.hostSelf += node.hostSelf;
        sums.hostTotal += event.duration();
        sums.deviceSelf += node.deviceSelf;
        sums.deviceTotal += node.deviceTotal;
        sums.tensorSelf += node.tensorSelf;
        sums.tensorTotal += node.tensorTotal;
    }
    const bool device = std::any_of(plugin.events.begin(), plugin.events.end(),
                                    [](const PluginEvent &event) { return isDeviceType(event.type); });
    std::stable_sort(rows.begin(), rows.end(), [&](const OperatorSums &a, const OperatorSums &b) {
        return device ? a.deviceSelf > b.deviceSelf : a.hostSelf > b.hostSelf;
    });
    TableBuilder<OperatorSums> build(table, rows);
    build.text("name", "Name", "Name of the operator.",
               [&](const OperatorSums &row) { return std::string(trace.string(row.name)); });
    build.count("calls", "Calls", "Number of calls; merged calls count once.",
                [](const OperatorSums &row) { return row.calls; });
    if (device) {
        build.time("device_self_ns", "Device self",
                   "Summed time of device work whose launches have the operator's External id.",
                   [](const OperatorSums &row) { return row.deviceSelf; });
        build.time("device_total_ns", "Device total",
                   "Device self, plus that of all operators inside; recursive calls count twice.",
                   [](const OperatorSums &row) { return row.deviceTotal; });
    }
    build.time("host_self_ns", "Host self",
               "Duration − time of the operators inside − time of the runtime calls with its External id.",
               [](const OperatorSums &row) { return row.hostSelf; });
    build.time("host_total_ns", "Host total", "Summed duration; recursive calls count twice.",
               [](const OperatorSums &row) { return row.hostTotal; });
    build.text(
        "tensor_core_eligible", "TC eligible",
        "Yes if its name is in a list, if an operator inside is eligible, or if it launched a kernel on tensor cores.",
        [](const OperatorSums &row) { return row.eligible ? "yes" : "no"; });
    const auto share = [](Ns part, Ns all) { return all > 0 ? ratio(part, all) : 0; };
    build.share("tensor_core_self", "TC self", differenceOf("overview", "tensor_cores"),
                [&](const OperatorSums &row) { return share(row.tensorSelf, row.deviceSelf); });
    build.share("tensor_core_total", "TC total", differenceOf("overview", "tensor_cores"),
                [&](const OperatorSums &row) { return share(row.tensorTotal, row.deviceTotal); });
    addNote(table, "operators", scope);
    return table;
}

// --- Kernels -----------------------------------------------------------------------------------

struct KernelSums {
    uint32_t name = 0;
    uint64_t calls = 0;
    Ns total = 0, longest = 0, shortest = INT64_MAX;
    double blocks = 0, occupancy = 0;
    double weighted(double sum) const { return total ? sum / static_cast<double>(total) : 0; }
};

ResultTable pluginKernelTable(const Scope &scope, std::string_view)
{
    ResultTable table;
    const Trace &trace = scope.facts().trace();
    std::map<uint32_t, KernelSums> byName;
    for (const PluginEvent &event : pluginEvents(trace)) {
        if (event.type != EventType::Kernel)
            continue;
        KernelSums &sums = byName[event.name];
        const Ns time = event.duration();
        sums.name = event.name;
        ++sums.calls;
        sums.total += time;
        sums.longest = std::max(sums.longest, time);
        sums.shortest = std::min(sums.shortest, time);
        const auto detail = trace.detailOf(&Segment::device, SliceId(event.slice));
        const auto orZero = [&](float value) {
            return value == value ? asWritten(value) * static_cast<double>(time) : 0;
        };
        sums.blocks += detail ? orZero(detail[&DeviceTable::blocksPerSm]) : 0;
        sums.occupancy += detail ? orZero(detail[&DeviceTable::occupancy]) / 100 : 0;
    }
    std::vector<KernelSums> rows;
    for (const auto &[name, sums] : byName)
        rows.push_back(sums);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const KernelSums &a, const KernelSums &b) { return a.total > b.total; });
    TableBuilder<KernelSums> build(table, rows);
    build.text("name", "Name", "Name of the kernel.",
               [&](const KernelSums &row) { return std::string(trace.string(row.name)); });
    build.text("tensor_cores", "Tensor cores", differenceOf("overview", "tensor_cores"),
               [&](const KernelSums &row) { return usesTensorCores(trace.string(row.name)) ? "yes" : "no"; });
    build.count("calls", "Calls", "Number of kernels.", [](const KernelSums &row) { return row.calls; });
    build.time("total_ns", "Total", "Summed time.", [](const KernelSums &row) { return row.total; });
    build.time("mean_ns", "Mean", "Total / calls.",
               [](const KernelSums &row) { return roundedQuotient(row.total, static_cast<int64_t>(row.calls)); });
    build.time("max_ns", "Maximum", "The longest time.", [](const KernelSums &row) { return row.longest; });
    build.time("min_ns", "Minimum", "The shortest time.", [](const KernelSums &row) { return row.shortest; });
    build.number("blocks_per_sm", "Blocks per SM", CellKind::Number, differenceOf("kernels", ""),
                 [](const KernelSums &row) { return row.weighted(row.blocks); });
    build.share("occupancy", "Occupancy", differenceOf("kernels", ""),
                [](const KernelSums &row) { return row.weighted(row.occupancy); });
    addNote(table, "kernels", scope);
    return table;
}

// --- Memory ------------------------------------------------------------------------------------

ResultTable pluginMemoryTable(const Scope &scope, std::string_view)
{
    ResultTable table;
    const Trace &trace = scope.facts().trace();
    const Plugin plugin(trace);
    using Row = PluginMemoryRow;
    const std::vector<Row> rows = pluginMemory(trace, plugin.events, plugin.tree);
    TableBuilder<Row> build(table, rows);
    build.text("name", "Name", "Name of the operator.",
               [&](const Row &row) { return std::string(trace.string(row.name)); });
    build.text("device", "Device", "The device that the memory belongs to.", [](const Row &row) { return row.device; });
    build.count("calls", "Calls", differenceOf("memory", ""), [](const Row &row) { return row.calls; });
    const auto bytes = [&](const char *key, const char *title, const char *formula, auto get) {
        build.integer(key, title, CellKind::Bytes, formula, get);
    };
    bytes("increase_bytes", "Increase", "Allocated − freed in the operator and those inside it.",
          [](const Row &row) { return row.total.increase; });
    bytes("self_increase_bytes", "Self increase", "Allocated − freed in the operator itself.",
          [](const Row &row) { return row.self.increase; });
    build.count("allocations", "Allocations", "Number of allocations in the operator and those inside it.",
                [](const Row &row) { return row.total.allocations; });
    build.count("self_allocations", "Self allocations", "Number of allocations in the operator itself.",
                [](const Row &row) { return row.self.allocations; });
    bytes("allocated_bytes", "Allocated", "Allocated in the operator and those inside it.",
          [](const Row &row) { return row.total.allocated; });
    bytes("self_allocated_bytes", "Self allocated", "Allocated in the operator itself.",
          [](const Row &row) { return row.self.allocated; });
    addNote(table, "memory", scope);
    if (trace.memory.time.empty())
        table.absence = "Memory was not recorded. Set profile_memory=True to record it.";
    return table;
}

} // namespace

std::span<const SummaryView> tensorboardViews()
{
    static const SummaryView kViews[] = {
        {"overview", "Overview as in TensorBoard", {}, pluginOverviewTable, true},
        {"steps", "Steps as in TensorBoard", {}, pluginStepTable},
        {"operators", "Operators as in TensorBoard", {}, pluginOperatorTable},
        {"kernels", "Kernels as in TensorBoard", {}, pluginKernelTable},
        {"memory", "Memory as in TensorBoard", {}, pluginMemoryTable},
    };
    return kViews;
}

} // namespace riffle
