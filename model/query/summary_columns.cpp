// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/summary_columns.h"

#include "model/query/query_table.h"

#include <algorithm>
#include <vector>

namespace riffle {

namespace {

/// Takes the columns from the tables of traces without events, which cost nothing.
std::vector<SummaryColumn> columnsOf(size_t traces)
{
    const std::vector<std::shared_ptr<const Trace>> none(traces, std::make_shared<const Trace>());
    const SetFacts facts(TraceSet::of(none));
    std::vector<SummaryColumn> columns;
    for (const SummaryView &view : summaryViews()) {
        SummaryRequest request;
        request.view = view.word;
        const auto table = summarize(facts, request, {});
        if (!table)
            continue;
        const std::string name = summaryTableName(view);
        for (const ResultColumn &column : table->columns)
            columns.push_back(
                {name, column.key, declaredType(column), column.formula.empty() ? column.title : column.formula});
        columns.push_back({name, kDepthColumn, "INTEGER", "Depth of the row if the rows are a tree, otherwise 0"});
        columns.push_back({name, kSummarySliceColumn, kSliceIdType, "The slice to which the row leads"});
    }
    return columns;
}

} // namespace

std::string summaryTableName(const SummaryView &view)
{
    std::string name = "summary_" + std::string(view.word);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

const char *declaredType(const ResultColumn &column)
{
    return column.kind == CellKind::Text ? "TEXT" : column.isInteger() ? "INTEGER" : "REAL";
}

std::span<const SummaryColumn> summaryColumns(bool several)
{
    static const std::vector<SummaryColumn> ofOne = columnsOf(1), ofSeveral = columnsOf(2);
    return several ? ofSeveral : ofOne;
}

} // namespace riffle
