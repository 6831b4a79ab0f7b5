// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/difference_table.h"

#include "model/analysis/table/change.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace riffle {

namespace {

constexpr double kNoDifference = std::numeric_limits<double>::quiet_NaN();

bool isKeyColumn(const ResultColumn &column, std::span<const std::string_view> keys)
{
    return std::ranges::find(keys, column.key) != keys.end();
}

/// Puts the rows of two tables side by side.
class Differing {
public:
    Differing(std::span<const LabelledTable> tables, std::span<const std::string_view> keys, const std::string &figure)
        : m_tables(tables)
        , m_keys(keys)
        , m_figure(figure)
        , m_rows(tables, keys)
    {
        assert(tables.size() == 2);
    }

    ResultTable made() &&
    {
        const ResultTable &a = m_tables[0].table, &b = m_tables[1].table;
        m_table.view = a.view;
        m_table.title = a.title;
        m_table.origin = a.origin;
        m_table.depth = m_rows.depth();
        if (m_rows.rows() == 0) {
            m_table.absence = a.absence;
            m_table.empty = a.empty;
        }
        std::vector<const ResultColumn *> columns;
        for (const LabelledTable &one : m_tables)
            for (const ResultColumn &column : one.table.columns)
                if (std::ranges::find(columns, column.key, [](const ResultColumn *known) { return known->key; }) ==
                    columns.end())
                    columns.push_back(&column);
        for (const ResultColumn *column : columns)
            if (isKeyColumn(*column, m_keys))
                addKey(*column);
        m_isEqual.assign(m_rows.rows(), 1);
        for (const bool isFigure : {true, false})
            for (const ResultColumn *column : columns)
                if (!isKeyColumn(*column, m_keys) && isFigure == (column->key == m_figure))
                    add(*column);
        addStates();
        addEvidence();
        const ResultColumn *delta = m_table.column(changeKey(m_figure, "delta"));
        const bool isSorted = delta && std::ranges::any_of(m_tables, [&](const LabelledTable &one) {
                                  const ResultColumn *own = one.table.column(m_figure);
                                  return own && isSortedBy(one.table, *own, true);
                              });
        if (isSorted || (delta && m_rows.rows() > 0 && a.rows() < 2 && b.rows() < 2))
            m_table.keepRows(rowsBySize(m_table, *delta));
        if (m_table.depth.empty() && m_table.rows() > 0 && delta && delta->summed)
            addTotal(m_table, "Total");
        return std::move(m_table);
    }

private:
    const ResultColumn *columnIn(size_t table, const ResultColumn &like) const
    {
        const ResultColumn *own = m_tables[table].table.column(like.key);
        return own && own->kind == like.kind ? own : nullptr;
    }
    bool has(size_t table, size_t row) const { return m_rows.rowIn(table, row) != RowUnion::kNoRow; }

    ResultColumn emptyLike(const ResultColumn &column) const
    {
        ResultColumn empty = column;
        empty.texts.clear();
        empty.shorts.clear();
        empty.integers.clear();
        empty.numbers.clear();
        return empty;
    }
    void addKey(const ResultColumn &column)
    {
        ResultColumn made = emptyLike(column);
        bool isShort = false;
        for (size_t row = 0; row < m_rows.rows(); ++row) {
            const RowUnion::Place place = m_rows.first(row);
            const ResultColumn *own = columnIn(place.table, column);
            append(made, own, place.row);
            made.shorts.push_back(own && !own->shorts.empty()  ? own->shorts[place.row]
                                  : own && !own->texts.empty() ? own->texts[place.row]
                                                               : std::string());
            isShort |= own && !own->shorts.empty();
        }
        if (!isShort)
            made.shorts.clear();
        m_table.columns.push_back(std::move(made));
    }
    static void append(ResultColumn &to, const ResultColumn *from, uint32_t row)
    {
        if (to.kind == CellKind::Text)
            to.texts.push_back(from ? from->texts[row] : std::string());
        else if (to.isInteger())
            to.integers.push_back(from ? from->integers[row] : kNoInt);
        else
            to.numbers.push_back(from ? from->numbers[row] : kNoDifference);
    }
    /// The cells of one side, under the key and the title of that side.
    ResultColumn sideOf(const ResultColumn &column, size_t side) const
    {
        ResultColumn made = emptyLike(column);
        made.key = changeKey(column.key, side ? "b" : "a");
        made.title = m_tables[side].label + ", " + column.title;
        made.barred = false;
        const ResultColumn *own = columnIn(side, column);
        for (size_t row = 0; row < m_rows.rows(); ++row)
            append(made, has(side, row) ? own : nullptr, has(side, row) ? m_rows.rowIn(side, row) : 0);
        return made;
    }

    void add(const ResultColumn &column)
    {
        if (column.kind == CellKind::Moment || column.isId)
            return;
        ResultColumn a = sideOf(column, 0), b = sideOf(column, 1);
        bool isAgreed = true;
        for (size_t row = 0; row < m_rows.rows(); ++row) {
            const bool isSame = column.kind == CellKind::Text ? a.texts[row] == b.texts[row]
                                : a.isInteger()               ? a.integers[row] == b.integers[row]
                                                : a.numbers[row] == b.numbers[row] || (a.absent(row) && b.absent(row));
            m_isEqual[row] &= isSame;
            isAgreed &= isSame || !has(0, row) || !has(1, row);
        }
        if (column.kind == CellKind::Text) {
            addTexts(column, std::move(a), std::move(b), isAgreed);
            return;
        }
        const bool isFigure = column.key == m_figure;
        ResultColumn delta = emptyLike(column);
        delta.key = changeKey(column.key, "delta");
        delta.title = "Δ, " + column.title;
        delta.formula = "B − A.";
        delta.isChange = true;
        delta.barred = isFigure;
        delta.hidden |= !isFigure;
        // Means and extremes would make the table too wide.
        const bool isShown =
            isFigure || column.kind == CellKind::Number || (column.summed && column.kind != CellKind::Share);
        a.hidden = b.hidden = column.hidden || !isShown;
        // In a tree, a row is the sum of those below it.
        const bool isTotal = a.isInteger() && (column.summed || (isFigure && !m_table.depth.empty()));
        for (size_t row = 0; row < m_rows.rows(); ++row) {
            const bool isLacking = a.absent(row) || b.absent(row);
            const bool countsAsZero = isTotal && (!has(0, row) || !has(1, row));
            if (delta.isInteger())
                delta.integers.push_back(isLacking && !countsAsZero ? kNoInt
                                                                    : Change{a.integers[row], b.integers[row]}.delta());
            else
                delta.numbers.push_back(isLacking ? kNoDifference : b.numbers[row] - a.numbers[row]);
        }
        a.summed = b.summed = delta.summed = isTotal;
        m_table.columns.push_back(std::move(a));
        m_table.columns.push_back(std::move(b));
        m_table.columns.push_back(std::move(delta));
        if (isFigure && column.kind != CellKind::Share)
            addShare(column);
    }
    void addShare(const ResultColumn &figure)
    {
        const ResultColumn &a = m_table.columns[m_table.columns.size() - 3], &delta = m_table.columns.back();
        ResultColumn share;
        share.key = changeKey(figure.key, "delta_share");
        share.title = "Δ %, " + figure.title;
        share.kind = CellKind::Share;
        share.formula = "Δ / A.";
        share.isChange = true;
        for (size_t row = 0; row < m_rows.rows(); ++row) {
            const double from = a.number(row), change = delta.number(row);
            share.numbers.push_back(from > 0 ? change / from : kNoDifference);
        }
        m_table.columns.push_back(std::move(share));
    }
    /// One column if the sides agree wherever both have the row, otherwise one per side.
    void addTexts(const ResultColumn &column, ResultColumn a, ResultColumn b, bool isAgreed)
    {
        if (!isAgreed) {
            m_table.columns.push_back(std::move(a));
            m_table.columns.push_back(std::move(b));
            return;
        }
        ResultColumn agreed = emptyLike(column);
        for (size_t row = 0; row < m_rows.rows(); ++row)
            agreed.texts.push_back(has(0, row) ? a.texts[row] : b.texts[row]);
        m_table.columns.push_back(std::move(agreed));
    }
    void addStates()
    {
        std::vector<ChangeState> states;
        for (size_t row = 0; row < m_rows.rows(); ++row)
            states.push_back(stateOf(has(0, row), has(1, row), m_isEqual[row]));
        addState(m_table, std::span<const ChangeState>(states), [](ChangeState state) { return state; });
    }
    /// A row leads to its slices in B, or in A if B does not have it.
    void addEvidence()
    {
        if (std::ranges::all_of(m_tables, [](const LabelledTable &one) { return one.table.evidence.empty(); }))
            return;
        for (size_t row = 0; row < m_rows.rows(); ++row) {
            SliceRef evidence;
            for (const size_t side : {size_t{1}, size_t{0}})
                if (const auto &own = m_tables[side].table.evidence;
                    !evidence.valid() && has(side, row) && !own.empty())
                    evidence = own[m_rows.rowIn(side, row)];
            m_table.evidence.push_back(evidence);
        }
    }
    std::span<const LabelledTable> m_tables;
    std::span<const std::string_view> m_keys;
    const std::string &m_figure;
    RowUnion m_rows;
    std::vector<uint8_t> m_isEqual; ///< per row, whether all cells agree
    ResultTable m_table;
};

} // namespace

ResultTable differenceTable(std::span<const LabelledTable> tables, std::span<const std::string_view> keys,
                            const std::string &figure)
{
    return Differing(tables, keys, figure).made();
}

} // namespace riffle
