// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/summary_module.h"

#include "model/base/stopping.h"
#include "model/query/cell.h"
#include "model/query/read_only_module.h"
#include "model/query/summary_columns.h"

#include <fmt/format.h>

#include <new>
#include <sqlite3.h>

namespace riffle {

namespace {

struct Summary : sqlite3_vtab {
    ResultTable table;
};

struct SummaryCursor : sqlite3_vtab_cursor {
    size_t row = 0;

    const ResultTable &table() const { return static_cast<const Summary *>(pVtab)->table; }
};

struct RegisteredView {
    const SummaryView *view;
    QuerySource *source;
};

/// Declares the columns of the view, followed by the depth of a row in the view's tree and the slice to which the row
/// leads.
std::string declaration(const ResultTable &table)
{
    std::string sql;
    for (const ResultColumn &column : table.columns)
        sql += fmt::format("{}\"{}\" {}", sql.empty() ? "CREATE TABLE t(" : ", ", column.key, declaredType(column));
    return sql + fmt::format(", {} INTEGER, {} {})", kDepthColumn, kSummarySliceColumn, kSliceIdType);
}

int summaryConnect(sqlite3 *connection, void *given, int, const char *const *, sqlite3_vtab **made, char **why)
{
    try {
        const auto *registered = static_cast<const RegisteredView *>(given);
        SummaryRequest request;
        request.view = registered->view->word;
        auto table = summarize(*registered->source->traces, request, registered->source->run->task);
        if (registered->source->run->stopped())
            return SQLITE_INTERRUPT;
        if (!table || table->columns.empty()) {
            *why = sqlite3_mprintf("%s", table ? table->absence.c_str() : table.error().text().c_str());
            return SQLITE_ERROR;
        }
        const std::string sql = declaration(*table);
        registered->source->declaring = true;
        const int problem = sqlite3_declare_vtab(connection, sql.c_str());
        registered->source->declaring = false;
        if (problem != SQLITE_OK)
            return problem;
        auto *summary = new Summary{};
        summary->table = std::move(*table);
        *made = summary;
        return SQLITE_OK;
    } catch (const std::bad_alloc &) {
        return SQLITE_NOMEM;
    } catch (const Stopped &) {
        return SQLITE_INTERRUPT;
    }
}

int summaryDisconnect(sqlite3_vtab *table)
{
    delete static_cast<Summary *>(table);
    return SQLITE_OK;
}

int summaryBestIndex(sqlite3_vtab *table, sqlite3_index_info *info)
{
    const auto rows = static_cast<double>(static_cast<const Summary *>(table)->table.rows());
    info->estimatedRows = static_cast<sqlite3_int64>(rows);
    info->estimatedCost = rows + 1;
    return SQLITE_OK;
}

int summaryOpen(sqlite3_vtab *, sqlite3_vtab_cursor **made)
{
    *made = new (std::nothrow) SummaryCursor{};
    return *made ? SQLITE_OK : SQLITE_NOMEM;
}

int summaryClose(sqlite3_vtab_cursor *cursor)
{
    delete static_cast<SummaryCursor *>(cursor);
    return SQLITE_OK;
}

int summaryFilter(sqlite3_vtab_cursor *cursor, int, const char *, int, sqlite3_value **)
{
    static_cast<SummaryCursor *>(cursor)->row = 0;
    return SQLITE_OK;
}

int summaryNext(sqlite3_vtab_cursor *cursor)
{
    ++static_cast<SummaryCursor *>(cursor)->row;
    return SQLITE_OK;
}

int summaryAtEnd(sqlite3_vtab_cursor *base)
{
    const auto *cursor = static_cast<const SummaryCursor *>(base);
    return cursor->row >= cursor->table().rows();
}

int summaryColumn(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    const auto *cursor = static_cast<const SummaryCursor *>(base);
    const ResultTable &table = cursor->table();
    const auto at = static_cast<size_t>(number);
    Cell cell(context);
    if (at == table.columns.size()) {
        cell.integer(table.depth.empty() ? 0 : int64_t{table.depth[cursor->row]});
    } else if (at > table.columns.size()) {
        if (!table.evidence.empty() && table.evidence[cursor->row].valid())
            cell.integer(table.evidence[cursor->row].slice.value);
    } else if (const ResultColumn &read = table.columns[at]; !read.absent(cursor->row)) {
        if (read.kind == CellKind::Text)
            cell.lasting(read.texts[cursor->row]);
        else if (read.isInteger())
            cell.integer(read.integers[cursor->row]);
        else
            cell.real(read.numbers[cursor->row]);
    }
    return SQLITE_OK;
}

int summaryRowId(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
{
    *id = static_cast<sqlite3_int64>(static_cast<const SummaryCursor *>(cursor)->row);
    return SQLITE_OK;
}

} // namespace

void addSummaries(sqlite3 *connection, QuerySource &source)
{
    static const sqlite3_module module =
        readOnlyModule({summaryConnect, summaryBestIndex, summaryDisconnect, summaryOpen, summaryClose, summaryFilter,
                        summaryNext, summaryAtEnd, summaryColumn, summaryRowId});
    for (const SummaryView &view : summaryViews()) {
        sqlite3_create_module_v2(connection, summaryTableName(view).c_str(), &module,
                                 new RegisteredView{&view, &source},
                                 [](void *given) { delete static_cast<RegisteredView *>(given); });
    }
}

} // namespace riffle
