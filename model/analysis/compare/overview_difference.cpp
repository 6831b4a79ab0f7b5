// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/compare_views.h"
#include "model/analysis/table/change.h"
#include "model/analysis/table/table_text.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace riffle {

namespace {

/// The cell of the first of these columns that has one; empty if none has.
std::string firstText(const ResultTable &table, size_t row, std::span<const char *const> keys)
{
    for (const char *key : keys)
        if (const ResultColumn *column = table.column(key); column && !column->absent(row))
            return cellText(*column, row);
    return {};
}

} // namespace

ResultTable overviewDifference(const LabelledScope &a, const LabelledScope &b)
{
    ResultTable table = summaryDifference("overview", "time_ns", a, b);
    if (table.rows() == 0)
        return table;
    static constexpr const char *kBefore[]{"text_a", "text", "time_a_ns", "count_a", "share_a"};
    static constexpr const char *kAfter[]{"text_b", "text", "time_b_ns", "count_b", "share_b"};
    static constexpr const char *kDelta[]{"time_delta_ns", "count_delta", "share_delta"};
    std::vector<std::string> before, after, delta;
    for (size_t row = 0; row < table.rows(); ++row) { // “text” is of both sides, also where a row is only in one
        const std::string &state = table.column(kStateColumn)->texts[row];
        before.push_back(state == textOf(ChangeState::New) ? std::string() : firstText(table, row, kBefore));
        after.push_back(state == textOf(ChangeState::Gone) ? std::string() : firstText(table, row, kAfter));
        delta.push_back(firstText(table, row, kDelta));
    }
    for (ResultColumn &column : table.columns)
        column.hidden |= column.key != "section" && column.key != "name" && column.key != "device" &&
                         column.key != "time_delta_share" && column.key != "state";
    const auto add = [&](const char *key, const char *title, const char *formula, std::vector<std::string> texts) {
        table.add(key, title, CellKind::Text, formula).texts = std::move(texts);
    };
    add("a", "A", "The figure of A as text. Hidden columns have it as a number.", std::move(before));
    add("b", "B", "The figure of B as text. Hidden columns have it as a number.", std::move(after));
    add("delta", "Δ", "B − A; the difference of two shares is in percentage points.", std::move(delta));
    const auto figures = std::ranges::find(table.columns, "time_a_ns", &ResultColumn::key);
    std::rotate(figures, table.columns.end() - 3, table.columns.end()); // to the left of the numbers
    return table;
}

} // namespace riffle
