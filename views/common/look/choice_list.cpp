// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/choice_list.h"

#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QAbstractListModel>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kRowHeight = 24;
constexpr int kSide = 8;         ///< logical pixels left and right of a row
constexpr int kBetween = 16;     ///< logical pixels between columns
constexpr int kWidestCell = 300; ///< logical pixels of one of the further columns

class ChoiceModel : public QAbstractListModel {
public:
    ChoiceModel(const QList<Choice> &choices, QObject *parent) : QAbstractListModel(parent), m_choices(choices) {}
    int rowCount(const QModelIndex &parent) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_choices.size());
    }
    QVariant data(const QModelIndex &index, int role) const override
    {
        if (!isKnown(index))
            return {};
        const Choice &choice = m_choices[index.row()];
        if (role == Qt::AccessibleTextRole)
            return QStringList(QStringList{choice.title} + choice.details).join(QLatin1String(", "));
        return role == Qt::DisplayRole ? choice.title : QVariant();
    }
    Qt::ItemFlags flags(const QModelIndex &index) const override
    {
        const Qt::ItemFlags flags = Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
        if (!isKnown(index))
            return {};
        return m_choices[index.row()].isPossible ? flags | Qt::ItemIsEnabled : flags;
    }
    /// False for rows of earlier choices: a click on one can replace them, and the view asks for it once more.
    bool isKnown(const QModelIndex &index) const
    {
        return index.isValid() && index.row() < static_cast<int>(m_choices.size());
    }
    void replace(const std::function<void()> &change)
    {
        beginResetModel();
        change();
        endResetModel();
    }

private:
    const QList<Choice> &m_choices;
};

class ChoicePainter : public QStyledItemDelegate {
public:
    ChoicePainter(const QList<Choice> &choices, QObject *parent) : QStyledItemDelegate(parent), m_choices(choices) {}
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        return {0, std::max(kRowHeight, option.fontMetrics.height() + 6)};
    }
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const Choice &choice = m_choices[index.row()];
        const Palette &own = Palette::fitting(option.palette);
        const bool isCurrent = option.state & QStyle::State_Selected;
        if (isCurrent)
            painter->fillRect(option.rect, option.palette.color(QPalette::Highlight));
        const QColor text = isCurrent           ? option.palette.color(QPalette::HighlightedText)
                            : choice.isPossible ? QColor::fromRgb(own.text)
                                                : option.palette.color(QPalette::Disabled, QPalette::Text);
        const QFontMetrics &metrics = option.fontMetrics;
        QRect room = option.rect.adjusted(kSide, 0, -kSide, 0);
        painter->setPen(isCurrent || !choice.isPossible ? text : QColor::fromRgb(own.dimText));
        for (qsizetype column = choice.details.size() - 1; column >= 0; --column) {
            const int wide = std::min(m_widths.value(column), room.width() / 2);
            painter->drawText(QRect(room.right() - wide + 1, room.top(), wide, room.height()),
                              Qt::AlignRight | Qt::AlignVCenter, elided(choice.details[column], metrics, wide));
            room.setRight(room.right() - wide - kBetween);
        }
        painter->setPen(text);
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                          metrics.elidedText(choice.title, Qt::ElideMiddle, room.width()));
    }
    void measure(const QFontMetrics &metrics)
    {
        m_widths.clear();
        for (const Choice &choice : m_choices) {
            m_widths.resize(std::max(m_widths.size(), choice.details.size()));
            for (qsizetype column = 0; column < choice.details.size(); ++column)
                m_widths[column] =
                    std::clamp(metrics.horizontalAdvance(choice.details[column]) + 1, m_widths[column], kWidestCell);
        }
    }

private:
    const QList<Choice> &m_choices;
    QList<int> m_widths; ///< of the further columns, logical pixels
};

} // namespace

ChoiceList::ChoiceList(QWidget *parent) : QListView(parent)
{
    setModel(new ChoiceModel(m_choices, this));
    setItemDelegate(new ChoicePainter(m_choices, this));
    setFocusPolicy(Qt::NoFocus);
    setFrameShape(QFrame::NoFrame);
    setUniformItemSizes(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(this, &QListView::clicked, this, [this](const QModelIndex &index) {
        if (m_choices[index.row()].isPossible)
            emit chosen(index.row());
    });
}

void ChoiceList::setChoices(QList<Choice> choices)
{
    static_cast<ChoiceModel *>(model())->replace([&] { m_choices = std::move(choices); });
    static_cast<ChoicePainter *>(itemDelegate())->measure(fontMetrics());
    setCurrent(0);
}

void ChoiceList::setCurrent(int row)
{
    const QModelIndex index = model()->index(row, 0);
    selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
    if (index.isValid())
        scrollTo(index);
}

bool ChoiceList::move(const QKeyEvent &key)
{
    const int page = std::max(1, viewport()->height() / std::max(1, sizeHintForRow(0)) - 1);
    int by = 0;
    switch (key.key()) {
    case Qt::Key_Up: by = -1; break;
    case Qt::Key_Down: by = 1; break;
    case Qt::Key_PageUp: by = -page; break;
    case Qt::Key_PageDown: by = page; break;
    default: return false;
    }
    if (!m_choices.isEmpty())
        setCurrent(std::clamp(current() + by, 0, static_cast<int>(m_choices.size()) - 1));
    return true;
}

int ChoiceList::heightFor(int most) const
{
    return std::min(most, static_cast<int>(m_choices.size())) * std::max(0, sizeHintForRow(0));
}

} // namespace riffle
