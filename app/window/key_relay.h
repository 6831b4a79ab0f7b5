// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPointer>

#include <functional>

class QKeyEvent;
class QWidget;

namespace riffle {

/// Lets the letters that move and mark the timeline work while a table or a chart has the focus. They go to the central
/// page if no other widget handles them. Lists and combo boxes, which would search for an entry that starts with the
/// letter, give them up.
class KeyRelay : public QObject {
    Q_OBJECT
public:
    /// `page` returns the central page. All lists and combo boxes in `window` are watched, so they must exist already.
    KeyRelay(QWidget *window, std::function<QWidget *()> page);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool relay(const QKeyEvent &event);
    void letGo();

    QWidget *m_window;
    std::function<QWidget *()> m_page;
    QPointer<QWidget> m_holder; ///< the page that has got a key and not yet its release
    bool m_relaying = false;
};

} // namespace riffle
