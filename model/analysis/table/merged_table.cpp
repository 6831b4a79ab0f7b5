// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/merged_table.h"

#include "model/analysis/table/spread.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace riffle {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kNsSuffix = "_ns";
constexpr const char *kLeast = "min", *kLargest = "max", *kWhere = "max_trace", *kWidth = "spread";

bool isKey(const ResultColumn &column, std::span<const std::string_view> keys)
{
    return std::ranges::find(keys, column.key) != keys.end();
}

/// True if it makes sense to ask which trace has more.
bool isComparable(const ResultColumn &column)
{
    return column.kind != CellKind::Text && column.kind != CellKind::Moment && !column.isId;
}

/// "host_total_min_ns" of "host_total_ns": the unit stays at the end.
std::string derivedKey(std::string_view key, std::string_view what, bool hasUnit = true)
{
    const bool isTime = key.ends_with(kNsSuffix);
    std::string derived(isTime ? key.substr(0, key.size() - kNsSuffix.size()) : key);
    derived.append("_").append(what);
    return isTime && hasUnit ? derived.append(kNsSuffix) : derived;
}

/// "rank_3" of "Rank 3".
std::string keyOf(std::string_view label)
{
    std::string key;
    for (const char c : label)
        if (std::isalnum(static_cast<unsigned char>(c)))
            key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!key.empty() && key.back() != '_')
            key += '_';
    while (key.ends_with('_'))
        key.pop_back();
    return key;
}

/// Appends a cell to a column of the same kind; if there is no column to take it from, one that was not recorded.
void copyCell(const ResultColumn *from, uint32_t row, ResultColumn &to)
{
    if (to.kind == CellKind::Text)
        to.texts.push_back(from ? from->texts[row] : std::string());
    else if (to.isInteger())
        to.integers.push_back(from ? from->integers[row] : kNoInt);
    else
        to.numbers.push_back(from ? from->numbers[row] : kNoNumber);
}

/// True if the tables with several rows are sorted by the column.
bool areSortedBy(std::span<const LabelledTable> tables, const std::string &key)
{
    bool isAny = false;
    for (const LabelledTable &one : tables) {
        const ResultColumn *column = one.table.column(key);
        if (!column || one.table.rows() < 2)
            continue;
        if (!isSortedBy(one.table, *column, true))
            return false;
        isAny = true;
    }
    return isAny;
}

/// Puts the rows of several tables together.
class Merging {
public:
    Merging(std::span<const LabelledTable> tables, std::span<const std::string_view> keys, const std::string &spread)
        : m_tables(tables)
        , m_keys(keys)
        , m_spread(spread)
        , m_rows(tables, keys)
    {
        for (const LabelledTable &one : tables)
            for (const ResultColumn &column : one.table.columns)
                if (std::ranges::find(m_columns, column.key, &ResultColumn::key) == m_columns.end())
                    m_columns.push_back(description(column));
        const ResultTable &first = tables.front().table;
        m_table.view = first.view;
        m_table.title = first.title;
        m_table.origin = first.origin;
        m_table.depth = m_rows.depth();
        for (const LabelledTable &one : tables)
            if (m_rows.rows() == 0 && !one.table.absence.empty()) {
                m_table.absence = one.table.absence;
                m_table.empty = one.table.empty;
            }
        addKeys();
    }

    ResultTable merged() &&
    {
        for (const ResultColumn &column : m_columns)
            if (column.key == m_spread)
                addSpread(column);
            else if (!isKey(column, m_keys))
                addAgreed(column);
        return std::move(*this).finished();
    }

    ResultTable columns() &&
    {
        for (const ResultColumn &column : m_columns) {
            if (column.key != m_spread)
                continue;
            addMedians(column);
            for (size_t table = 0; table < m_tables.size(); ++table)
                addTable(column, table);
        }
        return std::move(*this).finished();
    }

private:
    /// The column without its cells. It shows no total, because a sum of medians is that of no trace.
    ResultColumn description(const ResultColumn &column) const
    {
        ResultColumn empty = column;
        empty.texts.clear();
        empty.shorts.clear();
        empty.integers.clear();
        empty.numbers.clear();
        empty.summed = false;
        empty.hidden = std::ranges::all_of(m_tables, [&](const LabelledTable &one) {
            const ResultColumn *same = one.table.column(column.key);
            return !same || same->hidden;
        });
        return empty;
    }
    /// The column in each of the tables; null where it is missing or of another kind.
    std::vector<const ResultColumn *> columnsLike(const ResultColumn &column) const
    {
        std::vector<const ResultColumn *> found;
        for (const LabelledTable &one : m_tables) {
            const ResultColumn *same = one.table.column(column.key);
            found.push_back(same && same->kind == column.kind ? same : nullptr);
        }
        return found;
    }
    bool has(size_t table, size_t row) const { return m_rows.rowIn(table, row) != RowUnion::kNoRow; }

    void addKeys()
    {
        for (const ResultColumn &column : m_columns) {
            if (!isKey(column, m_keys))
                continue;
            ResultColumn added = column;
            const auto columns = columnsLike(column);
            for (size_t row = 0; row < m_rows.rows(); ++row) {
                const auto [table, own] = m_rows.first(row);
                const ResultColumn *from = columns[table];
                copyCell(from, own, added);
                if (from && !from->shorts.empty())
                    added.shorts.push_back(from->shorts[own]);
            }
            if (added.shorts.size() != added.texts.size())
                added.shorts.clear();
            m_table.columns.push_back(std::move(added));
        }
        ResultColumn &traces = m_table.add(kTracesColumn, "Traces", CellKind::Count,
                                           "The number of traces that have the row. The others count as absent.");
        for (size_t row = 0; row < m_rows.rows(); ++row) {
            int64_t count = 0;
            for (size_t table = 0; table < m_tables.size(); ++table)
                count += has(table, row);
            traces.integers.push_back(count);
        }
    }

    /// The spread of a column's cells, per row.
    template <typename T>
    std::vector<std::optional<Spread<T>>> spreadsOf(const ResultColumn &column, std::vector<T> ResultColumn::*cells,
                                                    T none) const
    {
        const auto columns = columnsLike(column);
        std::vector<std::optional<Spread<T>>> spreads;
        std::vector<T> values(m_tables.size());
        for (size_t row = 0; row < m_rows.rows(); ++row) {
            for (size_t table = 0; table < m_tables.size(); ++table)
                values[table] =
                    columns[table] && has(table, row) ? (columns[table]->*cells)[m_rows.rowIn(table, row)] : none;
            spreads.push_back(spreadOf(std::span<const T>(values)));
        }
        return spreads;
    }

    template <typename T>
    void addMedians(const ResultColumn &column, std::vector<T> ResultColumn::*cells, T none)
    {
        ResultColumn added = column;
        added.formula += std::string(column.formula.empty() ? "" : " ") + "The median over the traces.";
        for (const auto &spread : spreadsOf(column, cells, none))
            (added.*cells).push_back(spread ? spread->median : none);
        m_table.columns.push_back(std::move(added));
    }

    void addMedians(const ResultColumn &column)
    {
        if (column.isInteger())
            addMedians(column, &ResultColumn::integers, kNoInt);
        else
            addMedians(column, &ResultColumn::numbers, kNoNumber);
    }

    template <typename T>
    void addSpread(const ResultColumn &column, std::vector<T> ResultColumn::*cells, T none)
    {
        addMedians(column, cells, none);
        const auto spreads = spreadsOf(column, cells, none);
        const auto add = [&](const char *what, const std::string &title, const char *formula, T Spread<T>::*part) {
            ResultColumn &added = m_table.add(derivedKey(column.key, what), column.title + title, column.kind, formula);
            for (const auto &spread : spreads)
                (added.*cells).push_back(spread ? (*spread).*part : none);
        };
        add(kLeast, " min", "The least value of a trace that has one.", &Spread<T>::least);
        add(kLargest, " max", "The largest value of a trace.", &Spread<T>::largest);
        ResultColumn &where = m_table.add(derivedKey(column.key, kWhere, false), column.title + " max on",
                                          CellKind::Text, "The trace with the largest value.");
        for (const auto &spread : spreads)
            where.texts.push_back(spread ? m_tables[spread->worst].label : std::string());
        add(kWidth, " spread", "The largest value − the least.", &Spread<T>::width);
    }
    void addSpread(const ResultColumn &column)
    {
        if (column.isInteger())
            addSpread(column, &ResultColumn::integers, kNoInt);
        else
            addSpread(column, &ResultColumn::numbers, kNoNumber);
    }

    void addAgreed(const ResultColumn &column)
    {
        if (isComparable(column))
            return addMedians(column);
        ResultColumn added = column;
        const auto columns = columnsLike(column);
        for (size_t row = 0; row < m_rows.rows(); ++row) {
            const ResultColumn *agreed = nullptr;
            uint32_t own = 0;
            bool differs = false;
            for (size_t table = 0; table < m_tables.size(); ++table) {
                const ResultColumn *one = has(table, row) ? columns[table] : nullptr;
                const uint32_t at = m_rows.rowIn(table, row);
                if (!one || one->absent(at))
                    continue;
                differs =
                    differs || (agreed && (column.kind == CellKind::Text ? agreed->texts[own] != one->texts[at]
                                                                         : agreed->integers[own] != one->integers[at]));
                agreed = one;
                own = at;
            }
            copyCell(differs ? nullptr : agreed, own, added);
            if (differs && column.kind == CellKind::Text)
                added.texts.back() = kDifferentTexts;
        }
        m_table.columns.push_back(std::move(added));
    }

    /// The column with the cells of one table.
    void addTable(const ResultColumn &column, size_t table)
    {
        const std::string &label = m_tables[table].label;
        std::string key = keyOf(label);
        while (key.empty() || m_table.column(key)) // another label or a key column is the same but for signs
            key += "_" + std::to_string(table);
        ResultColumn added = column;
        added.key = key;
        added.title = label;
        added.hidden = added.barred = false;
        added.formula = column.title + " of " + label + (column.formula.empty() ? "." : ": " + column.formula);
        const ResultColumn *from = columnsLike(column)[table];
        for (size_t row = 0; row < m_rows.rows(); ++row)
            copyCell(has(table, row) ? from : nullptr, m_rows.rowIn(table, row), added);
        m_table.columns.push_back(std::move(added));
    }

    /// The tables that have a row, those with larger values of the spread column first.
    std::vector<uint32_t> worstFirst(size_t row, const std::vector<const ResultColumn *> &spread) const
    {
        std::vector<std::pair<double, uint32_t>> tables;
        for (uint32_t table = 0; table < m_tables.size(); ++table)
            if (has(table, row)) {
                const double value = spread[table] ? spread[table]->number(m_rows.rowIn(table, row)) : kNoNumber;
                tables.emplace_back(std::isnan(value) ? -std::numeric_limits<double>::infinity() : value, table);
            }
        std::ranges::stable_sort(tables, [](const auto &a, const auto &b) { return a.first > b.first; });
        std::vector<uint32_t> order;
        for (const auto &[value, table] : tables)
            order.push_back(table);
        return order;
    }

    void link(const std::vector<std::vector<uint32_t>> &orders)
    {
        if (std::ranges::any_of(m_tables, [](const LabelledTable &one) { return !one.table.evidence.empty(); }))
            for (size_t row = 0; row < m_rows.rows(); ++row) {
                SliceRef evidence;
                for (const uint32_t table : orders[row])
                    if (const ResultTable &own = m_tables[table].table; !evidence.valid() && !own.evidence.empty())
                        evidence = own.evidence[m_rows.rowIn(table, row)];
                m_table.evidence.push_back(evidence);
            }
        std::vector<RowSlices::Part> parts;
        for (size_t table = 0; table < m_tables.size(); ++table) {
            RowSlices::Part &part = parts.emplace_back(m_tables[table].table.slices);
            part.rows.resize(m_tables[table].table.rows(), RowSlices::kNoRow);
            for (uint32_t row = 0; row < m_rows.rows(); ++row)
                if (has(table, row))
                    part.rows[m_rows.rowIn(table, row)] = row;
        }
        if (std::ranges::any_of(parts, [](const RowSlices::Part &part) { return part.slices != nullptr; }))
            m_table.slices = RowSlices::together(parts, orders);
    }

    ResultTable finished() &&
    {
        std::vector<const ResultColumn *> spread;
        for (const LabelledTable &one : m_tables)
            spread.push_back(one.table.column(m_spread));
        std::vector<std::vector<uint32_t>> orders;
        for (size_t row = 0; row < m_rows.rows(); ++row)
            orders.push_back(worstFirst(row, spread));
        link(orders);
        if (areSortedBy(m_tables, m_spread))
            m_table.keepRows(sortedRows(m_table, *m_table.column(m_spread), true));
        return std::move(m_table);
    }

    std::span<const LabelledTable> m_tables;
    std::span<const std::string_view> m_keys;
    const std::string &m_spread;
    RowUnion m_rows;
    std::vector<ResultColumn> m_columns; ///< of all tables, each once, without cells
    ResultTable m_table;
};

} // namespace

std::string spreadColumn(std::span<const LabelledTable> tables, std::span<const std::string_view> keys,
                         std::string_view wanted)
{
    const auto first = [&](auto fits) {
        for (const LabelledTable &one : tables)
            for (const ResultColumn &column : one.table.columns)
                if (isComparable(column) && !isKey(column, keys) && fits(column))
                    return column.key;
        return std::string();
    };
    const auto isWanted = [&](const std::string &key) {
        return !wanted.empty() && (key == wanted || key == std::string(wanted).append(kNsSuffix));
    };
    const auto isDerived = [&](const ResultColumn &column) {
        return isWanted(derivedKey(column.key, kLeast)) || isWanted(derivedKey(column.key, kLargest)) ||
               isWanted(derivedKey(column.key, kWhere, false)) || isWanted(derivedKey(column.key, kWidth));
    };
    std::string found = first([&](const ResultColumn &column) { return isWanted(column.key); });
    if (found.empty())
        found = first(isDerived);
    if (found.empty())
        found = first([&](const ResultColumn &column) { return column.barred && areSortedBy(tables, column.key); });
    if (found.empty())
        found = first([](const ResultColumn &column) { return column.barred; });
    for (const CellKind kind : {CellKind::Number, CellKind::Time, CellKind::Bytes, CellKind::Share, CellKind::Count})
        if (found.empty())
            found = first([&](const ResultColumn &column) { return column.kind == kind; });
    return found;
}

ResultTable mergedTable(std::span<const LabelledTable> tables, std::span<const std::string_view> keys,
                        const std::string &spread)
{
    return Merging(tables, keys, spread).merged();
}

ResultTable columnsTable(std::span<const LabelledTable> tables, std::span<const std::string_view> keys,
                         const std::string &spread)
{
    return Merging(tables, keys, spread).columns();
}

} // namespace riffle
