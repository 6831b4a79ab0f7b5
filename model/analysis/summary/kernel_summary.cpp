// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/facts/kernel_names.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/facts/tensor_core_names.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/summary/work_rows.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/big_vector.h"
#include "model/base/stopping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace riffle {

namespace {

struct KernelRow {
    const WorkRows::Row *work;
    const Scope *scope;
    Ns total;
    std::string limiter = {}; ///< what keeps more blocks from running at the same time

    const DetailRow<DeviceTable> &detail() const { return scope->facts().work().detail[work->example]; }
    std::string name() const { return std::string(scope->facts().trace().string(work->name)); }
};

std::string sizesText(const std::array<int32_t, 3> &sizes)
{
    return sizes[0] == kNoInt32 || sizes == std::array<int32_t, 3>{}
               ? std::string()
               : fmt::format("[{}, {}, {}]", sizes[0], sizes[1], sizes[2]);
}

int64_t orAbsent(int32_t value) { return value == kNoInt32 ? kNoInt : value; }

std::string operatorName(const KernelRow &row)
{
    const TraceFacts &facts = row.scope->facts();
    const uint32_t call = facts.work().operation[row.work->example];
    const auto slice = call == CallTree::kNone ? std::nullopt : facts.trace().slice(SliceId(facts.calls().slice[call]));
    return slice ? std::string(facts.trace().string(slice->data.name)) : std::string();
}

void addProperties(TableBuilder<KernelRow> &build)
{
    build.text("operator", "Operator", "The operator whose runtime call launched the kernel.", operatorName);
    build.text("grid", "Grid", "Blocks in x, y and z.",
               [](const KernelRow &row) { return sizesText(row.detail()[&DeviceTable::grid]); });
    build.text("block", "Block", "Threads per block in x, y and z.",
               [](const KernelRow &row) { return sizesText(row.detail()[&DeviceTable::block]); });
    build.count("registers", "Registers", "Registers per thread.",
                [](const KernelRow &row) { return orAbsent(row.detail()[&DeviceTable::registers]); });
    build.integer("shared_memory", "Shared memory", CellKind::Bytes, "Shared memory per block, static and dynamic.",
                  [](const KernelRow &row) { return orAbsent(row.detail()[&DeviceTable::sharedMemory]); });
}

/// Adds the columns of calls and times, which all tables of device work have.
void addTimes(TableBuilder<KernelRow> &build)
{
    build
        .count("calls", "Calls", "Slices that start inside the selection.",
               [](const KernelRow &row) { return row.work->calls; })
        .summed = true;
    ResultColumn &total =
        build.time("total_ns", "Total", "Summed time.", [](const KernelRow &row) { return row.work->total; });
    total.summed = total.barred = true;
    build
        .share("share", "Share", "Total / total of all rows.",
               [](const KernelRow &row) { return ratio(row.work->total, row.total); })
        .summed = true;
    build.time("mean_ns", "Mean", "Total / number of slices.", [](const KernelRow &row) { return row.work->mean; });
    build.time("median_ns", "Median", "The median of the slices' times.",
               [](const KernelRow &row) { return row.work->median; });
    build.time("min_ns", "Minimum", "The shortest time.", [](const KernelRow &row) { return row.work->minimum; });
    build.time("max_ns", "Maximum", "The longest time.", [](const KernelRow &row) { return row.work->maximum; });
}

void link(const Scope &scope, const WorkRows &made, ResultTable &table)
{
    const DeviceWork &work = scope.facts().work();
    BigVector<std::pair<uint32_t, uint32_t>> links;
    for (uint32_t at = 0; at < work.size(); ++at) {
        throwIfStoppedAt(at);
        if (made.rowOfWork[at] != RowSlices::kNoRow)
            links.emplace_back(work.slice[at], made.rowOfWork[at]);
    }
    table.slices = RowSlices::ofTrace(scope.trace(), std::move(links));
    for (const WorkRows::Row &row : made.rows)
        table.evidence.push_back({scope.trace(), SliceId(work.slice[row.longest])});
}

std::vector<KernelRow> rowsOf(const Scope &scope, const WorkRows &made)
{
    std::vector<KernelRow> rows;
    for (const WorkRows::Row &row : made.rows)
        rows.push_back({&row, &scope, made.total});
    return rows;
}

/// The "limitingFactors" in a kernel's argument "occupancy", as recorded: "REGS|SMEM".
std::string limiterAt(const SourceText &source, TextPlace place)
{
    const auto arguments = source.arguments(place);
    return arguments ? argumentText(argumentsOfJson(argumentJson(*arguments, {"occupancy"})), {"limitingFactors"})
                     : std::string();
}

/// Reads the limiter of each row from its longest kernel, in source order, because the source may be compressed. Most
/// traces do not record limiters: if none of the first few kernels has one, the others are not read.
void findLimiters(const Trace &trace, const DeviceWork &work, std::vector<KernelRow> &rows)
{
    constexpr size_t kAskedFirst = 4;
    std::vector<std::pair<TextPlace, KernelRow *>> asked;
    for (KernelRow &row : rows)
        if (const auto kernel = trace.slice(SliceId(work.slice[row.work->longest]));
            kernel && !std::isnan(row.work->occupancy))
            asked.push_back({{kernel->data.sourceOffset, kernel->data.sourceLength}, &row});
    if (!trace.source)
        return;
    const auto ask = [&](auto begin, auto end) {
        std::sort(begin, end);
        for (auto each = begin; each != end; ++each) {
            throwIfStopped();
            each->second->limiter = limiterAt(*trace.source, each->first);
        }
        return std::any_of(begin, end, [](const auto &each) { return !each.second->limiter.empty(); });
    };
    const auto rest = asked.begin() + static_cast<ptrdiff_t>(std::min(kAskedFirst, asked.size()));
    if (ask(asked.begin(), rest))
        ask(rest, asked.end());
}

} // namespace

ResultTable kernelTable(const Scope &scope, std::string_view groupBy)
{
    ResultTable table;
    const DeviceWork &work = scope.facts().work();
    SliceReader reader(scope.facts().trace());
    const auto counts = [&](uint32_t at) {
        return isKernel(work.role[at]) && reader.seek(work.slice[at]) && scope.hasStream(reader.lane());
    };
    const bool byProperties = groupBy == "properties";
    const auto operatorId = [&](uint32_t at) {
        return work.operation[at] != CallTree::kNone && reader.seek(scope.facts().calls().slice[work.operation[at]])
                   ? reader.name()
                   : UINT32_MAX;
    };
    const WorkRows made = byProperties
                              ? workRows(
                                    scope,
                                    [&](uint32_t at) {
                                        const DetailRow<DeviceTable> &detail = work.detail[at];
                                        return std::tuple(work.name[at], operatorId(at), detail[&DeviceTable::grid],
                                                          detail[&DeviceTable::block], detail[&DeviceTable::registers],
                                                          detail[&DeviceTable::sharedMemory]);
                                    },
                                    counts)
                              : workRows(
                                    scope, [&](uint32_t at) { return work.name[at]; }, counts);
    std::vector<KernelRow> rows = rowsOf(scope, made);
    findLimiters(scope.facts().trace(), work, rows);
    TableBuilder<KernelRow> build(table, rows);
    ResultColumn &names =
        build.names("name", "Name", "Name of the kernel.", [](const KernelRow &row) { return row.name(); });
    names.shorts = shortKernelNames(std::vector<std::string_view>(names.texts.begin(), names.texts.end()));
    if (byProperties)
        addProperties(build);
    addTimes(build);
    build.number("blocks_per_sm", "Blocks per SM", CellKind::Number,
                 "Blocks of the grid / multiprocessors of the device, averaged by time over the slices that record it.",
                 [](const KernelRow &row) { return row.work->blocksPerSm; });
    build.share("occupancy", "Occupancy",
                "Estimated achieved occupancy, averaged by time over the slices that record it.",
                [](const KernelRow &row) { return row.work->occupancy; });
    build.text("occupancy_limiter", "Limited by",
               "What keeps more blocks from running on a multiprocessor at the same time, as recorded for the longest "
               "slice: registers (REGS), shared memory (SMEM), warps, blocks, barriers.",
               [](const KernelRow &row) { return row.limiter; });
    build.text("tensor_cores", "Tensor cores", "Whether the kernel uses tensor cores, as far as its name shows.",
               [](const KernelRow &row) {
                   const TensorCores cores = tensorCoresOf(row.scope->facts().trace().string(row.work->name));
                   return cores == TensorCores::Yes ? "yes" : cores == TensorCores::No ? "no" : "unknown";
               });
    if (rows.empty() && !hasDeviceWork(scope.facts()))
        table.setEmpty(notRecorded(scope.facts(), EmptySubject::DeviceWork));
    else if (rows.empty())
        table.absence = "No kernel ran.";
    link(scope, made, table);
    return table;
}

ResultTable memcpyTable(const Scope &scope, std::string_view)
{
    ResultTable table;
    const DeviceWork &work = scope.facts().work();
    SliceReader reader(scope.facts().trace());
    const WorkRows made = workRows(
        scope, [&](uint32_t at) { return work.name[at]; },
        [&](uint32_t at) {
            return !isKernel(work.role[at]) && reader.seek(work.slice[at]) && scope.hasStream(reader.lane());
        });
    const std::vector<KernelRow> rows = rowsOf(scope, made);
    TableBuilder<KernelRow> build(table, rows);
    build.names("name", "Name", "Kind of copy or memset, with source and destination.",
                [](const KernelRow &row) { return row.name(); });
    addTimes(build);
    build
        .integer("bytes", "Bytes", CellKind::Bytes, "Bytes copied or set.",
                 [](const KernelRow &row) { return row.work->bytes; })
        .summed = true;
    build.number("bandwidth_gb_s", "GB/s", CellKind::Number,
                 "Bytes / time of the slices that record their bytes, in 10⁹ bytes per second.",
                 [](const KernelRow &row) {
                     return row.work->bytes == kNoInt ? std::numeric_limits<double>::quiet_NaN()
                                                      : ratio(row.work->bytes, row.work->withBytes);
                 });
    if (rows.empty() && !hasDeviceWork(scope.facts()))
        table.setEmpty(notRecorded(scope.facts(), EmptySubject::DeviceWork));
    else if (rows.empty())
        table.absence = "No device copied or set memory.";
    link(scope, made, table);
    return table;
}

} // namespace riffle
