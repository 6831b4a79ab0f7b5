// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/ascii.h"
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

#include "model/base/decimal.h"
#include "model/trace/json_entries.h"

#include <algorithm>

namespace riffle {

namespace {

bool enterSlice(QueryRow &row) { return row.slice.goTo(row.trace(), row.number); }

void writeId(QueryRow &row, Cell &cell, const Column<int64_t> SliceTable::*column, uint16_t unsignedFlag)
{
    const SliceTable &slices = row.slice.segment->slices;
    cell.integer((slices.*column)[row.slice.at], slices.flags[row.slice.at] & unsignedFlag);
}

/// Writes a JSON value as an SQL value: strings as plain text, numbers as numbers, null as NULL, everything else as the
/// text in the file.
void writeJson(const std::string &raw, Cell &cell)
{
    if (raw == "null")
        return;
    if (raw.empty() || !(asciiDigit(raw[0]) || (raw[0] == '-' && raw.size() > 1 && asciiDigit(raw[1])))) {
        cell.text(plainText(raw));
        return;
    }
    const bool isWhole = std::all_of(raw.begin() + 1, raw.end(), asciiDigit);
    const auto integer = isWhole ? integerId(raw) : std::nullopt;
    char *end = nullptr;
    if (integer)
        cell.integer(integer->bits, integer->kind == RawId::Kind::Unsigned);
    else if (const double real = std::strtod(raw.c_str(), &end); !isWhole && end == raw.c_str() + raw.size())
        cell.real(real);
    else
        cell.text(raw);
}

struct WriteValue {
    Cell &cell;
    void operator()(int64_t value) const { cell.integer(value, false); }
    void operator()(uint64_t value) const { cell.integer(static_cast<int64_t>(value), value > INT64_MAX); }
    void operator()(double value) const { cell.real(value); }
    void operator()(const ArgumentValue::Text &value) const { cell.text(value.text); }
    void operator()(const ArgumentValue::Json &value) const { writeJson(value.json, cell); }
};

} // namespace

QueryTable slicesTable()
{
    std::vector<QueryColumn> more{
        cellColumn("correlation", "INTEGER", "Correlation id, which joins a launch with the work that it launched",
                   [](QueryRow &row, Cell &cell) {
                       writeId(row, cell, &SliceTable::correlation, slice_flag::UnsignedCorrelation);
                   }),
        cellColumn("external_id", "INTEGER", "Kineto's External id",
                   [](QueryRow &row, Cell &cell) {
                       writeId(row, cell, &SliceTable::externalId, slice_flag::UnsignedExternalId);
                   }),
        integerColumn("unfinished", "1 if it started but never ended",
                      [](QueryRow &row) { return int64_t{row.slice.unfinished()}; }),
    };
    return {"slices",
            "Everything that has a start and an end: operators, frames, calls, kernels, annotations",
            withTrace(joined(sliceColumns(numberOf), std::move(more))),
            sliceCount,
            enterSlice,
            narrowSlices};
}

QueryTable argsTable()
{
    using Search = QueryColumn::Search;
    QueryTable table{"args",     "The arguments of slices, as in the file; fast if the query names the slices",
                     {},         sliceCount,
                     enterSlice, allSlices};
    table.columns = withTrace({
        sliceColumn("slice_id", "The slice", numberOf, Search::Ascending),
        cellColumn("key", "TEXT", "Name of the argument",
                   [](QueryRow &row, Cell &cell) { cell.text(row.arguments[row.part].key); }),
        cellColumn("value", "", "Its value: a number, a text, or JSON where it is a list or an object",
                   [](QueryRow &row, Cell &cell) { row.arguments[row.part].value.visit(WriteValue{cell}); }),
    });
    table.unfoldsArguments = true;
    return table;
}

} // namespace riffle
