// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/tour.h"

#include "views/common/look/palette.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kCardWidth = 340; ///< logical pixels
constexpr int kGap = 10;        ///< between the card and the part

/// The frame around a part. It lets the mouse through.
class PartFrame : public QWidget {
public:
    explicit PartFrame(QWidget *parent) : QWidget(parent)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        hide();
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(QColor::fromRgb(Palette::fitting(palette()).accent), 2));
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
    }
};

} // namespace

Tour::Tour(Show show, QWidget *window)
    : QFrame(window)
    , m_show(std::move(show))
    , m_frame(new PartFrame(window))
    , m_title(new QLabel(this))
    , m_text(new QLabel(this))
    , m_count(new QLabel(this))
    , m_back(new QPushButton(tr("&Back"), this))
    , m_next(new QPushButton(this))
    , m_leave(new QPushButton(tr("&Leave"), this))
{
    setObjectName(QStringLiteral("tour"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::ToolTipBase);
    setFixedWidth(kCardWidth);
    QFont bold = font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setWordWrap(true);
    m_text->setWordWrap(true);
    m_count->setForegroundRole(QPalette::PlaceholderText);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(6);
    buttons->addWidget(m_count);
    buttons->addStretch(1);
    for (QPushButton *button : {m_leave, m_back, m_next}) {
        button->setAutoDefault(true);
        button->installEventFilter(this);
        buttons->addWidget(button);
    }
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 12, 14, 12);
    layout->setSpacing(8);
    layout->addWidget(m_title);
    layout->addWidget(m_text);
    layout->addLayout(buttons);
    connect(m_back, &QPushButton::clicked, this, [this] { go(m_card - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { go(m_card + 1); });
    connect(m_leave, &QPushButton::clicked, this, &Tour::leave);
    window->installEventFilter(this);
    hide();
}

void Tour::start(TourKind kind)
{
    if (!isRunning())
        m_before = QApplication::focusWidget();
    m_cards = tourCards(kind);
    go(0);
}

void Tour::leave()
{
    if (!isRunning())
        return;
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    hide();
    m_frame->hide();
    if (hadFocus && m_before)
        m_before->setFocus();
}

void Tour::go(int card)
{
    if (card < 0)
        return;
    if (static_cast<size_t>(card) >= m_cards.size()) {
        leave();
        return;
    }
    m_card = card;
    const TourCard &one = m_cards[static_cast<size_t>(card)];
    const bool isLast = static_cast<size_t>(card) + 1 == m_cards.size();
    m_title->setText(tr(one.title));
    m_text->setText(tr(one.text));
    m_count->setText(tr("%1 of %2").arg(card + 1).arg(m_cards.size()));
    m_next->setText(isLast ? tr("&Done") : tr("&Next"));
    m_back->setEnabled(card > 0);
    m_leave->setVisible(!isLast);
    setAccessibleName(m_title->text());
    setAccessibleDescription(m_text->text());
    m_part = m_show(one.place);
    show();
    place();
    m_next->setFocus(Qt::OtherFocusReason);
}

/// Places the card below the part, otherwise above it, and otherwise in it, where it fits.
void Tour::place()
{
    const QRect window = parentWidget()->rect().adjusted(kGap, kGap, -kGap, -kGap);
    setFixedHeight(layout()->heightForWidth(kCardWidth - 2 * frameWidth()) + 2 * frameWidth());
    QRect part = window;
    if (m_part && m_part->isVisible())
        part = QRect(m_part->mapTo(parentWidget(), QPoint(0, 0)), m_part->size());
    m_frame->setVisible(m_part && m_part->isVisible());
    m_frame->setGeometry(part.adjusted(-1, -1, 1, 1).intersected(parentWidget()->rect()));
    m_frame->raise();
    raise();
    QPoint corner(part.left() + std::min(40, part.width() / 4), part.bottom() + kGap);
    if (corner.y() + height() > window.bottom())
        corner.setY(part.top() - kGap - height());
    if (corner.y() < window.top())
        corner = part.center() - QPoint(width() / 2, height() / 2);
    corner.setX(std::clamp(corner.x(), window.left(), std::max(window.left(), window.right() - width())));
    corner.setY(std::clamp(corner.y(), window.top(), std::max(window.top(), window.bottom() - height())));
    move(corner);
}

/// Handles a key, also one that a button has; otherwise arrows would only move the focus.
bool Tour::handles(int key)
{
    switch (key) {
    case Qt::Key_Escape: leave(); return true;
    case Qt::Key_Right:
    case Qt::Key_PageDown: go(m_card + 1); return true;
    case Qt::Key_Left:
    case Qt::Key_PageUp: go(m_card - 1); return true;
    default: return false;
    }
}

void Tour::keyPressEvent(QKeyEvent *event)
{
    if (!handles(event->key()))
        QFrame::keyPressEvent(event);
}

bool Tour::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != parent())
        return event->type() == QEvent::KeyPress && handles(static_cast<QKeyEvent *>(event)->key());
    if (isRunning() && (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest))
        place();
    return false;
}

} // namespace riffle
