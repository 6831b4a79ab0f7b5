// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory/memory_instant.h"

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/analysis/table/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace riffle::cli {

namespace {

/// The default limit of rows in tables that people read.
constexpr int64_t kRowsForPeople = 50;

/// Converts the cells of bytes to numbers in the given unit.
void useUnit(ResultTable &table, const std::string &unit)
{
    const double size = unit == "KiB" ? 1024.0 : unit == "MiB" ? 1048576.0 : unit == "GiB" ? 1073741824.0 : 1.0;
    for (ResultColumn &column : table.columns) {
        if (column.kind != CellKind::Bytes)
            continue;
        column.title += " (" + unit + ")";
        if (unit == "B") {
            column.kind = CellKind::Count;
            continue;
        }
        column.kind = CellKind::Number;
        for (const int64_t bytes : column.integers)
            column.numbers.push_back(bytes == std::numeric_limits<int64_t>::min() ? std::nan("")
                                                                                  : static_cast<double>(bytes) / size);
        column.integers.clear();
    }
}

} // namespace

std::vector<uint32_t> largestRows(const ResultTable &table, const std::vector<int64_t> &given, int64_t limit)
{
    std::vector<uint32_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    const ResultColumn *bytes = table.column("bytes");
    if (limit <= 0 || static_cast<size_t>(limit) >= rows.size())
        return rows;
    const std::vector<int64_t> &weights = given.empty() && bytes ? bytes->integers : given;
    if (!weights.empty()) // in a tree, a parent weighs at least as much as its children and comes before them
        std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) { return weights[a] > weights[b]; });
    rows.resize(static_cast<size_t>(limit));
    std::sort(rows.begin(), rows.end());
    return rows;
}

void printLargestRows(ResultTable table, const MemoryQuestion &question, const std::string &unit,
                      const std::vector<int64_t> &weights)
{
    const bool forPeople = question.format == "table" || question.format == "md";
    const std::vector<uint32_t> rows =
        largestRows(table, weights, question.limit < 0 && forPeople ? kRowsForPeople : question.limit);
    if (!forPeople) {
        if (!table.absence.empty())
            complain(table.view + ": " + table.absence);
        fmt::print("{}", question.format == "json" ? tableJson(table, rows) : tableCsv(table, rows));
        return;
    }
    PrintOptions print;
    print.rowsLeftOut = static_cast<int64_t>(table.rows() - rows.size());
    if (!unit.empty())
        useUnit(table, unit);
    fmt::print("{}", question.format == "md" ? tableMarkdown(table, rows, print) : tableForPeople(table, rows, print));
}

void addSecondColumn(ResultTable &table, const char *key, const char *title, const std::string &text, bool hidden)
{
    ResultColumn column;
    column.key = key;
    column.title = title;
    column.hidden = hidden;
    column.texts.assign(table.rows(), text);
    table.columns.insert(table.columns.begin() + 1, std::move(column));
}

} // namespace riffle::cli
