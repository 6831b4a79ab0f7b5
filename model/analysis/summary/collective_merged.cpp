// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Calls of collectives on all ranks, grouped by operation, group, type and size (R10).

#include "model/analysis/summary/collective_groups.h"
#include "model/analysis/summary/summary.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/merged_table.h"
#include "model/analysis/table/spread.h"
#include "model/base/parallel.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

namespace riffle {

namespace {

/// A row on all traces: its calls together, and what each trace has of it.
struct MergedCalls {
    CallGroup all;
    std::vector<Ns> times;        ///< per scope, the time of its calls; kNoInt if it has none
    std::vector<uint8_t> isThere; ///< per scope
    SliceRef longest;
    Ns longestTime = -1;
};

class CollectiveMerging {
public:
    explicit CollectiveMerging(std::span<const LabelledScope> scopes) : m_scopes(scopes), m_parts(scopes.size())
    {
        std::vector<CallGroups> groups(scopes.size());
        parallelFor(scopes.size(), [&](size_t at) { groups[at] = callGroupsOf(scopes[at].scope); });
        for (size_t at = 0; at < scopes.size(); ++at)
            add(at, std::move(groups[at]));
    }

    ResultTable table()
    {
        std::vector<CallGroup> rows;
        for (const MergedCalls &row : m_rows)
            rows.push_back(row.all);
        ResultTable table;
        TableBuilder<CallGroup> build(table, rows);
        addGroupColumns(build);
        addTraces(table);
        addCallColumns(build);
        addSpread(table);
        addSizeColumns(build);
        table.notes = notesOf(rows);
        for (const MergedCalls &row : m_rows)
            table.evidence.push_back(row.longest);
        table.slices = RowSlices::together(m_parts, visits());
        table.keepRows(orderOf(rows));
        if (rows.empty())
            table.setEmpty(noCollectives(m_scopes.front().scope));
        return table;
    }

private:
    using Key =
        std::tuple<std::string, CollectiveGroup, std::string_view, int64_t, int64_t, std::string, CollectiveSource>;

    void add(size_t scope, CallGroups groups)
    {
        const TraceId trace = m_scopes[scope].scope.trace();
        RowSlices::Part &part = m_parts[scope];
        for (const CallGroup &group : groups.rows) {
            const CollectiveCall &call = *group.call;
            Key key{operationName(call), *group.group,    call.dataType, call.bytes,
                    call.elements(),     peersText(call), call.source};
            const auto [found, isNew] = m_rowOfKey.try_emplace(std::move(key), static_cast<uint32_t>(m_rows.size()));
            if (isNew) {
                MergedCalls &added = m_rows.emplace_back();
                added.all.call = group.call;
                added.all.group = group.group;
                added.times.resize(m_scopes.size(), kNoInt);
                added.isThere.resize(m_scopes.size());
            }
            MergedCalls &row = m_rows[found->second];
            row.all.add(group);
            row.times[scope] = group.time();
            row.isThere[scope] = 1;
            if (group.longest > row.longestTime) {
                row.longestTime = group.longest;
                row.longest = {trace, SliceId(group.example)};
            }
            part.rows.push_back(found->second);
        }
        part.slices = RowSlices::ofTrace(trace, std::move(groups.links));
    }

    void addTraces(ResultTable &table) const
    {
        TableBuilder<MergedCalls> build(table, m_rows);
        build.count(kTracesColumn, "Traces", "The number of traces that have such calls.",
                    [](const MergedCalls &row) { return std::accumulate(row.isThere.begin(), row.isThere.end(), 0); });
    }

    void addSpread(ResultTable &table) const
    {
        struct Row {
            std::optional<Spread<Ns>> spread;
        };
        std::vector<Row> rows;
        for (const MergedCalls &row : m_rows)
            rows.push_back({spreadOf(std::span<const Ns>(row.times))});
        TableBuilder<Row> build(table, rows);
        const auto add = [&](const char *key, const char *title, const char *formula, Ns Spread<Ns>::*part) {
            build.time(key, title, formula,
                       [part](const Row &row) { return row.spread ? (*row.spread).*part : kNoInt; });
        };
        add("trace_min_ns", "Trace min",
            "The least time of a trace: that of its calls on the device or, without kernels, on the host.",
            &Spread<Ns>::least);
        add("trace_median_ns", "Trace median", "The median of the traces' times.", &Spread<Ns>::median);
        add("trace_max_ns", "Trace max",
            "The largest time of a trace. In a collective, the trace that waits longest has it.", &Spread<Ns>::largest);
        build.text("trace_max_trace", "Trace max on", "The trace with the largest time.",
                   [&](const Row &row) { return row.spread ? m_scopes[row.spread->worst].label : std::string(); });
        add("trace_spread_ns", "Trace spread", "The largest time of a trace − the least.", &Spread<Ns>::width);
    }

    /// For each row, the scopes that have it, those with more time first.
    std::vector<std::vector<uint32_t>> visits() const
    {
        std::vector<std::vector<uint32_t>> all;
        for (const MergedCalls &row : m_rows) {
            std::vector<uint32_t> &order = all.emplace_back();
            for (uint32_t scope = 0; scope < m_scopes.size(); ++scope)
                if (row.isThere[scope])
                    order.push_back(scope);
            std::ranges::stable_sort(order, std::greater<>(), [&](uint32_t scope) { return row.times[scope]; });
        }
        return all;
    }

    std::span<const LabelledScope> m_scopes;
    std::vector<MergedCalls> m_rows;
    std::map<Key, uint32_t> m_rowOfKey;
    std::vector<RowSlices::Part> m_parts;
};

} // namespace

ResultTable mergedCollectiveTable(std::span<const LabelledScope> scopes, std::string_view)
{
    return CollectiveMerging(scopes).table();
}

} // namespace riffle
