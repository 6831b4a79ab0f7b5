// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The difference of device time, as the differences of kernels, operators or modules, which sum to it.

#include "model/analysis/compare/compare_views.h"
#include "model/analysis/compare/device_time_rows.h"
#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/table/change.h"
#include "model/base/format.h"
#include "model/base/stopping.h"

#include <fmt/format.h>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace riffle {

namespace {

/// The name of a row's subject, "A → B" if it is another one in B; of modules, with the modules around them if asked.
std::string subjectName(const DeviceTimeRow &row, const char *without, bool withPaths)
{
    const auto own = [&](bool isWithout, const std::string &name, const std::string &path) {
        return isWithout ? without : withPaths ? path : name;
    };
    const std::string a = own(row.isWithoutA, row.nameA, row.pathA), b = own(row.isWithoutB, row.nameB, row.pathB);
    return row.workB == 0 || a == b ? a : row.workA == 0 ? b : a + " → " + b;
}

/// One name per row. Modules have their paths where the names alone do not tell them apart.
std::vector<std::string> subjectNames(const std::vector<DeviceTimeRow> &rows, DeviceRowsBy by, const char *without)
{
    std::vector<std::string> names;
    std::map<std::string, size_t> times;
    for (const DeviceTimeRow &row : rows) {
        throwIfStoppedAt(names.size());
        names.push_back(subjectName(row, without, false));
        if (by == DeviceRowsBy::Module)
            ++times[names.back()];
    }
    for (size_t row = 0; by == DeviceRowsBy::Module && row < rows.size(); ++row) {
        const bool isElsewhere = rows[row].workA && rows[row].workB && rows[row].pathA != rows[row].pathB &&
                                 rows[row].nameA == rows[row].nameB;
        if (isElsewhere || times[names[row]] > 1)
            names[row] = subjectName(rows[row], without, true);
    }
    return names;
}

std::string countText(uint64_t count) { return formatCount(static_cast<int64_t>(count)); }

Change changeOf(const DeviceTimeRow &row, int64_t a, int64_t b)
{
    return {row.workA ? a : kNoInt, row.workB ? b : kNoInt};
}

ResultTable workDifference(const LabelledScope &a, const LabelledScope &b, const PairedWork &work, DeviceRowsBy by,
                           const char *what, const char *without, const char *calls)
{
    ResultTable table;
    if (by == DeviceRowsBy::Module && a.scope.facts().chains().modules.empty() &&
        b.scope.facts().chains().modules.empty()) {
        table.setEmpty(notRecorded(b.scope.facts(), EmptySubject::Modules));
        return table;
    }
    const DeviceComparison &comparison = work();
    const std::vector<DeviceTimeRow> rows = deviceTimeRows(comparison, by);
    const std::span<const DeviceTimeRow> all = rows;
    TableBuilder<DeviceTimeRow> build(table, all);
    const std::vector<std::string> names = subjectNames(rows, by, without);
    build.names("name", what,
                by == DeviceRowsBy::Module
                    ? "The name, with the modules around it where several have the name; A → B if it is another one "
                      "in B."
                    : "The name; A → B if it has another one in B.",
                [&](const DeviceTimeRow &row) { return names[static_cast<size_t>(&row - rows.data())]; });
    build.text("name_a", "Name in A", "", [](const DeviceTimeRow &row) { return row.nameA; }).hidden = true;
    build.text("name_b", "Name in B", "", [](const DeviceTimeRow &row) { return row.nameB; }).hidden = true;
    addChange(table, all, "time_ns", "Device time", CellKind::Time,
              "Summed time of kernels, copies and memsets, on all devices and streams.",
              [](const DeviceTimeRow &row) { return changeOf(row, row.a, row.b); });
    addChange(table, all, "calls", "Calls", CellKind::Count, calls, [](const DeviceTimeRow &row) {
        return changeOf(row, static_cast<int64_t>(row.callsA), static_cast<int64_t>(row.callsB));
    });
    for (const char *key : {"calls_delta", "calls_delta_share"})
        table.column(key)->hidden = true;
    TableBuilder<DeviceTimeRow> rest(table, all);
    rest.time("gone_ns", "Gone", "The part of A that has no partner in B.",
              [](const DeviceTimeRow &row) { return row.gone; })
        .hidden = true;
    rest.time("new_ns", "New", "The part of B that has no partner in A.",
              [](const DeviceTimeRow &row) { return row.added; })
        .hidden = true;
    for (const char *key : {"gone_ns", "new_ns"})
        table.column(key)->summed = true;
    addState(table, all, [](const DeviceTimeRow &row) { return row.state; });
    for (const DeviceTimeRow &row : rows)
        table.evidence.push_back(row.sliceB.valid() ? SliceRef{b.scope.trace(), row.sliceB}
                                                    : SliceRef{a.scope.trace(), row.sliceA});
    table.notes = comparison.notes();
    const DeviceComparison::Counts &counts = comparison.counts();
    if (!rows.empty())
        table.notes.push_back(fmt::format("Pieces of device work: {} with a partner of the same name, {} with one of "
                                          "another name, {} gone, {} new.",
                                          countText(counts.same), countText(counts.renamed), countText(counts.gone),
                                          countText(counts.added)));
    if (rows.empty() && a.scope.facts().work().empty())
        table.setEmpty(notRecorded(a.scope.facts(), EmptySubject::DeviceWork));
    else if (rows.empty())
        table.absence = "No device work was launched in either part.";
    else
        addTotal(table, "Device time");
    return table;
}

} // namespace

ResultTable kernelDifference(const LabelledScope &a, const LabelledScope &b, const PairedWork &work)
{
    return workDifference(a, b, work, DeviceRowsBy::Kernel, "Kernel", "", "Kernels, copies and memsets.");
}

ResultTable operatorDifference(const LabelledScope &a, const LabelledScope &b, const PairedWork &work)
{
    return workDifference(a, b, work, DeviceRowsBy::Operator, "Operator", "(no operator)",
                          "Calls that launched device work themselves.");
}

ResultTable moduleDifference(const LabelledScope &a, const LabelledScope &b, const PairedWork &work)
{
    return workDifference(a, b, work, DeviceRowsBy::Module, "Module", "(no module)",
                          "Kernels, copies and memsets of the module, without those of modules inside it.");
}

} // namespace riffle
