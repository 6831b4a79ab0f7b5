// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/virtual_table.h"

#include "model/base/stopping.h"
#include "model/query/argument_scan.h"
#include "model/query/read_only_module.h"
#include "model/query/table_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>
#include <sqlite3.h>

namespace riffle {

namespace {

constexpr double kComputedRows = 1000; ///< a guess for tables that are computed when they are read

/// A table of a connection. SQLite owns it, and uses the members of its base.
struct VirtualTable : sqlite3_vtab {
    const QueryTable *table = nullptr;
    const QuerySource *source = nullptr;
    double rows = 0;              ///< total over all files
    std::vector<QueryPlan> plans; ///< all plans agreed on so far; SQLite refers to them by index

    int indexOf(const QueryPlan &plan)
    {
        const auto known = std::find(plans.begin(), plans.end(), plan);
        if (known == plans.end())
            plans.push_back(plan);
        return static_cast<int>(std::find(plans.begin(), plans.end(), plan) - plans.begin());
    }
};

struct Cursor : sqlite3_vtab_cursor {
    std::unique_ptr<TableScan> scan;
    std::vector<QueryValue> values;
    bool atEnd = true;

    VirtualTable &of() const { return *static_cast<VirtualTable *>(pVtab); }
};

struct Registered {
    const QueryTable *table;
    QuerySource *source;
};

/// Runs `body` and turns exceptions into error codes, because none may pass through SQLite.
template <typename Body>
int guarded(Body body)
{
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return SQLITE_NOMEM;
    } catch (const Stopped &) {
        return SQLITE_INTERRUPT;
    }
}

std::string declaration(const QueryTable &table)
{
    std::string sql;
    for (const QueryColumn &column : table.columns)
        sql += fmt::format("{}\"{}\" {}", sql.empty() ? "CREATE TABLE t(" : ", ", column.name, column.type);
    return sql + ")";
}

int connect(sqlite3 *connection, void *given, int, const char *const *, sqlite3_vtab **made, char **)
{
    return guarded([&] {
        const auto *registered = static_cast<const Registered *>(given);
        const std::string sql = declaration(*registered->table);
        registered->source->declaring = true;
        const int problem = sqlite3_declare_vtab(connection, sql.c_str());
        registered->source->declaring = false;
        if (problem != SQLITE_OK)
            return problem;
        auto table = std::make_unique<VirtualTable>();
        table->table = registered->table;
        table->source = registered->source;
        for (const auto &file : registered->source->files)
            table->rows += registered->table->isComputed ? kComputedRows : registered->table->rows(*file);
        *made = table.release();
        return SQLITE_OK;
    });
}

int disconnect(sqlite3_vtab *table)
{
    delete static_cast<VirtualTable *>(table);
    return SQLITE_OK;
}

std::optional<QueryPlan::Compare> compareOf(unsigned char operation)
{
    using Comparison = QueryPlan::Compare;
    switch (operation) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return Comparison::Equal;
    case SQLITE_INDEX_CONSTRAINT_LT: return Comparison::Less;
    case SQLITE_INDEX_CONSTRAINT_LE: return Comparison::LessEqual;
    case SQLITE_INDEX_CONSTRAINT_GT: return Comparison::Greater;
    case SQLITE_INDEX_CONSTRAINT_GE: return Comparison::GreaterEqual;
    case SQLITE_INDEX_CONSTRAINT_LIKE: return Comparison::Like;
    case SQLITE_INDEX_CONSTRAINT_GLOB: return Comparison::Glob;
    default: return std::nullopt;
    }
}

/// The estimated number of rows that the terms of a plan leave, and the cost of finding them. These are guesses; they
/// only serve to rank plans.
struct Estimate {
    double rows, cost;

    void apply(const QueryColumn &column, QueryPlan::Compare compare, double all)
    {
        using Search = QueryColumn::Search;
        if (column.string) {
            rows *= compare == QueryPlan::Compare::Equal ? 0.02 : 0.1;
            cost *= 0.1; // rows are left out before SQLite sees them
        } else if (compare != QueryPlan::Compare::Equal) {
            rows *= 0.3;
            cost *= 0.3;
        } else {
            const double left = column.search == Search::Unique      ? 1 / std::max(all, 1.0)
                                : column.search == Search::Ascending ? 0.001
                                                                     : 0.05;
            rows *= left;
            cost *= left;
        }
    }
};

/// True if a scan reads few rows: those of one slice, or of one parent. An inner loop of a join often does, once for
/// each row of the outer one.
bool readsFewRows(const QueryTable &table, const QueryPlan &plan)
{
    return std::any_of(plan.terms.begin(), plan.terms.end(), [&](const QueryPlan::Term &term) {
        const QueryColumn &column = table.columns[term.column];
        return term.compare == QueryPlan::Compare::Equal && column.integer && !column.fewValues &&
               column.search != QueryColumn::Search::No;
    });
}

/// Returns the order that a query wants, if the scan can deliver its rows in that order; otherwise nothing, and SQLite
/// sorts them. The order is exact even if the query only groups by the columns, because SQLite relies on it for an
/// `order by` behind the grouping.
std::vector<QueryPlan::Order> orderFor(const QueryTable &table, const QueryPlan &plan, const sqlite3_index_info *info)
{
    std::vector<QueryPlan::Order> order;
    if (table.unfoldsArguments || readsFewRows(table, plan))
        return order;
    for (int at = 0; at < info->nOrderBy; ++at) {
        const auto &by = info->aOrderBy[at];
        if (by.iColumn < 0)
            return {};
        const QueryColumn &column = table.columns[static_cast<size_t>(by.iColumn)];
        // A column with many values can be sorted, but only alone.
        if (!column.groupable() && (!column.integer || info->nOrderBy > 1))
            return {};
        order.push_back({static_cast<uint8_t>(by.iColumn), by.desc != 0});
    }
    return order;
}

int bestIndex(sqlite3_vtab *base, sqlite3_index_info *info)
{
    return guarded([&] {
        auto &table = *static_cast<VirtualTable *>(base);
        QueryPlan plan;
        Estimate estimate{table.rows, table.rows};
        for (int at = 0; at < info->nConstraint; ++at) {
            const auto &constraint = info->aConstraint[at];
            const auto compare = compareOf(constraint.op);
            if (!constraint.usable || !compare || constraint.iColumn < 0)
                continue;
            const QueryColumn &column = table.table->columns[static_cast<size_t>(constraint.iColumn)];
            const bool ofText = *compare == QueryPlan::Compare::Like || *compare == QueryPlan::Compare::Glob;
            const bool helps = column.string ? ofText || *compare == QueryPlan::Compare::Equal
                                             : !ofText && column.search != QueryColumn::Search::No;
            // Texts are compared byte by byte; other collations are left to SQLite.
            if (!helps ||
                (column.string && !ofText && sqlite3_stricmp(sqlite3_vtab_collation(info, at), "BINARY") != 0))
                continue;
            plan.terms.push_back({static_cast<uint8_t>(constraint.iColumn), *compare});
            info->aConstraintUsage[at].argvIndex = static_cast<int>(plan.terms.size());
            estimate.apply(column, *compare, table.rows);
        }
        const bool fits = table.rows * SortedPlaces::kBytesPerRow <= static_cast<double>(table.source->run->mostBytes);
        if (fits)
            plan.order = orderFor(*table.table, plan, info);
        if (!plan.order.empty()) {
            info->orderByConsumed = 1;
            estimate.cost += estimate.rows * 0.2;
        }
        info->estimatedRows = std::max<sqlite3_int64>(1, static_cast<sqlite3_int64>(estimate.rows));
        // Arguments are read from the source, which is slow.
        info->estimatedCost = 2 + estimate.cost * (table.table->unfoldsArguments ? 1000 : 1);
        info->idxNum = table.indexOf(plan);
        info->idxStr = sqlite3_mprintf("%s", plan.text(*table.table).c_str());
        info->needToFreeIdxStr = 1;
        return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
    });
}

int open(sqlite3_vtab *base, sqlite3_vtab_cursor **made)
{
    return guarded([&] {
        const auto &table = *static_cast<VirtualTable *>(base);
        auto cursor = std::make_unique<Cursor>();
        if (table.table->unfoldsArguments)
            cursor->scan = std::make_unique<ArgumentScan>(*table.table, table.source->files, table.source->run);
        else
            cursor->scan = std::make_unique<TableScan>(*table.table, table.source->files, table.source->run);
        *made = cursor.release();
        return SQLITE_OK;
    });
}

int close(sqlite3_vtab_cursor *base)
{
    delete static_cast<Cursor *>(base);
    return SQLITE_OK;
}

int next(sqlite3_vtab_cursor *base)
{
    return guarded([&] {
        auto &cursor = *static_cast<Cursor *>(base);
        cursor.atEnd = !cursor.scan->next();
        if (!cursor.atEnd)
            return SQLITE_OK;
        const QueryRun &run = *cursor.of().source->run; // the engine reports its error
        return run.stopped() ? SQLITE_INTERRUPT : run.error ? SQLITE_ERROR : SQLITE_OK;
    });
}

QueryValue valueOf(sqlite3_value *value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: return int64_t{sqlite3_value_int64(value)};
    case SQLITE_FLOAT: return sqlite3_value_double(value);
    case SQLITE_TEXT: {
        const auto *text = reinterpret_cast<const char *>(sqlite3_value_text(value));
        return std::string_view(text ? text : "", static_cast<size_t>(sqlite3_value_bytes(value)));
    }
    default: return {};
    }
}

int filter(sqlite3_vtab_cursor *base, int plan, const char *, int count, sqlite3_value **values)
{
    const int problem = guarded([&] {
        auto &cursor = *static_cast<Cursor *>(base);
        cursor.values.clear();
        for (int at = 0; at < count; ++at)
            cursor.values.push_back(valueOf(values[at]));
        assert(plan >= 0 && static_cast<size_t>(plan) < cursor.of().plans.size());
        cursor.scan->begin(cursor.of().plans[static_cast<size_t>(plan)], cursor.values);
        return SQLITE_OK;
    });
    return problem == SQLITE_OK ? next(base) : problem;
}

int atEnd(sqlite3_vtab_cursor *base) { return static_cast<Cursor *>(base)->atEnd; }

int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
    return guarded([&] {
        auto &cursor = *static_cast<Cursor *>(base);
        QueryRow &row = cursor.scan->row();
        assert(!cursor.atEnd && row.of && at >= 0 && static_cast<size_t>(at) < cursor.of().table->columns.size());
        const QueryColumn &column = cursor.of().table->columns[static_cast<size_t>(at)];
        Cell cell(context);
        if (column.texts) {
            const std::vector<std::string> &texts = column.texts(*row.of);
            if (const auto text = static_cast<uint64_t>(column.integer(row)); text < texts.size())
                cell.lasting(texts[text]);
        } else if (column.integer)
            cell.integer(column.integer(row));
        else if (column.write)
            column.write(row, cell);
        else if (const std::string_view text = row.of->string(column.string(row)); !text.empty() || !column.emptyIsNull)
            cell.lasting(text);
        return SQLITE_OK;
    });
}

/// Gives each row of a table a unique number, which has no other meaning.
int rowId(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    const QueryRow &row = static_cast<Cursor *>(base)->scan->row();
    assert(row.of);
    constexpr int kPartBits = 20;
    const uint64_t number = uint64_t(row.of->place()) << 32 | row.number;
    *id = static_cast<sqlite3_int64>(number << kPartBits | (row.part & ((1u << kPartBits) - 1)));
    return SQLITE_OK;
}

} // namespace

void addTable(sqlite3 *connection, const QueryTable &table, QuerySource &source)
{
    static const sqlite3_module module =
        readOnlyModule({connect, bestIndex, disconnect, open, close, filter, next, atEnd, column, rowId});
    sqlite3_create_module_v2(connection, table.name, &module, new Registered{&table, &source},
                             [](void *given) { delete static_cast<Registered *>(given); });
}

} // namespace riffle
