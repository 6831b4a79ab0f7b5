// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The links between the grid, the heat map and the timeline.
#include "views/ranks/ranks_page.h"

#include "views/common/chart/heat_map.h"
#include "views/ranks/rank_cells.h"

#include <algorithm>
#include <utility>

namespace riffle {

/// The cell of the grid for one of some rows; -1 for none. Traces that nothing places come behind the ranks.
int RanksPage::cellOf(const std::vector<RankRow> &rows, int row) const
{
    const auto at = static_cast<size_t>(row);
    size_t cell = rows[at].cell;
    if (rows[at].cell == RankRow::kUnplaced) {
        const auto isUnplaced = [](const RankRow &one) { return one.cell == RankRow::kUnplaced; };
        const auto behind = std::count_if(rows.begin() + row, rows.end(), isUnplaced);
        cell = m_grid->data().cells.size() - static_cast<size_t>(behind); // too large if there are fewer cells
    }
    return cell < m_grid->data().cells.size() ? static_cast<int>(cell) : -1;
}

/// The first of some rows that is about a cell of the grid; -1 for none.
int RanksPage::rowOf(const std::vector<RankRow> &rows, int cell) const
{
    for (int row = 0; row < static_cast<int>(rows.size()); ++row)
        if (rows[static_cast<size_t>(row)].cell == static_cast<uint32_t>(cell))
            return row;
    int left = static_cast<int>(m_grid->data().cells.size()) - cell; // traces from this cell on, if nothing places it
    for (int row = static_cast<int>(rows.size()) - 1; row >= 0; --row)
        if (rows[static_cast<size_t>(row)].cell == RankRow::kUnplaced && --left == 0)
            return row;
    return -1;
}

/// Makes the cell of a row the current one of the grid.
void RanksPage::follow(int row) { m_grid->setCurrent(cellOf(m_shown->rows, row)); }

/// Makes the rank and the step of the selected slice the current ones.
void RanksPage::showSelection()
{
    const SliceRef slice = session()->selected();
    const Trace *trace = session()->traces().trace(slice.trace);
    if (!slice.valid() || !trace || !m_shown)
        return;
    const auto row = std::ranges::find(m_shown->rows, slice.trace, &RankRow::member);
    if (row == m_shown->rows.end())
        return;
    const auto found = trace->slice(slice.slice);
    const auto rank = static_cast<size_t>(row - m_shown->rows.begin());
    const uint32_t column = found ? m_shown->steps->columnAt(rank, found->data.start) : StepGrid::kNone;
    if (column != StepGrid::kNone) {
        m_map->setCurrent({static_cast<int>(rank), static_cast<int>(column)});
        m_owesSelection = m_map->data().rows == 0; // until there are figures
    }
    follow(static_cast<int>(rank));
}

void RanksPage::goToCell(int row, int column)
{
    const auto rank = static_cast<size_t>(row);
    follow(row);
    const uint32_t at = m_shown->steps->firstRow(rank, static_cast<size_t>(column));
    if (at == StepGrid::kNone)
        return;
    const StepFigureTable &steps = m_shown->steps->facts(rank)->steps;
    const Ns begin = steps.start[at];
    goTo(m_shown->rows[rank].member, {begin, saturatedSum(begin, steps.duration[at])}, SliceId(steps.mark[at]));
}

/// Goes to all of a rank.
void RanksPage::goToRank(int cell)
{
    const int at = rowOf(m_rows, cell);
    if (at < 0)
        return;
    const RankRow &row = m_rows[static_cast<size_t>(at)];
    if (row.facts)
        goTo(row.member, row.facts->span, {});
    else
        emit session()->memberRequested(row.member);
}

/// Shows a time of a rank in the timeline, and a slice if there is one. Its trace is loaded if it is not in memory.
void RanksPage::goTo(TraceId member, TimeSpan span, SliceId mark)
{
    const TraceSet &traces = session()->traces();
    if (!traces.member(member))
        return;
    const TimeSpan place = traces.time(member).toSet(span);
    const Ns room = place.duration() / 20;
    emit timelineRequested();
    session()->pane()->goTo({saturatedSum(place.begin, -room), saturatedSum(place.end, room)});
    m_wanted.reset();
    if (mark.valid())
        m_wanted = std::pair(member, mark);
    if (traces.find(member))
        revealWanted();
    else
        emit session()->memberRequested(member);
}

void RanksPage::revealWanted()
{
    if (!m_wanted || !session()->traces().find(m_wanted->first))
        return;
    session()->pane()->reveal({m_wanted->first, m_wanted->second});
    m_wanted.reset();
}

} // namespace riffle
