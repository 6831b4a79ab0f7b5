// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/summary/figure_grid.h"

#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"
#include "views/summary/figures.h"

#include <QHeaderView>
#include <QPainter>
#include <QResizeEvent>
#include <QScrollBar>
#include <QStyledItemDelegate>

#include <algorithm>

Q_DECLARE_METATYPE(riffle::ColourPair)

namespace riffle {

namespace {
constexpr int kPad = 12;           ///< logical pixels beside a cell's text
constexpr int kWidestColumn = 240; ///< logical pixels, for values; names are short
constexpr int kWidestGap = 160;    ///< a wider gap between a name and its value would be hard to follow
constexpr int kLeastBars = 60, kMostBars = 260;
constexpr int kSquare = 9; ///< logical pixels: the colour before a name
constexpr int kFillRole = Qt::UserRole, kBarRole = Qt::UserRole + 1, kSumRole = Qt::UserRole + 2;

/// Paints the colour of a part before its name, bars, and the line above a sum.
class FigureDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const Palette &colours = Palette::fitting(option.palette);
        const QVariant fill = index.data(kFillRole), bar = index.data(kBarRole);
        const QColor own = fill.isValid() ? fillOf(fill, colours) : QColor::fromRgb(colours.bar);
        QStyleOptionViewItem rest(option);
        if (fill.isValid() && !bar.isValid()) {
            painter->fillRect(option.rect.left() + 4, option.rect.center().y() - kSquare / 2, kSquare, kSquare, own);
            rest.rect.setLeft(option.rect.left() + kSquare + 6);
        }
        QStyledItemDelegate::paint(painter, rest, index);
        if (bar.isValid()) {
            QRect room = option.rect.adjusted(4, 4, -4, -4);
            room.setWidth(qRound(bar.toDouble() * room.width()));
            painter->fillRect(room, own);
        }
        if (index.data(kSumRole).toBool())
            painter->fillRect(option.rect.left(), option.rect.top(), option.rect.width(), 1,
                              QColor::fromRgb(colours.edge));
    }

private:
    static QColor fillOf(const QVariant &fill, const Palette &colours)
    {
        return QColor::fromRgb(colours.edition(fill.value<ColourPair>()));
    }
};
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
    setItemDelegate(new FigureDelegate(this));
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(0);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 5);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(0);
    horizontalHeader()->setStyleSheet(
        QStringLiteral("QHeaderView { background: palette(base); }"
                       "QHeaderView::section { background: palette(base); border: none; padding: 1px 3px; }"));
}

void FigureGrid::setFigures(const Figures &figures)
{
    const auto rows = static_cast<int>(figures.titles.size());
    clear();
    setRowCount(rows);
    setColumnCount(0);
    m_wanted = 0;
    m_bars = -1;
    QFont bold = font();
    bold.setBold(true);
    const auto add = [&](const QString &title, const QStringList &cells, bool isName) {
        const int column = columnCount();
        setColumnCount(column + 1);
        setHorizontalHeaderItem(column, new QTableWidgetItem(title));
        horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        int width = fontMetrics().size(0, title).width(); // titles may have two lines
        for (int row = 0; row < rows; ++row) {
            const QString text = cells.value(row);
            auto *item = new QTableWidgetItem(text);
            item->setTextAlignment((isName ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            QStringList tip;
            for (const QString &line : {isName ? QString() : text, figures.meanings[row]})
                if (!line.isEmpty())
                    tip += wrappedHtml(line, 80);
            item->setToolTip(tip.join(QStringLiteral("<br>")));
            if (isName && row < figures.colours.size())
                item->setData(kFillRole, QVariant::fromValue(figures.colours[row]));
            if (figures.hasSum && row == rows - 1) {
                item->setFont(bold);
                item->setData(kFillRole, {});
                item->setData(kSumRole, true);
            }
            setItem(row, column, item);
            width = std::max(width, QFontMetrics(item->font()).horizontalAdvance(text));
        }
        if (isName && !figures.colours.isEmpty())
            width += kSquare + 6;
        setColumnWidth(column, std::min(width, kWidestColumn) + kPad);
        m_wanted += columnWidth(column);
    };
    add({}, figures.titles, true);
    m_names = columnWidth(0);
    for (const Figures::Column &column : figures.columns) {
        add(column.title, column.values, false);
        if (column.hasShares())
            add({}, column.shares, false);
        if (column.bars.isEmpty())
            continue;
        add({}, {}, false);
        m_bars = columnCount() - 1;
        for (int row = 0; row < rows; ++row) {
            item(row, m_bars)->setData(kBarRole, column.bars[row]);
            if (row < figures.colours.size())
                item(row, m_bars)->setData(kFillRole, QVariant::fromValue(figures.colours[row]));
        }
        m_wanted += kLeastBars - columnWidth(m_bars);
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
    const int room = std::max(0, viewport()->width() - m_wanted);
    if (m_bars >= 0)
        setColumnWidth(m_bars, std::min(kLeastBars + room, kMostBars));
    if (columnCount() > 0)
        setColumnWidth(0,
                       m_names + std::min(m_bars < 0 ? room : std::max(0, room + kLeastBars - kMostBars), kWidestGap));
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
