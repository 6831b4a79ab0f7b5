// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QPointer>
#include <QWidget>

namespace riffle {

/// An outline around the widget that has the focus, if the keyboard brought it there and the widget does not show it
/// itself. It lies above the window's other widgets and lets the mouse through.
class FocusRing : public QWidget {
    Q_OBJECT
public:
    explicit FocusRing(QWidget *window);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void follow(QWidget *focused);
    void place();

    QPointer<QWidget> m_focused;
    QMetaObject::Connection m_tabs;     ///< the focused tab bar tells that another tab is the current one
    QList<QPointer<QWidget>> m_watched; ///< the focused widget and its ancestors, whose moves move the ring
};

} // namespace riffle
