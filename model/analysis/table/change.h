// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/table_builder.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// How a row of a comparison differs between the sides A and B.
enum class ChangeState : uint8_t { Same, Changed, New, Gone, Renamed };
/// "same", "changed", "new", "gone", "renamed"
const char *textOf(ChangeState state);
/// The texts of the states in the order in which a table is sorted by them: what needs a look first.
std::vector<std::string> stateWords();
/// The key of the column with the state of a row.
inline constexpr const char *kStateColumn = "state";
/// The meaning of the states, for the header of a column.
inline constexpr const char *kStateMeaning =
    "new: only in B; gone: only in A; renamed: in both, under different names; changed or same: in both.";

/// A figure on both sides: a time, a number of bytes or of calls. kNoInt means that the side does not have it.
struct Change {
    int64_t a = kNoInt, b = kNoInt;

    /// B − A, in which a side that does not have the figure counts as 0, so that the changes of rows sum to that of
    /// their totals; kNoInt if neither has it. Saturates, because damaged files can contain any number.
    int64_t delta() const;
    /// delta() / A; NaN if A is not positive.
    double share() const;
};

/// New or gone if only one side has the row; otherwise by the figures.
ChangeState stateOf(bool isInA, bool isInB, bool isEqual);

/// The column keys of a figure "time_ns" (the unit stays at the end): "time_a_ns", "time_b_ns", "time_delta_ns" and
/// "time_delta_share".
std::string changeKey(std::string_view figure, std::string_view what);

/// Adds the columns A, B, Δ and Δ % of a figure with the key and the title; `get` returns the Change of a row. The
/// first three are summed.
template <typename Row, typename Get>
void addChange(ResultTable &table, std::span<const Row> rows, const std::string &key, const std::string &title,
               CellKind kind, const std::string &formula, Get get)
{
    TableBuilder<Row> build(table, rows);
    const std::string of = title.empty() ? "" : ", " + title;
    build.integer(changeKey(key, "a"), "A" + of, kind, formula, [&](const Row &row) { return get(row).a; }).summed =
        true;
    build.integer(changeKey(key, "b"), "B" + of, kind, formula, [&](const Row &row) { return get(row).b; }).summed =
        true;
    ResultColumn &delta =
        build.integer(changeKey(key, "delta"), "Δ" + of, kind, "B − A. A side without the row counts as 0.",
                      [&](const Row &row) { return get(row).delta(); });
    delta.summed = delta.barred = delta.isChange = true;
    build.share(changeKey(key, "delta_share"), "Δ %" + of, "Δ / A.", [&](const Row &row) { return get(row).share(); })
        .isChange = true;
}

/// Adds the column with the state of each row, which `get` returns.
template <typename Row, typename Get>
void addState(ResultTable &table, std::span<const Row> rows, Get get)
{
    TableBuilder<Row>(table, rows)
        .text(kStateColumn, "State", kStateMeaning, [&](const Row &row) { return textOf(get(row)); })
        .words = stateWords();
}

/// Makes a table a tree: its rows stand below a new one, which has their sums.
void addTotal(ResultTable &table, const std::string &name);

/// The rows in the order of the sizes of a column's values, largest first; in a tree, siblings are sorted among
/// themselves.
std::vector<uint32_t> rowsBySize(const ResultTable &table, const ResultColumn &by);

/// Keeps at most `limit` rows below each row at the top (or at the top, if the table is not a tree) with all that is
/// below them, and puts one row in place of the others, whose figures are their sums: the rows still sum to the total.
/// A negative limit is none. If `wanted` is not empty, it has one element per row; rows without it are not kept.
void foldRows(ResultTable &table, int64_t limit, std::span<const uint8_t> wanted = {});

/// One element per row: 1 if its state or that of a row below it is not "same", or if the table has no states.
std::vector<uint8_t> changedRows(const ResultTable &table);

} // namespace riffle
