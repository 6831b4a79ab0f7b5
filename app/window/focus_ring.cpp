// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/focus_ring.h"

#include "app/window/shell/tab_button.h"
#include "views/common/look/palette.h"
#include "views/strip/strip_item.h"

#include <QAbstractButton>
#include <QApplication>
#include <QEvent>
#include <QLineEdit>
#include <QPainter>
#include <QTabBar>

namespace riffle {

namespace {

constexpr int kThickness = 2;

/// True for the widgets whose focus the theme draws.
bool showsFocusItself(const QWidget *widget)
{
    const bool isPlain = qobject_cast<const TabButton *>(widget) || qobject_cast<const StripItem *>(widget);
    return !isPlain && (qobject_cast<const QAbstractButton *>(widget) || qobject_cast<const QLineEdit *>(widget));
}

/// The part of the widget that has the focus and that its ancestors do not clip, in the window.
/// QWidget::visibleRegion() leaves out what opaque children cover, such as the contents of a scroll area.
QRect partInSight(const QWidget &widget)
{
    const auto *tabs = qobject_cast<const QTabBar *>(&widget);
    QRect part = tabs ? tabs->tabRect(tabs->currentIndex()) & tabs->rect() : widget.rect();
    for (const QWidget *at = &widget; !at->isWindow() && at->parentWidget(); at = at->parentWidget())
        part = part.translated(at->pos()) & at->parentWidget()->rect();
    return part;
}

} // namespace

FocusRing::FocusRing(QWidget *window) : QWidget(window)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget *, QWidget *now) { follow(now); });
}

void FocusRing::follow(QWidget *focused)
{
    for (const QPointer<QWidget> &widget : m_watched)
        if (widget)
            widget->removeEventFilter(this);
    m_watched.clear();
    disconnect(m_tabs);
    const bool isByKeyboard =
        window()->testAttribute(Qt::WA_KeyboardFocusChange) && QApplication::mouseButtons() == Qt::NoButton;
    const bool isWanted = focused && focused->window() == window() && isByKeyboard && !showsFocusItself(focused);
    m_focused = isWanted ? focused : nullptr;
    for (QWidget *widget = m_focused; widget && widget != window(); widget = widget->parentWidget()) {
        widget->installEventFilter(this);
        m_watched.append(widget);
    }
    if (const auto *tabs = qobject_cast<QTabBar *>(m_focused))
        m_tabs = connect(tabs, &QTabBar::currentChanged, this, &FocusRing::place, Qt::QueuedConnection);
    place();
}

void FocusRing::place()
{
    if (!m_focused || !m_focused->isVisible()) {
        hide();
        return;
    }
    const QRect seen = partInSight(*m_focused);
    setGeometry(seen);
    setMask(QRegion(rect()) - QRegion(rect().adjusted(kThickness, kThickness, -kThickness, -kThickness)));
    setVisible(!seen.isEmpty());
    raise();
}

bool FocusRing::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide: // the geometry of all of them is known only after the layouts have finished
        QMetaObject::invokeMethod(this, &FocusRing::place, Qt::QueuedConnection);
        break;
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

void FocusRing::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), QColor::fromRgb(Palette::fitting(palette()).accent));
}

} // namespace riffle
