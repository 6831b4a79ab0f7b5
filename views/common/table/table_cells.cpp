// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/table/table_cells.h"

#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"
#include "views/common/table/result_row_model.h"

#include <QApplication>
#include <QHeaderView>
#include <QPainter>
#include <QStyle>

namespace riffle {

namespace {
constexpr int kPad = 4;       ///< beside the text of a cell
constexpr int kBarHeight = 2; ///< logical pixels; behind a number, a bar would make it hard to read
} // namespace

void BarDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(ResultRowModel::kBarRole);
    if (share.isValid() && !(option.state & QStyle::State_Selected)) {
        QRect bar = option.rect.adjusted(2, 0, -2, 0);
        bar.setTop(bar.bottom() - kBarHeight + 1);
        bar.setWidth(std::max(1, qRound(share.toDouble() * bar.width())));
        painter->fillRect(bar, QColor::fromRgb(Palette::fitting(option.palette).bar));
    }
}

QSize BarDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 2 * kBarHeight); // above the text, too
}

void BarDelegate::initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    if (option->rect.width() <= 0 || !option->text.contains(QChar(0x2026)))
        return;
    const QStyle *style = option->widget ? option->widget->style() : QApplication::style();
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, option, option->widget) + 1;
    option->text = elided(option->text, option->fontMetrics, option->rect.width() - 2 * margin);
}

TotalsRow::TotalsRow(const ResultRowModel *rows, QHeaderView *header, QWidget *parent)
    : QWidget(parent)
    , m_rows(rows)
    , m_header(header)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(header, &QHeaderView::sectionResized, this, qOverload<>(&QWidget::update));
    connect(header, &QHeaderView::geometriesChanged, this, qOverload<>(&QWidget::update));
}

void TotalsRow::refresh()
{
    bool any = false;
    QStringList said;
    for (int column = 0; column < m_rows->columnCount(); ++column)
        if (const auto total = m_rows->total(column)) {
            any = true;
            said += QString::fromStdString(m_rows->table().columns[static_cast<size_t>(column)].title) +
                    QLatin1Char(' ') + *total;
        }
    setAccessibleName(tr("Totals"));
    setAccessibleDescription(said.join(QLatin1String(", ")));
    setVisible(any && m_rows->rowCount() > 0);
    update();
}

QSize TotalsRow::sizeHint() const { return {100, fontMetrics().height() + 8}; }

void TotalsRow::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(rect(), QColor::fromRgb(colours.heading));
    painter.fillRect(0, 0, width(), 1, QColor::fromRgb(colours.line));
    QFont font = this->font();
    font.setBold(true);
    painter.setFont(font);
    painter.setPen(QColor::fromRgb(colours.text));
    bool named = false;
    for (int column = 0; column < m_rows->columnCount(); ++column) {
        if (m_header->isSectionHidden(column))
            continue;
        const QRect cell(m_header->sectionViewportPosition(column) + kPad, 1, m_header->sectionSize(column) - 2 * kPad,
                         height() - 1);
        const auto total = m_rows->total(column);
        if (total)
            painter.drawText(cell, Qt::AlignRight | Qt::AlignVCenter, *total);
        else if (!named)
            painter.drawText(cell, Qt::AlignLeft | Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(tr("Total"), Qt::ElideRight, cell.width()));
        named = true;
    }
}

} // namespace riffle
