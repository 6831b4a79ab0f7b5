// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/summary/figure_grid.h"

#include "views/common/look/qt_text.h"
#include "views/summary/figures.h"

#include <QHeaderView>
#include <QResizeEvent>
#include <QScrollBar>

#include <algorithm>

namespace riffle {

namespace {
constexpr int kPad = 12;           ///< logical pixels beside a cell's text
constexpr int kWidestColumn = 240; ///< logical pixels, for values; names are short
constexpr int kWidestGap = 160;    ///< a wider gap between a name and its value would be hard to follow
} // namespace

FigureGrid::FigureGrid(QWidget *parent) : QTableWidget(parent)
{
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setAlternatingRowColors(true);
    setEditTriggers(NoEditTriggers);
    setSelectionBehavior(SelectRows);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setTextElideMode(Qt::ElideMiddle);
    setWordWrap(false);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(0);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 3);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(0);
}

void FigureGrid::setFigures(const Figures &figures)
{
    const auto rows = static_cast<int>(figures.titles.size());
    clear();
    setRowCount(rows);
    setColumnCount(0);
    m_wanted = 0;
    const auto add = [&](const QString &title, const QStringList &cells, bool isName) {
        const int column = columnCount();
        setColumnCount(column + 1);
        setHorizontalHeaderItem(column, new QTableWidgetItem(title));
        int width = fontMetrics().horizontalAdvance(title);
        for (int row = 0; row < rows; ++row) {
            const QString text = cells.value(row);
            auto *item = new QTableWidgetItem(text);
            item->setTextAlignment((isName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            QStringList tip;
            for (const QString &line : {isName ? QString() : text, figures.meanings[row]})
                if (!line.isEmpty())
                    tip += wrappedHtml(line, 80);
            item->setToolTip(tip.join(QStringLiteral("<br>")));
            setItem(row, column, item);
            width = std::max(width, fontMetrics().horizontalAdvance(text));
        }
        setColumnWidth(column, std::min(width, kWidestColumn) + kPad);
        m_wanted += columnWidth(column);
    };
    add({}, figures.titles, true);
    m_names = columnWidth(0);
    for (const Figures::Column &column : figures.columns) {
        add(column.title, column.values, false);
        if (column.hasShares())
            add({}, column.shares, false);
    }
    horizontalHeader()->setVisible(std::any_of(figures.columns.begin(), figures.columns.end(),
                                               [](const auto &one) { return !one.title.isEmpty(); }));
    spread();
    updateGeometry();
}

int FigureGrid::wantedHeight() const
{
    const int heads = horizontalHeader()->isHidden() ? 0 : horizontalHeader()->sizeHint().height();
    const int bar = m_wanted > width() ? horizontalScrollBar()->sizeHint().height() : 0;
    return heads + verticalHeader()->length() + bar + 2;
}

void FigureGrid::spread()
{
    if (columnCount() > 0)
        setColumnWidth(0, m_names + std::clamp(viewport()->width() - m_wanted, 0, kWidestGap));
}

void FigureGrid::resizeEvent(QResizeEvent *event)
{
    const bool barBefore = m_wanted > event->oldSize().width(), bar = m_wanted > width();
    QTableWidget::resizeEvent(event);
    spread();
    if (bar != barBefore)
        updateGeometry();
}

} // namespace riffle
